#include "extract/extractors.h"

#include "tests/unit/run.h"

TEST(the_default_takes_the_template_of_a_large_cluster)
{
	struct method_selection choice;

	ASSERT_OK(method_select(NULL, 37, 3, &choice));
	ck_assert_ptr_eq(choice.extractor, extractor_find("auto"));
	ck_assert(choice.has_template);
	ck_assert_str_eq(choice.reason, "template: cluster of 37 pages");
	ASSERT_OK(method_select("auto", 3, 3, &choice));
	ck_assert_ptr_eq(choice.extractor, extractor_find("auto"));
	ck_assert(choice.has_template);
	ASSERT_OK(method_select("auto", 1, 0, &choice));
	ck_assert(choice.has_template);
	ck_assert_str_eq(choice.reason, "template: cluster of 1 page");
}

TEST(the_default_does_without_a_small_cluster)
{
	struct method_selection choice;

	ASSERT_OK(method_select(NULL, 2, 3, &choice));
	ck_assert_ptr_eq(choice.extractor, extractor_find("auto"));
	ck_assert(!choice.has_template);
	ck_assert_str_eq(choice.reason,
			 "no template: the page's cluster has 2 pages, 3 are "
			 "needed; from the page only");
	ASSERT_OK(method_select(NULL, 1, 3, &choice));
	ck_assert_str_eq(choice.reason,
			 "no template: the page's cluster has 1 page, 3 are "
			 "needed; from the page only");
	ASSERT_OK(method_select(NULL, 0, 0, &choice));
	ck_assert(!choice.has_template);
	ck_assert_str_eq(choice.reason,
			 "no template: the page is in no cluster; from the "
			 "page only");
}

TEST(a_method_of_one_page_is_given_no_template)
{
	struct method_selection choice;

	ASSERT_OK(method_select("plain", 37, 3, &choice));
	ck_assert_ptr_eq(choice.extractor, extractor_find("plain"));
	ck_assert(!choice.has_template);
	ck_assert_str_eq(choice.reason, "from the page only");
}

TEST(a_method_without_its_template_is_refused)
{
	struct method_selection choice;

	ck_assert_int_eq(method_select("sst", 2, 3, &choice),
			 ERR_ADDRESS_FORBIDDEN);
	ck_assert_ptr_null(choice.extractor);
	ck_assert_str_eq(choice.reason,
			 "no template: the page's cluster has 2 pages, 3 are "
			 "needed; sst needs it");
	ASSERT_OK(method_select("sst", 3, 3, &choice));
	ck_assert_ptr_eq(choice.extractor, extractor_find("sst"));
	ck_assert(choice.has_template);
}

TEST(document_frequency_gives_way_where_there_is_no_template)
{
	struct method_selection choice;

	ASSERT_OK(method_select("df", 2, 3, &choice));
	ck_assert_ptr_eq(choice.extractor, extractor_find("auto"));
	ck_assert_ptr_eq(choice.named, extractor_find("df"));
	ck_assert(!choice.has_template);
	ck_assert_str_eq(choice.reason,
			 "no template: the page's cluster has 2 pages, 3 are "
			 "needed; from the page only, by auto instead of df");
	ASSERT_OK(method_select("df+", 0, 3, &choice));
	ck_assert_ptr_eq(choice.extractor, extractor_find("auto"));
	ck_assert_str_eq(choice.reason,
			 "no template: the page is in no cluster; from the "
			 "page only, by auto instead of df+");
	ASSERT_OK(method_select("df", 3, 3, &choice));
	ck_assert_ptr_eq(choice.extractor, extractor_find("df"));
	ck_assert_ptr_eq(choice.named, choice.extractor);
	ck_assert(choice.has_template);
}

TEST(an_unknown_method_is_not_found)
{
	struct method_selection choice;

	ck_assert_int_eq(method_select("magic", 37, 3, &choice), ERR_NOT_FOUND);
	ck_assert_ptr_null(choice.extractor);
	ck_assert_str_eq(choice.reason,
			 "no such method; `templatectl methods` lists "
			 "them");
	ck_assert_int_eq(method_select("", 37, 3, &choice), ERR_NOT_FOUND);
}
