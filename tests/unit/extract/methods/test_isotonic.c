#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* The verdicts if each text is on this number of eleven pages. */
static const struct verdict *judge(const struct page *page,
				   const uint32_t *frequencies,
				   const char *assignment)
{
	const struct template_counts counts = {11, frequencies};

	return run(page, "isotonic", assignment, &counts);
}

/* 10 of the 10 other pages hold one, none holds two; html gives way. */
TEST(without_a_penalty_every_text_keeps_its_score)
{
	AUTO_PAGE *page = parse("<div><p>one</p><p>two</p></div>");
	const uint32_t frequencies[] = {11, 1};
	const struct verdict *verdicts =
		judge(page, frequencies, "penalty=0,link_weight=0");

	ck_assert_float_eq_tol(verdicts[0].score, 0, 1e-6F);
	ck_assert(!verdicts[0].is_content);
	ck_assert_float_eq_tol(verdicts[1].score, 1, 1e-6F);
	ck_assert(verdicts[1].is_content);
}

/*
 * One score for html (1/2, the mean of what is inside; body and div hold the
 * same) and the two p and texts (1 and 0): |y - 1/2| + 2 (1 - y) + 2 y is least
 * at 1/2, or the next of 32 levels.
 */
TEST(with_a_high_one_all_have_the_median)
{
	AUTO_PAGE *page = parse("<div><p>one</p><p>two</p></div>");
	const uint32_t frequencies[] = {11, 1};
	const struct verdict *verdicts =
		judge(page, frequencies, "penalty=1000,link_weight=0");

	ck_assert_float_eq_tol(verdicts[0].score, 0.5F, 1 / 61.0F);
	ck_assert_float_eq(verdicts[0].score, verdicts[1].score);
}

/*
 * The text and the li of "new" have 0, five others 1, and html 5/6. All at 1
 * cost 2 + 1/6; all at 0 and five steps up cost 5/6 + 5/2, and no step down is
 * allowed: "new" is template, although no other page has it.
 */
TEST(a_list_is_template_as_a_whole)
{
	AUTO_PAGE *page = parse("<ul><li>one<li>two<li>new<li>six<li>ten"
				"<li>may</ul>");
	const uint32_t frequencies[] = {11, 11, 1, 11, 11, 11};
	const struct verdict *verdicts =
		judge(page, frequencies, "penalty=0.5,link_weight=0");

	for (unsigned i = 0; i < 6; i++) {
		ck_assert_float_eq(verdicts[i].score, 0);
		ck_assert(!verdicts[i].is_content);
	}
}

/*
 * "fresh!" is half of the page. html at 0 and a step up to the ul cost 1/2 +
 * 1/2, all at 1 cost 1/2 + 2.
 */
TEST(what_stands_beside_a_list_is_not)
{
	AUTO_PAGE *page = parse("<ul><li>one<li>two</ul><p>fresh!");
	const uint32_t frequencies[] = {11, 11, 1};
	const struct verdict *verdicts =
		judge(page, frequencies, "penalty=0.5,link_weight=0");

	ck_assert_float_eq(verdicts[0].score, 0);
	ck_assert_float_eq(verdicts[1].score, 0);
	ck_assert_float_eq(verdicts[2].score, 1);
}

/* 2 of 10 other pages: .2, and for a link .2 + .8 / 4. */
TEST(a_link_is_nearer_to_template)
{
	AUTO_PAGE *page = parse("<p><a href=/>one</a></p><p>two</p>");
	const uint32_t frequencies[] = {3, 3};
	const struct verdict *verdicts =
		judge(page, frequencies, "penalty=0,link_weight=0.25");

	ck_assert_float_eq_tol(verdicts[0].score, 0.6F, 1 / 61.0F);
	ck_assert_float_eq_tol(verdicts[1].score, 0.8F, 1 / 61.0F);
}
