#include "extract/choose.h"

#include <string.h>

#include "extract/core/favor.h"
#include "extract/extractors.h"
#include "tests/unit/run.h"

START_TEST(the_default_takes_the_template_of_a_large_cluster)
{
	struct choice choice;

	ck_assert_int_eq(choose_extractor(NULL, 37, 3, &choice), ERR_NONE);
	ck_assert_ptr_eq(choice.extractor, extractor_find("auto"));
	ck_assert(choice.has_template);
	ck_assert_str_eq(choice.reason, "template: cluster of 37 pages");
	ck_assert_int_eq(choose_extractor("auto", 3, 3, &choice), ERR_NONE);
	ck_assert_ptr_eq(choice.extractor, extractor_find("auto"));
	ck_assert(choice.has_template);
	ck_assert_int_eq(choose_extractor("auto", 1, 0, &choice), ERR_NONE);
	ck_assert(choice.has_template);
	ck_assert_str_eq(choice.reason, "template: cluster of 1 page");
}
END_TEST

START_TEST(the_default_does_without_a_small_cluster)
{
	struct choice choice;

	ck_assert_int_eq(choose_extractor(NULL, 2, 3, &choice), ERR_NONE);
	ck_assert_ptr_eq(choice.extractor, extractor_find("auto"));
	ck_assert(!choice.has_template);
	ck_assert_str_eq(choice.reason,
			 "no template: the page's cluster has 2 pages, 3 are "
			 "needed; from the page alone");
	ck_assert_int_eq(choose_extractor(NULL, 1, 3, &choice), ERR_NONE);
	ck_assert_str_eq(choice.reason,
			 "no template: the page's cluster has 1 page, 3 are "
			 "needed; from the page alone");
	ck_assert_int_eq(choose_extractor(NULL, 0, 0, &choice), ERR_NONE);
	ck_assert(!choice.has_template);
	ck_assert_str_eq(choice.reason,
			 "no template: the page is in no cluster; from the "
			 "page alone");
}
END_TEST

START_TEST(a_method_of_one_page_is_given_no_template)
{
	struct choice choice;

	ck_assert_int_eq(choose_extractor("plain", 37, 3, &choice), ERR_NONE);
	ck_assert_ptr_eq(choice.extractor, extractor_find("plain"));
	ck_assert(!choice.has_template);
	ck_assert_str_eq(choice.reason, "from the page alone");
}
END_TEST

START_TEST(a_method_without_its_template_is_refused)
{
	struct choice choice;

	ck_assert_int_eq(choose_extractor("df", 2, 3, &choice), ERR_REFUSED);
	ck_assert_ptr_null(choice.extractor);
	ck_assert_str_eq(choice.reason,
			 "no template: the page's cluster has 2 pages, 3 are "
			 "needed; df works by it");
	ck_assert_int_eq(choose_extractor("df", 3, 3, &choice), ERR_NONE);
	ck_assert_ptr_eq(choice.extractor, extractor_find("df"));
	ck_assert(choice.has_template);
}
END_TEST

START_TEST(an_unknown_method_is_not_found)
{
	struct choice choice;

	ck_assert_int_eq(choose_extractor("magic", 37, 3, &choice),
			 ERR_NOT_FOUND);
	ck_assert_ptr_null(choice.extractor);
	ck_assert_str_eq(choice.reason,
			 "no such method; `templatectl methods` lists "
			 "them");
	ck_assert_int_eq(choose_extractor("", 37, 3, &choice), ERR_NOT_FOUND);
}
END_TEST

START_TEST(a_favor_sets_the_threshold_of_a_method_that_has_one)
{
	static const struct parameter parameters[] = {
		{.name = "radius", .maximum = 9, .default_value = 2},
		{.name = "threshold", .maximum = 1, .default_value = 0.5},
	};
	static const struct extractor extractor = {
		.name = "x",
		.parameters = parameters,
		.parameter_count = 2,
		.precision_threshold = 0.75,
		.recall_threshold = 0.25,
	};
	double values[MAX_PARAMETERS] = {2, 0.5};
	char error[256] = "";

	ck_assert(favor_apply(FAVOR_BALANCE, &extractor, values, error));
	ck_assert_double_eq(values[1], 0.5);
	ck_assert(favor_apply(FAVOR_PRECISION, &extractor, values, error));
	ck_assert_double_eq(values[1], 0.75);
	ck_assert(favor_apply(FAVOR_RECALL, &extractor, values, error));
	ck_assert_double_eq(values[1], 0.25);
	ck_assert_double_eq(values[0], 2);
}
END_TEST

START_TEST(a_method_that_cannot_favor_says_so)
{
	double values[MAX_PARAMETERS] = {0};
	char error[256] = "";

	ck_assert(favor_apply(FAVOR_BALANCE, extractor_find("plain"), values,
			      error));
	ck_assert(!favor_apply(FAVOR_RECALL, extractor_find("plain"), values,
			       error));
	ck_assert_str_eq(error,
			 "plain cannot favor precision or recall; auto can.");
}
END_TEST

START_TEST(every_favor_has_a_name)
{
	enum favor favor;

	for (unsigned i = 0; i < FAVOR_COUNT; i++) {
		ck_assert(favor_from_name(favor_name((enum favor)i), &favor));
		ck_assert_uint_eq(favor, i);
	}
	ck_assert(!favor_from_name("speed", &favor));
	ck_assert(!favor_from_name("", &favor));
}
END_TEST

static const struct parameter *threshold_of(const struct extractor *extractor)
{
	for (size_t i = 0; i < extractor->parameter_count; i++)
		if (strcmp(extractor->parameters[i].name, "threshold") == 0)
			return &extractor->parameters[i];
	return NULL;
}

/* What favor_apply() relies on. */
static void check_favors(const struct extractor *extractor)
{
	const struct parameter *threshold = threshold_of(extractor);
	double low = extractor->recall_threshold;
	double high = extractor->precision_threshold;

	if (low <= 0 && high <= 0)
		return;
	ck_assert_ptr_nonnull(threshold);
	ck_assert_double_ge(low, threshold->minimum);
	ck_assert_double_lt(low, threshold->default_value);
	ck_assert_double_gt(high, threshold->default_value);
	ck_assert_double_le(high, threshold->maximum);
}

START_TEST(methods_that_favor_have_a_threshold_in_its_range)
{
	for (size_t i = 0; extractors[i] != NULL; i++)
		check_favors(extractors[i]);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("choose");
	TCase *tcase = tcase_create("choose");

	tcase_add_test(tcase,
		       the_default_takes_the_template_of_a_large_cluster);
	tcase_add_test(tcase, the_default_does_without_a_small_cluster);
	tcase_add_test(tcase, a_method_of_one_page_is_given_no_template);
	tcase_add_test(tcase, a_method_without_its_template_is_refused);
	tcase_add_test(tcase, an_unknown_method_is_not_found);
	tcase_add_test(tcase,
		       a_favor_sets_the_threshold_of_a_method_that_has_one);
	tcase_add_test(tcase, a_method_that_cannot_favor_says_so);
	tcase_add_test(tcase, every_favor_has_a_name);
	tcase_add_test(tcase, methods_that_favor_have_a_threshold_in_its_range);
	suite_add_tcase(suite, tcase);
	return suite;
}
