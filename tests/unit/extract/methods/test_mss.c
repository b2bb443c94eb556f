#include "extract/core/trace.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * A tag takes 3.25: two tags between two texts take 6.5. Six words more on the
 * other side do not pay for them, seven do.
 */
TEST(the_penalty_worked_by_hand)
{
	struct page *page =
		parse("<p>a b c d e f g h</p><p>a b c d e f</p><p>x</p>");
	const struct verdict *verdicts = run(page, "mss", NULL, NULL);

	ck_assert(verdicts[0].is_content);
	ck_assert(!verdicts[1].is_content);
	ck_assert(!verdicts[2].is_content);
	page_destroy(page);

	page = parse("<p>a b c d e f g h</p><p>a b c d e f g</p><p>x</p>");
	verdicts = run(page, "mss", NULL, NULL);
	ck_assert(verdicts[0].is_content);
	ck_assert(verdicts[1].is_content);
	ck_assert(!verdicts[2].is_content);
	page_destroy(page);
}

TEST(without_a_penalty_all_that_is_seen_is_content)
{
	AUTO_PAGE *page = parse("<p>a</p><p hidden>b</p><br><br><p>c</p>");
	const struct verdict *verdicts =
		run(page, "mss", "tag_penalty=0", NULL);

	ck_assert(verdicts[0].is_content);
	ck_assert(!verdicts[1].is_content);
	ck_assert(verdicts[2].is_content);
}

/* One word: 1 at most, with any tag less. */
TEST(with_the_highest_penalty_one_text_is_content)
{
	AUTO_PAGE *page = parse("<p>a</p><p>b c</p>");
	const struct verdict *verdicts =
		run(page, "mss", "tag_penalty=1000", NULL);

	ck_assert(!verdicts[0].is_content);
	ck_assert(verdicts[1].is_content);
}

/* <p> a b </p>: the sums 0 -3.25 -2.25 -1.25 -4.5, and the range 1 to 3. */
TEST(the_picture_is_the_sum_and_its_climb)
{
	AUTO_PAGE *page = parse("<p>a b</p>");
	const struct trace *trace =
		trace_of(page, "mss", "tag_penalty=3.25", NULL);

	ck_assert_str_eq(trace->reasons[0], "2 of 2 words in a chosen region");
	ck_assert_uint_eq(trace->figure_count, 1);
	ck_assert_uint_eq(trace->figures[0].series_count, 1);
	ck_assert_uint_eq(trace->figures[0].series[0].count, 5);
	ck_assert_float_eq(trace->figures[0].series[0].values[0], 0);
	ck_assert_float_eq(trace->figures[0].series[0].values[3], -1.25F);
	ck_assert_float_eq(trace->figures[0].series[0].values[4], -4.5F);
	ck_assert_uint_eq(trace->figures[0].range_count, 1);
	ck_assert_float_eq(trace->figures[0].ranges[0].begin, 1);
	ck_assert_float_eq(trace->figures[0].ranges[0].end, 3);
}
