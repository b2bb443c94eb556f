#include "extract/auto/forest.h"

#include <float.h>
#include <math.h>

#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

enum { FEATURES = 5, ROWS = 2 * FOREST_ROWS + 5, TREES = 40, COLUMNS = 3 };

/* The same thresholds for each column: 0, 1, 2... */
enum { THRESHOLDS = FOREST_INNER };

static const float thresholds[THRESHOLDS] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
};

static const struct forest_column columns[COLUMNS] = {
	{4, 0, THRESHOLDS},
	{0, 0, THRESHOLDS},
	{2, 0, THRESHOLDS},
};

static struct forest make_forest(const struct forest_tree *trees, size_t count,
				 float base)
{
	return (struct forest){trees,   count,      columns,
			       COLUMNS, thresholds, base};
}

/* A tree whose threshold in inner node i is i and whose values are their index:
 * it shows the path. */
static struct forest_tree make_tree(uint16_t column)
{
	struct forest_tree tree;

	for (unsigned i = 0; i < FOREST_INNER; i++) {
		tree.columns[i] = column;
		tree.bins[i] = (int8_t)(i + 1);
	}
	for (unsigned i = 0; i < FOREST_INNER + FOREST_LEAVES; i++)
		tree.values[i] = (float)i;
	return tree;
}

static float margin_of(const struct forest *forest, const float *row)
{
	float margin;

	forest_margins(forest, &(struct forest_rows){row, 1, 0}, &margin);
	return margin;
}

/*
 * Always left is 1, 3, 7, 15, 31 and always right 2, 6, 14, 30, 62. The value 2
 * goes right to 2 (2 >= 0), right to 6 (2 >= 2), left to 13, 27 and 55. The
 * column 0 is feature 4.
 */
TEST(a_value_at_the_threshold_takes_the_right_branch)
{
	const struct forest_tree tree = make_tree(0);
	const struct forest forest = make_forest(&tree, 1, 0);

	ck_assert_float_eq(
		margin_of(&forest, (const float[FEATURES]){9, 9, 9, 9, -1}),
		31);
	ck_assert_float_eq(
		margin_of(&forest, (const float[FEATURES]){9, 9, 9, 9, 99}),
		62);
	ck_assert_float_eq(
		margin_of(&forest, (const float[FEATURES]){9, 9, 9, 9, 2}), 55);
}

TEST(no_value_reaches_the_bin_to_the_left)
{
	struct forest_tree tree = make_tree(1);
	const struct forest forest = make_forest(&tree, 1, 0);

	for (unsigned i = 0; i < FOREST_INNER; i++)
		tree.bins[i] = FOREST_LEFT;
	ck_assert_float_eq(margin_of(&forest, (const float[FEATURES]){FLT_MAX}),
			   31);
}

/* 31 - 0.5 and 62; the sum without trees is the base. */
TEST(a_margin_is_the_base_and_a_leaf_of_each_tree)
{
	const struct forest_tree trees[] = {make_tree(0), make_tree(1)};
	const float row[FEATURES] = {99, 9, 9, 9, -1};
	const struct forest two = make_forest(trees, 2, -0.5F);
	const struct forest none = make_forest(trees, 0, -0.5F);

	ck_assert_float_eq(margin_of(&two, row), 92.5F);
	ck_assert_float_eq(margin_of(&none, row), -0.5F);
}

/* Whatever the row, it adds `value`. */
static struct forest_tree make_constant(float value)
{
	struct forest_tree tree = make_tree(0);

	for (unsigned i = 0; i < FOREST_INNER + FOREST_LEAVES; i++)
		tree.values[i] = value;
	return tree;
}

/* 2^24 + 1 is no float: 2^24 + 1 + 1 is 2^24, and 1 + 1 + 2^24 is not. */
TEST(trees_are_summed_in_their_order)
{
	const struct forest_tree trees[] = {make_constant(16777216),
					    make_constant(1), make_constant(1),
					    make_constant(16777216)};
	const float row[FEATURES] = {0};
	const struct forest large_first = make_forest(trees, 3, 0);
	const struct forest small_first = make_forest(trees + 1, 3, 0);

	ck_assert_float_eq(margin_of(&large_first, row), 16777216);
	ck_assert_float_eq(margin_of(&small_first, row), 16777218);
}

/* -2, -1.9, ... 32 */
static float random_float(uint64_t *state)
{
	return (float)(random_next(state) % 341) / 10 - 2;
}

static int8_t random_bin(uint64_t *state)
{
	uint64_t bin = random_next(state) % (THRESHOLDS + 1);

	return (int8_t)(bin == 0 ? FOREST_LEFT : bin);
}

static void make_random(struct forest_tree *trees, float (*rows)[FEATURES])
{
	uint64_t state = 5;

	for (unsigned i = 0; i < TREES; i++) {
		for (unsigned k = 0; k < FOREST_INNER; k++) {
			trees[i].columns[k] =
				(uint16_t)(random_next(&state) % COLUMNS);
			trees[i].bins[k] = random_bin(&state);
		}
		for (unsigned k = 0; k < FOREST_INNER + FOREST_LEAVES; k++)
			trees[i].values[k] = random_float(&state);
	}
	for (unsigned i = 0; i < ROWS; i++)
		for (unsigned k = 0; k < FEATURES; k++)
			rows[i][k] = random_float(&state);
}

