/* Columns: what the places of a template print. */
#include "template/fields/column.h"

#include "tests/unit/template/fields/learned.h"

static struct learned site;

static void teardown(void)
{
	learned_free(&site);
}

FIXTURE(.teardown = teardown);

TEST(a_column_has_the_values_of_all_pages)
{
	const struct column *price;

	for (int i = 0; i < 4; i++)
		learned_add(&site, "<p class=a>%d euro</p><p class=b>x</p>", i);
	learned_run(&site);
	price = column_with(&site, NULL, 0, "0 euro");
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_ptr_eq(
			column_with(&site, NULL, i,
				    (const char *[]){"0 euro", "1 euro",
						     "2 euro", "3 euro"}[i]),
			price);
	ck_assert_uint_eq(price->pages, 4);
	ck_assert_uint_eq(price->single, 4);
	ck_assert_uint_eq(price->distinct, 4);
	ck_assert_uint_eq(price->common, 1);
	ck_assert_uint_eq(column_with(&site, NULL, 0, "x")->distinct, 1);
	ck_assert_uint_eq(column_with(&site, NULL, 0, "x")->common, 4);
}

TEST(a_page_without_the_value_has_none)
{
	for (int i = 0; i < 6; i++)
		learned_add(&site, "<h1>T%d</h1>%s<p class=b>b%d</p>", i,
			    i % 2 == 0 ? "<p class=a>sale</p>" : "", i);
	learned_run(&site);
	check_values(column_with(&site, NULL, 0, "sale"), 1, "");
	check_values(column_with(&site, NULL, 0, "sale"), 2, "sale");
	check_values(column_with(&site, NULL, 0, "b0"), 1, "b1");
}

TEST(attributes_are_columns)
{
	for (int i = 0; i < 3; i++)
		learned_add(&site,
			    "<a href='/item/%d' data-x=no>go</a>"
			    "<img src='%d.png' alt='  a \n photo %d '>"
			    "<meta itemprop=price content='%d.50'>",
			    i, i, i, i);
	learned_run(&site);
	check_values(column_with(&site, "href", 0, "/item/0"), 2, "/item/2");
	check_values(column_with(&site, "src", 0, "0.png"), 1, "1.png");
	check_values(column_with(&site, "alt", 0, "a photo 0"), 1, "a photo 1");
	check_values(column_with(&site, "content", 0, "0.50"), 2, "2.50");
	ck_assert_ptr_null(column_with(&site, "data-x", 0, "no"));
}

TEST(values_of_a_list_can_be_picked)
{
	const struct column *all;
	struct column picked;

	for (int i = 0; i < 4; i++)
		learned_add(&site, "<ul><li>a%d<li>b%d%s</ul>", i, i,
			    i % 2 == 0 ? "<li>c<li>d" : "");
	learned_run(&site);
	all = column_with(&site, NULL, 0, "a0");
	check_values(all, 0, "a0|b0|c|d");
	check_values(all, 1, "a1|b1");
	picked = column_pick(test_arena, all, PICK_FIRST);
	check_values(&picked, 0, "a0");
	ck_assert_uint_eq(picked.single, 4);
	picked = column_pick(test_arena, all, PICK_SECOND);
	check_values(&picked, 0, "b0");
	picked = column_pick(test_arena, all, PICK_LAST);
	check_values(&picked, 0, "d");
	check_values(&picked, 1, "b1");
}

TEST(parts_are_between_constant_words)
{
	static const char *const covers[] = {"hardcover", "paperback",
					     "hardcover", "leather"};
	const struct column *whole;
	struct column part;
	struct column again;

	for (int i = 0; i < 4; i++)
		learned_add(&site, "<p>Pages: %d, %s</p>", 100 + i, covers[i]);
	learned_run(&site);
	whole = column_with(&site, NULL, 0, "Pages: 100, hardcover");
	ck_assert_ptr_nonnull(whole);
	ck_assert_uint_eq(whole->source.separator_count, 3);
	check_slice(whole->source.separators[0], "Pages");
	check_slice(whole->source.separators[1], ":");
	check_slice(whole->source.separators[2], ",");
	part = column_part(test_arena, whole, 2, 3);
	check_values(&part, 1, "101");
	part = column_part(test_arena, whole, 3, 4);
	check_values(&part, 1, "paperback");
	ck_assert_uint_eq(part.distinct, 3);
	again = column_read_again(test_arena, whole, &part.source);
	check_values(&again, 3, "leather");
	ck_assert_uint_eq(again.key, part.key);
}

TEST(a_part_is_empty_without_the_word_in_front)
{
	static const struct slice words[] = {{":", 1}, {",", 1}};
	struct column_source source = {
		.separators = words, .separator_count = 2, .from = 1, .to = 2};

	check_slice(source_part(&source, slice_of("Pages: 320, cloth")), "320");
	check_slice(source_part(&source, slice_of("Pages: 320")), "320");
	check_slice(source_part(&source, slice_of("320, cloth")), "");
	check_slice(source_part(&source, slice_of("")), "");
	source.from = 0;
	check_slice(source_part(&source, slice_of("Pages: 320, cloth")),
		    "Pages: 320");
	source.from = 2;
	source.to = 3;
	check_slice(source_part(&source, slice_of("Pages: 320, cloth")),
		    "cloth");
}

