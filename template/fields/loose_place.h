/*
 * template/fields/loose_place.h - places that do not depend on the path:
 * elements with a name, wherever they stand inside of their parent place.
 *
 * Documentation prints the same thing at different depths: the name of a class,
 * and of its methods; a heading that is a link on some pages. Such elements
 * have different paths and one name. A loose place is one of
 * - the elements with a name (".sig-name");
 * - the elements with a tag whose next named ancestor has the name
 *   (".attributes dt"), if they have no names themselves;
 * - the headings and terms with a tag ("h2").
 * Its parent is the deepest place that is around all of them. An element may
 * have several loose places besides its ordinary one. Compare: Dalvi, Bohannon,
 * Sha (SIGMOD 2009), whose robust addresses have descendant steps, too.
 */
#ifndef TEMPLATE_FIELDS_LOOSE_PLACE_H
#define TEMPLATE_FIELDS_LOOSE_PLACE_H

#include <stdint.h>

#include "base/limit.h"
#include "template/fields/element_name.h"

struct arena;
struct page;
struct place_tree;
struct placement;

enum {
	MAX_LOOSE_PLACES = LIMIT(1500, 3),
	/* names of an element, or of the next named ancestor, that count */
	MAX_LOOSE_NAMES = LIMIT(6, 2),
	ROOM_FOR_LOOSE = MAX_LOOSE_NAMES + 1,
};

/*
 * Add the loose places of the pages [count] to the tree, which has learned
 * these pages: those whose elements have several ordinary places, or none.
 * O(elements).
 */
void loose_places_learn(struct place_tree *tree,
			const struct page *const *pages, uint32_t count);

/* Finds the loose places of the elements of a page. */
struct loose_finder {
	const struct place_tree *tree;
	const struct placement *placement;
	/* [node_count]: the element itself or the next one around it that has
	   names; NO_NODE: none */
	uint32_t *named;
	/* [node_count]: the place of the element, or of the next one around it
	   that has one */
	uint32_t *around;
	uint32_t last; /* the element that has the names */
	uint32_t count;
	uint64_t names[MAX_LOOSE_NAMES]; /* [count] hashes */
	struct name_cache cache;
};

struct loose_finder loose_finder_make(const struct place_tree *tree,
				      const struct placement *placement,
				      struct arena *arena);
void loose_finder_free(struct loose_finder *finder);

/*
 * Write the loose places of an element to `places_out`, and return their
 * number. Elements must be asked for in document order. O(places around it),
 * at most MAX_PLACE_DEPTH.
 */
uint32_t loose_finder_next(struct loose_finder *finder, uint32_t node,
			   uint32_t places_out[ROOM_FOR_LOOSE]);

#endif
