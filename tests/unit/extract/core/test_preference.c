#include "extract/core/extractor.h"

#include "extract/extractors.h"
#include "tests/unit/run.h"

static const struct parameter parameters[] = {
	{.name = "scope", .maximum = 2},
	{.name = "radius", .maximum = 9, .default_value = 2},
	{.name = "threshold", .maximum = 1, .default_value = 0.5},
};

static const struct extractor extractor = {
	.name = "x",
	.parameters = parameters,
	.parameter_count = 3,
	.thresholds =
		{
			[SCOPE_NONE] = {0, 0.75, 0.25},
			[SCOPE_PAGE] = {0.4, 0.6, 0.2},
		},
};

static void check_applied(enum preference_scope scope, enum favor favor,
			  double expected_scope, double expected_threshold)
{
	double values[MAX_PARAMETERS] = {0, 2, 0.5};
	char error[256] = "";

	ck_assert(preference_apply((struct preference){scope, favor},
				   &extractor, values, error));
	ck_assert_double_eq(values[0], expected_scope);
	ck_assert_double_eq(values[1], 2);
	ck_assert_double_eq(values[2], expected_threshold);
}

TEST(what_is_preferred_sets_scope_and_threshold)
{
	check_applied(SCOPE_NONE, FAVOR_BALANCE, SCOPE_NONE, 0.5);
	check_applied(SCOPE_NONE, FAVOR_PRECISION, SCOPE_NONE, 0.75);
	check_applied(SCOPE_NONE, FAVOR_RECALL, SCOPE_NONE, 0.25);
	check_applied(SCOPE_PAGE, FAVOR_BALANCE, SCOPE_PAGE, 0.4);
	check_applied(SCOPE_PAGE, FAVOR_PRECISION, SCOPE_PAGE, 0.6);
	check_applied(SCOPE_PAGE, FAVOR_RECALL, SCOPE_PAGE, 0.2);
}

static void check_refused(struct preference preference, const char *sentence)
{
	double values[MAX_PARAMETERS] = {0};
	char error[256] = "";

	ck_assert(!preference_apply(preference, extractor_find("plain"), values,
				    error));
	ck_assert_str_eq(error, sentence);
}

TEST(a_method_without_thresholds_says_so)
{
	double values[MAX_PARAMETERS] = {0};
	char error[256] = "";

	ck_assert(
		preference_apply((struct preference){SCOPE_NONE, FAVOR_BALANCE},
				 extractor_find("plain"), values, error));
	check_refused(
		(struct preference){.favor = FAVOR_RECALL},
		"plain cannot favor precision or recall; use the method auto.");
	check_refused((struct preference){.scope = SCOPE_BODY},
		      "plain cannot be given a scope; use the method auto.");
	check_refused((struct preference){SCOPE_PAGE, FAVOR_PRECISION},
		      "plain cannot be given a scope; use the method auto.");
}

TEST(every_favor_has_a_name)
{
	enum favor favor;

	for (unsigned i = 0; i < FAVOR_COUNT; i++) {
		ck_assert(favor_from_name(favor_name((enum favor)i), &favor));
		ck_assert_uint_eq(favor, i);
	}
	ck_assert(!favor_from_name("speed", &favor));
	ck_assert(!favor_from_name("", &favor));
}

TEST(every_scope_has_a_name_but_none)
{
	enum preference_scope scope;

	ck_assert_ptr_null(scope_name(SCOPE_NONE));
	for (unsigned i = SCOPE_BODY; i < SCOPE_COUNT; i++) {
		ck_assert(scope_from_name(scope_name((enum preference_scope)i),
					  &scope));
		ck_assert_uint_eq(scope, i);
	}
	ck_assert(!scope_from_name("none", &scope));
	ck_assert(!scope_from_name("", &scope));
}

static const struct parameter *parameter_of(const struct extractor *method,
					    const char *name)
{
	for (size_t i = 0; i < method->parameter_count; i++)
		if (strcmp(method->parameters[i].name, name) == 0)
			return &method->parameters[i];
	return NULL;
}

/* What preference_apply() relies on. */
static void check_thresholds(const struct parameter *threshold,
			     const double *of, double balance)
{
	ck_assert_ptr_nonnull(threshold);
	ck_assert_double_ge(of[FAVOR_RECALL], threshold->minimum);
	ck_assert_double_lt(of[FAVOR_RECALL], balance);
	ck_assert_double_gt(of[FAVOR_PRECISION], balance);
	ck_assert_double_le(of[FAVOR_PRECISION], threshold->maximum);
}

static void check_method(const struct extractor *method)
{
	const struct parameter *threshold = parameter_of(method, "threshold");
	const struct parameter *scope = parameter_of(method, "scope");

	if (method->thresholds[SCOPE_NONE][FAVOR_RECALL] > 0)
		check_thresholds(threshold, method->thresholds[SCOPE_NONE],
				 threshold->default_value);
	for (unsigned i = SCOPE_BODY; i < SCOPE_COUNT; i++) {
		const double *of = method->thresholds[i];

		if (scope != NULL && scope->maximum >= i)
			check_thresholds(threshold, of, of[FAVOR_BALANCE]);
		else
			ck_assert_double_eq(of[FAVOR_BALANCE], 0);
	}
}

TEST(methods_that_prefer_have_a_threshold_in_its_range)
{
	for (size_t i = 0; extractors[i] != NULL; i++)
		check_method(extractors[i]);
}
