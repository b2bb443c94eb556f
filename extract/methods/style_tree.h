/*
 * extract/methods/style_tree.h - the site style tree of Yi, Liu and Li, KDD
 * 2003: the trees of the pages of a site merged into one, and the importance of
 * each place in it.
 *
 * The source's element node is a place in one sequence of children, so that an
 * additional banner makes all its siblings different. Here it is a path of
 * steps, each with its number among the siblings of the same tag and class, and
 * a text is a leaf below its element. So a page has every place at most once.
 */
#ifndef EXTRACT_METHODS_STYLE_TREE_H
#define EXTRACT_METHODS_STYLE_TREE_H

#include <stdint.h>

#include "extract/core/extractor.h"
#include "extract/core/hash_table.h"

struct arena;
struct page;

/* The places of a page's elements and texts in the style tree. */
struct page_places {
	uint64_t *nodes;    /* [node_count] hashes */
	uint64_t *texts;    /* [text_count] */
	uint64_t *styles;   /* [node_count] hash of the sequence of children */
	uint32_t *children; /* [node_count] */
};

/* Compute the places. In `arena`. Linear. */
struct page_places style_tree_places(struct arena *arena,
				     const struct page *page);

/* The importance of an element, or of a text outside of any element. */
struct importance {
	uint64_t key;    /* key of its place */
	float composite; /* in [0, 1]; 1 if only one page has it */
	uint32_t pages;  /* pages of the sample that have it */
};

/*
 * Return a table of struct importance, in `arena`: the composite importance of
 * all places of the sample. `attenuation` is the source's gamma, in [0, 1].
 * Linear in the sample.
 */
struct hash_table style_tree_rate(struct arena *arena,
				  const struct sample *sample,
				  double attenuation);

#endif
