#include "extract/trace.h"
#include "tests/unit/extract/article.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* Seven lines, of 1 1 1 30 1 1 1 characters a tag. */
static const char lines[] =
	"<p>ab</p>\n<p>ab</p>\n<p>ab</p>\n"
	"<p>012345678901234567890123456789012345678901234567890123456789</p>\n"
	"<p>ab</p>\n<p>ab</p>\n<p>ab</p>\n";

/* Text `i` stands on line `i`; a digit each, 1 for content. */
static void assert_content(const char *assignment, const char *expected)
{
	struct page *page = parse(lines);
	const struct verdict *verdicts = run(page, "cetr", assignment, NULL);

	ck_assert_uint_eq(page->text_count, 7);
	for (uint32_t i = 0; i < 7; i++)
		ck_assert_msg(verdicts[i].is_content == (expected[i] == '1'),
			      "text %u: %f", i, (double)verdicts[i].score);
	ck_assert_float_eq_tol(verdicts[1].score, 1, 1e-4F);
	ck_assert_float_eq_tol(verdicts[2].score, 8.94799F, 1e-4F);
	ck_assert_float_eq_tol(verdicts[3].score, 14.10403F, 1e-4F);
	page_destroy(page);
}

/*
 * Smoothed by 1, with weights .60653 1 .60653 over 2.21306, they are
 *   1 1 8.948 14.104 8.948 1 1
 * and what the next three are above that, in the mean,
 *   7.017 9.667 .931 10.455 7.948 0 0    without the sign.
 * Seeds: the origin, (14.1 10.5), farthest from it, and (1 9.7), 9.7 off both.
 * The first two lines go to the third. (8.9 .9) goes to the origin, 9.0 off,
 * until the second has moved to (11.5 9.2), 8.7 off. Noise are the last two.
 */
START_TEST(clusters_worked_by_hand)
{
	assert_content("radius=1,clusters=3", "1111100");
}
END_TEST

START_TEST(an_article_is_told_from_a_menu)
{
	struct page *page = parse(article);
	const struct verdict *verdicts = run(page, "cetr", NULL, NULL);

	ck_assert_uint_eq(page->text_count, ARTICLE_TEXTS);
	for (uint32_t i = 0; i < ARTICLE_TEXTS; i++)
		ck_assert_msg(verdicts[i].is_content ==
				      (i >= ARTICLE_BEGIN && i < ARTICLE_END),
			      "text %u: %f", i, (double)verdicts[i].score);
	page_destroy(page);
}
END_TEST

START_TEST(hidden_text_is_never_content)
{
	struct page *page = parse(
		"<title>A long title of the page</title>\n<p>Some text that is "
		"seen.</p>\n<p hidden>Some text that is not seen.</p>\n"
		"<select><option>A choice</select>");
	const struct verdict *verdicts = run(page, "cetr", NULL, NULL);

	ck_assert_uint_eq(page->text_count, 4);
	ck_assert(!verdicts[0].is_content);
	ck_assert(verdicts[1].is_content);
	ck_assert(!verdicts[2].is_content);
	ck_assert(!verdicts[3].is_content);
	page_destroy(page);
}
END_TEST

START_TEST(odd_pages)
{
	const char *const pages[] = {"", "text alone", "<br><hr>", "<p>-</p>",
				     "<p hidden>a</p>"};

	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		struct page *page = parse(pages[i]);
		const struct verdict *verdicts = run(page, "cetr", NULL, NULL);

		for (uint32_t k = 0; k < page->text_count; k++)
			ck_assert_float_finite(verdicts[k].score);
		page_destroy(page);
	}
}
END_TEST

START_TEST(extreme_parameters)
{
	const char *const settings[] = {"radius=1,clusters=2,width=10",
					"radius=20,clusters=8,width=10000"};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		struct page *page = parse(article);
		const struct verdict *verdicts =
			run(page, "cetr", settings[i], NULL);

		for (uint32_t k = 0; k < page->text_count; k++)
			ck_assert_float_finite(verdicts[k].score);
		page_destroy(page);
	}
}
END_TEST

/* What `cetr` tells of `page` with these parameters. */
static const struct trace *trace_of(const struct page *page,
				    const double *parameters)
{
	struct verdict verdicts[ARTICLE_TEXTS];
	struct trace *trace = trace_create(page->arena, page->text_count);
	const struct extractor_input input = {
		.page = page,
		.parameters = parameters,
		.arena = page->arena,
		.trace = trace,
	};

	ck_assert_uint_le(page->text_count, ARTICLE_TEXTS);
	extractor_find("cetr")->run(&input, verdicts);
	ck_assert_uint_eq(trace->figure_count, 1);
	return trace;
}

START_TEST(a_trace_draws_the_lines_with_their_clusters)
{
	const double parameters[] = {1, 60, 3};
	struct page *page = parse(lines);
	const struct trace *trace = trace_of(page, parameters);
	const struct figure *figure = &trace->figures[0];

	ck_assert_int_eq(figure->kind, FIGURE_SCATTER);
	ck_assert_uint_eq(figure->point_count, 7);
	ck_assert_float_eq_tol(figure->points[3].x, 14.10403F, 1e-4F);
	ck_assert_float_eq_tol(figure->points[3].y, 10.45470F, 1e-4F);
	ck_assert_uint_eq(figure->points[5].group, 0);
	ck_assert_uint_eq(figure->points[6].group, 0);
	ck_assert_uint_ne(figure->points[0].group, 0);
	page_destroy(page);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("cetr");
	TCase *tcase = tcase_create("cetr");

	tcase_add_test(tcase, clusters_worked_by_hand);
	tcase_add_test(tcase, an_article_is_told_from_a_menu);
	tcase_add_test(tcase, hidden_text_is_never_content);
	tcase_add_test(tcase, odd_pages);
	tcase_add_test(tcase, extreme_parameters);
	tcase_add_test(tcase, a_trace_draws_the_lines_with_their_clusters);
	suite_add_tcase(suite, tcase);
	return suite;
}
