/* extract/core/ratio.h - the scale of features that are a part of something. */
#ifndef EXTRACT_CORE_RATIO_H
#define EXTRACT_CORE_RATIO_H

#include <stdint.h>

/* part / whole; 0 of nothing. */
static inline float ratio(uint32_t part, uint32_t whole)
{
	return whole == 0 ? 0 : (float)part / (float)whole;
}

#endif
