#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * Weight 2: 6 words and a link 6/8; 3 words, an image and a link with a word
 * 3/7; only a link 0. The best is the first.
 */
TEST(ratios_worked_by_hand)
{
	AUTO_PAGE *page =
		parse("<p>a b c d e f <a href=x>g</a></p><p>a b c <img src=x>"
		      "<a href=x>g</a></p><p><a href=x>g</a></p>");
	const struct verdict *verdicts = run(page, "fe", "weight=2", NULL);

	ck_assert_uint_eq(page->text_count, 5);
	ck_assert_float_eq_tol(verdicts[0].score, 6 / 8.0F, 1e-6F);
	ck_assert_float_eq_tol(verdicts[1].score, 6 / 8.0F, 1e-6F);
	ck_assert_float_eq_tol(verdicts[2].score, 3 / 7.0F, 1e-6F);
	ck_assert_float_eq_tol(verdicts[4].score, 0, 1e-6F);
	ck_assert(verdicts[0].is_content && verdicts[1].is_content);
	ck_assert(!verdicts[2].is_content && !verdicts[3].is_content &&
		  !verdicts[4].is_content);
}

TEST(of_equal_ratios_the_block_with_most_words_is_kept)
{
	AUTO_PAGE *page = parse("<p>a b</p><p>a b c</p><p>a</p><p>a b c</p>");
	const struct verdict *verdicts = run(page, "fe", NULL, NULL);

	ck_assert(!verdicts[0].is_content);
	ck_assert(verdicts[1].is_content);
	ck_assert(!verdicts[2].is_content);
	ck_assert(!verdicts[3].is_content);
}

TEST(the_text_of_a_block_inside_is_not_its_own)
{
	AUTO_PAGE *page = parse("<div>a b c d<p>a b c</p></div>");
	const struct verdict *verdicts = run(page, "fe", NULL, NULL);

	ck_assert(verdicts[0].is_content);
	ck_assert(!verdicts[1].is_content);
}
