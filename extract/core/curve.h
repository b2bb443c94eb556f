/* extract/core/curve.h - long vectors made short enough to be drawn. */
#ifndef EXTRACT_CORE_CURVE_H
#define EXTRACT_CORE_CURVE_H

#include <stdint.h>

#include "extract/core/trace.h"

/* As many as a wide screen has columns. */
enum { MAX_CURVE_VALUES = 2000 };

/* How many entries of a vector of `count` one value of its curve stands for.
 */
uint32_t curve_step(uint32_t count);

/* A series of the means of so many entries each; it belongs to `arena`. */
struct figure_series curve_series(struct arena *arena, const char *name,
				  const float *values, uint32_t count);

/* The label of its x axis: "characters / 37"; it belongs to `arena`. */
const char *curve_label(struct arena *arena, const char *entries,
			uint32_t count);

#endif
