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
struct position_step {
	uint64_t tag;
	uint64_t id;
	uint64_t classes[PLACE_CLASSES];
	uint32_t class_count;
};

/* From the root to the element. */
struct element_position {
	struct position_step steps[PLACE_STEPS]; /* [count] */
	uint32_t count;
	struct slice attribute; /* of a path that ends with "/@NAME" */
};

/* Parse a path from element_path(); accept any other text, too. */
void element_position_read(struct element_position *place, struct slice path);

/* Set the position of a node of the page. */
void element_position_of(struct element_position *place,
			 const struct page *page, uint32_t node);

/*
 * Return a similarity in 0..1: half for the element itself, half for its
 * ancestors.
 */
double element_position_similarity(const struct element_position *a,
				   const struct element_position *b);

#endif
