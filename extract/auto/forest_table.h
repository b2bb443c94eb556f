/*
 * extract/auto/forest_table.h - turns a model file into a struct forest that is
 * a constant. Before each include, define FOREST (the name of the forest),
 * MODEL (the name of the model file), and FEATURE(name) (the number of the
 * feature with this name). This file undefines them.
 */

/* FOREST_ITEM(x) is an identifier: the name of the forest, "_" and x. */
#define PASTE(forest, item)  forest##_##item
#define EXPAND(forest, item) PASTE(forest, item)
#define FOREST_ITEM(item)    EXPAND(FOREST, item)

/*
 * FIRST_<name> is the index of the first threshold of column <name> in the
 * array of all thresholds.
 */
#define COUNT_OF(...) (sizeof((const float[]){__VA_ARGS__}) / sizeof(float))
#define BASE(value)
#define TREE(...)
#define COLUMN(name, ...)                  \
	FOREST_ITEM(FIRST_##name),         \
		FOREST_ITEM(LAST_##name) = \
			FOREST_ITEM(FIRST_##name) + COUNT_OF(__VA_ARGS__) - 1,
enum {
#include MODEL
	FOREST_ITEM(THRESHOLD_COUNT)
};
#undef COLUMN

#define COLUMN(name, ...)                                   \
	_Static_assert(COUNT_OF(__VA_ARGS__) < FOREST_LEFT, \
		       "the column " #name " has too many thresholds");
#include MODEL
#undef COLUMN

#define COLUMN(name, ...) __VA_ARGS__,
static const float FOREST_ITEM(thresholds)[FOREST_ITEM(THRESHOLD_COUNT)] = {
#include MODEL
};
#undef COLUMN

#define COLUMN(name, ...) \
	{FEATURE(name), FOREST_ITEM(FIRST_##name), COUNT_OF(__VA_ARGS__)},
static const struct forest_column FOREST_ITEM(columns)[] = {
#include MODEL
};
#undef COLUMN
#undef TREE

#define COLUMN(...)
#define TREE(...) {__VA_ARGS__},
static const struct forest_tree FOREST_ITEM(trees)[] = {
#include MODEL
};
#undef TREE
#undef BASE

_Static_assert(sizeof(FOREST_ITEM(columns)) / sizeof(struct forest_column) <=
		       FOREST_COLUMNS,
	       "the model has too many columns");

#define TREE(...)
#define BASE(value) .base = (value),
const struct forest FOREST = {
	.trees = FOREST_ITEM(trees),
	.tree_count = sizeof(FOREST_ITEM(trees)) / sizeof(struct forest_tree),
	.columns = FOREST_ITEM(columns),
	.column_count =
		sizeof(FOREST_ITEM(columns)) / sizeof(struct forest_column),
	.thresholds = FOREST_ITEM(thresholds),
#include MODEL
};
#undef TREE
#undef BASE
#undef COLUMN
#undef COUNT_OF
#undef FOREST_ITEM
#undef EXPAND
#undef PASTE
#undef FEATURE
#undef MODEL
#undef FOREST
