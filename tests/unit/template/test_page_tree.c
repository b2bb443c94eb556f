/* Pages laid over each other; every number is worked by hand. */
#include "template/page_tree.h"

#include "extract/core/extractor.h"
#include "page/page.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* Three pages of one template, whose cluster has nine pages: "Menu" is on all
 * of them, the rest of the texts only on its page. */
static const char *const three[] = {
	"<html><head><title>T</title></head><body class=a><div class=menu>Menu"
	"</div><div class='post post-1'><p>one<p>first</div></body></html>",
	"<html><body class=b><div class=menu>Menu</div><div class='post "
	"post-2'>"
	"<p>twos</div></body></html>",
	"<html><body><div class=menu>Menu</div><table><tr><td>three</table>"
	"<script>x()</script></body></html>",
};

static struct page_tree tree;

static void setup(void)
{
	tree = page_tree_make(test_arena);
}

/* Texts "Menu" are on `all` pages, others on one. */
static void add(const char *html, uint32_t all)
{
	AUTO_PAGE *page = parse(html);
	uint32_t *frequency =
		ARENA_NEW(page->arena, uint32_t, page->text_count);
	struct template_counts counts = {all, frequency};

	for (uint32_t i = 0; i < page->text_count; i++) {
		struct slice text = page_text(page, i);

		frequency[i] = slice_equal(text, slice_of("Menu")) ? all : 1;
	}
	page_tree_add(&tree, page, &counts);
}

static void add_three(void)
{
	for (size_t i = 0; i < 3; i++)
		add(three[i], 9);
	page_tree_sum(&tree);
}

static const struct page_tree_node *at(const char *path)
{
	uint32_t index = page_tree_find(&tree, slice_of(path));

	ck_assert_msg(index != NO_STEP, "%s", path);
	return page_tree_node(&tree, index);
}

FIXTURE(.setup = setup);

TEST(same_tags_and_classes_in_the_same_place_are_one_node)
{
	add_three();
	ck_assert_uint_eq(tree.page_count, 3);
	/* html body div.menu div.post.post-0 p table tbody tr td */
	ck_assert_uint_eq(at("html")->pages, 3);
	ck_assert_uint_eq(at("html>body")->pages, 3);
	ck_assert_uint_eq(at("html>body>div.menu")->pages, 3);
	ck_assert_uint_eq(at("html>body>div.menu")->elements, 3);
	ck_assert_uint_eq(at("html>body>div.post.post-0")->pages, 2);
	ck_assert_uint_eq(at("html>body>div.post.post-0>p")->pages, 2);
	ck_assert_uint_eq(at("html>body>div.post.post-0>p")->elements, 3);
	ck_assert_uint_eq(at("html>body>table")->pages, 1);
	ck_assert_uint_eq(at("html>body>table>tbody>tr>td")->pages, 1);
}

TEST(head_and_scripts_are_left_out)
{
	add_three();
	ck_assert_uint_eq(page_tree_find(&tree, slice_of("html>head")),
			  NO_STEP);
	ck_assert_uint_eq(page_tree_find(&tree, slice_of("html>body>script")),
			  NO_STEP);
}

TEST(text_is_template_when_over_a_third_of_all_pages_have_it)
{
	add_three();
	ck_assert_uint_eq(at("html>body>div.menu")->own.template, 12);
	ck_assert_uint_eq(at("html>body>div.menu")->own.content, 0);
	/* "one", "first" and "twos" */
	ck_assert_uint_eq(at("html>body>div.post.post-0>p")->own.content, 12);
	/* and "three" */
	ck_assert_uint_eq(at("html")->inside.content, 17);
	ck_assert_uint_eq(at("html")->inside.template, 12);
	ck_assert_uint_eq(at("html")->own.content, 0);
}

TEST(a_third_itself_is_content)
{
	/* on 1 of 3 pages, and "Menu" on all 3 */
	add("<body><p>alone<b>Menu</b></body>", 3);
	page_tree_sum(&tree);
	ck_assert_uint_eq(at("html>body>p")->own.content, 5);
	ck_assert_uint_eq(at("html>body>p>b")->own.template, 4);
}

TEST(classes_of_body_do_not_part_pages)
{
	add_three();
	ck_assert_ptr_eq(at("html.x>body.home>div.menu"),
			 at("html>body>div.menu"));
	ck_assert_uint_eq(page_tree_find(&tree, slice_of("html>bodyx")),
			  NO_STEP);
	ck_assert_uint_eq(page_tree_find(&tree, slice_of("")), NO_STEP);
	ck_assert_uint_eq(page_tree_find(&tree, slice_of(">")), NO_STEP);
}

