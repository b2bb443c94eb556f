/*
 * template/region.h - find the elements that hold the content of a template's
 * pages.
 */
#ifndef TEMPLATE_REGION_H
#define TEMPLATE_REGION_H

#include <stdint.h>

#include "template/version.h"

enum { VERSION_MAX_REGIONS = 5 };

/*
 * Find the paths of elements that hold the content of `pages` [count], as the
 * default method extracts it from each page alone. Of the paths with one
 * element per page, take the lowest that holds most of the words; repeat for
 * the remaining words. Write up to VERSION_MAX_REGIONS to `regions_out`, most
 * words first; return their number. Paths are in `arena`. O(n log n) in the
 * pages' elements.
 */
uint32_t regions_find(struct arena *arena, const struct page *const *pages,
		      uint32_t count, struct version_region *regions_out);

#endif
