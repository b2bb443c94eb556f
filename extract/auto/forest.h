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
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "extract/auto/auto_template.h"
#include "extract/auto/context.h"
#include "extract/auto/features.h"

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

/*
 * The most expensive functions with AVX2, for all FOREST_ROWS rows of a block
 * together. Call forest_bin_avx2() and forest_add_avx2() only if
 * forest_has_avx2(): the processor has AVX2.
 */
bool forest_has_avx2(void);

/*
 * Write the bins of the values [FOREST_ROWS] of a column, `stride` floats
 * apart, to bins [FOREST_ROWS].
 */
void forest_bin_avx2(const float *thresholds, size_t count, const float *values,
		     size_t stride, int8_t *bins);

/* Add a leaf of each tree to margins [FOREST_ROWS]. */
void forest_add_avx2(const struct forest *forest,
		     const struct forest_block *block, float *margins);

/*
 * The trained models of `auto`: constants of the program, built from the model
 * files in the folder MODELS of the build. The forests are
 *
 * - auto-page.model, which scores a passage by the page's features;
 * - auto-context.model, which also reads the scores of the passages around it;
 * - auto-scope-body.model and auto-scope-page.model, which replace
 *   auto-context.model for a request with a scope;
 * - auto-comments.model, which reads the same to find readers' comments;
 * - auto-template.model, which corrects the score by the other pages of the
 *   template.
 *
 * auto-choice.model holds only numbers:
 *
 *   DEFAULT_VALUE(threshold, 0.56)   of a parameter of `auto`
 *   TRADE(NONE, RECALL, 0.32)        of the thresholds of struct extractor
 *   CONSTANT(confidence_base, -1)    another number
 */

/* The features that the second forest may read. */
#define AUTO_FEATURES(X) CONTEXT_FEATURES(X) PAGE_FEATURES(X)

enum {
#define X(name, definition) AUTO_##name,
	AUTO_FEATURES(X)
#undef X
		AUTO_FEATURE_COUNT
};

/* Reads rows of FEATURE_COUNT numbers. */
extern const struct forest auto_page_forest;

/* Reads rows of AUTO_FEATURE_COUNT numbers. */
extern const struct forest auto_context_forest;
extern const struct forest auto_scope_body_forest;
extern const struct forest auto_scope_page_forest;
extern const struct forest auto_comments_forest;

/* Reads rows of TEMPLATE_COUNT numbers. */
extern const struct forest auto_template_forest;

#endif
