/* extract/explain/quantile.h - numbers of any scale as a few quantiles. */
#ifndef EXTRACT_EXPLAIN_QUANTILE_H
#define EXTRACT_EXPLAIN_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

struct arena;

/*
 * The quantile of each of `values` [count], 0 to `levels` - 1: its place among
 * the distinct values in rising order, so that one huge value does not make
 * all others alike. Equal values have the same quantile, and all of them the
 * highest when there is but one; what is not finite has 0. `levels` <= 255.
 * O(n log n); the quantiles belong to `arena`.
 */
const uint8_t *quantiles_by_rank(struct arena *arena, const float *values,
				 size_t count, unsigned levels);

#endif
