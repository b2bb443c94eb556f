#include "extract/auto/forest.h"

#include <float.h>
#include <math.h>

#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

enum { FEATURES = 5, ROWS = 21, TREES = 40, COLUMNS = 3 };

/* A tree whose threshold in inner node i is i and whose values are their own
   index: it tells which way was taken. */
static struct tree make_tree(uint16_t column)
{
	struct tree tree;

	for (unsigned i = 0; i < FOREST_INNER; i++) {
		tree.columns[i] = column;
		tree.thresholds[i] = (float)i;
	}
	for (unsigned i = 0; i < FOREST_INNER + FOREST_LEAVES; i++)
		tree.values[i] = (float)i;
	return tree;
}

static float margin_of(const struct forest *forest, const float *row)
{
	float margin;

	forest_margins(forest, row, 1, FEATURES, &margin);
	return margin;
}

/*
 * Always left is 1, 3, 7, 15, 31 and always right 2, 6, 14, 30, 62. The value 2
 * goes right to 2 (2 >= 0), right to 6 (2 >= 2), left to 13, 27 and 55. The
 * column 0 is feature 3.
 */
START_TEST(a_value_at_the_threshold_goes_right)
{
	const struct tree tree = make_tree(0);
	const uint16_t columns[] = {3};
	const struct forest forest = {&tree, 1, columns, 1, 0};

	ck_assert_float_eq(
		margin_of(&forest, (const float[FEATURES]){9, 9, 9, -1}), 31);
	ck_assert_float_eq(
		margin_of(&forest, (const float[FEATURES]){9, 9, 9, 99}), 62);
	ck_assert_float_eq(
		margin_of(&forest, (const float[FEATURES]){9, 9, 9, 2}), 55);
}
END_TEST

START_TEST(a_threshold_of_infinity_goes_left)
{
	struct tree tree = make_tree(0);
	const uint16_t columns[] = {0};
	const struct forest forest = {&tree, 1, columns, 1, 0};

	for (unsigned i = 0; i < FOREST_INNER; i++)
		tree.thresholds[i] = INFINITY;
	ck_assert_float_eq(margin_of(&forest, (const float[FEATURES]){FLT_MAX}),
			   31);
}
END_TEST

/* 31 - 0.5 and 62; the sum without trees is the base. */
START_TEST(a_margin_is_the_base_and_a_leaf_of_each_tree)
{
	const struct tree trees[] = {make_tree(0), make_tree(1)};
	const uint16_t columns[] = {0, 1};
	const float row[FEATURES] = {-1, 99};

	ck_assert_float_eq(
		margin_of(&(struct forest){trees, 2, columns, 2, -0.5F}, row),
		92.5F);
	ck_assert_float_eq(
		margin_of(&(struct forest){trees, 0, columns, 2, -0.5F}, row),
		-0.5F);
}
END_TEST

/* Whatever the row, it adds `value`. */
static struct tree make_constant(float value)
{
	struct tree tree = make_tree(0);

	for (unsigned i = 0; i < FOREST_INNER + FOREST_LEAVES; i++)
		tree.values[i] = value;
	return tree;
}

/* 2^24 + 1 is no float: 2^24 + 1 + 1 is 2^24, and 1 + 1 + 2^24 is not. */
START_TEST(trees_are_summed_in_their_order)
{
	const struct tree trees[] = {make_constant(16777216), make_constant(1),
				     make_constant(1), make_constant(16777216)};
	const uint16_t columns[] = {0};
	const float row[FEATURES] = {0};

	ck_assert_float_eq(
		margin_of(&(struct forest){trees, 3, columns, 1, 0}, row),
		16777216);
	ck_assert_float_eq(
		margin_of(&(struct forest){trees + 1, 3, columns, 1, 0}, row),
		16777218);
}
END_TEST

static float random_float(uint64_t *state)
{
	return (float)(random_next(state) % 201) / 10 - 10;
}

static void make_random(struct tree *trees, float (*rows)[FEATURES])
{
	uint64_t state = 5;

	for (unsigned i = 0; i < TREES; i++) {
		for (unsigned k = 0; k < FOREST_INNER; k++) {
			trees[i].columns[k] =
				(uint16_t)(random_next(&state) % COLUMNS);
			trees[i].thresholds[k] = random_float(&state);
		}
		for (unsigned k = 0; k < FOREST_INNER + FOREST_LEAVES; k++)
			trees[i].values[k] = random_float(&state);
	}
	for (unsigned i = 0; i < ROWS; i++)
		for (unsigned k = 0; k < FEATURES; k++)
			rows[i][k] = random_float(&state);
}

