#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * Tokens 0 1 0 0 1 1 1 0. One pass (no change is above 1) of radius 1 makes
 * weights 1 3 6 7 6 3 1, over 27. The first word sees 7, and 1 at each end of
 * the window: the second p's first word, and itself, mirrored at the begin. The
 * word in the middle of three sees 6 + 7 + 6.
 */
TEST(ratios_worked_by_hand)
{
	AUTO_PAGE *page = parse("<p>long</p><p class=x>a b c</p>");
	const struct verdict *verdicts =
		run(page, "tccb", "radius=1,epsilon=1,threshold=0.7", NULL);

	ck_assert_float_eq_tol(verdicts[0].score, 9 / 27.0F, 1e-6F);
	ck_assert_float_eq_tol(verdicts[1].score, 19 / 27.0F, 1e-6F);
	ck_assert(!verdicts[0].is_content);
	ck_assert(verdicts[1].is_content);
}

/*
 * p a b c /p: the tags of `a` have no token, and b sees a and c at its sides. A
 * text without words is judged by its place: between the two words.
 */
TEST(a_link_is_no_code_and_a_dash_no_word)
{
	AUTO_PAGE *page =
		parse("<p>a<a href=\"x\">b</a>c</p><p>a<a>-</a>b</p>");
	const struct verdict *verdicts =
		run(page, "tccb", "radius=1,epsilon=1,threshold=0.5", NULL);

	ck_assert_float_eq_tol(verdicts[1].score, 19 / 27.0F, 1e-6F);
	ck_assert_uint_eq(page->text_count, 6);
	ck_assert_float_eq(verdicts[4].score,
			   verdicts[3].score > verdicts[5].score
				   ? verdicts[3].score
				   : verdicts[5].score);
}
