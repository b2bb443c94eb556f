#include "extract/core/trace.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * One pass (no change is above 1) of radius 1 makes weights 1 3 6 7 6 3 1, over
 * 27: as in test_accb.c. The tags of `a` are code: b sees 7, a and c, on the
 * other side of 3 and 4 characters of code, too.
 */
TEST(ratios_worked_by_hand)
{
	AUTO_PAGE *page = parse("<p>a<a href=\"x\">b</a>c</p><p>abc</p>");
	const struct verdict *verdicts =
		run(page, "ccb", "radius=1,epsilon=1,threshold=0.7", NULL);

	ck_assert_float_eq_tol(verdicts[0].score, 7 / 27.0F, 1e-6F);
	ck_assert_float_eq_tol(verdicts[1].score, 7 / 27.0F, 1e-6F);
	ck_assert_float_eq_tol(verdicts[2].score, 7 / 27.0F, 1e-6F);
	ck_assert_float_eq_tol(verdicts[3].score, 19 / 27.0F, 1e-6F);
	ck_assert(!verdicts[0].is_content);
	ck_assert(!verdicts[1].is_content);
	ck_assert(!verdicts[2].is_content);
	ck_assert(verdicts[3].is_content);
}

/*
 * The limit is flat: 3 characters of content in 10 are .3 everywhere. With a
 * small epsilon it is nearly reached on so short a page, with a large one not.
 */
TEST(it_is_blurred_until_it_converges)
{
	AUTO_PAGE *page = parse("<p>abc</p>");

	ck_assert_float_eq_tol(
		run(page, "ccb", "radius=2,epsilon=0.001", NULL)[0].score, .3F,
		.02F);
	ck_assert_float_gt(
		run(page, "ccb", "radius=2,epsilon=1", NULL)[0].score, .4F);
}

TEST(a_trace_reports_the_ratio_and_draws_it)
{
	AUTO_PAGE *page = parse("<p>abc</p><p hidden>d");
	const struct trace *trace =
		trace_of(page, "ccb", "radius=1,epsilon=1,threshold=0.7", NULL);
	const struct figure *figure = &trace->figures[0];

	/* 000 111 0000 0000000000 0: abc is 19 of 27 in the middle */
	ck_assert_str_eq(trace->reasons[0],
			 "ratio 0.70 after 1 pass, over 0.70");
	ck_assert_str_eq(trace->reasons[1], "not visible");
	ck_assert_uint_eq(trace->figure_count, 1);
	ck_assert_int_eq(figure->kind, FIGURE_CURVE);
	ck_assert_uint_eq(figure->series_count, 2);
	ck_assert_float_eq_tol(figure->series[0].values[4], 19 / 27.0F, 1e-6F);
	ck_assert_float_eq(figure->series[1].values[4], 1);
	ck_assert_float_eq(figure->series[1].values[6], 0);
	ck_assert(figure->has_threshold);
	ck_assert_float_eq(figure->threshold, 0.7F);
}
