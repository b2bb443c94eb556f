/*
 * extract/methods/mountain.h - the mountain of a page, which is its cells and
 * ridges.
 */
#ifndef EXTRACT_METHODS_MOUNTAIN_H
#define EXTRACT_METHODS_MOUNTAIN_H

#include <stdbool.h>

#include "extract/methods/block_methods.h"
#include "extract/methods/ridge.h"

struct mountain {
	struct cells cells; /* smoothed */
	struct ridges ridges;
};

/*
 * Compute the mountain of a page. `values` are the parameters of the method
 * `mountain`. Everything belongs to `arena`.
 */
struct mountain mountain_of_page(struct arena *arena, const struct page *page,
				 const bool *is_visible, const double *values);

#endif
