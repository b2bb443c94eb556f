#include "extract/explain/quantile.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/lower_bound.h"

static int compare_floats(const void *left, const void *right)
{
	float a = *(const float *)left;
	float b = *(const float *)right;

	return (a > b) - (a < b);
}

/*
 * Collect the distinct finite values in ascending order; return their number.
 */
static size_t collect_distinct(const float *values, size_t count,
			       float *distinct)
{
	size_t found = 0;
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (isfinite(values[i]))
			distinct[found++] = values[i];
	if (found > 1)
		qsort(distinct, found, sizeof(*distinct), compare_floats);
	for (size_t i = 0; i < found; i++)
		if (used == 0 || distinct[i] > distinct[used - 1])
			distinct[used++] = distinct[i];
	return used;
}

/* Return the number of distinct values that are lower. */
static size_t rank_in_distinct(const float *distinct, size_t count, float value)
{
	size_t at;

	LOWER_BOUND(at, count, distinct[at] < value);
	return at;
}

const uint8_t *quantiles_by_rank(struct arena *arena, const float *values,
				 size_t count, unsigned levels)
{
	uint8_t *quantiles = ARENA_NEW(arena, uint8_t, count);
	float *distinct = ARENA_NEW(arena, float, count);
	size_t distinct_count = collect_distinct(values, count, distinct);

	for (size_t i = 0; i < count; i++) {
		if (!isfinite(values[i]))
			continue;
		quantiles[i] = (uint8_t)(levels - 1);
		if (distinct_count > 1)
			quantiles[i] =
				(uint8_t)(rank_in_distinct(distinct,
							   distinct_count,
							   values[i]) *
					  (levels - 1) / (distinct_count - 1));
	}
	return quantiles;
}
