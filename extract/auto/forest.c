#include "extract/auto/forest.h"

#include <assert.h>
#include <math.h>

/* FOREST_ROWS rows side by side, with only the columns that a forest reads. */
struct block {
	float values[FOREST_COLUMNS][FOREST_ROWS];
};

/* Rows past `count` repeat the last one; their margins are ignored. */
static void gather(const struct forest *forest, const float *rows, size_t count,
		   size_t stride, struct block *block)
{
	assert(count > 0);
	assert(forest->column_count <= FOREST_COLUMNS);
	for (size_t row = 0; row < FOREST_ROWS; row++) {
		const float *from =
			rows + (row < count ? row : count - 1) * stride;

		for (size_t i = 0; i < forest->column_count; i++)
			block->values[i][row] = from[forest->columns[i]];
	}
}

/*
 * All rows go down one level at a time: the loads of one row depend on each
 * other, those of different rows overlap.
 */
static void add_tree(const struct tree *tree, const struct block *block,
		     float *margins)
{
	uint32_t at[FOREST_ROWS] = {0};

	for (unsigned level = 0; level < FOREST_DEPTH; level++)
		for (unsigned row = 0; row < FOREST_ROWS; row++) {
			uint32_t node = at[row];
			float value = block->values[tree->columns[node]][row];

			at[row] = 2 * node + 1 +
				  (value >= tree->thresholds[node]);
		}
	for (unsigned row = 0; row < FOREST_ROWS; row++)
		margins[row] += tree->values[at[row]];
}

void forest_margins(const struct forest *forest, const float *rows,
		    size_t count, size_t stride, float *margins_out)
{
	struct block block;
	float margins[FOREST_ROWS];

	assert(forest->column_count <= FOREST_COLUMNS);
	for (size_t begin = 0; begin < count; begin += FOREST_ROWS) {
		size_t left = count - begin;

		gather(forest, rows + begin * stride, left, stride, &block);
		for (unsigned row = 0; row < FOREST_ROWS; row++)
			margins[row] = forest->base;
		for (size_t i = 0; i < forest->tree_count; i++)
			add_tree(&forest->trees[i], &block, margins);
		for (size_t row = 0; row < FOREST_ROWS && row < left; row++)
			margins_out[begin + row] = margins[row];
	}
}

float forest_probability(float margin)
{
	/*
	 * e^88 is the last power that a float holds; a larger margin gives the
	 * same probability.
	 */
	float bounded = fminf(fmaxf(margin, -88), 88);

	assert(bounded >= -88 && bounded <= 88);
	return 1 / (1 + expf(-bounded));
}

void forest_moves(const struct forest *forest, const float *row,
		  float *moves_out)
{
	assert(forest->column_count <= FOREST_COLUMNS);
	for (size_t i = 0; i < forest->column_count; i++)
		moves_out[i] = 0;
	for (size_t i = 0; i < forest->tree_count; i++) {
		const struct tree *tree = &forest->trees[i];
		uint32_t node = 0;

		for (unsigned level = 0; level < FOREST_DEPTH; level++) {
			uint16_t column = tree->columns[node];
			float value = row[forest->columns[column]];
			uint32_t next = 2 * node + 1 +
					(value >= tree->thresholds[node]);

			moves_out[column] +=
				tree->values[next] - tree->values[node];
			node = next;
		}
	}
}
