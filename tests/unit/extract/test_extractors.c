#include "extract/extractors.h"

#include "tests/unit/run.h"

static void assert_whole(const struct parameter *parameter)
{
	ck_assert_uint_gt(strlen(parameter->name), 0);
	ck_assert_uint_gt(strlen(parameter->meaning), 0);
	ck_assert_ptr_nonnull(parameter->unit);
	ck_assert_double_le(parameter->minimum, parameter->default_value);
	ck_assert_double_le(parameter->default_value, parameter->maximum);
}

TEST(every_row_of_the_table_is_whole)
{
	for (size_t i = 0; extractors[i] != NULL; i++) {
		const struct extractor *extractor = extractors[i];

		ck_assert_ptr_eq(extractor_find(extractor->name), extractor);
		ck_assert(strlen(extractor->summary) > 0 &&
			  strlen(extractor->source) > 0);
		ck_assert_uint_le(extractor->parameter_count, MAX_PARAMETERS);
		for (size_t k = 0; k < extractor->parameter_count; k++)
			assert_whole(&extractor->parameters[k]);
	}
	ck_assert_ptr_null(extractor_find("magic"));
}

TEST(a_parameter_is_set_within_its_range)
{
	const struct extractor *accb = extractor_find("accb");
	double parameters[MAX_PARAMETERS];
	char error[256];

	extractor_defaults(accb, parameters);
	ck_assert_double_eq(parameters[0], accb->parameters[0].default_value);
	ck_assert_double_eq(parameters[MAX_PARAMETERS - 1], 0);
	ck_assert(extractor_set(accb, "radius=7", parameters, error));
	ck_assert_double_eq(parameters[0], 7);
	ck_assert(extractor_set(accb, "radius=1", parameters, error));
	ck_assert(extractor_set(accb, "radius=1000", parameters, error));
	ck_assert_double_eq(parameters[0], 1000);
}

static void assert_refused(const char *name, const char *assignment,
			   const char *sentence)
{
	const struct extractor *extractor = extractor_find(name);
	double parameters[MAX_PARAMETERS];
	double defaults[MAX_PARAMETERS];
	char error[256];

	extractor_defaults(extractor, parameters);
	extractor_defaults(extractor, defaults);
	ck_assert(!extractor_set(extractor, assignment, parameters, error));
	ck_assert_str_eq(error, sentence);
	ck_assert_mem_eq(parameters, defaults, sizeof(defaults));
}

TEST(a_bad_assignment_is_explained)
{
	assert_refused("accb", "radius", "Set a parameter with NAME=VALUE.");
	assert_refused("accb", "=3",
		       "accb has no such parameter; it has: radius, passes, "
		       "threshold");
	assert_refused("accb", "radiu=3",
		       "accb has no such parameter; it has: radius, passes, "
		       "threshold");
	assert_refused("plain", "radius=3", "plain has no parameters.");
	assert_refused("accb", "radius=", "radius: the value is not a number.");
	assert_refused("accb", "radius=3x",
		       "radius: the value is not a number.");
	assert_refused("accb", "radius=nan",
		       "radius: the value is not a number.");
	assert_refused("accb", "radius=inf",
		       "radius: the value is not a number.");
	assert_refused("accb", "radius=0.5",
		       "radius: 0.5 is below the minimum 1.");
	assert_refused("accb", "radius=1001",
		       "radius: 1001 is above the maximum 1000.");
}

TEST(only_what_learning_reads_makes_a_difference)
{
	const struct extractor none = {.name = "x"};
	const struct extractor first = {.name = "y", .learned_parameters = 1};
	const double these[MAX_PARAMETERS] = {1, 2};
	const double same[MAX_PARAMETERS] = {1, 3};
	const double others[MAX_PARAMETERS] = {2, 2};

	ck_assert(extractor_builds_same_model(&none, these, others));
	ck_assert(extractor_builds_same_model(&first, these, same));
	ck_assert(!extractor_builds_same_model(&first, these, others));
	ck_assert(!extractor_builds_same_model(&first, others, these));
}
