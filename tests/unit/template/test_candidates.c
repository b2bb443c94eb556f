#include "template/replacement.h"

#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

static const struct lost_element once = {.minimum = 1, .maximum = 1};

/* The best candidate for what had this value at this path. */
static void check_best(const char *html, const char *value, const char *path,
		       const char *selector)
{
	AUTO_PAGE *page = page_of(html);
	struct lost_element lost = once;
	const struct replacement *candidates;
	uint32_t count;

	lost.value = slice_of(value);
	lost.path = slice_of(path);
	count = replacements_find(page->arena, page, &lost, &candidates);
	ck_assert_uint_gt(count, 0);
	ck_assert_str_eq(candidates[0].selector, selector);
	ck_assert(candidates[0].score > 0 && candidates[0].score <= 1);
}

static double agreement(const char *wanted, const char *text)
{
	struct wanted_text read;

	wanted_text_read(&read, slice_of(wanted));
	return wanted_text_agreement(&read, slice_of(text));
}

static double similarity(const char *a, const char *b)
{
	struct element_position left;
	struct element_position right;

	element_position_read(&left, slice_of(a));
	element_position_read(&right, slice_of(b));
	return element_position_similarity(&left, &right);
}

FIXTURE(.timeout_s = 60);

TEST(the_same_text_wins)
{
	static const char html[] =
		"<body><nav><a href=/>Home</a></nav><main><h1>The title</h1>"
		"<p class=by>By Ann</p><p>Some text</p></main>";

	check_best(html, "The title", "html>body>div.post>h2.head", "h1");
	check_best(html, "By Ann", "html>body>div.post>span.author", "p.by");
	check_best(html, "Home", "html>body>ul.menu>li>a", "a");
}

TEST(of_equal_texts_the_place_decides)
{
	static const char html[] =
		"<body><header><a class=logo>Shop</a></header>"
		"<footer><a class=end>Shop</a></footer>";

	check_best(html, "Shop", "html>body>footer>p>a", "a.end");
	check_best(html, "Shop", "html>body>header>h1>a", "a.logo");
}

TEST(a_text_that_has_changed_is_found_by_its_words)
{
	static const char html[] =
		"<body><h3>News</h3><div class=x>The price is 20 EUR now</div>"
		"<div class=y>Nothing of that kind</div>";

	check_best(html, "The price is 19 EUR", "html>body>p.price", "div.x");
}

TEST(without_text_the_place_decides)
{
	static const char html[] =
		"<head><meta name=description content=new><meta name=author "
		"content=x></head><body><img id=a src=1><div class=gallery>"
		"<img class=big src=2></div>";

	check_best(html, "", "html>body>div.gallery>img.big", "img.big");
	check_best(html, "", "html>body>img#a", "#a");
}

TEST(an_attribute_is_found_by_its_value)
{
	static const char html[] =
		"<body><p><a class=begin href=/2>Next</a><a class=end href=/9>"
		"Last</a>";

	check_best(html, "/9", "html>body>div>a.last/@href", "a.end");
}

TEST(several_elements_may_match_and_the_first_is_the_one)
{
	AUTO_PAGE *page = page_of("<body><ul class=l><li>a<li>b<li>c</ul>"
				  "<ol><li>d</ol>");
	const struct lost_element lost = {.value = slice_of("a"),
					  .path = slice_of("html>body>p>i"),
					  .minimum = 2,
					  .maximum = UINT32_MAX};
	const struct replacement *candidates;

	ck_assert_uint_gt(
		replacements_find(page->arena, page, &lost, &candidates), 0);
	ck_assert_str_eq(candidates[0].selector, "li");
	ck_assert_str_eq(candidates[0].value, "a");
}

TEST(there_may_be_none)
{
	AUTO_PAGE *page = page_of("<body><p>a");
	AUTO_PAGE *empty = page_of("");
	struct lost_element lost = {.value = slice_of("zzz"),
				    .path = slice_of("html>body>b"),
				    .minimum = 1,
				    .maximum = 1};
	const struct replacement *candidates;

	ck_assert_uint_eq(
		replacements_find(page->arena, page, &lost, &candidates), 0);
	ck_assert_uint_eq(
		replacements_find(empty->arena, empty, &lost, &candidates), 0);
	lost.value = slice_of("a");
	lost.maximum = 0;
	lost.minimum = 0;
	ck_assert_uint_eq(
		replacements_find(page->arena, page, &lost, &candidates), 0);
}

TEST(a_search_ends_when_it_is_stopped)
{
	AUTO_PAGE *page = page_of("<body><p>a");
	volatile sig_atomic_t is_stopped = 0;
	const struct lost_element lost = {.value = slice_of("a"),
					  .path = slice_of("html>body>p"),
					  .minimum = 1,
					  .maximum = 1,
					  .is_stopped = &is_stopped};
	struct selector_budget budget = {1000, &is_stopped};
	const struct element_query query = {page, page->node_count - 1, 1, 1};
	struct element_selector selectors[MAX_ELEMENT_SELECTORS];
	const struct replacement *candidates;

	ck_assert_uint_gt(
		replacements_find(page->arena, page, &lost, &candidates), 0);
	is_stopped = 1;
	ck_assert_uint_eq(
		replacements_find(page->arena, page, &lost, &candidates), 0);
	ck_assert_uint_eq(
		element_selectors(page->arena, &query, &budget, selectors), 0);
	ck_assert_int_eq(budget.nodes, 1000);
}

