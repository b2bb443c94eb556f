/* Elements of several pages that print the same thing are one place. */
#include "template/fields/place.h"

#include "tests/unit/template/fields/learned.h"

static struct learned site;

static void teardown(void)
{
	learned_free(&site);
}

FIXTURE(.teardown = teardown);

TEST(classes_tell_siblings_apart)
{
	for (int i = 0; i < 5; i++)
		learned_add(&site,
			    "<div class=box><span class='cell price'>%d</span>"
			    "<span class='cell stock'>%d left</span></div>",
			    i, i + 50);
	learned_run(&site);
	check_place(&site, "0", "span.price", "");
	check_place(&site, "50 left", "span", "");
	ck_assert_uint_eq(place_of_text(&site, "0"), place_of_text(&site, "4"));
	ck_assert_uint_ne(place_of_text(&site, "0"),
			  place_of_text(&site, "50 left"));
}

TEST(a_class_that_names_the_item_is_no_part_of_the_step)
{
	static const char *const words[] = {"fish", "cheese", "wine", "tea"};

	for (int i = 0; i < 4; i++)
		learned_add(&site,
			    "<div class='item category-%s'><p>%s</p>"
			    "</div>",
			    words[i], words[i]);
	learned_run(&site);
	for (int i = 1; i < 4; i++)
		ck_assert_uint_eq(place_of_text(&site, words[i]),
				  place_of_text(&site, words[0]));
}

TEST(pairs_of_a_dl_are_told_apart_by_the_label_in_front)
{
	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    "<dl>%s<dt class=k>ISBN<dd class=v>978-%d"
			    "<dt class=k>Binding<dd class=v>cloth %d</dl>",
			    i % 2 == 0 ? "<dt class=k>Pages<dd class=v>some"
				       : "",
			    i, i);
	learned_run(&site);
	check_place(&site, "978-0", "dd", "ISBN");
	check_place(&site, "cloth 0", "dd", "Binding");
	ck_assert_uint_eq(place_of_text(&site, "978-0"),
			  place_of_text(&site, "978-1"));
	ck_assert_uint_eq(place_of_text(&site, "cloth 0"),
			  place_of_text(&site, "cloth 1"));
}

TEST(rows_of_a_table_are_told_apart_by_their_own_label)
{
	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    "<table>%s<tr><td>Weight<td>%d kg"
			    "<tr><td>Colour<td>red %d</table>",
			    i % 2 == 0 ? "<tr><td>Size<td>big" : "", i, i);
	learned_run(&site);
	ck_assert_uint_eq(place_of_text(&site, "0 kg"),
			  place_of_text(&site, "1 kg"));
	ck_assert_uint_eq(place_of_text(&site, "red 0"),
			  place_of_text(&site, "red 1"));
	ck_assert_uint_ne(place_of_text(&site, "0 kg"),
			  place_of_text(&site, "red 0"));
}

TEST(texts_behind_bold_labels_are_told_apart)
{
	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    "<p>%s<b>ISBN</b>: 978-%d<br><b>Year</b>: 19%d</p>",
			    i % 2 == 0 ? "<b>Pages</b>: 7<br>" : "", i, i + 70);
	learned_run(&site);
	ck_assert_uint_ne(place_of_text(&site, ": 978-0"), NO_PLACE);
	ck_assert_uint_eq(place_of_text(&site, ": 978-0"),
			  place_of_text(&site, ": 978-1"));
	ck_assert_uint_ne(place_of_text(&site, ": 978-0"),
			  place_of_text(&site, ": 1970"));
}

TEST(items_of_a_list_are_one_repeated_place)
{
	for (int i = 0; i < 4; i++)
		learned_add(&site, "<ul><li>a%d<li>b%d<li>c%d%s</ul>", i, i, i,
			    i % 2 == 0 ? "<li>d<li>e" : "");
	learned_run(&site);
	ck_assert_uint_eq(place_of_text(&site, "a0"),
			  place_of_text(&site, "c3"));
	ck_assert(place_at(&site.tree,
			   place_at(&site.tree, place_of_text(&site, "a0"))
				   ->parent)
			  ->is_repeated);
}

TEST(stripes_of_a_table_are_one_place)
{
	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    "<table><tr class=white><td>a%d<tr class=gray>"
			    "<td>b%d%s</table>",
			    i, i, i % 2 == 0 ? "<tr class=white><td>c" : "");
	learned_run(&site);
	ck_assert_uint_ne(place_of_text(&site, "a0"), NO_PLACE);
	ck_assert_uint_eq(place_of_text(&site, "a0"),
			  place_of_text(&site, "b3"));
}

/* Their number is always even. */
TEST(labels_and_values_that_alternate_are_no_stripes)
{
	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    "<div><p class=k>one</p><p class=v>a%d</p>"
			    "<p class=k>two</p><p class=v>b%d</p>%s</div>",
			    i, i,
			    i % 2 == 0 ? "<p class=k>three<p class=v>c" : "");
	learned_run(&site);
	ck_assert_uint_ne(place_of_text(&site, "one"),
			  place_of_text(&site, "a0"));
}

