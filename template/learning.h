/*
 * template/learning.h - build the template model of a method from a sample of a
 * cluster.
 */
#ifndef TEMPLATE_LEARNING_H
#define TEMPLATE_LEARNING_H

#include <stdint.h>

#include "extract/core/extractor.h"

struct page;

/*
 * Limit of a sample in bytes of source: at this size it gets no further page,
 * unless it has fewer than two.
 */
enum { MAX_SAMPLE_BYTES = 8 << 20, MIN_SAMPLE_PAGES = 2 };

/*
 * Build the template model from `pages` [count >= 1], which are destroyed.
 * `parameters` [MAX_PARAMETERS] must live as long as `arena`, which owns the
 * result.
 */
const void *template_model_build(const struct extractor *extractor,
				 const double *parameters, struct page **pages,
				 uint32_t count, struct arena *arena);

#endif
