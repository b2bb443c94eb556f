#include "extract/core/trace.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* The verdict on text 0 when `frequency` of `pages` pages hold it. */
static struct verdict judge(uint32_t frequency, uint32_t pages,
			    const char *assignment)
{
	AUTO_PAGE *page = parse("<body><p>one");
	const struct template_counts counts = {pages, &frequency};
	struct verdict verdict = run(page, "df", assignment, &counts)[0];

	return verdict;
}

TEST(a_third_of_the_pages_is_kept_and_one_more_is_not)
{
	ck_assert(judge(1, 3, NULL).is_content);
	ck_assert(!judge(2, 3, NULL).is_content);
	ck_assert(judge(3, 9, NULL).is_content);
	ck_assert(!judge(4, 9, NULL).is_content);
	ck_assert(judge(3, 10, NULL).is_content); /* 3 < 10/3 < 4 */
	ck_assert(!judge(4, 10, NULL).is_content);
	ck_assert(judge(333333333, 999999999, NULL).is_content);
	ck_assert(!judge(333333334, 999999999, NULL).is_content);
	ck_assert(!judge(UINT32_MAX, UINT32_MAX, NULL).is_content);
}

TEST(other_ratios_are_exact_too)
{
	ck_assert(judge(7, 10, "max_ratio=0.7").is_content);
	ck_assert(!judge(8, 10, "max_ratio=0.7").is_content);
	ck_assert(judge(10, 10, "max_ratio=1").is_content);
	ck_assert(!judge(1, 10, "max_ratio=0").is_content);
}

TEST(the_score_is_the_ratio_of_pages_without_it)
{
	ck_assert_float_eq_tol(judge(1, 4, NULL).score, 0.75F, 1e-6F);
	ck_assert_float_eq(judge(4, 4, NULL).score, 0);
	ck_assert_float_eq(judge(0, 4, NULL).score, 1);
	ck_assert_float_eq(judge(0, 0, NULL).score, 1);
}

TEST(a_trace_reports_the_ratio_and_draws_the_threshold)
{
	AUTO_PAGE *page = parse("<body><p>one<p>two<p hidden>three");
	const uint32_t frequencies[] = {3, 4, 1};
	const struct template_counts counts = {9, frequencies};
	const struct trace *trace = trace_of(page, "df", NULL, &counts);

	ck_assert_uint_eq(page->text_count, 3);
	ck_assert_str_eq(trace->reasons[0], "33.3 % of the cluster's pages "
					    "hold it, not over 33.3 %");
	ck_assert_str_eq(trace->reasons[1], "44.4 % of the cluster's pages "
					    "hold it, over 33.3 %");
	ck_assert_uint_eq(trace->figure_count, 1);
	ck_assert_uint_eq(trace->figures[0].point_count, 2); /* visible ones */
	ck_assert_float_eq(trace->figures[0].points[1].x, 4);
	ck_assert_uint_eq(trace->figures[0].points[0].group, 1);
	ck_assert_uint_eq(trace->figures[0].points[1].group, 0);
	ck_assert_float_eq_tol(trace->figures[0].threshold, 3, 1e-6F);
}