TEST(equal_siblings_of_a_constant_number_have_positions)
{
	uint32_t crumb;

	for (int i = 0; i < 5; i++)
		learned_add(
			&site,
			"<nav><a>Home</a><a>Kind %d</a><a>Item %d</a></nav>", i,
			i);
	learned_run(&site);
	crumb = place_at(&site.tree, place_of_text(&site, "Item 2"))->parent;
	ck_assert_uint_eq(place_at(&site.tree, crumb)->position, 2);
	ck_assert_uint_eq(place_at(&site.tree, crumb)->positions, 3);
	ck_assert_uint_eq(
		place_at(&site.tree, place_at(&site.tree, crumb)->first)
			->position,
		0);
}

TEST(what_follows_the_end_of_the_page_has_a_place)
{
	for (int i = 0; i < 3; i++)
		learned_add(&site,
			    "<html><body><p>one</p></body></html>"
			    "<div class=late>late %d</div>",
			    i);
	learned_run(&site);
	ck_assert_uint_ne(place_of_text(&site, "late 0"), NO_PLACE);
	ck_assert_uint_eq(place_of_text(&site, "late 0"),
			  place_of_text(&site, "late 2"));
}

TEST(scripts_and_styles_have_no_place)
{
	uint32_t places;

	learned_add(&site, "<body><p>one</p>");
	learned_run(&site);
	places = site.tree.places.count;
	learned_free(&site);
	learned_add(&site, "<body><p>one</p><script>a</script><style>b</style>"
			   "<template><p>c</p></template><svg><a>d</a></svg>");
	learned_run(&site);
	ck_assert_uint_eq(site.tree.places.count, places);
}

TEST(no_pages_and_empty_pages_have_no_places_below_the_root)
{
	learned_run(&site);
	ck_assert_uint_eq(site.tree.places.count, 1);
	ck_assert_uint_eq(site.table.count, 0);
	learned_add(&site, "%s", "");
	learned_run(&site);
	ck_assert_uint_eq(site.tree.places.count, 1);
}

TEST(a_truncated_page_is_left_out)
{
	struct page_limits limits = page_limits_default;

	limits.max_nodes = 4;
	site.pages[0] = page_of_slice(
		slice_of("<body><p>one<p>two<p>three<p>four<p>five"), &limits);
	site.count = 1;
	ck_assert(site.pages[0]->is_truncated);
	learned_run(&site);
	ck_assert_uint_eq(site.tree.places.count, 1);
}

/* Append the markup `count` times. */
static void repeat(struct buffer *html, const char *markup, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		buffer_printf(html, "%s", markup);
}

TEST(deep_elements_have_no_place)
{
	AUTO_BUFFER html = {0};

	repeat(&html, "<div>", 300);
	buffer_printf(&html, "deep");
	learned_add(&site, "%s", html.data);
	learned_run(&site);
	ck_assert_uint_eq(place_of_text(&site, "deep"), NO_PLACE);
	/* and the root and the head */
	ck_assert_uint_le(site.tree.places.count, MAX_PLACE_DEPTH + 2u);
}

TEST(further_children_have_no_place_and_no_run_has_their_text)
{
	AUTO_BUFFER html = {0};

	repeat(&html, "<p>one</p>", 4001);
	buffer_printf(&html, "<p>after</p>end");
	learned_add(&site, "%s", html.data);
	learned_run(&site);
	ck_assert_uint_ne(place_of_text(&site, "one"), NO_PLACE);
	ck_assert_uint_eq(place_of_text(&site, "after"), NO_PLACE);
	ck_assert_uint_eq(place_of_text(&site, "end"), NO_PLACE);
}

/* 500 pages of 400 elements, each of which has names of its own. */
TEST(thousands_of_names_take_bounded_memory)
{
	for (int i = 0; i < 500; i++) {
		AUTO_BUFFER html = {0};

		for (int k = 0; k < 400; k++)
			buffer_printf(&html,
				      "<p class='a%c%c b%c%c x y z%c'>%d</p>",
				      'a' + k % 26, 'a' + k / 26, 'a' + i % 26,
				      'a' + k % 20, 'a' + k % 7, i);
		learned_add(&site, "%s", html.data);
	}
	learned_run(&site);
	ck_assert_uint_lt(arena_bytes(test_arena), 64 << 20);
}

TEST(a_pruned_tree_places_pages_as_before)
{
	struct place_tree pruned;
	struct placement placement;
	uint32_t price;
	bool *is_kept;
	uint32_t *numbers;

	for (int i = 0; i < 5; i++)
		learned_add(&site,
			    "<div><i class=a>x%d</i><i class=b>y%d</i></div>",
			    i, i);
	learned_run(&site);
	is_kept = ARENA_NEW(test_arena, bool, site.tree.places.count);
	numbers = ARENA_NEW(test_arena, uint32_t, site.tree.places.count);
	price = place_of_text(&site, "y0");
	for (uint32_t i = price; i != NO_PLACE;
	     i = place_at(&site.tree, i)->parent)
		is_kept[i] = true;
	pruned = place_tree_prune(test_arena, &site.tree, is_kept, numbers);
	ck_assert_uint_lt(pruned.places.count, site.tree.places.count);
	placement = place_page(&pruned, site.pages[1], test_arena);
	ck_assert_uint_eq(placement.of_text[0], NO_PLACE);
	ck_assert_uint_eq(placement.of_text[1], numbers[price]);
}
