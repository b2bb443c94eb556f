#include "tests/unit/extract/article.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * Tokens 0 1 0 0 1 1 1 0. One pass (no change is above 1) of radius 1 makes
 * weights 1 3 6 7 6 3 1, over 27. The first word sees 7, and 1 at each end of
 * the window: the second p's first word, and itself, mirrored at the begin. The
 * word in the middle of three sees 6 + 7 + 6.
 */
START_TEST(ratios_worked_by_hand)
{
	struct page *page = parse("<p>long</p><p class=x>a b c</p>");
	const struct verdict *verdicts =
		run(page, "tccb", "radius=1,epsilon=1,threshold=0.7", NULL);

	ck_assert_float_eq_tol(verdicts[0].score, 9 / 27.0F, 1e-6F);
	ck_assert_float_eq_tol(verdicts[1].score, 19 / 27.0F, 1e-6F);
	ck_assert(!verdicts[0].is_content);
	ck_assert(verdicts[1].is_content);
	page_destroy(page);
}
END_TEST

/*
 * p a b c /p: the tags of `a` have no token, and b sees a and c at its sides. A
 * text without words is judged by its place: between the two words.
 */
START_TEST(a_link_is_no_code_and_a_dash_no_word)
{
	struct page *page =
		parse("<p>a<a href=\"x\">b</a>c</p><p>a<a>-</a>b</p>");
	const struct verdict *verdicts =
		run(page, "tccb", "radius=1,epsilon=1,threshold=0.5", NULL);

	ck_assert_float_eq_tol(verdicts[1].score, 19 / 27.0F, 1e-6F);
	ck_assert_uint_eq(page->text_count, 6);
	ck_assert_float_eq(verdicts[4].score,
			   verdicts[3].score > verdicts[5].score
				   ? verdicts[3].score
				   : verdicts[5].score);
	page_destroy(page);
}
END_TEST

START_TEST(an_article_is_told_from_a_menu)
{
	struct page *page = parse(article);
	const struct verdict *verdicts = run(page, "tccb", NULL, NULL);

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
	const struct verdict *verdicts = run(page, "tccb", "threshold=0", NULL);

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
		const struct verdict *verdicts = run(page, "tccb", NULL, NULL);

		for (uint32_t k = 0; k < page->text_count; k++)
			ck_assert_float_finite(verdicts[k].score);
		page_destroy(page);
	}
}
END_TEST

START_TEST(extreme_parameters)
{
	const char *const settings[] = {
		"radius=1,epsilon=0.001,threshold=0",
		"radius=1000,epsilon=0.001,threshold=1"};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		struct page *page = parse(article);
		const struct verdict *verdicts =
			run(page, "tccb", settings[i], NULL);

		for (uint32_t k = 0; k < page->text_count; k++)
			ck_assert_float_finite(verdicts[k].score);
		page_destroy(page);
	}
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("tccb");
	TCase *tcase = tcase_create("tccb");

	tcase_add_test(tcase, ratios_worked_by_hand);
	tcase_add_test(tcase, a_link_is_no_code_and_a_dash_no_word);
	tcase_add_test(tcase, an_article_is_told_from_a_menu);
	tcase_add_test(tcase, hidden_text_is_never_content);
	tcase_add_test(tcase, odd_pages);
	tcase_add_test(tcase, extreme_parameters);
	suite_add_tcase(suite, tcase);
	return suite;
}
