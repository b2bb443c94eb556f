#include "extract/auto/forest.h"

#include <assert.h>
#include <math.h>

#include "base/hash.h"

static void bin_column(const struct forest *forest, size_t index,
		       const float *values, size_t stride, int8_t *bins)
{
	const struct forest_column *column = &forest->columns[index];
	const float *thresholds = forest->thresholds + column->first;

	assert(column->count < FOREST_LEFT);
	if (forest_has_avx2()) {
		forest_bin_avx2(thresholds, column->count, values, stride,
				bins);
		return;
	}
	for (size_t row = 0; row < FOREST_ROWS; row++) {
		size_t bin;

		LOWER_BOUND(bin, column->count,
			    thresholds[bin] <= values[row * stride]);
		bins[row] = (int8_t)bin;
	}
}

void forest_bin(const struct forest *forest, const struct forest_rows *rows,
		size_t begin, size_t end, struct forest_block *block)
{
	const size_t last = rows->count - 1;

	assert(rows->count > 0 && rows->count <= FOREST_ROWS);
	assert(end <= forest->column_count && end <= FOREST_COLUMNS);
	for (size_t i = begin; i < end; i++) {
		const float *from = rows->values + forest->columns[i].feature;
		float values[FOREST_ROWS];

		if (rows->count == FOREST_ROWS) {
			bin_column(forest, i, from, rows->stride,
				   block->bins[i]);
			continue;
		}
		for (size_t row = 0; row < FOREST_ROWS; row++)
			values[row] =
				from[(row < last ? row : last) * rows->stride];
		bin_column(forest, i, values, 1, block->bins[i]);
	}
}

static unsigned child_of(const struct forest_tree *tree, unsigned node,
			 const struct forest_block *block, size_t row)
{
	int8_t bin = block->bins[tree->columns[node]][row];

	assert(node < FOREST_INNER);
	return 2 * node + 1 + (bin >= tree->bins[node]);
}

void forest_block_margins(const struct forest *forest,
			  const struct forest_block *block, float *margins_out)
{
	for (size_t row = 0; row < FOREST_ROWS; row++)
		margins_out[row] = forest->base;
	if (forest_has_avx2()) {
		forest_add_avx2(forest, block, margins_out);
		return;
	}
	/*
	 * All rows go down one level at a time. The loads of one row depend on
	 * each other, but loads of different rows can run at the same time.
	 */
	for (size_t i = 0; i < forest->tree_count; i++) {
		const struct forest_tree *tree = &forest->trees[i];
		unsigned at[FOREST_ROWS] = {0};

		for (unsigned level = 0; level < FOREST_DEPTH; level++)
			for (size_t row = 0; row < FOREST_ROWS; row++)
				at[row] = child_of(tree, at[row], block, row);
		for (size_t row = 0; row < FOREST_ROWS; row++)
			margins_out[row] += tree->values[at[row]];
	}
}

void forest_margins(const struct forest *forest, const struct forest_rows *rows,
		    float *margins_out)
{
	struct forest_block block;
	float margins[FOREST_ROWS];

	for (size_t begin = 0; begin < rows->count; begin += FOREST_ROWS) {
		const size_t left = rows->count - begin;
		const struct forest_rows part = {
			.values = rows->values + begin * rows->stride,
			.count = left < FOREST_ROWS ? left : FOREST_ROWS,
			.stride = rows->stride,
		};

		forest_bin(forest, &part, 0, forest->column_count, &block);
		forest_block_margins(forest, &block, margins);
		for (size_t i = 0; i < part.count; i++)
			margins_out[begin + i] = margins[i];
	}
}

float forest_probability(float margin)
{
	/*
	 * e^88 is the last power in the range of a float; a larger margin gives
	 * the same probability.
	 */
	float bounded = fminf(fmaxf(margin, -88), 88);

	assert(bounded >= -88 && bounded <= 88);
	return 1 / (1 + expf(-bounded));
}

void forest_moves(const struct forest *forest, const struct forest_block *block,
		  size_t row, float *moves_out)
{
	assert(row < FOREST_ROWS);
	for (size_t i = 0; i < forest->column_count; i++)
		moves_out[i] = 0;
	for (size_t i = 0; i < forest->tree_count; i++) {
		const struct forest_tree *tree = &forest->trees[i];
		unsigned node = 0;

		for (unsigned level = 0; level < FOREST_DEPTH; level++) {
			unsigned next = child_of(tree, node, block, row);

			moves_out[tree->columns[node]] +=
				tree->values[next] - tree->values[node];
			node = next;
		}
	}
}
