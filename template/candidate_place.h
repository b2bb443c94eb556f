/*
 * template/candidate_place.h - the similarity of the places of two elements:
 * one that was lost, and a candidate for it. Internal to candidates.c.
 */
#ifndef TEMPLATE_CANDIDATE_PLACE_H
#define TEMPLATE_CANDIDATE_PLACE_H

#include <stdint.h>

#include "store/slice.h"

struct page;

enum { PLACE_STEPS = 40, PLACE_CLASSES = 6 };

/* An element's own name, id and classes, as hashes; 0: none. */
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

/* Read a path that element_path() wrote; accepts any other text, too. */
void place_read(struct place *place, struct slice path);

/* The place of a node of the page. */
void place_of(struct place *place, const struct page *page, uint32_t node);

/* 0..1: half for the element itself, half for the elements around it. */
double place_similarity(const struct place *a, const struct place *b);

#endif
