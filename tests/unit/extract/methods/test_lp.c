#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * The list has 3 links and no child with 3: a pagelet, with 3 characters
 * outside links. So has the div, with 6. The rest has "abcd", 4 of 13.
 */
TEST(pagelets_worked_by_hand)
{
	AUTO_PAGE *page = parse(
		"<ul><li>a<a href=x>nn</a><li>b<a href=x>nn</a><li>c<a "
		"href=x>nn</a></ul><p>abcd</p><div><p>abc<a href=x>nn</a><p>"
		"def<a href=x>nn</a><a href=x>nn</a></div>");
	const struct verdict *verdicts = run(page, "lp", NULL, NULL);

	ck_assert_uint_eq(page->text_count, 12);
	for (uint32_t i = 0; i < 6; i++) {
		ck_assert_float_eq_tol(verdicts[i].score, 3 / 13.0F, 1e-6F);
		ck_assert(!verdicts[i].is_content);
	}
	ck_assert_float_eq_tol(verdicts[6].score, 4 / 13.0F, 1e-6F);
	ck_assert(!verdicts[6].is_content);
	for (uint32_t i = 7; i < 12; i++) {
		ck_assert_float_eq_tol(verdicts[i].score, 6 / 13.0F, 1e-6F);
		ck_assert(verdicts[i].is_content);
	}
}

TEST(a_pagelet_is_divided_when_a_child_is_one)
{
	/* The list is a pagelet, the div around it is not: the rest of the page
	 * is "abc". With a limit of 4 there is no pagelet at all. */
	AUTO_PAGE *page =
		parse("<div>abc<ul><li><a href=x>n</a><li><a href=x>n</a><li>"
		      "<a href=x>n</a></ul></div>");

	ck_assert(run(page, "lp", NULL, NULL)[0].is_content);
	ck_assert(!run(page, "lp", NULL, NULL)[1].is_content);
	ck_assert(run(page, "lp", "links=4", NULL)[1].is_content);
}
