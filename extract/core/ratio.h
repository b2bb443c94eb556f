/* extract/core/ratio.h - the ratio of a part to its whole, for features. */
#ifndef EXTRACT_CORE_RATIO_H
#define EXTRACT_CORE_RATIO_H

#include <stdint.h>

/* Return part / whole; 0 if the whole is 0. */
static inline float ratio(uint32_t part, uint32_t whole)
{
	return whole == 0 ? 0 : (float)part / (float)whole;
}

#endif
