/*
 * extract/auto/forest.h - gradient boosted regression trees (Friedman 2001),
 * trained by tests/eval/train and part of the program as constants.
 *
 * A model file (conf/models/<name>.model) is a list of macro calls, so that the
 * compiler reads it and a name that no feature has is an error of the build:
 *
 *	comment with the version of the format, data, date, recipe, figures
 *	BASE(-0.5f)                       added to the sum of leaves
 *	COLUMN(words)                     column 0, 1, ... by feature name
 *	TREE({columns}, {thresholds}, {values})
 *
 * A tree is complete, of depth FOREST_DEPTH, in heap order: the children of
 * inner node i are 2i + 1, for a value < threshold, and 2i + 2. The last
 * FOREST_LEAVES values are those of the leaves, the others are the means below
 * an inner node (weighted by training rows), by which forest_moves() explains a
 * prediction. A leaf above FOREST_DEPTH is replaced by inner nodes of threshold
 * INFINITY, which always go left.
 */
#ifndef EXTRACT_AUTO_FOREST_H
#define EXTRACT_AUTO_FOREST_H

#include <stddef.h>
#include <stdint.h>

enum {
	FOREST_DEPTH = 5,
	FOREST_LEAVES = 1 << FOREST_DEPTH,
	FOREST_INNER = FOREST_LEAVES - 1,
};

struct tree {
	uint16_t columns[FOREST_INNER];
	float thresholds[FOREST_INNER];
	float values[FOREST_INNER + FOREST_LEAVES];
};

struct forest {
	const struct tree *trees; /* [tree_count] */
	size_t tree_count;
	const uint16_t *columns; /* [column_count]: feature of each column */
	size_t column_count;
	float base;
};

enum {
	FOREST_ROWS = 16,     /* rows that are scored together */
	FOREST_COLUMNS = 512, /* at most, of a forest */
};

/*
 * The sum of base and one leaf of each tree, in float and in the order of the
 * trees, as the trainer does it: bit for bit its margin. `rows` are `count`
 * rows of `stride` features, none of them NaN; margins_out [count].
 */
void forest_margins(const struct forest *forest, const float *rows,
		    size_t count, size_t stride, float *margins_out);

/* 1 / (1 + e^-margin), which is > 0 and <= 1 whatever the margin. */
float forest_probability(float margin);

/*
 * How much each column moved the margin of one row (Saabas 2014): the changes
 * of the mean on the way to each leaf, by the column that chose the way.
 * moves_out [column_count]; with base and the trees' root values they sum up to
 * the margin.
 */
void forest_moves(const struct forest *forest, const float *row,
		  float *moves_out);

#endif
