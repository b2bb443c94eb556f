#include "extract/choose.h"

#include "tests/unit/run.h"

START_TEST(a_large_cluster_is_answered_from_its_template)
{
	struct choice choice;

	ck_assert_int_eq(choose_extractor("auto", "accb", 37, 3, &choice),
			 ERR_NONE);
	ck_assert_ptr_eq(choice.extractor, extractor_find("df"));
	ck_assert_str_eq(choice.reason,
			 "template: cluster of 37 pages (at least 3 are "
			 "needed)");
	ck_assert_int_eq(choose_extractor("auto", "accb", 3, 3, &choice),
			 ERR_NONE);
	ck_assert_ptr_eq(choice.extractor, extractor_find("df"));
}
END_TEST

START_TEST(a_small_cluster_falls_back)
{
	struct choice choice;

	ck_assert_int_eq(choose_extractor("auto", "accb", 2, 3, &choice),
			 ERR_NONE);
	ck_assert_ptr_eq(choice.extractor, extractor_find("accb"));
	ck_assert_str_eq(choice.reason,
			 "no template: the page's cluster has 2 pages, 3 are "
			 "needed; fell back to accb");
	ck_assert_int_eq(choose_extractor("auto", "plain", 1, 3, &choice),
			 ERR_NONE);
	ck_assert_ptr_eq(choice.extractor, extractor_find("plain"));
	ck_assert_str_eq(choice.reason,
			 "no template: the page's cluster has 1 page, 3 are "
			 "needed; fell back to plain");
}
END_TEST

START_TEST(a_page_in_no_cluster_falls_back_even_when_none_are_needed)
{
	struct choice choice;

	ck_assert_int_eq(choose_extractor("auto", "accb", 0, 0, &choice),
			 ERR_NONE);
	ck_assert_ptr_eq(choice.extractor, extractor_find("accb"));
	ck_assert_str_eq(choice.reason,
			 "no template: the page is in no cluster; fell back to "
			 "accb");
}
END_TEST

START_TEST(a_method_may_be_named)
{
	struct choice choice;

	ck_assert_int_eq(choose_extractor("plain", "accb", 37, 3, &choice),
			 ERR_NONE);
	ck_assert_ptr_eq(choice.extractor, extractor_find("plain"));
	ck_assert_str_eq(choice.reason, "asked for by name");
}
END_TEST

START_TEST(a_method_without_its_template_is_refused)
{
	struct choice choice;

	ck_assert_int_eq(choose_extractor("df", "accb", 2, 3, &choice),
			 ERR_REFUSED);
	ck_assert_ptr_null(choice.extractor);
	ck_assert_str_eq(choice.reason,
			 "no template: the page's cluster has 2 pages, 3 are "
			 "needed; df works by it");
	ck_assert_int_eq(choose_extractor("auto", "df", 0, 3, &choice),
			 ERR_REFUSED);
	ck_assert_ptr_null(choice.extractor);
	ck_assert_str_eq(choice.reason,
			 "no template: the page is in no cluster; the fallback "
			 "df works by it");
}
END_TEST

START_TEST(an_unknown_method_is_not_found)
{
	struct choice choice;

	ck_assert_int_eq(choose_extractor("magic", "accb", 37, 3, &choice),
			 ERR_NOT_FOUND);
	ck_assert_ptr_null(choice.extractor);
	ck_assert_str_eq(choice.reason,
			 "no such method; `templatectl methods` lists "
			 "them");
	ck_assert_int_eq(choose_extractor("auto", "magic", 0, 3, &choice),
			 ERR_NOT_FOUND);
	ck_assert_str_eq(choice.reason,
			 "no such fallback method; `templatectl methods` "
			 "lists them");
	ck_assert_int_eq(choose_extractor("", "accb", 37, 3, &choice),
			 ERR_NOT_FOUND);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("choose");
	TCase *tcase = tcase_create("choose");

	tcase_add_test(tcase, a_large_cluster_is_answered_from_its_template);
	tcase_add_test(tcase, a_small_cluster_falls_back);
	tcase_add_test(
		tcase,
		a_page_in_no_cluster_falls_back_even_when_none_are_needed);
	tcase_add_test(tcase, a_method_may_be_named);
	tcase_add_test(tcase, a_method_without_its_template_is_refused);
	tcase_add_test(tcase, an_unknown_method_is_not_found);
	suite_add_tcase(suite, tcase);
	return suite;
}
