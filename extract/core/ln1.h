/* extract/core/ln1.h - the logarithmic scale of features that are counts. */
#ifndef EXTRACT_CORE_LN1_H
#define EXTRACT_CORE_LN1_H

#include <math.h>

/*
 * Return ln(1 + x) for x >= 0. Faster than log1pf(), and exact enough for
 * features.
 */
static inline float ln1(float x)
{
	return logf(1 + x);
}

/* Return ln(1 + |x|) with the sign of `x`. */
static inline float signed_ln1(float x)
{
	return copysignf(ln1(fabsf(x)), x);
}

#endif
