/*
 * extract/auto/forest_avx2.h - the most expensive functions of
 * extract/auto/forest.h with AVX2, for all FOREST_ROWS rows of a block
 * together. Call them only if forest_has_avx2() is true.
 */
#ifndef EXTRACT_AUTO_FOREST_AVX2_H
#define EXTRACT_AUTO_FOREST_AVX2_H

#include <stdbool.h>

#include "extract/auto/forest.h"

/* Return true if the processor has AVX2. */
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

#endif
