#include "extract/core/trace.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * Seven lines, of 1 1 1 30 1 1 1 characters a tag. Smoothed by 1, with weights
 * .60653 1 .60653 over 2.21306, they are
 *   1 1 8.948 14.104 8.948 1 1
 */
static const char lines[] =
	"<p>ab</p>\n<p>ab</p>\n<p>ab</p>\n"
	"<p>012345678901234567890123456789012345678901234567890123456789</p>\n"
	"<p>ab</p>\n<p>ab</p>\n<p>ab</p>\n";

/* Text `i` is on line `i`; a digit each, 1 for content. */
static void assert_content(const char *method, const char *assignment,
			   const char *expected)
{
	AUTO_PAGE *page = parse(lines);
	const struct verdict *verdicts = run(page, method, assignment, NULL);

	ck_assert_uint_eq(page->text_count, 7);
	for (uint32_t i = 0; i < 7; i++)
		ck_assert_msg(verdicts[i].is_content == (expected[i] == '1'),
			      "text %u: %f", i, (double)verdicts[i].score);
	ck_assert_float_eq_tol(verdicts[1].score, 1, 1e-4F);
	ck_assert_float_eq_tol(verdicts[2].score, 8.94799F, 1e-4F);
	ck_assert_float_eq_tol(verdicts[3].score, 14.10403F, 1e-4F);
}

/*
 * The mean is 36 / 7, the standard deviation 5.04145: lambda 1 keeps the three
 * lines that are over it, 2, which is 10.08, the one in the middle.
 */
TEST(a_threshold_worked_by_hand)
{
	assert_content("cetr-tm", "radius=1,lambda=1", "0011100");
	assert_content("cetr-tm", "radius=1,lambda=2", "0001000");
	assert_content("cetr-tm", "radius=1,lambda=0", "1111111");
}

TEST(a_trace_draws_the_histogram)
{
	AUTO_PAGE *page = parse(lines);
	const struct trace *trace =
		trace_of(page, "cetr-tm", "radius=1,lambda=1", NULL);
	const struct figure *figure = &trace->figures[0];

	ck_assert_str_eq(trace->reasons[3],
			 "60 of 60 characters on content lines, tag ratio "
			 "14.1");
	ck_assert_str_eq(trace->reasons[0],
			 "0 of 2 characters on content lines, tag ratio 1.0");
	ck_assert_uint_eq(trace->figure_count, 1);
	ck_assert_int_eq(figure->kind, FIGURE_CURVE);
	ck_assert_uint_eq(figure->series[0].count, 7);
	ck_assert_float_eq_tol(figure->series[0].values[3], 14.10403F, 1e-4F);
	ck_assert_float_eq(figure->series[1].values[3], 30);
	ck_assert_float_eq_tol(figure->threshold, 5.04145F, 1e-4F);
}

/*
 * The mean is 5.14. Of two clusters the seeds are 14.104 and 1; 8.948 is nearer
 * to the first, and stays so when it has become 10.667. The third seed is
 * 8.948.
 */
TEST(clusters_worked_by_hand)
{
	assert_content("cetr-km", "radius=1,clusters=2", "0011100");
	assert_content("cetr-km", "radius=1,clusters=3", "0011100");
}

/* Nothing is noise where nothing differs. */
TEST(a_page_of_one_line_is_kept)
{
	AUTO_PAGE *page = parse("<p>A page of one line.</p>");

	ck_assert(run(page, "cetr-km", NULL, NULL)[0].is_content);
}

TEST(a_trace_draws_the_border_of_the_noise)
{
	AUTO_PAGE *page = parse(lines);
	const struct trace *trace =
		trace_of(page, "cetr-km", "radius=1,clusters=2", NULL);

	ck_assert_uint_eq(trace->figure_count, 1);
	/* half way from 1 to 10.667 */
	ck_assert_int_eq(trace->figures[0].kind, FIGURE_CURVE);
	ck_assert_float_eq_tol(trace->figures[0].threshold, 5.83333F, 1e-4F);
}

/*
 * What the next three are above a line, in the mean, is
 *   7.017 9.667 .931 10.455 7.948 0 0
 * without the sign. Seeds: the origin, (14.1 10.5), farthest from it, and
 * (1 9.7), 9.7 off both. The first two lines go to the third. (8.9 .9) goes to
 * the origin, 9.0 off, until the second has moved to (11.5 9.2), 8.7 off. Noise
 * are the last two.
 */
TEST(clusters_with_a_derivative_worked_by_hand)
{
	assert_content("cetr", "radius=1,clusters=3", "1111100");
}

TEST(a_trace_draws_the_lines_with_their_clusters)
{
	AUTO_PAGE *page = parse(lines);
	const struct trace *trace =
		trace_of(page, "cetr", "radius=1,clusters=3", NULL);
	const struct figure *figure = &trace->figures[0];

	ck_assert_uint_eq(trace->figure_count, 1);
	ck_assert_int_eq(figure->kind, FIGURE_SCATTER);
	ck_assert_uint_eq(figure->point_count, 7);
	ck_assert_float_eq_tol(figure->points[3].x, 14.10403F, 1e-4F);
	ck_assert_float_eq_tol(figure->points[3].y, 10.45470F, 1e-4F);
	ck_assert_uint_eq(figure->points[5].group, 0);
	ck_assert_uint_eq(figure->points[6].group, 0);
	ck_assert_uint_ne(figure->points[0].group, 0);
}