TEST(the_content_is_the_box_with_most_of_it)
{
	/* 12 of 17 bytes are in the post: less than four fifths */
	add_three();
	ck_assert_uint_eq(page_tree_content(&tree),
			  page_tree_find(&tree, slice_of("html>body")));
}

TEST(the_content_is_the_lowest_such_node)
{
	add("<body><div class=menu>Menu</div><div class=post><p>12345678"
	    "</p><i>9</i></div></body>",
	    9);
	page_tree_sum(&tree);
	/* 8 of 9 bytes are in p */
	ck_assert_uint_eq(
		page_tree_content(&tree),
		page_tree_find(&tree, slice_of("html>body>div.post>p")));
}

TEST(an_example_is_common_and_more_than_a_word)
{
	add("<body><p>Menu<b></b>x<b></b>a longer text that one page "
	    "has</body>",
	    9);
	/* 9 * 4 = 36 beats 1 * 1 and 1 * 31 */
	ck_assert(slice_equal(at("html>body>p")->example, slice_of("Menu")));
	add("<body><p>Menu<b></b>and one that has over thirty-six bytes</body>",
	    9);
	/* 1 * 38 */
	ck_assert(slice_equal(
		at("html>body>p")->example,
		slice_of("and one that has over thirty-six bytes")));
}

static struct page_tree_choice choose(uint32_t nodes, uint32_t depth,
				      uint32_t pages)
{
	return page_tree_choose(test_arena, &tree,
				(struct page_tree_limits){nodes, depth, pages});
}

TEST(what_most_pages_have_is_shown_first)
{
	struct page_tree_choice choice;

	add_three();
	/* html, body and div.menu are on three pages, div.post on two */
	choice = choose(3, 10, 1);
	ck_assert_uint_eq(choice.shown_count, 3);
	ck_assert(choice.is_shown[0] && choice.is_shown[1]);
	ck_assert(choice.is_shown[page_tree_find(
		&tree, slice_of("html>body>div.menu"))]);
	/* the post, its p, the table and what is in that, below body */
	ck_assert_uint_eq(choice.hidden[1], step_tree_count(&tree.steps) - 3);
}

TEST(nothing_is_shown_without_its_parent)
{
	add_three();
	for (uint32_t max = 0; max <= step_tree_count(&tree.steps); max++) {
		struct page_tree_choice choice = choose(max, 10, 1);

		ck_assert_uint_eq(choice.shown_count, max);
		for (uint32_t i = 1; i < step_tree_count(&tree.steps); i++)
			ck_assert(!choice.is_shown[i] ||
				  choice.is_shown[page_tree_node(&tree, i)
							  ->step.parent]);
	}
}

TEST(depth_and_pages_limit_the_output)
{
	add_three();
	ck_assert_uint_eq(choose(100, 1, 1).shown_count, 2);
	ck_assert_uint_eq(choose(100, 10, 3).shown_count, 3);
	ck_assert_uint_eq(choose(100, 10, 2).shown_count, 5);
}

TEST(no_page_is_no_tree)
{
	page_tree_sum(&tree);
	ck_assert_uint_eq(step_tree_count(&tree.steps), 0);
	ck_assert_uint_eq(page_tree_content(&tree), NO_STEP);
	ck_assert_uint_eq(page_tree_find(&tree, slice_of("html")), NO_STEP);
	ck_assert_uint_eq(choose(10, 10, 1).shown_count, 0);
	add("", 1);
	page_tree_sum(&tree);
	ck_assert_uint_eq(page_tree_content(&tree), NO_STEP);
}

TEST(elements_without_room_are_one_with_their_parents)
{
	AUTO_BUFFER html = {0};

	buffer_append_text(&html, "<body>");
	/* names of letters only: digits would count as one */
	for (unsigned i = 0; i < PAGE_TREE_MAX_NODES + 10; i++)
		buffer_printf(&html, "<i class=%c%c%c%c>x</i>",
			      'a' + (int)(i / 8000 % 20),
			      'a' + (int)(i / 400 % 20),
			      'a' + (int)(i / 20 % 20), 'a' + (int)(i % 20));
	add(html.data, 9);
	page_tree_sum(&tree);
	ck_assert_uint_eq(step_tree_count(&tree.steps), PAGE_TREE_MAX_NODES);
	/* html and body took room, too */
	ck_assert_uint_eq(tree.left_out, 12);
	ck_assert_uint_eq(at("html>body")->own.content, 12);
	ck_assert_uint_eq(at("html")->inside.content, PAGE_TREE_MAX_NODES + 10);
}

