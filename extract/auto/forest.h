/*
 * extract/auto/forest.h - gradient boosted regression trees (Friedman 2001).
 * tests/eval/train trains them, and the program contains them as constants.
 *
 * A model file (conf/models/<name>.model) is a list of macro calls. So the
 * compiler can read it and reports an unknown feature name as an error:
 *
 *         comment with the version of the format, data, date, recipe, figures
 *         BASE(-0.5f)                       added to the sum of leaves
 *         COLUMN(words, 0.7f, 1.5f)         column 0, 1, ...: the name of a
 *                                           feature and thresholds, ascending
 *         TREE({columns}, {bins}, {values})
 *
 * Columns are in the order of their features. Trees do not compare values but
 * bins: the bin of a value is the number of the column's thresholds that are
 * not above the value. So "value < threshold k" and "bin < k + 1" are the same,
 * where the first threshold has k = 0.
 *
 * Every tree is complete, has the depth FOREST_DEPTH and is stored in heap
 * order: inner node i continues with child 2i + 1 if the bin is < bins[i], and
 * otherwise with child 2i + 2. The last FOREST_LEAVES values belong to the
 * leaves. The other values are the means of the leaves below each inner node,
 * weighted by training rows; forest_moves() needs them to explain a prediction.
 * If training makes a leaf above FOREST_DEPTH, inner nodes with bins[i] =
 * FOREST_LEFT replace it. No bin reaches FOREST_LEFT, so they always continue
 * on the left.
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
	FOREST_ROWS = 32,     /* number of rows that are scored together */
	FOREST_COLUMNS = 512, /* maximum number of columns of a forest */
};

/* A feature that the trees of a forest read. */
struct forest_column {
	uint16_t feature;
	uint16_t first; /* index of the column's first threshold in
			   forest.thresholds */
	uint16_t count; /* number of the column's thresholds, < FOREST_LEFT */
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

/* Rows of feature values, one row for each passage. No value is NaN. */
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
 * Write the bins of the columns [begin, end) of `rows` to the block. There are
 * 1..FOREST_ROWS rows; in the unused rows of the block, repeat the last row.
 */
void forest_bin(const struct forest *forest, const struct forest_rows *rows,
		size_t begin, size_t end, struct forest_block *block);

/*
 * Write the margin of each row of the block to margins_out [FOREST_ROWS]: the
 * sum of `base` and of one leaf of each tree. The sum is in float and in the
 * order of the trees, as in the trainer, so the results are bit for bit the
 * same.
 */
void forest_block_margins(const struct forest *forest,
			  const struct forest_block *block, float *margins_out);

/*
 * Write the margins of any number of rows to margins_out [rows->count], with
 * forest_bin() and forest_block_margins().
 */
void forest_margins(const struct forest *forest, const struct forest_rows *rows,
		    float *margins_out);

/* Return 1 / (1 + e^-margin), which is > 0 and <= 1 for any margin. */
float forest_probability(float margin);

/*
 * Write to moves_out [column_count] how much each column moved the margin of
 * row `row` of the block (Saabas 2014). On the path from the root of a tree to
 * a leaf, each node changes the mean; the change counts for the column that the
 * node tests. The sum of the moves, `base` and the values of the trees' roots
 * is the margin.
 */
void forest_moves(const struct forest *forest, const struct forest_block *block,
		  size_t row, float *moves_out);

/*
 * Return true if the processor has AVX2. Only then call forest_bin_avx2() and
 * forest_add_avx2(), the variants of the most expensive functions. They handle
 * all FOREST_ROWS rows of a block together.
 */
bool forest_has_avx2(void);

/*
 * Write the bins of the values of one column to bins [FOREST_ROWS]. thresholds
 * [count] belong to the column. The values are FOREST_ROWS floats, each
 * `stride` floats after the previous one.
 */
void forest_bin_avx2(const float *thresholds, size_t count, const float *values,
		     size_t stride, int8_t *bins);

/* Add to each of margins [FOREST_ROWS] the leaf of each tree for its row. */
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
 * - auto-comments.model, which reads the same features as auto-context.model to
 *   find readers' comments;
 * - auto-template.model, which corrects the score by the other pages of the
 *   template.
 *
 * auto-choice.model holds only numbers:
 *
 *   DEFAULT_VALUE(threshold, 0.56)   of a parameter of `auto`
 *   TRADE(NONE, RECALL, 0.32)        of the thresholds of struct extractor
 *   CONSTANT(confidence_base, -1)    another number
 */

/*
 * The features that the second forest may read: the context features, and then
 * the page features.
 */
#define AUTO_FEATURES(X) CONTEXT_FEATURES(X) PAGE_FEATURES(X)

enum {
#define X(name, definition) AUTO_##name,
	AUTO_FEATURES(X)
#undef X
		AUTO_FEATURE_COUNT
};

/* The input of this forest is rows of FEATURE_COUNT numbers. */
extern const struct forest auto_page_forest;

/* The input of these forests is rows of AUTO_FEATURE_COUNT numbers. */
extern const struct forest auto_context_forest;
extern const struct forest auto_scope_body_forest;
extern const struct forest auto_scope_page_forest;
extern const struct forest auto_comments_forest;

/* The input of this forest is rows of TEMPLATE_COUNT numbers. */
extern const struct forest auto_template_forest;

#endif
