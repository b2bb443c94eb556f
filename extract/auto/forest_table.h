/*
 * extract/auto/forest_table.h - turns a model file into a forest of constants.
 * Include it once in a file that has defined FOREST, the name of the forest;
 * MODEL, the name of the model file; and FEATURE(name), the number of the
 * feature of a column.
 */

/* The offset of each column's thresholds in the array of all thresholds. */
#define COUNT_OF(...) (sizeof((const float[]){__VA_ARGS__}) / sizeof(float))
#define BASE(value)
#define TREE(...)
#define COLUMN(name, ...) \
	FIRST_##name, LAST_##name = FIRST_##name + COUNT_OF(__VA_ARGS__) - 1,
enum {
#include MODEL
	THRESHOLD_COUNT
};
#undef COLUMN

#define COLUMN(name, ...)                                   \
	_Static_assert(COUNT_OF(__VA_ARGS__) < FOREST_LEFT, \
		       "the column " #name " has too many thresholds");
#include MODEL
#undef COLUMN

#define COLUMN(name, ...) __VA_ARGS__,
static const float thresholds[THRESHOLD_COUNT] = {
#include MODEL
};
#undef COLUMN

#define COLUMN(name, ...) {FEATURE(name), FIRST_##name, COUNT_OF(__VA_ARGS__)},
static const struct forest_column columns[] = {
#include MODEL
};
#undef COLUMN
#undef TREE

#define COLUMN(...)
#define TREE(...) {__VA_ARGS__},
static const struct forest_tree trees[] = {
#include MODEL
};
#undef TREE
#undef BASE

_Static_assert(sizeof(columns) / sizeof(columns[0]) <= FOREST_COLUMNS,
	       "the model has too many columns");

#define TREE(...)
#define BASE(value) .base = (value),
const struct forest FOREST = {
	.trees = trees,
	.tree_count = sizeof(trees) / sizeof(trees[0]),
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.thresholds = thresholds,
#include MODEL
};
