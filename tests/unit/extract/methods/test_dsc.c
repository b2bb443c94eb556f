#include "extract/methods/token_methods.h"

#include "extract/core/trace.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * 16 tags and 24 words: the mean slope is .4, half of it .2. A window of 4
 * tokens, a tenth of the page, is low when it holds no tag.
 *
 * Windows begin at every second token: 0, 2, ... 36. The first paragraph's 20
 * words are the tokens 11 to 30: the windows from 12 to 26 hold nothing else.
 * That is 12 to 29, 18 of the 20 words. The 4 words at 35 to 38 fill no window:
 * those at 34 and 36 hold a tag, and it takes .25 to let them in.
 */
static const char worked[] =
	"<b></b><b></b><b></b><b></b><b></b>"
	"<p>a b c d e f g h i j k l m n o p q r s t</p><i></i>"
	"<p>a b c d</p>";

TEST(slopes_worked_by_hand)
{
	AUTO_PAGE *page = parse(worked);
	const struct verdict *verdicts = run(page, "dsc", NULL, NULL);

	ck_assert_uint_eq(page->text_count, 2);
	ck_assert_float_eq_tol(verdicts[0].score, 18 / 20.0F, 1e-6F);
	ck_assert(verdicts[0].is_content);
	ck_assert_float_eq(verdicts[1].score, 0);
	ck_assert(!verdicts[1].is_content);
}

/* 5/8 of .4 is the .25 of one tag in a window. */
TEST(a_window_at_the_limit_is_low)
{
	AUTO_PAGE *page = parse(worked);
	const struct verdict *verdicts =
		run(page, "dsc", "max_slope=0.625", NULL);

	ck_assert_float_eq(verdicts[0].score, 1);
	ck_assert_float_eq(verdicts[1].score, 1);
	verdicts = run(page, "dsc", "max_slope=0.624", NULL);
	ck_assert_float_eq_tol(verdicts[0].score, 18 / 20.0F, 1e-6F);
	ck_assert_float_eq(verdicts[1].score, 0);
}

/* Every token of the stream is a tag or a word: the letters of `html`. */
static struct token_regions low(struct page *page,
				const struct windows *windows)
{
	const bool is_visible[] = {true, true, true, true};
	struct token_stream stream =
		token_stream_make(page->arena, page, is_visible);
	const struct token_range whole = {0, stream.count};

	return slope_low_regions(page->arena, &stream,
				 &(struct token_regions){&whole, 1}, windows);
}

/* Tags at 0, 3, 4, 8 and 9; the only windows of 3 without one are 5 to 7. */
TEST(windows_that_touch_are_one_region)
{
	AUTO_PAGE *page = parse("<b>a b</b><b>a b c</b><i>");
	struct token_regions regions = low(page, &(struct windows){3, 1, 0.1});

	ck_assert_uint_eq(regions.count, 1);
	ck_assert_uint_eq(regions.ranges[0].begin, 5);
	ck_assert_uint_eq(regions.ranges[0].end, 8);
	/* with one tag of 3: 0 to 2, 1 to 3, 4 to 6, 5 to 7, 6 to 8 */
	regions = low(page, &(struct windows){3, 1, 0.34});
	ck_assert_uint_eq(regions.count, 1);
	ck_assert_uint_eq(regions.ranges[0].begin, 0);
	ck_assert_uint_eq(regions.ranges[0].end, 9);
	/* at 0, 3, 6 and, being the last, 7: only 0 and 6 are low */
	regions = low(page, &(struct windows){3, 3, 0.34});
	ck_assert_uint_eq(regions.count, 2);
	ck_assert_uint_eq(regions.ranges[0].end, 3);
	ck_assert_uint_eq(regions.ranges[1].begin, 6);
	ck_assert_uint_eq(regions.ranges[1].end, 9);
}

TEST(a_range_shorter_than_a_window_is_one)
{
	AUTO_PAGE *page = parse("<b>a b</b><b>a b c</b><i>");
	struct token_regions regions =
		low(page, &(struct windows){100, 1, 0.5});

	ck_assert_uint_eq(regions.count, 1);
	ck_assert_uint_eq(regions.ranges[0].begin, 0);
	ck_assert_uint_eq(regions.ranges[0].end, 10);
	ck_assert_uint_eq(low(page, &(struct windows){100, 1, 0.49}).count, 0);
}

TEST(a_page_without_tags_is_content)
{
	AUTO_PAGE *page = parse("Nothing but some words of plain text.");

	ck_assert(run(page, "dsc", NULL, NULL)[0].is_content);
	ck_assert(run(page, "adsc", NULL, NULL)[0].is_content);
}

/* The curve climbs by one a tag: 0 1 1 1 2, 4 tokens. */
TEST(the_picture_is_the_curve)
{
	AUTO_PAGE *page = parse("<p>a b</p>");
	const struct trace *trace =
		trace_of(page, "dsc", "window=1,max_slope=0.5", NULL);

	ck_assert_str_eq(trace->reasons[0], "2 of 2 words in a chosen region");
	ck_assert_uint_eq(trace->figure_count, 1);
	ck_assert_uint_eq(trace->figures[0].series[0].count, 5);
	ck_assert_float_eq(trace->figures[0].series[0].values[1], 1);
	ck_assert_float_eq(trace->figures[0].series[0].values[3], 1);
	ck_assert_float_eq(trace->figures[0].series[0].values[4], 2);
	ck_assert_uint_eq(trace->figures[0].range_count, 1);
	ck_assert_float_eq(trace->figures[0].ranges[0].begin, 1);
	ck_assert_float_eq(trace->figures[0].ranges[0].end, 3);
}
