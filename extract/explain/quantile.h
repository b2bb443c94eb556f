/*
 * extract/explain/quantile.h - quantiles: map numbers of any scale to a few
 * levels.
 */
#ifndef EXTRACT_EXPLAIN_QUANTILE_H
#define EXTRACT_EXPLAIN_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

struct arena;

/*
 * Return the quantile of each of `values` [count] among the distinct values, 0
 * to `levels` - 1, so that a single huge value does not make all others equal.
 * Equal values have the same quantile, the highest if there is only one
 * distinct value; values that are not finite have 0. `levels` <= 255. O(n log
 * n); the quantiles belong to `arena`.
 */
const uint8_t *quantiles_by_rank(struct arena *arena, const float *values,
				 size_t count, unsigned levels);

#endif
