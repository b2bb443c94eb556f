#include "extract/core/trace.h"
#include "extract/extractors.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * Four pages. "tide" is on them 2, 1, 1 and 0 times: w = 1/2, 1/4, 1/4, the
 * entropy 1.5 bits of 2 = .75. "menu" is once on each: 1. "alone" only on the
 * first: 0. The words of a block are a set: the second block of the first page
 * has (.75 + 0) / 2.
 */
TEST(entropies_worked_by_hand)
{
	struct page *pages[] = {
		parse("<p>Menu</p><p>tide, alone tide</p>"),
		parse("<p>menu</p><p>tide</p>"),
		parse("<p>MENU</p><p>Tide!</p>"),
		parse("<p>menu</p>"),
	};
	const struct verdict *verdicts =
		run_sampled((const struct page *const *)pages, 4,
			    "infodiscoverer", "max_entropy=0.7");

	ck_assert_float_eq_tol(verdicts[0].score, 0, 1e-6F);
	ck_assert(!verdicts[0].is_content);
	ck_assert_float_eq_tol(verdicts[1].score, 1 - 0.375F, 1e-6F);
	ck_assert(verdicts[1].is_content);
	for (unsigned i = 0; i < 4; i++)
		page_destroy(pages[i]);
}

/* Two texts of one block, of .75 and 0, are judged as one. */
TEST(a_block_is_judged_as_one)
{
	struct page *pages[] = {
		parse("<p>tide <b>tide</b> <i>alone</i></p>"),
		parse("<p>tide</p>"),
		parse("<p>tide</p>"),
		parse("<p>other</p>"),
	};
	const struct verdict *verdicts =
		run_sampled((const struct page *const *)pages, 4,
			    "infodiscoverer", "max_entropy=0.37");

	for (unsigned i = 0; i < 3; i++) {
		ck_assert_float_eq_tol(verdicts[i].score, 1 - 0.375F, 1e-6F);
		ck_assert(!verdicts[i].is_content);
	}
	for (unsigned i = 0; i < 4; i++)
		page_destroy(pages[i]);
}

/* Of one page in the sample, and of the same in none. */
TEST(a_page_outside_of_the_sample_is_counted_too)
{
	const struct extractor *method = extractor_find("infodiscoverer");
	struct page *pages[] = {
		parse("<p>menu</p><p>tide alone tide</p>"),
		parse("<p>menu</p><p>tide</p>"),
		parse("<p>menu</p><p>tide</p>"),
		parse("<p>menu</p>"),
	};
	const struct sample others = {
		.pages = (const struct page *const *)pages + 1, .count = 3};
	double parameters[MAX_PARAMETERS];
	struct verdict verdicts[2];
	struct extractor_input input = {
		.page = pages[0],
		.parameters = parameters,
		.arena = pages[0]->arena,
	};

	extractor_defaults(method, parameters);
	input.learned = method->learn(&others, parameters, input.arena);
	method->run(&input, verdicts);
	ck_assert_float_eq_tol(verdicts[0].score, 0, 1e-6F);
	ck_assert_float_eq_tol(verdicts[1].score, 1 - 0.375F, 1e-6F);
	for (unsigned i = 0; i < 4; i++)
		page_destroy(pages[i]);
}

TEST(the_trace_has_the_entropies)
{
	struct page *pages[] = {
		parse("<p>menu</p><p>alone</p>"),
		parse("<p>menu</p><p>other</p>"),
	};
	struct trace *trace = trace_create(pages[0]->arena, 2);

	run_traced((const struct page *const *)pages, 2, "infodiscoverer", NULL,
		   trace);
	ck_assert_str_eq(trace->reasons[0],
			 "its block's 1 words have the entropy 1.00, maximum "
			 "0.75");
	ck_assert_uint_eq(trace->figure_count, 1);
	ck_assert_uint_eq(trace->figures[0].point_count, 2);
	ck_assert_float_eq(trace->figures[0].points[0].x, 1);
	ck_assert_uint_eq(trace->figures[0].points[0].group, 0);
	ck_assert_float_eq(trace->figures[0].points[1].x, 0);
	ck_assert_uint_eq(trace->figures[0].points[1].group, 1);
	ck_assert_float_eq(trace->figures[0].threshold, 0.75F);
	page_destroy(pages[0]);
	page_destroy(pages[1]);
}
