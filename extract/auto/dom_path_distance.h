/*
 * extract/auto/dom_path_distance.h - for every open element: the steps up to
 * the nearest element of each kind.
 */
#ifndef EXTRACT_AUTO_DOM_PATH_DISTANCE_H
#define EXTRACT_AUTO_DOM_PATH_DISTANCE_H

#include <stdint.h>

#include "extract/text/class_group.h"

struct page;

/* In the order of DOM_PATH_DISTANCES. */
enum distance {
	DISTANCE_ARTICLE,
	DISTANCE_MAIN,
	DISTANCE_NAV,
	DISTANCE_HEADER,
	DISTANCE_FOOTER,
	DISTANCE_ASIDE,
	DISTANCE_SECTION,
	DISTANCE_FORM,
	DISTANCE_UL,
	DISTANCE_OL,
	DISTANCE_TABLE,
	DISTANCE_A,
	DISTANCE_BUTTON,
	DISTANCE_FIGURE,
	DISTANCE_DETAILS,
	DISTANCE_DIALOG,
	DISTANCE_DL,
	DISTANCE_PRE,
	DISTANCE_BLOCKQUOTE,
	DISTANCE_LABEL,
	DISTANCE_LI,
	DISTANCE_CELL,
	DISTANCE_HEADING,
	DISTANCE_GROUPS, /* + enum class_group */
	DISTANCE_COUNT = DISTANCE_GROUPS + GROUP_COUNT,

	DISTANCE_NONE = 30,  /* there is none, or it is farther away */
	DISTANCE_BYTES = 48, /* DISTANCE_COUNT, rounded up to whole vectors */
};

/* Set the distances outside of all elements; `distances` [DISTANCE_BYTES]. */
void distances_begin(uint8_t *distances);

/*
 * Compute the distances at element `node`, whose class names belong to the
 * groups `groups`, from the distances at its parent; both [DISTANCE_BYTES].
 */
void distances_enter(const struct page *page, uint32_t node, uint32_t groups,
		     const uint8_t *parent, uint8_t *distances);

/* Return the number of class groups within DISTANCE_NONE. */
unsigned distances_groups(const uint8_t *distances);

#endif
