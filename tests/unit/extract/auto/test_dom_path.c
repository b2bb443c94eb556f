#include "extract/auto/dom_path.h"

#include <math.h>

#include "extract/text/token_stream.h"
#include "page/page.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

#define TEN_DIVS "<div><div><div><div><div><div><div><div><div><div>"

/* 25 characters, which score 1 + 25 / 100 */
#define LONG_TEXT "aaaaaaaaaaaaaaaaaaaaaaaaa"

typedef float row[DOM_PATH_COUNT];

/* The rows of all passages, which must be `count`. */
static const row *rows_of(const struct page *page, uint32_t count)
{
	struct passages passages = passages_make(page->arena, page);
	struct dom_path *dom_path = dom_path_make(page->arena, &passages);
	row *rows = ARENA_NEW(page->arena, row, count);

	ck_assert_uint_eq(passages.count, count);
	for (uint32_t i = 0; i < count; i++)
		dom_path_next(dom_path, rows[i]);
	return (const row *)rows;
}

static void check(const row *rows, uint32_t index, int feature, double value)
{
	ck_assert_msg(fabs((double)rows[index][feature] - value) < 1e-5,
		      "feature %d of passage %u is %g, not %g", feature, index,
		      (double)rows[index][feature], value);
}

#define CHECK(index, feature, value) \
	check(rows, index, DOM_PATH_##feature, value)

TEST(distances_are_steps_up)
{
	AUTO_PAGE *page =
		parse("<article class=post><div role=navigation><ul><li>"
		      "<p>one</p></li></ul></div><h2>two</h2></article>");
	const row *rows = rows_of(page, 2);

	CHECK(0, depth, 7); /* html body article div ul li p */
	CHECK(0, element_kind, KIND_P);
	CHECK(0, to_li, 1);
	CHECK(0, to_ul, 2);
	CHECK(0, to_nav, 3);
	CHECK(0, to_article, 4);
	CHECK(0, to_class_content, 4);
	CHECK(0, to_class_navigation, 30);
	CHECK(0, to_main, 30);
	CHECK(0, class_groups, 1);
	CHECK(1, depth, 4);
	CHECK(1, element_kind, KIND_H2);
	CHECK(1, to_heading, 0);
	CHECK(1, to_article, 1);
	CHECK(1, to_li, 30);
	CHECK(1, to_nav, 30);
	CHECK(1, to_class_content, 1);
}

TEST(distances_end_at_30)
{
	AUTO_PAGE *page = parse("<article>" TEN_DIVS TEN_DIVS
				"<div><div><div><div><div><div><div><div>"
				"<p>one</p><div><p>two</p></div>");
	const row *rows = rows_of(page, 2);

	CHECK(0, to_article, 29);
	CHECK(1, to_article, 30);
}

/* Characters: 7, 3 and 3; elements: html body section div p p a p. */
static const char *const three_passages =
	"<section><div><p>a b c d</p><p><a href=x>e f</a></p></div></section>"
	"<p>g h</p>";

TEST(subtrees_are_summed)
{
	AUTO_PAGE *page = parse(three_passages);
	const row *rows = rows_of(page, 3);

	CHECK(0, element_words, log(1 + 4));
	CHECK(0, words_1up, log(1 + 6));
	CHECK(0, words_2up, log(1 + 6));
	CHECK(0, words_4up, log(1 + 8));
	CHECK(0, link_ratio_1up, 3 / 10.0);
	CHECK(0, link_ratio_2up, 3 / 10.0);
	CHECK(0, link_ratio_4up, 3 / 13.0);
	CHECK(0, passages_1up, log(1 + 2));
	CHECK(0, passages_4up, log(1 + 3));
	CHECK(0, page_ratio_2up, 6 / 8.0);
	CHECK(0, page_ratio_4up, 1);
	CHECK(2, element_words, log(1 + 2));
	CHECK(2, words_1up, log(1 + 8)); /* body */
	CHECK(2, words_4up, log(1 + 8)); /* the page */
}

TEST(passages_are_counted_by_what_they_hold)
{
	/* 15 words make a passage long */
	AUTO_PAGE *page = parse(
		"<section><div><p>$ 5</p><p>a b c d e f g h i j k l m n o.</p>"
		"<p>2024</p></div><p>p q</p></section>");
	const row *rows = rows_of(page, 4);

	CHECK(0, ends_2up, 1 / 4.0);
	CHECK(3, ends_2up, 1 / 4.0);
	CHECK(0, long_ratio_2up, 15 / 19.0);
	CHECK(0, prices_2up, 1 / 4.0);
	CHECK(0, prices_4up, 1 / 4.0);
	CHECK(0, dates_4up, 1 / 4.0);
}

TEST(densities_are_relative_to_the_page)
{
	AUTO_PAGE *page = parse(three_passages);
	const row *rows = rows_of(page, 3);
	const double whole = 13 / 8.0;

	CHECK(0, density, 7 / whole);
	CHECK(0, highest_density, 7 / whole);
	CHECK(1, density, 3 / 2.0 / whole);
	CHECK(1, highest_density, 10 / 4.0 / whole); /* of the div */
	/* for the p: ln 8 / ln 2 = 3 */
	CHECK(0, composite_density, log(1 + 7 * 3));
	/* for the div: 7 characters outside links, 3 inside */
	CHECK(1, composite_density, log(1 + 10 / 4.0 * log(8) / log(5)));
}

TEST(passages_score_for_the_elements_above)
{
	AUTO_PAGE *page = parse("<div class=main><div><p>" LONG_TEXT
				"</p><p>aaaaaaaaaaaaaaaaaaaaaaaa</p></div>"
				"</div><p>b</p>");
	const row *rows = rows_of(page, 3);
	const double top = 1.25 / 2 + 25;

	CHECK(0, subtree_score, top);
	CHECK(0, subtree_ratio, 1);
	CHECK(0, in_top, 1);
	CHECK(0, to_top, 0);
	CHECK(2, subtree_score, 1.25 / 6); /* of body */
	CHECK(2, subtree_ratio, 1.25 / 6 / top);
	CHECK(2, in_top, 0);
	CHECK(2, to_top, 1);
}

TEST(classes_and_links_count_against_a_score)
{
	AUTO_PAGE *page =
		parse("<div class=sidebar><p>" LONG_TEXT "</p><p>" LONG_TEXT
		      "</p></div><div><p>" LONG_TEXT
		      "</p><p><a href=x>" LONG_TEXT "</a></p></div>");
	const row *rows = rows_of(page, 4);
	/* body: half of four passages, a quarter in links */
	const double body = 4 * 1.25 / 2 * 3 / 4;

	CHECK(0, subtree_score, body); /* 2 * 1.25 - 25 is below 0 */
	CHECK(0, subtree_ratio, 1);
	CHECK(2, subtree_score, body); /* 2 * 1.25 / 2 is less */
}

TEST(without_scores_the_page_is_the_top)
{
	AUTO_PAGE *page = parse("<p>one</p>");
	const row *rows = rows_of(page, 1);

	CHECK(0, subtree_score, 0);
	CHECK(0, subtree_ratio, 0);
	CHECK(0, in_top, 1);
	CHECK(0, to_top, 0);
}

TEST(siblings_are_equal_but_for_digits)
{
	AUTO_PAGE *page =
		parse("<ul><li class=a1>x</li><li class=a2></li><li class=a>"
		      "<p>y y</p></li><li class=b>z</li></ul>");
	const row *rows = rows_of(page, 3);

	CHECK(0, repeats, 3);
	CHECK(0, repeats_1up, 1);
	CHECK(0, to_item, 0);
	CHECK(0, item_words, log(1 + 1));
	CHECK(0, item_repeats, 3);
	CHECK(0, list_page_ratio, 1);
	CHECK(0, list_link_ratio, 0);
	CHECK(1, repeats, 1);
	CHECK(1, repeats_1up, 3);
	CHECK(1, to_item, 1);
	CHECK(1, item_words, log(1 + 2));
	CHECK(2, repeats, 1);
	CHECK(2, to_item, 30);
	CHECK(2, item_words, 0);
	CHECK(2, item_repeats, 0);
}

TEST(an_item_and_its_list_say_what_they_are_of)
{
	AUTO_PAGE *page = parse("<ul><li><a>xxxx</a><p>ab 1999</p></li>"
				"<li><p>End.</p></li><li><p>no</p></li>"
				"</ul><p>outside");
	const row *rows = rows_of(page, 5);

	CHECK(0, item_link_ratio, 4 / 11.0);
	CHECK(0, item_dates, 0.5);
	CHECK(1, item_dates, 0.5);
	CHECK(2, item_dates, 0);
	CHECK(2, item_link_ratio, 0);
	CHECK(3, list_dates, 0.25);
	CHECK(3, list_ends, 0.25);
	CHECK(4, item_link_ratio, 0);
	CHECK(4, list_dates, 0);
}

TEST(two_are_no_list)
{
	AUTO_PAGE *page = parse("<ul><li>x</li><li>y</li></ul>"
				"<ul><li>x</li><li>y</li></ul>");
	const row *rows = rows_of(page, 4);

	CHECK(0, repeats, 2);
	CHECK(0, to_item, 30);
	CHECK(0, path_passages, log(1 + 4));
}

TEST(passages_on_one_path_are_a_group)
{
	AUTO_PAGE *page =
		parse("<div class=a1><p>One two.</p></div><div class=a2><p>"
		      "<a href=x>Three</a></p></div><div><p>four</p></div>");
	const row *rows = rows_of(page, 3);

	CHECK(0, path_words, log(1 + 3));
	CHECK(1, path_words, log(1 + 3));
	CHECK(0, path_passages, log(1 + 2));
	CHECK(0, path_page_ratio, 3 / 4.0);
	CHECK(0, path_link_ratio, 1 / 3.0);
	CHECK(0, path_mean_words, 1.5);
	CHECK(0, path_ends, 1 / 2.0);
	CHECK(2, path_words, log(1 + 1));
	CHECK(2, path_passages, log(1 + 1));
}

TEST(what_is_not_plain_does_not_count)
{
	AUTO_PAGE *page = parse("<div><noscript><p>one two</p></noscript>"
				"<textarea>" LONG_TEXT "</textarea></div>");
	const row *rows = rows_of(page, 2);

	CHECK(0, element_words, 0);
	CHECK(0, words_4up, 0);
	CHECK(0, density, 0);
	CHECK(0, page_ratio_4up, 0);
	CHECK(0, path_words, 0);
	CHECK(1, subtree_score, 0);
}

TEST(an_inline_element_stays_open)
{
	AUTO_PAGE *page = parse("<div><a href=x>one<div>two</div>three<div>"
				"four</div></a>five</div>");
	const row *rows = rows_of(page, 5);

	CHECK(0, depth, 3); /* html body div */
	CHECK(0, to_a, 30);
	CHECK(1, depth, 5);
	CHECK(1, to_a, 1);
	CHECK(2, depth, 3);
	CHECK(2, to_a, 30);
	CHECK(2, element_words, log(1 + 5));
	CHECK(3, depth, 5);
	CHECK(3, to_a, 1);
	CHECK(3, element_words, log(1 + 1));
	CHECK(4, depth, 3);
	CHECK(4, to_a, 30);
}

TEST(an_empty_page_has_no_rows)
{
	AUTO_PAGE *page = parse("");
	AUTO_PAGE *blank = parse("<div class=nav><p> </p></div>");

	rows_of(page, 0);
	rows_of(blank, 0);
}

/* Elements around `node` up to the nearest of `tag`; 30: none. */
static unsigned steps_to(const struct page *page, uint32_t node, uint16_t tag)
{
	for (unsigned i = 0; i < 30 && node != NO_NODE; i++) {
		if (page->nodes[node].tag == tag)
			return i;
		node = page->nodes[node].parent;
	}
	return 30;
}

TEST_LOOP(random_pages_give_the_same_as_climbing, 0, random_rounds(300))
{
	AUTO_TEXT *html = random_html((uint64_t)_i + 1);
	AUTO_PAGE *page = parse(html);
	struct passages passages = passages_make(page->arena, page);
	const row *rows = rows_of(page, passages.count);

	for (uint32_t i = 0; i < passages.count; i++) {
		uint32_t node = passages.items[i].node;

		CHECK(i, to_li, steps_to(page, node, TAG_li));
		CHECK(i, to_a, steps_to(page, node, TAG_a));
		CHECK(i, to_table, steps_to(page, node, TAG_table));
		CHECK(i, depth,
		      node == NO_NODE ? 0 : page->nodes[node].depth + 1);
		for (size_t j = 0; j < DOM_PATH_COUNT; j++)
			ck_assert(isfinite(rows[i][j]));
	}
}
