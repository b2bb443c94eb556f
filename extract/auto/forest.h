/*
 * extract/auto/forest.h - gradient boosted regression trees (Friedman 2001),
 * trained by tests/eval/train and part of the program as constants.
 *
 * A model file (conf/models/<name>.model) is a list of macro calls, so that the
 * compiler reads it and reports an unknown feature name as an error:
 *
 *         comment with the version of the format, data, date, recipe, figures
 *         BASE(-0.5f)                       added to the sum of leaves
 *         COLUMN(words, 0.7f, 1.5f)         column 0, 1, ...: the name of a
 *                                           feature and thresholds, ascending
 *         TREE({columns}, {bins}, {values})
 *
 * Columns are in the order of their features. Trees compare not values but
 * bins: the bin of a value is the number of its column's thresholds that are
 * not above it, so that value < threshold k and bin < k + 1 are the same.
 *
 * A tree is complete, of depth FOREST_DEPTH, in heap order: the children of
 * inner node i are 2i + 1, for a bin < bins[i], and 2i + 2. The last
 * FOREST_LEAVES values are the values of the leaves; the others are the means
 * below an inner node (weighted by training rows), by which forest_moves()
 * explains a prediction. A leaf above FOREST_DEPTH is replaced by inner nodes
 * of the bin FOREST_LEFT, which no value reaches.
 */
#ifndef EXTRACT_AUTO_FOREST_H
#define EXTRACT_AUTO_FOREST_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FOREST_DEPTH = 5,
	FOREST_LEAVES = 1 << FOREST_DEPTH,
	FOREST_INNER = FOREST_LEAVES - 1,
	FOREST_LEFT = INT8_MAX,
	FOREST_ROWS = 32,     /* rows that are scored together */
	FOREST_COLUMNS = 512, /* maximum of a forest */
};

struct forest_column {
	uint16_t feature;
	uint16_t first; /* index of its first threshold in forest.thresholds */
	uint16_t count; /* number of its thresholds, < FOREST_LEFT */
};

struct forest_tree {
	uint16_t columns[FOREST_INNER];
	int8_t bins[FOREST_INNER];
	float values[FOREST_INNER + FOREST_LEAVES];
};

struct forest {
	const struct forest_tree *trees; /* [tree_count] */
	size_t tree_count;
	const struct forest_column *columns; /* [column_count] */
	size_t column_count;
	const float *thresholds; /* of all columns */
	float base;
};

/* Rows of features, none of them NaN. */
struct forest_rows {
	const float *values; /* [count][stride] */
	size_t count;
	size_t stride;
};

/* The bins of up to FOREST_ROWS rows, column by column. */
struct forest_block {
	alignas(FOREST_ROWS) int8_t bins[FOREST_COLUMNS][FOREST_ROWS];
};

/*
 * Write the bins of the columns [begin, end) of 1..FOREST_ROWS rows. The rest
 * of the block repeats the last row.
 */
void forest_bin(const struct forest *forest, const struct forest_rows *rows,
		size_t begin, size_t end, struct forest_block *block);

/*
 * Sum base and one leaf of each tree, in float and in the order of the trees,
 * as the trainer does: the results are bit for bit the same. margins_out
 * [FOREST_ROWS], for all rows of the block.
 */
void forest_block_margins(const struct forest *forest,
			  const struct forest_block *block, float *margins_out);

/* Do both for any number of rows: margins_out [rows->count]. */
void forest_margins(const struct forest *forest, const struct forest_rows *rows,
		    float *margins_out);

/* Return 1 / (1 + e^-margin), which is > 0 and <= 1 for any margin. */
float forest_probability(float margin);

/*
 * Compute how much each column moved the margin of a row of the block (Saabas
 * 2014): the changes of the mean on the path to each leaf, by the column that
 * each node tests. moves_out [column_count]; with base and the trees' root
 * values they sum up to the margin.
 */
void forest_moves(const struct forest *forest, const struct forest_block *block,
		  size_t row, float *moves_out);

#endif
