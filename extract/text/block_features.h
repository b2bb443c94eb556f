/*
 * extract/text/block_features.h - the blocks of a page as feature vectors, for
 * comparison with the blocks of other pages (Debnath, Mitra, Pal and Giles,
 * TKDE 2005): one coordinate for every word, and one each for the images, the
 * scripts and the links.
 */
#ifndef EXTRACT_TEXT_BLOCK_FEATURES_H
#define EXTRACT_TEXT_BLOCK_FEATURES_H

#include <stdint.h>

#include "extract/text/block.h"

struct arena;
struct page;
struct term_list;

struct feature {
	uint32_t name;  /* half of the word's hash */
	uint32_t count; /* 1.. */
};

struct feature_vector {
	const struct feature *features; /* [count], ascending by name */
	uint32_t count;
	float norm;    /* Euclidean length */
	uint64_t hash; /* equal for equal features */
};

/*
 * Return the vectors of the blocks' own texts and elements: [tree->count], in
 * `arena`. O(n log n) for n words.
 */
const struct feature_vector *block_features(struct arena *arena,
					    const struct page *page,
					    const struct block_tree *tree,
					    const struct term_list *list);

/* Return the cosine of the angle, in [0, 1]; 0 if a vector is empty. Linear. */
float feature_cosine(const struct feature_vector *a,
		     const struct feature_vector *b);

enum { MIN_HASHES = 4 };

/*
 * Compute min-hashes: two vectors whose names have the Jaccard similarity J
 * agree in each hash with probability J (Broder 1997). Linear.
 */
void feature_min_hashes(const struct feature_vector *vector,
			uint64_t out[MIN_HASHES]);

#endif
