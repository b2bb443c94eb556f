#include "extract/core/trace.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * div holds "abcdef" and a link of 4 in a paragraph of "ghij" and that: the
 * paragraph has 4/8 = .5, the div 4/14 = .286.
 */
TEST(quotas_worked_by_hand)
{
	AUTO_PAGE *page =
		parse("<div>abcdef<p>ghij<a href=x>klmn</a></p></div>");
	const struct verdict *verdicts = run(page, "lqf-50", NULL, NULL);

	ck_assert_uint_eq(page->text_count, 3);
	ck_assert_float_eq_tol(verdicts[0].score, 1 - 4 / 14.0F, 1e-6F);
	ck_assert_float_eq_tol(verdicts[1].score, .5F, 1e-6F);
	ck_assert_float_eq_tol(verdicts[2].score, .5F, 1e-6F);
	ck_assert(verdicts[0].is_content && verdicts[1].is_content &&
		  verdicts[2].is_content);
}

/* The div has 4/8 + 4 of 4 = 8/12 while the list counts, otherwise 4/8. */
TEST(what_is_dropped_inside_no_longer_counts)
{
	AUTO_PAGE *page = parse("<div>abcd<a href=x>efgh</a><ul><li><a "
				"href=x>ijkl</a></li></ul></div>");
	const struct verdict *verdicts = run(page, "lqf-50", NULL, NULL);

	ck_assert_uint_eq(page->text_count, 3);
	ck_assert_float_eq_tol(verdicts[0].score, .5F, 1e-6F);
	ck_assert(verdicts[0].is_content && verdicts[1].is_content);
	ck_assert_float_eq_tol(verdicts[2].score, 0, 1e-6F);
	ck_assert(!verdicts[2].is_content);
}

/* The paragraph has no links, the div around it 8 of 12 characters. */
TEST(a_block_is_dropped_with_all_inside_it)
{
	AUTO_PAGE *page = parse("<div>ab<p>cd</p><a href=x>efghijkl</a></div>");
	const struct verdict *verdicts = run(page, "lqf-50", NULL, NULL);

	ck_assert_uint_eq(page->text_count, 3);
	ck_assert_float_eq_tol(verdicts[1].score, 1 - 8 / 12.0F, 1e-6F);
	ck_assert(!verdicts[1].is_content);
}

/* Links of 3 in 10: over a quarter, not over a half. */
TEST(the_rows_differ_by_their_quota)
{
	AUTO_PAGE *page = parse("<p>abcdefg<a href=x>hij</a></p>");
	AUTO_PAGE *links = parse("<p>abc<a href=x>defghi</a></p>");

	ck_assert(!run(page, "lqf-25", NULL, NULL)[0].is_content);
	ck_assert(run(page, "lqf-50", NULL, NULL)[0].is_content);
	ck_assert(!run(links, "lqf-50", NULL, NULL)[0].is_content);
	ck_assert(run(links, "lqf-75", NULL, NULL)[0].is_content);
	ck_assert(!run(links, "lqf-75", "quota=0.66", NULL)[0].is_content);
}

/* Blocks with text: body and p (0/3 and so on), li (1). */
TEST(the_trace_names_the_quota)
{
	AUTO_PAGE *page = parse("<ul><li><a href=a>abc</a></li></ul>"
				"<p>def</p>");
	const struct trace *trace = trace_of(page, "lqf-50", NULL, NULL);
	const struct figure *figure = &trace->figures[0];

	ck_assert_str_eq(trace->reasons[0],
			 "link quota 1.00 of a block around it, over 0.50");
	ck_assert_str_eq(trace->reasons[1],
			 "link quota 0.00 at most around it, limit 0.50");
	ck_assert_uint_eq(trace->figure_count, 1);
	ck_assert_int_eq(figure->kind, FIGURE_HISTOGRAM);
	ck_assert(figure->has_threshold);
	ck_assert_float_eq(figure->threshold, .5F);
	/* page, html, body, li, p */
	ck_assert_uint_eq(figure->point_count, 5);
	ck_assert_float_eq(figure->points[3].x, 1);
	ck_assert_uint_eq(figure->points[3].group, 0);
	ck_assert_uint_eq(figure->points[4].group, 1);
}
