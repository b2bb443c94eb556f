#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * Radius 1 makes weights 1 3 6 7 6 3 1, over 27. Tags of 3 and 4 characters are
 * between the texts: a text of 1 character has the ratio 7/27 = .259, the
 * middle of 3 has 19/27 = .704, the middle of 7 has 1.
 */
TEST(ratios_worked_by_hand)
{
	AUTO_PAGE *page = parse("<p>a</p><p>abc</p><p>abcdefg</p>");
	const struct verdict *verdicts =
		run(page, "accb", "radius=1,passes=1,threshold=0.7", NULL);

	ck_assert_float_eq_tol(verdicts[0].score, 7 / 27.0F, 1e-6F);
	ck_assert(!verdicts[0].is_content);
	ck_assert_float_eq_tol(verdicts[1].score, 19 / 27.0F, 1e-6F);
	ck_assert(verdicts[1].is_content);
	ck_assert_float_eq_tol(verdicts[2].score, 1, 1e-6F);
	ck_assert(verdicts[2].is_content);
}

TEST(a_link_is_no_code)
{
	/* abc again, b the middle; a and c see 7 + 6 + 3 of 27 */
	AUTO_PAGE *page = parse("<p>a<a href=\"x\">b</a>c</p>");
	const struct verdict *verdicts =
		run(page, "accb", "radius=1,passes=1,threshold=0.6", NULL);

	ck_assert_float_eq_tol(verdicts[0].score, 16 / 27.0F, 1e-6F);
	ck_assert_float_eq_tol(verdicts[1].score, 19 / 27.0F, 1e-6F);
	ck_assert(!verdicts[0].is_content);
	ck_assert(verdicts[1].is_content);
}

TEST(the_threshold_must_be_passed)
{
	AUTO_PAGE *page = parse("<p>abcdefg</p>");

	ck_assert(run(page, "accb", "radius=1,passes=1,threshold=0.99", NULL)[0]
			  .is_content);
	ck_assert(!run(page, "accb", "radius=1,passes=1,threshold=1", NULL)[0]
			   .is_content);
}