START_TEST(rows_do_not_touch_each_other)
{
	struct tree trees[TREES];
	float rows[ROWS][FEATURES];
	float margins[ROWS];
	const uint16_t columns[COLUMNS] = {4, 0, 2};
	const struct forest forest = {trees, TREES, columns, COLUMNS, 1};

	make_random(trees, rows);
	for (unsigned count = 1; count <= ROWS; count++) {
		margins[count - 1] = NAN;
		forest_margins(&forest, rows[0], count, FEATURES, margins);
		for (unsigned i = 0; i < count; i++)
			ck_assert_float_eq(margins[i],
					   margin_of(&forest, rows[i]));
	}
}
END_TEST

START_TEST(no_rows_have_no_margins)
{
	const struct tree tree = make_tree(0);
	const uint16_t columns[] = {0};
	float untouched = 7;

	forest_margins(&(struct forest){&tree, 1, columns, 1, 0}, &untouched, 0,
		       1, &untouched);
	ck_assert_float_eq(untouched, 7);
}
END_TEST

/*
 * By column 1 the margin goes from 0 over 2, 6, 13 and 27 to 55. When every
 * second level is of column 0, whose value is 0, the way is 2 (0 >= 0, column
 * 0), 5 (0 < 2, column 1), 11, 23 and 47, each to the left: 2 + 6 + 24 and
 * 3 + 12.
 */
START_TEST(moves_are_told_apart_by_column)
{
	struct tree tree = make_tree(1);
	const uint16_t columns[] = {1, 0};
	const struct forest forest = {&tree, 1, columns, 2, 0};
	float moves[2];

	forest_moves(&forest, (const float[FEATURES]){2, 99}, moves);
	ck_assert_float_eq(moves[0], 0);
	ck_assert_float_eq(moves[1], 55);
	for (unsigned i = 0; i < FOREST_INNER; i++)
		tree.columns[i] =
			i == 0 || (i >= 3 && i <= 6) || i >= 15 ? 0 : 1;
	forest_moves(&forest, (const float[FEATURES]){0, 0}, moves);
	ck_assert_float_eq(moves[0], 32);
	ck_assert_float_eq(moves[1], 15);
}
END_TEST

START_TEST(moves_sum_up_to_the_margin)
{
	struct tree trees[TREES];
	float rows[ROWS][FEATURES];
	float moves[COLUMNS];
	const uint16_t columns[COLUMNS] = {4, 0, 2};
	const struct forest forest = {trees, TREES, columns, COLUMNS, 1};

	make_random(trees, rows);
	for (unsigned i = 0; i < ROWS; i++) {
		float sum = forest.base;

		for (unsigned k = 0; k < TREES; k++)
			sum += trees[k].values[0];
		forest_moves(&forest, rows[i], moves);
		for (unsigned k = 0; k < COLUMNS; k++)
			sum += moves[k];
		ck_assert_float_eq_tol(sum, margin_of(&forest, rows[i]), 1e-3F);
	}
}
END_TEST

/* 1 / (1 + 1/3) = .75 for ln 3. */
START_TEST(a_probability_is_the_logistic_of_a_margin)
{
	ck_assert_float_eq(forest_probability(0), 0.5F);
	ck_assert_float_eq_tol(forest_probability(logf(3)), 0.75F, 1e-6F);
	ck_assert_float_eq_tol(forest_probability(-logf(3)), 0.25F, 1e-6F);
}
END_TEST

START_TEST(a_probability_is_finite_and_grows_with_the_margin)
{
	static const float margins[] = {
		-INFINITY, -FLT_MAX, -1e4F,    -104, -89,     -88,     -80,
		-20,       -1,       -FLT_MIN, 0,    FLT_MIN, 1,       20,
		80,        88,       89,       104,  1e4F,    FLT_MAX, INFINITY,
	};
	float last = 0;

	for (size_t i = 0; i < sizeof(margins) / sizeof(margins[0]); i++) {
		float probability = forest_probability(margins[i]);

		ck_assert_msg(probability >= last && probability <= 1 &&
				      probability > 0,
			      "%g", (double)margins[i]);
		last = probability;
	}
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("forest");
	TCase *tcase = tcase_create("forest");

	tcase_add_test(tcase, a_value_at_the_threshold_goes_right);
	tcase_add_test(tcase, a_threshold_of_infinity_goes_left);
	tcase_add_test(tcase, a_margin_is_the_base_and_a_leaf_of_each_tree);
	tcase_add_test(tcase, trees_are_summed_in_their_order);
	tcase_add_test(tcase, rows_do_not_touch_each_other);
	tcase_add_test(tcase, no_rows_have_no_margins);
	tcase_add_test(tcase, moves_are_told_apart_by_column);
	tcase_add_test(tcase, moves_sum_up_to_the_margin);
	tcase_add_test(tcase, a_probability_is_the_logistic_of_a_margin);
	tcase_add_test(tcase,
		       a_probability_is_finite_and_grows_with_the_margin);
	suite_add_tcase(suite, tcase);
	return suite;
}