TEST(a_walk_enters_and_leaves_each_node_once)
{
	struct step_walk walk = {.tree = &tree.steps};
	AUTO_BUFFER seen = {0};

	add("<body><ul><li>a</ul><p>b</body>", 9);
	while (step_walk_next(&walk)) {
		buffer_append_text(&seen, walk.is_leaving ? "/" : "");
		buffer_append_slice(
			&seen, page_tree_node(&tree, walk.node)->step.label);
		buffer_append_byte(&seen, ' ');
	}
	ck_assert_str_eq(seen.data,
			 "html body ul li /li /ul p /p /body /html ");
}

TEST(a_walk_can_skip_descendants)
{
	struct step_walk walk = {.tree = &tree.steps};
	AUTO_BUFFER seen = {0};

	add("<body><ul><li>a</ul><p>b</body>", 9);
	while (step_walk_next(&walk)) {
		struct slice label =
			page_tree_node(&tree, walk.node)->step.label;

		if (!walk.is_leaving && slice_equal(label, slice_of("ul")))
			step_walk_skip(&walk);
		buffer_append_text(&seen, walk.is_leaving ? "/" : "");
		buffer_append_slice(&seen, label);
		buffer_append_byte(&seen, ' ');
	}
	ck_assert_str_eq(seen.data, "html body /ul p /p /body /html ");
}

/* Of a node of a tree of two pages. */
static void check_node(uint32_t index)
{
	const struct page_tree_node *node = page_tree_node(&tree, index);

	ck_assert(node->step.parent == NO_STEP || node->step.parent < index);
	ck_assert_uint_ge(node->elements, node->pages);
	ck_assert(node->pages == 1 || node->pages == 2);
	ck_assert_uint_ge(node->inside.content, node->own.content);
}

TEST(any_page_keeps_the_laws)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		AUTO_TEXT *html = random_html(seed);

		tree = page_tree_make(test_arena);
		add(html, 9);
		add(three[seed % 3], 9);
		page_tree_sum(&tree);
		for (uint32_t i = 0; i < step_tree_count(&tree.steps); i++)
			check_node(i);
	}
}

TEST(a_tree_comes_back_from_its_bytes)
{
	AUTO_ARENA *other = arena_create();
	AUTO_BUFFER bytes = {0};
	struct page_tree back;

	add_three();
	page_tree_encode(&tree, &bytes);
	ck_assert(page_tree_decode(other, buffer_slice(&bytes), &back));
	ck_assert_uint_eq(back.page_count, 3);
	ck_assert_uint_eq(step_tree_count(&back.steps),
			  step_tree_count(&tree.steps));
	for (uint32_t i = 0; i < step_tree_count(&tree.steps); i++) {
		const struct page_tree_node *a = page_tree_node(&tree, i);
		const struct page_tree_node *b = page_tree_node(&back, i);

		ck_assert(slice_equal(a->step.label, b->step.label) &&
			  slice_equal(a->example, b->example));
		ck_assert(a->step.parent == b->step.parent &&
			  a->pages == b->pages && a->elements == b->elements);
		ck_assert(a->inside.template == b->inside.template &&
			  a->inside.content == b->inside.content);
	}
}

TEST(bytes_that_are_no_tree_are_refused)
{
	AUTO_BUFFER bytes = {0};
	struct page_tree back;
	size_t size;

	add_three();
	page_tree_encode(&tree, &bytes);
	size = bytes.size;
	for (size_t cut = 0; cut < size; cut++)
		ck_assert(!page_tree_decode(
			test_arena, (struct slice){bytes.data, cut}, &back));
	buffer_append_byte(&bytes, 0);
	ck_assert(!page_tree_decode(test_arena, buffer_slice(&bytes), &back));
	/* change every byte, one after another: a tree or an error, and never a
	 * crash */
	for (size_t i = 0; i < size; i++) {
		bytes.data[i] ^= (char)0xff;
		page_tree_decode(test_arena, (struct slice){bytes.data, size},
				 &back);
		bytes.data[i] ^= (char)0xff;
	}
}
