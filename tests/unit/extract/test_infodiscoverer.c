#include "tests/unit/extract/fixture.h"
#include "tests/unit/extract/news.h"
#include "tests/unit/run.h"
#include "extract/trace.h"
#include "store/arena.h"

/*
 * Four pages. "tide" stands on them 2, 1, 1 and 0 times: w = 1/2, 1/4, 1/4, the
 * entropy 1.5 bits of 2 = .75. "menu" stands once on each: 1. "alone" on the
 * first only: 0. The words of a block are a set: the second block of the first
 * page has (.75 + 0) / 2.
 */
START_TEST(entropies_worked_by_hand)
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
END_TEST

/* Two texts of one block, of .75 and 0, are judged as one. */
START_TEST(a_block_is_judged_as_one)
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
END_TEST

/* Of one page in the sample, and of the same in none. */
START_TEST(a_page_outside_of_the_sample_is_counted_too)
{
	const struct extractor *method = extractor_find("infodiscoverer");
	struct page *pages[] = {
		parse("<p>menu</p><p>tide alone tide</p>"),
		parse("<p>menu</p><p>tide</p>"),
		parse("<p>menu</p><p>tide</p>"),
		parse("<p>menu</p>"),
	};
	const struct sample others = {(const struct page *const *)pages + 1, 3};
	double parameters[MAX_PARAMETERS];
	struct verdict verdicts[2];
	struct extractor_input input = {
		.page = pages[0],
		.parameters = parameters,
		.arena = pages[0]->arena,
	};

	extractor_presets(method, parameters);
	input.learned = method->learn(&others, parameters, input.arena);
	method->run(&input, verdicts);
	ck_assert_float_eq_tol(verdicts[0].score, 0, 1e-6F);
	ck_assert_float_eq_tol(verdicts[1].score, 1 - 0.375F, 1e-6F);
	for (unsigned i = 0; i < 4; i++)
		page_destroy(pages[i]);
}
END_TEST

START_TEST(the_trace_has_the_entropies)
{
	const struct extractor *method = extractor_find("infodiscoverer");
	struct page *pages[] = {
		parse("<p>menu</p><p>alone</p>"),
		parse("<p>menu</p><p>other</p>"),
	};
	const struct sample sample = {(const struct page *const *)pages, 2};
	double parameters[MAX_PARAMETERS];
	struct verdict verdicts[2];
	struct extractor_input input = {
		.page = pages[0],
		.parameters = parameters,
		.arena = pages[0]->arena,
		.trace = trace_create(pages[0]->arena, 2),
	};

	extractor_presets(method, parameters);
	input.learned = method->learn(&sample, parameters, input.arena);
	method->run(&input, verdicts);
	ck_assert_str_eq(input.trace->reasons[0],
			 "its block's 1 words have the entropy 1.00, most "
			 "0.75");
	ck_assert_uint_eq(input.trace->figure_count, 1);
	ck_assert_uint_eq(input.trace->figures[0].point_count, 2);
	ck_assert_float_eq(input.trace->figures[0].points[0].x, 1);
	ck_assert_uint_eq(input.trace->figures[0].points[0].group, 0);
	ck_assert_uint_eq(input.trace->figures[0].points[1].group, 1);
	page_destroy(pages[0]);
	page_destroy(pages[1]);
}
END_TEST

START_TEST(articles_are_told_from_menus)
{
	assert_articles_are_told_from_menus("infodiscoverer");
}
END_TEST

START_TEST(hidden_text_is_never_content)
{
	assert_hidden_text_is_never_content("infodiscoverer");
}
END_TEST

START_TEST(small_pages_are_judged)
{
	assert_small_pages_are_judged("infodiscoverer");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("infodiscoverer");
	TCase *tcase = tcase_create("infodiscoverer");

	tcase_add_test(tcase, entropies_worked_by_hand);
	tcase_add_test(tcase, a_block_is_judged_as_one);
	tcase_add_test(tcase, a_page_outside_of_the_sample_is_counted_too);
	tcase_add_test(tcase, the_trace_has_the_entropies);
	tcase_add_test(tcase, articles_are_told_from_menus);
	tcase_add_test(tcase, hidden_text_is_never_content);
	tcase_add_test(tcase, small_pages_are_judged);
	suite_add_tcase(suite, tcase);
	return suite;
}
