/* template/region.h - where the content of a template's pages stands. */
#ifndef TEMPLATE_REGION_H
#define TEMPLATE_REGION_H

#include <stdint.h>

#include "template/version.h"

enum { VERSION_MAX_REGIONS = 5 };

/*
 * The elements that hold the content which the default method finds on `pages`
 * [count], each judged by itself: by their paths, of those that stand once in a
 * page, the lowest one that holds most of the words; and so again for what is
 * left. Writes up to VERSION_MAX_REGIONS to `regions_out`, most words first;
 * returns how many. Paths are in `arena`. O(n log n) in the pages' elements.
 */
uint32_t regions_find(struct arena *arena, const struct page *const *pages,
		      uint32_t count, struct version_region *regions_out);

#endif