TEST(a_long_text_is_no_value)
{
	char text[MAX_VALUE_BYTES + 10];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	learned_add(&site, "<p>%s</p><p class=a>short</p>", text);
	learned_run(&site);
	ck_assert_ptr_null(column_with(&site, NULL, 0, text));
	text[MAX_VALUE_BYTES - 1] = '\0';
	learned_free(&site);
	learned_add(&site, "<p>%s</p>", text);
	learned_run(&site);
	ck_assert_ptr_nonnull(column_with(&site, NULL, 0, text));
}

TEST(further_values_of_a_page_are_left_out)
{
	AUTO_BUFFER html = {0};

	for (int i = 0; i < 2 * MAX_PAGE_VALUES; i++)
		buffer_printf(&html, "<li>%d", i);
	learned_add(&site, "<ul>%s</ul>", html.data);
	learned_run(&site);
	ck_assert_uint_eq(column_with(&site, NULL, 0, "0")->count,
			  MAX_PAGE_VALUES);
}

TEST(equal_texts_are_kept_once)
{
	const struct column *run;

	for (int i = 0; i < 3; i++)
		learned_add(&site, "<p><b>same words</b></p>");
	learned_run(&site);
	run = column_with(&site, NULL, 0, "same words");
	ck_assert_uint_eq(run->count, 3);
	ck_assert_ptr_eq(run->values[0].text.data, run->values[2].text.data);
}

/* 60 pages, each with 1 MB of texts that are different. */
TEST(the_texts_of_large_pages_take_bounded_memory)
{
	uint32_t last = 0;

	for (int i = 0; i < 60; i++) {
		AUTO_BUFFER html = {0};

		for (int k = 0; k < 300; k++)
			buffer_printf(&html, "<p class=c%c%c>%d %d %03000d</p>",
				      'a' + k % 26, 'a' + k / 26, i, k, k);
		learned_add(&site, "%s", html.data);
	}
	learned_run(&site);
	ck_assert_uint_lt(arena_bytes(test_arena), 64 << 20);
	for (uint32_t i = 0; i < site.table.count; i++)
		for (uint32_t k = 0; k < site.table.columns[i].count; k++)
			if (site.table.columns[i].values[k].page > last)
				last = site.table.columns[i].values[k].page;
	ck_assert_uint_eq(last, 59); /* every page has its share */
}

TEST(some_columns_of_a_page_are_those_of_the_table)
{
	struct column_source sources[3];
	const struct column *wanted[3];
	const struct column *some;

	for (int i = 0; i < 4; i++)
		learned_add(&site,
			    "<nav><a href=/%d>Home</a><a href=/k>Kind %d</a>"
			    "</nav><p class=a>a%d</p><p class=b>b%d</p>",
			    i, i, i, i);
	learned_run(&site);
	wanted[0] = column_with(&site, NULL, 0, "a0");
	wanted[1] = column_with(&site, "href", 0, "/0");
	wanted[2] = column_with(&site, NULL, 0, "Kind 0");
	for (int i = 0; i < 3; i++)
		sources[i] = wanted[i]->source;
	some = columns_read_some(test_arena, &site.tree, site.pages[2], sources,
				 3)
		       .columns;
	check_values(&some[0], 0, "a2");
	check_values(&some[1], 0, "/2");
	check_values(&some[2], 0, "Kind 2");
}

TEST(a_series_has_the_values_of_all_positions)
{
	struct column_source source = {.place = NO_PLACE};
	const struct column *some;

	for (int i = 0; i < 4; i++)
		learned_add(&site, "<nav><a>Home</a><a>Kind %d</a></nav>", i);
	learned_run(&site);
	for (uint32_t i = 0; i < site.table.count; i++)
		if (site.table.columns[i].source.is_series) {
			check_values(&site.table.columns[i], 1, "Home|Kind 1");
			source = site.table.columns[i].source;
		}
	ck_assert_uint_ne(source.place, NO_PLACE);
	some = columns_read_some(test_arena, &site.tree, site.pages[3], &source,
				 1)
		       .columns;
	check_values(&some[0], 0, "Home|Kind 3");
}

static const struct {
	const char *base;
	const char *href;
	const char *expected;
} address_rows[] = {
	{"", "b.png", "https://example.org/shop/b.png"},
	{"", "/b", "https://example.org/b"},
	{"", "//cdn.test/b", "https://cdn.test/b"},
	{"", "/b#part 2", "https://example.org/b#part 2"},
	{"", "#part", "#part"},
	{"", "mailto:a@example.org", "mailto:a@example.org"},
	{"<base href=/files/>", "b", "https://example.org/files/b"},
};

TEST_ROWS(addresses_are_absolute_if_the_url_of_the_page_is_known, address_rows)
{
	for (int i = 0; i < 2; i++)
		learned_add(&site, "<html><head>%s</head><a href='%s'>a</a>",
			    address_rows[_i].base, address_rows[_i].href);
	page_set_url((struct page *)site.pages[0],
		     slice_of("https://example.org/shop/tea"));
	learned_run(&site);
	check_values(column_with(&site, "href", 0, address_rows[_i].expected),
		     0, address_rows[_i].expected);
	/* the URL of the other page is unknown */
	check_values(column_with(&site, "href", 1, address_rows[_i].href), 1,
		     address_rows[_i].href);
}
