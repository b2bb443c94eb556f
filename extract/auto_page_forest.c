#include <math.h>

#include "extract/auto_model.h"

#define BASE(value)
#define TREE(...)
#define COLUMN(name) FEATURE_##name,
static const uint16_t columns[] = {
#include "auto-page.model"
};
#undef COLUMN
#undef TREE

#define COLUMN(name)
#define TREE(...) {__VA_ARGS__},
static const struct tree trees[] = {
#include "auto-page.model"
};
#undef TREE
#undef BASE

_Static_assert(sizeof(columns) / sizeof(columns[0]) <= FOREST_COLUMNS,
	       "the model has too many columns");

#define TREE(...)
#define BASE(value) .base = (value),
const struct forest auto_page_forest = {
	.trees = trees,
	.tree_count = sizeof(trees) / sizeof(trees[0]),
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
#include "auto-page.model"
};
