/*
 * template/change_regions.h - finds the regions of a template that were
 * replaced, in the outlines of several of its pages before and after. Pure.
 */
#ifndef TEMPLATE_CHANGE_REGIONS_H
#define TEMPLATE_CHANGE_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "template/version.h"

struct arena;

/* The difference between the outlines of pages before and after. */
struct outline_diff {
	/*
	 * copies of the records, as pages->records, whose MEASURE_CPC are the
	 * paths of their outlines, without generated names
	 */
	struct record records[2 * MAX_TEMPLATE_SAMPLE];
	struct change_region *regions; /* [region_count], largest first */
	uint32_t region_count;
	/*
	 * labels of elements that the pages had in common and have lost, or
	 * have gained, wherever they are on the page
	 */
	uint32_t lost;
	uint32_t gained;
	/* number of gained elements that are in no other gained element */
	uint32_t places;
	bool is_rebuilt; /* generated names were renamed */
};

/*
 * Return the outline of the paths of the version that more than `ratio` of the
 * pages have.
 */
struct slice outline_of_version(struct arena *arena,
				const struct version *version, float ratio);

struct region_rules {
	uint32_t min_elements;
	/*
	 * siblings are in any order, as in the paths of a version, so they do
	 * not separate regions
	 */
	bool is_unordered;
};

/*
 * Compare the outlines. Return false if a record has none.
 *
 * An element is lost or gained as a path is in common_items_compare(). Lost and
 * gained elements with the same parent and the same preceding sibling are a
 * region if the elements in them have at least min_elements labels that only
 * the lost ones have, and as many that only the gained ones have. So an element
 * that is added, removed or renamed alone, or put around others, is no region,
 * and the order of elements does not matter.
 *
 * Class names that a build tool has generated are equal to each other: of the
 * names that only the pages before or only those after have, these with the
 * same form (class_shape_of()), if most of that form look generated.
 *
 * O(n log n) for n elements in all outlines.
 */
bool outlines_compare(struct arena *arena, const struct pages *pages,
		      const struct region_rules *rules,
		      struct outline_diff *diff_out);

#endif
