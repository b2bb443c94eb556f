/*
 * template/candidate_place.h - compare the positions of a lost element and of a
 * possible replacement. Internal to candidates.c.
 */
#ifndef TEMPLATE_CANDIDATE_PLACE_H
#define TEMPLATE_CANDIDATE_PLACE_H

#include <stdint.h>

#include "base/slice.h"

struct page;

enum { PLACE_STEPS = 40, PLACE_CLASSES = 6 };

/* Hashes of an element's name, id and classes; 0 = none. */
struct place_step {
	uint64_t tag;
	uint64_t id;
	uint64_t classes[PLACE_CLASSES];
	uint32_t class_count;
};

/* From the root to the element. */
struct place {
	struct place_step steps[PLACE_STEPS]; /* [count] */
	uint32_t count;
	struct slice attribute; /* of a path that ends with "/@NAME" */
};

/* Parse a path from element_path(); accept any other text, too. */
void place_read(struct place *place, struct slice path);

/* Set the position of a node of the page. */
void place_of(struct place *place, const struct page *page, uint32_t node);

/*
 * Return a similarity in 0..1: half for the element itself, half for its
 * ancestors.
 */
double place_similarity(const struct place *a, const struct place *b);

#endif
