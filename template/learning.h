/* template/learning.h - what a method learns from a sample of a cluster. */
#ifndef TEMPLATE_LEARNING_H
#define TEMPLATE_LEARNING_H

#include <stdint.h>

#include "extract/core/extractor.h"

struct page;

/*
 * No more pages are added to a sample of so many bytes of source, but it has at
 * least two pages.
 */
enum { MAX_SAMPLE_BYTES = 8 << 20, MIN_SAMPLE_PAGES = 2 };

/*
 * Have the method learn from `pages` [count >= 1], which are destroyed.
 * `parameters` [MAX_PARAMETERS] must stay as long as `arena`, which owns the
 * result.
 */
const void *learn_from(const struct extractor *extractor,
		       const double *parameters, struct page **pages,
		       uint32_t count, struct arena *arena);

#endif
