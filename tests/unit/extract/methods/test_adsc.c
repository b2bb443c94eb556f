#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * 16 tags and 44 words: the mean slope is 4/15, half of it 2/15. A tenth of the
 * page is a window of 6, low when it holds no tag, and so is one of 3. The
 * texts have 20, 4, 5 and 15 words. At every token there is a window: all of
 * the first and of the last text is low, no word less; the two between are
 * shorter than a window.
 */
static const char worked[] =
	"<p>a b c d e f g h i j k l m n o p q r s t</p><i></i>"
	"<p>a b c d</p><b></b><b></b><b></b><p>a b c d e</p>"
	"<p>a b c d e f g h i j k l m n o</p>";

TEST(a_text_is_low_as_a_whole)
{
	AUTO_PAGE *page = parse(worked);
	const struct verdict *verdicts = run(page, "adsc", NULL, NULL);

	ck_assert_uint_eq(page->text_count, 4);
	ck_assert_float_eq(verdicts[0].score, 1);
	ck_assert(verdicts[0].is_content);
	ck_assert_float_eq(verdicts[1].score, 0);
	ck_assert(!verdicts[1].is_content);
	ck_assert_float_eq(verdicts[2].score, 0);
	ck_assert(!verdicts[2].is_content);
	ck_assert_float_eq(verdicts[3].score, 1);
	ck_assert(verdicts[3].is_content);
}

/*
 * At 5/8 of the mean, 1/6, a window of 6 may hold one tag: this accepts the
 * text of 5 words. The text of 4 words has two tags in every window, and is
 * removed before the second pass, whose windows of 3 would find it.
 */
TEST(each_pass_works_on_what_the_one_before_left)
{
	AUTO_PAGE *page = parse(worked);
	const struct verdict *verdicts =
		run(page, "adsc", "max_slope=0.625,passes=1", NULL);

	ck_assert_float_eq(verdicts[0].score, 1);
	ck_assert_float_eq(verdicts[1].score, 0);
	ck_assert_float_eq(verdicts[2].score, 1);
	ck_assert_float_eq(verdicts[3].score, 1);
	verdicts = run(page, "adsc", "max_slope=0.625,passes=2", NULL);
	ck_assert_float_eq(verdicts[0].score, 1);
	ck_assert_float_eq(verdicts[1].score, 0);
	ck_assert_float_eq(verdicts[2].score, 1);
	ck_assert_float_eq(verdicts[3].score, 1);
	verdicts = run(page, "adsc", "window=3,max_slope=0.625,passes=1", NULL);
	ck_assert_float_eq(verdicts[1].score, 1);
}

/*
 * 18 tags and 42 words: the mean slope is .3, 3/4 of it .225. A window of 6 may
 * hold one tag: x and y are low together with the words before them. A window
 * of 3 may hold none, and they are too few to fill one.
 */
TEST(windows_are_half_as_long_in_the_next_pass)
{
	AUTO_PAGE *page = parse(
		"<i></i><i></i><i></i><i></i>"
		"a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e "
		"f g h i j k l m n<b>x y</b><i></i><i></i><i></i><i></i>");
	const char *one = "window=6,max_slope=0.75,passes=1";
	const char *two = "window=6,max_slope=0.75,passes=2";

	ck_assert_uint_eq(page->text_count, 2);
	ck_assert_float_eq(run(page, "adsc", one, NULL)[1].score, 1);
	ck_assert_float_eq(run(page, "adsc", two, NULL)[1].score, 0);
	ck_assert_float_eq(run(page, "adsc", two, NULL)[0].score, 1);
}
