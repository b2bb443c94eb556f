/*
 * extract/auto/repetition.h - counts repetitions in a page: elements of one
 * kind under the same parent, and passages on the same path.
 */
#ifndef EXTRACT_AUTO_REPETITION_H
#define EXTRACT_AUTO_REPETITION_H

#include <stdint.h>

#include "extract/core/hash_table.h"

struct arena;
struct passages;

struct repetition {
	const uint64_t *paths;    /* [node_count]: node_paths(), with classes */
	const uint32_t *siblings; /* [node_count]: repetition_siblings() */
	struct hash_table groups; /* of struct path_group, by path */
};

/* The passages of PLACE_PLAIN whose elements have the same path. */
struct path_group {
	uint64_t path; /* 0: no element */
	uint32_t passages;
	uint32_t words;
	uint32_t link_words;
	uint32_t sentence_ends; /* passages that end a sentence */
};

/*
 * Count. Everything belongs to `arena`: 12 bytes an element and at most 96 a
 * path, plus 64 an element during counting. Linear.
 */
struct repetition repetition_make(struct arena *arena,
				  const struct passages *passages);

/*
 * Return the number of children of the same parent with the tag and the classes
 * (without digits) of `node`, including `node`.
 */
static inline uint32_t repetition_siblings(const struct repetition *repetition,
					   uint32_t node)
{
	return repetition->siblings[node];
}

/*
 * Return the group of the passages in element `node` (NO_NODE: in none). O(1).
 */
struct path_group repetition_group(const struct repetition *repetition,
				   uint32_t node);

#endif