/* names that CSS must escape, on both ways */
TEST(names_are_escaped)
{
	static const char html[] = "<body><p class='md:x 1st'>a</p><p>b</p>";

	check_best(html, "a", "html>body>b", "p.md\\:x");
	/* 0.5 * (0.5 + 0.5) + 0.5: the same */
	ck_assert_double_eq_tol(similarity("html>body>p.md\\:x.\\31 st#a\\.b",
					   "html>body>p.md\\:x.\\31 st#a\\.b"),
				1 - 0.5 * 0.25, 1e-12);
}

TEST(agreement_is_of_words_or_of_the_part)
{
	ck_assert_double_eq(agreement("a b", "a b"), 1);
	ck_assert_double_eq(agreement("", "a"), 0);
	ck_assert_double_eq(agreement("a", ""), 0);
	ck_assert_double_eq(agreement("x y", "a b"), 0);
	/* 0.5 + 0.45 * 5 / 10; the words give 1.8 * 1 / 3 */
	ck_assert_double_eq_tol(agreement("abcde", "abcde fghi"), 0.725, 1e-12);
	/* 2 of 3 and 3 words: 1.8 * 2 / 6 */
	ck_assert_double_eq_tol(agreement("a b c", "c x b"), 0.6, 1e-12);
	/* twice the same word is matched twice: 1.8 * 2 / 5 */
	ck_assert_double_eq_tol(agreement("a a b", "a a"), 0.5 + 0.45 * 3 / 5,
				1e-12);
}

TEST(places_are_alike_by_themselves_and_by_what_is_around)
{
	/* no names anywhere: 0.5 * 0.75 + 0.5 * 0.75 */
	ck_assert_double_eq_tol(similarity("html>body>p", "html>body>p"), 0.75,
				1e-12);
	/* the element: 0.5 * 0 + 0.5 * 0.5; around the same */
	ck_assert_double_eq_tol(similarity("html>body>p", "html>body>b"),
				0.5 * 0.25 + 0.5 * 0.75, 1e-12);
	/* headings are alike: 0.5 * 0.6 + 0.25 */
	ck_assert_double_eq_tol(similarity("html>body>h1", "html>body>h3"),
				0.5 * 0.55 + 0.5 * 0.75, 1e-12);
	/* one class of three in common: 0.5 + 0.5 / 3 */
	ck_assert_double_eq_tol(similarity("html>p.a.b", "html>p.b.c"),
				0.5 * (0.5 + 0.5 / 3) + 0.5 * 0.75, 1e-12);
	ck_assert_double_eq(similarity("", "html>p"), 0);
	ck_assert_double_eq_tol(similarity("p", "p"), 0.5 * 0.75 + 0.5, 1e-12);
}

TEST(a_damaged_path_is_some_path)
{
	static const char *const paths[] = {
		">",
		">>>>",
		"#",
		".",
		"\\",
		"p\\",
		"p#\\3",
		"/@",
		"/@a",
		"p//@x",
		"\\999999999 >",
	};

	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		double same = similarity(paths[i], paths[i]);

		ck_assert(same >= 0 && same <= 1);
	}
}

/* Two pages: "b" is on both; "a" selects on the first what "b" does there. */
TEST(candidates_of_pages_add_up)
{
	static const struct page_replacement kept[] = {
		{"a", "one", 0.9, 0, 5}, {"b", "one", 0.8, 0, 5},
		{"c", "x", 0.3, 0, 7},   {"b", "two", 0.8, 1, 5},
		{"c", "y", 0.2, 1, 9},
	};
	AUTO_ARENA *arena = arena_create();
	struct merged_replacement merged[5];

	ck_assert_uint_eq(
		replacements_merge(arena,
				   &(struct page_replacements){kept, 5, 2},
				   merged, 5),
		2);
	ck_assert_str_eq(merged[0].selector, "b");
	ck_assert_str_eq(merged[0].value, "one");
	ck_assert_uint_eq(merged[0].pages, 2);
	ck_assert_double_eq_tol(merged[0].score, 0.8, 1e-12);
	ck_assert_str_eq(merged[1].selector, "c");
	ck_assert_double_eq_tol(merged[1].score, 0.25, 1e-12);
	ck_assert_uint_eq(
		replacements_merge(arena,
				   &(struct page_replacements){kept, 5, 2},
				   merged, 1),
		1);
	ck_assert_uint_eq(
		replacements_merge(arena,
				   &(struct page_replacements){kept, 0, 2},
				   merged, 5),
		0);
}

TEST(a_selector_of_an_element_is_short_and_sure)
{
	AUTO_PAGE *page = page_of(
		"<body><div id=side><p class=x>1</p></div><div id=post-4711>"
		"<p class=x>2</p><p>3</p></div>");
	struct element_query query = {.page = page, .minimum = 1, .maximum = 1};
	struct element_selector selectors[MAX_ELEMENT_SELECTORS];
	struct selector_budget budget = {.nodes = 1000000};

	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].tag == TAG_p)
			query.node = i;
	/* p is not unique; #side has only the first one */
	ck_assert_uint_gt(
		element_selectors(page->arena, &query, &budget, selectors), 0);
	ck_assert_ptr_nonnull(strstr(selectors[0].text, "nth-of-type(2)"));
	budget.nodes = 0;
	ck_assert_uint_eq(
		element_selectors(page->arena, &query, &budget, selectors), 0);
}

TEST(a_large_page_ends)
{
	AUTO_BUFFER html = {0};
	AUTO_PAGE *page;
	struct lost_element lost = once;
	const struct replacement *candidates;

	for (int i = 0; i < 300; i++)
		buffer_append_text(&html, "<div class='a b c d e f g h'>");
	for (int i = 0; i < 60000; i++)
		buffer_append_text(&html, "<p class='a b c d e f'>same</p>");
	page = page_of(html.data);
	lost.value = slice_of("same");
	lost.path = slice_of("html>body>p");
	(void)replacements_find(page->arena, page, &lost, &candidates);
}
