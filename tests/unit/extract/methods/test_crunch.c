#include "extract/core/trace.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * The second paragraph has 2 links to 4 words, a ratio of .5; the first one 2
 * to 5, .4. Body, without the second: .4.
 */
TEST(ratios_worked_by_hand)
{
	AUTO_PAGE *page = parse(
		"<p>a b c d e <a href=x>f</a><a href=x>g</a></p>"
		"<p>a b c d <a href=x>e</a><a href=x>f</a></p><div>g</div>");
	const struct verdict *verdicts = run(page, "crunch", "ratio=0.4", NULL);

	ck_assert_uint_eq(page->text_count, 7);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_float_eq_tol(verdicts[i].score, 1 / 1.4F, 1e-6F);
		ck_assert(verdicts[i].is_content);
		ck_assert_float_eq(verdicts[i + 3].score, 0);
		ck_assert(!verdicts[i + 3].is_content);
	}
	ck_assert(verdicts[6].is_content);
}

TEST(one_link_is_no_list)
{
	AUTO_PAGE *page = parse("<h1><a href=x>A headline</a></h1><p>And "
				"what comes after it, that is ten words.</p>");
	const struct verdict *verdicts = run(page, "crunch", NULL, NULL);

	ck_assert(verdicts[0].is_content);
	ck_assert(verdicts[1].is_content);
}

TEST(links_to_ad_servers_are_dropped)
{
	AUTO_PAGE *page = parse(
		"<p>a b c d e f g h <a href=http://Ads.example.com/x>i</a>"
		"<a href=//ad.doubleclick.net:80/x>j</a>"
		"<a href=http://heads.example.com/>k</a>"
		"<a href=http://example.com/?u=http://ads.example.com/>l</a>"
		"<a href=ads>m</a></p>");
	const struct verdict *verdicts = run(page, "crunch", "ratio=9", NULL);

	ck_assert_uint_eq(page->text_count, 6);
	ck_assert(verdicts[0].is_content);
	ck_assert(!verdicts[1].is_content);
	ck_assert(!verdicts[2].is_content);
	ck_assert(verdicts[3].is_content);
	ck_assert(verdicts[4].is_content);
	ck_assert(verdicts[5].is_content);
}

/* 5 words in 2 items are 2.5 an item. */
TEST(bare_lists_are_dropped)
{
	AUTO_PAGE *page = parse("<ul><li>a b<li>c d e</ul>");

	ck_assert(run(page, "crunch", "item_words=2.5", NULL)[0].is_content);
	ck_assert(!run(page, "crunch", "item_words=2.6", NULL)[0].is_content);
}

/* Without the list of links, 4 characters remain in the table. */
TEST(a_table_is_empty_when_little_is_left_in_it)
{
	AUTO_PAGE *page = parse(
		"<table><tr><td><a href=x>one</a><a href=x>two</a><td>abcd"
		"</table><p>efgh</p>");
	const struct verdict *verdicts =
		run(page, "crunch", "table_characters=4", NULL);

	ck_assert_uint_eq(page->text_count, 4);
	ck_assert(!verdicts[0].is_content);
	ck_assert(verdicts[2].is_content);
	verdicts = run(page, "crunch", "table_characters=5", NULL);
	ck_assert(!verdicts[2].is_content);
	ck_assert(verdicts[3].is_content);
}

TEST(the_trace_names_the_filter)
{
	AUTO_PAGE *page = parse(
		"<div><a href=x>one</a><a href=x>two</a></div><ul><li>a<li>b "
		"</ul><table><tr><td>abc</table><p>some more words <a "
		"href=http://ads.example/>ad</a></p>");
	const char *const *reasons =
		trace_of(page, "crunch",
			 "ratio=1,item_words=2,table_characters=20", NULL)
			->reasons;

	ck_assert_uint_eq(page->text_count, 7);
	ck_assert_str_eq(reasons[0],
			 "list of 2 links to 0 words outside of links");
	ck_assert_str_eq(reasons[2], "list of 2 items of 1.0 words");
	ck_assert_str_eq(reasons[4], "table of 3 characters");
	ck_assert_str_eq(reasons[5], "no filter dropped it");
	ck_assert_str_eq(reasons[6], "link to an advertisement server");
}
