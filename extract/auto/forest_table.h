/*
 * extract/auto/forest_table.h - a model file as a forest of constants. To be
 * included once by a file that has defined FOREST, its name; MODEL, the file's;
 * and FEATURE(name), the number of the feature of a column.
 */
#include <math.h>

#define BASE(value)
#define TREE(...)
#define COLUMN(name) FEATURE(name),
static const uint16_t columns[] = {
#include MODEL
};
#undef COLUMN
#undef TREE

#define COLUMN(name)
#define TREE(...) {__VA_ARGS__},
static const struct tree trees[] = {
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
#include MODEL
};