/* By the definition of a tree: node by node, with thresholds for bins. */
static float walk(const struct forest_tree *tree, const float *row)
{
	unsigned node = 0;

	while (node < FOREST_INNER) {
		float value = row[columns[tree->columns[node]].feature];
		bool is_right = tree->bins[node] != FOREST_LEFT &&
				value >= thresholds[tree->bins[node] - 1];

		node = 2 * node + 1 + is_right;
	}
	return tree->values[node];
}

TEST(margins_are_those_of_a_walk_through_each_tree)
{
	struct forest_tree trees[TREES];
	float rows[ROWS][FEATURES];
	float margins[ROWS];
	struct forest forest;

	make_random(trees, rows);
	forest = make_forest(trees, TREES, 1);
	forest_margins(&forest, &(struct forest_rows){rows[0], ROWS, FEATURES},
		       margins);
	for (unsigned i = 0; i < ROWS; i++) {
		float sum = 1;

		for (unsigned k = 0; k < TREES; k++)
			sum += walk(&trees[k], rows[i]);
		ck_assert_float_eq(margins[i], sum);
	}
}

TEST(rows_do_not_touch_each_other)
{
	struct forest_tree trees[TREES];
	float rows[ROWS][FEATURES];
	float margins[ROWS];
	struct forest forest;

	make_random(trees, rows);
	forest = make_forest(trees, TREES, 1);
	for (unsigned count = 1; count <= ROWS; count++) {
		margins[count - 1] = NAN;
		forest_margins(&forest,
			       &(struct forest_rows){rows[0], count, FEATURES},
			       margins);
		for (unsigned i = 0; i < count; i++)
			ck_assert_float_eq(margins[i],
					   margin_of(&forest, rows[i]));
	}
}

TEST(no_rows_have_no_margins)
{
	const struct forest_tree tree = make_tree(0);
	const struct forest forest = make_forest(&tree, 1, 0);
	float untouched = 7;

	forest_margins(&forest, &(struct forest_rows){&untouched, 0, 1},
		       &untouched);
	ck_assert_float_eq(untouched, 7);
}

static void moves_of(const struct forest *forest, const float *row,
		     float *moves)
{
	struct forest_block block;

	forest_bin(forest, &(struct forest_rows){row, 1, 0}, 0, COLUMNS,
		   &block);
	forest_moves(forest, &block, 0, moves);
}

/*
 * By column 1 the margin goes from 0 over 2, 6, 13 and 27 to 55. When every
 * second level is of column 0, whose value is 0, the way is 2 (0 >= 0, column
 * 0), 5 (0 < 2, column 1), 11, 23 and 47, each to the left: 2 + 6 + 24 and
 * 3 + 12.
 */
TEST(moves_are_told_apart_by_column)
{
	struct forest_tree tree = make_tree(1);
	const struct forest forest = make_forest(&tree, 1, 0);
	float moves[COLUMNS];

	moves_of(&forest, (const float[FEATURES]){2, 9, 9, 9, 99}, moves);
	ck_assert_float_eq(moves[0], 0);
	ck_assert_float_eq(moves[1], 55);
	for (unsigned i = 0; i < FOREST_INNER; i++)
		tree.columns[i] =
			i == 0 || (i >= 3 && i <= 6) || i >= 15 ? 0 : 1;
	moves_of(&forest, (const float[FEATURES]){0}, moves);
	ck_assert_float_eq(moves[0], 32);
	ck_assert_float_eq(moves[1], 15);
}

TEST(moves_sum_up_to_the_margin)
{
	struct forest_tree trees[TREES];
	float rows[ROWS][FEATURES];
	float moves[COLUMNS];
	struct forest forest;

	make_random(trees, rows);
	forest = make_forest(trees, TREES, 1);
	for (unsigned i = 0; i < ROWS; i++) {
		float sum = forest.base;

		for (unsigned k = 0; k < TREES; k++)
			sum += trees[k].values[0];
		moves_of(&forest, rows[i], moves);
		for (unsigned k = 0; k < COLUMNS; k++)
			sum += moves[k];
		ck_assert_float_eq_tol(sum, margin_of(&forest, rows[i]), 1e-2F);
	}
}

/* 1 / (1 + 1/3) = .75 for ln 3. */
TEST(a_probability_is_the_logistic_of_a_margin)
{
	ck_assert_float_eq(forest_probability(0), 0.5F);
	ck_assert_float_eq_tol(forest_probability(logf(3)), 0.75F, 1e-6F);
	ck_assert_float_eq_tol(forest_probability(-logf(3)), 0.25F, 1e-6F);
}

TEST(a_probability_is_finite_and_grows_with_the_margin)
{
	static const float margins[] = {
		-INFINITY, -FLT_MAX, -1e4F,    -104, -89,     -88,     -80,
		-20,       -1,       -FLT_MIN, 0,    FLT_MIN, 1,       20,
		80,        88,       89,       104,  1e4F,    FLT_MAX, INFINITY,
	};
	float last = 0;

	for (size_t i = 0; i < COUNT_OF(margins); i++) {
		float probability = forest_probability(margins[i]);

		ck_assert_msg(probability >= last && probability <= 1 &&
				      probability > 0,
			      "%g", (double)margins[i]);
		last = probability;
	}
}
