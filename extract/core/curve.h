/* extract/core/curve.h - shortens long vectors for drawing. */
#ifndef EXTRACT_CORE_CURVE_H
#define EXTRACT_CORE_CURVE_H

#include <stdint.h>

#include "extract/core/trace.h"

/* About the number of pixel columns of a wide screen. */
enum { MAX_CURVE_VALUES = 2000 };

/* Return the number of entries that one value of the curve stands for. */
uint32_t curve_step(uint32_t count);

/*
 * Return a series whose values are means of curve_step() entries each; it
 * belongs to `arena`.
 */
struct figure_series curve_series(struct arena *arena, const char *name,
				  const float *values, uint32_t count);

/* Return the label of the x axis: "characters / 37"; it belongs to `arena`. */
const char *curve_label(struct arena *arena, const char *entries,
			uint32_t count);

#endif
