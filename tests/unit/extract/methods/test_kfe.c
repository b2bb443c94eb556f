#include "extract/core/trace.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * Weight 1: shares 4/4, 9/10, 1/2, 1/3 and 0. Three clusters: {1, .9},
 * {.5, .333} and {0}; two: {1, .9} and the rest.
 */
static const char *const blocks =
	"<p>a b c d</p><p>a b c d e f g h i <img src=x></p><p>a <img src=x>"
	"</p><p>a <img src=x><img src=x></p><p><a href=x>a</a></p>";

TEST(clusters_worked_by_hand)
{
	AUTO_PAGE *page = parse(blocks);
	const struct verdict *verdicts = run(page, "kfe", "weight=1", NULL);

	ck_assert_uint_eq(page->text_count, 5);
	ck_assert_float_eq_tol(verdicts[0].score, 1, 1e-6F);
	ck_assert_float_eq_tol(verdicts[1].score, .9F, 1e-6F);
	ck_assert_float_eq_tol(verdicts[2].score, .5F, 1e-6F);
	ck_assert_float_eq_tol(verdicts[3].score, 1 / 3.0F, 1e-6F);
	ck_assert_float_eq_tol(verdicts[4].score, 0, 1e-6F);
	ck_assert(verdicts[0].is_content && verdicts[1].is_content);
	ck_assert(!verdicts[2].is_content && !verdicts[3].is_content &&
		  !verdicts[4].is_content);
}

TEST(more_clusters_keep_less)
{
	/* as many as shares: only the block of 1 */
	AUTO_PAGE *page = parse(blocks);
	const struct verdict *verdicts = run(page, "kfe", "clusters=5", NULL);

	ck_assert(verdicts[0].is_content);
	ck_assert(!verdicts[1].is_content);
}

TEST(blocks_of_one_ratio_are_all_kept)
{
	AUTO_PAGE *page = parse("<p>a b</p><p>c</p>");
	const struct verdict *verdicts = run(page, "kfe", NULL, NULL);

	ck_assert(verdicts[0].is_content && verdicts[1].is_content);
}

TEST(the_trace_shows_the_blocks)
{
	AUTO_PAGE *page = parse(blocks);
	const struct trace *trace =
		trace_of(page, "kfe", "clusters=3,weight=1", NULL);
	const struct figure *figure = &trace->figures[0];

	ck_assert_str_eq(trace->reasons[1],
			 "text is 0.90 of its block, in the highest cluster");
	ck_assert_str_eq(trace->reasons[2],
			 "text is 0.50 of its block, below the highest "
			 "cluster");
	ck_assert_uint_eq(trace->figure_count, 1);
	ck_assert_int_eq(figure->kind, FIGURE_SCATTER);
	ck_assert_uint_eq(figure->point_count, 5);
	ck_assert_float_eq(figure->points[1].y, 9);
	ck_assert_uint_eq(figure->points[1].group, 1);
	ck_assert_uint_eq(figure->points[2].group, 0);
}
