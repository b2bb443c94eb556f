#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * The leaf of div has one word, on both pages: its importance is 1 - 1 = 0.
 * That of p has "w" on both, and "u" and "v" on one each: 1 - (1 + 0 + 0) / 3.
 * Both have one style: the composite importance is .1 * 0 + .9 * that.
 */
TEST(importances_of_leaves_worked_by_hand)
{
	struct page *pages[] = {
		parse("<div>x</div><p>u w</p>"),
		parse("<div>x</div><p>w v</p>"),
	};
	const struct verdict *verdicts =
		run_sampled((const struct page *const *)pages, 2, "sst",
			    "min_importance=0.5");

	ck_assert_float_eq_tol(verdicts[0].score, 0, 1e-6F);
	ck_assert(!verdicts[0].is_content);
	ck_assert_float_eq_tol(verdicts[1].score, 0.6F, 1e-6F);
	ck_assert(verdicts[1].is_content);
	page_destroy(pages[0]);
	page_destroy(pages[1]);
}

/*
 * div has two styles on two pages: its own importance is 1, its attenuation
 * .9 * .9. Its text is the same on both: 0. The b is on one: 1. The mean of the
 * children is 0 on the first page and (0 + 1) / 2 on the second, so that
 * (1 - .81) * 1 + .81 * (0 + .5) / 2 = .3925.
 */
TEST(importances_of_inner_nodes_worked_by_hand)
{
	struct page *pages[] = {
		parse("<div>x</div>"),
		parse("<div>x<b>y</b></div>"),
	};
	const struct verdict *verdicts =
		run_sampled((const struct page *const *)pages, 2, "sst", NULL);

	ck_assert_float_eq_tol(verdicts[0].score, 0.3925F, 1e-6F);
	verdicts = run_sampled((const struct page *const *)pages, 2, "sst",
			       "attenuation=0");
	ck_assert_float_eq_tol(verdicts[0].score, 1, 1e-6F);
	verdicts = run_sampled((const struct page *const *)pages, 2, "sst",
			       "attenuation=1");
	ck_assert_float_eq_tol(verdicts[0].score, 0.25F, 1e-6F);
	page_destroy(pages[0]);
	page_destroy(pages[1]);
}

/* The second p is on one page only, whatever it says. */
TEST(a_place_of_one_page_is_important)
{
	struct page *pages[] = {
		parse("<p>x</p><p>x</p>"),
		parse("<p>x</p>"),
	};
	const struct verdict *verdicts =
		run_sampled((const struct page *const *)pages, 2, "sst", NULL);

	ck_assert_float_eq(verdicts[0].score, 0);
	ck_assert_float_eq(verdicts[1].score, 1);
	page_destroy(pages[0]);
	page_destroy(pages[1]);
}

TEST(a_class_is_part_of_the_place)
{
	struct page *pages[] = {
		parse("<p class='b a1'>x</p><p class=c>x</p>"),
		parse("<p class='a2 b'>x</p><p class=d>x</p>"),
	};
	const struct verdict *verdicts =
		run_sampled((const struct page *const *)pages, 2, "sst", NULL);

	ck_assert_float_eq(verdicts[0].score, 0);
	ck_assert_float_eq(verdicts[1].score, 1);
	page_destroy(pages[0]);
	page_destroy(pages[1]);
}
