/*
 * extract/text/fragment.h - the pieces of text whose document frequencies are
 * counted: one text node each, with collapsed and trimmed white space (Gottron
 * 2008, section 6).
 */
#ifndef EXTRACT_TEXT_FRAGMENT_H
#define EXTRACT_TEXT_FRAGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct arena;
struct page;

struct fragment {
	uint64_t hash;   /* hash64 of the collapsed text; never 0 */
	uint32_t length; /* bytes of the collapsed text */
	uint32_t flags;  /* TEXT_* of the text node */
};

/*
 * Return the fragment of every text node: [page->text_count], owned by `arena`.
 */
const struct fragment *fragments_of_page(struct arena *arena,
					 const struct page *page);

/*
 * Return the distinct fragments in ascending order of hashes, with the length
 * and flags of the first occurrence; *count_out is their number.
 */
const struct fragment *fragments_distinct(struct arena *arena,
					  const struct fragment *fragments,
					  uint32_t count, uint32_t *count_out);

/*
 * The DOM path of an element as a hash that is the same on all pages of a
 * template, so that a model built from some pages applies to the others.
 */

/*
 * Return the step from the parent to each element [page->node_count], in
 * `arena`: the hash of the tag name and, with_class, of the names in the class
 * attribute. The order of the names does not matter; digits (post-4711 is
 * post-) and bytes of a name after the first 64 are left out. html and body
 * have only the tag name: their classes change from page to page. Linear.
 */
const uint64_t *node_steps(struct arena *arena, const struct page *page,
			   bool with_class);

/*
 * Return the path from the root to each element [page->node_count], in `arena`:
 * all node_steps() on it, chained. Never 0. Linear.
 */
const uint64_t *node_paths(struct arena *arena, const struct page *page,
			   bool with_class);

/*
 * Divide UTF-8 text into words as extract/text/word.h does, with ASCII letters
 * in lower case, and hash each word (hash64). Every three consecutive words are
 * hashed together (hash_chain: the first is the seed of the second, the second
 * of the third); a text of fewer than three words has one hash of all. Bit i is
 * 1 if more of these hashes have bit i than not; 0 without a word.
 *
 * On 290 pages of 100 words and more one changed word changed 8 bits at most,
 * one changed word in a hundred 15 (on 96 of 100 pages 8), and two texts
 * differed in 16 or more. The values are stored: they must never change.
 * Linear.
 *
 * Source: Charikar, Similarity Estimation Techniques from Rounding Algorithms,
 * STOC 2002, section 3; the distance: Manku et al., Detecting Near-Duplicates
 * for Web Crawling, WWW 2007.
 */
uint64_t simhash(struct slice text);

#endif
