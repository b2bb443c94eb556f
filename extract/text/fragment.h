/*
 * extract/text/fragment.h - fragments, the pieces of text whose document
 * frequencies are counted. A fragment is one text node with collapsed and
 * trimmed white space (Gottron 2008, section 6).
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
 * Return the distinct fragments in ascending order of hashes, and write their
 * number to *count_out. Each has the length and flags of its first occurrence.
 * They belong to `arena`.
 */
const struct fragment *fragments_distinct(struct arena *arena,
					  const struct fragment *fragments,
					  uint32_t count, uint32_t *count_out);

/*
 * The DOM path of an element, as a hash. It is the same on all pages of a
 * template, so that a model that is built from some pages applies to the
 * others.
 */

/*
 * Return for each element the step from its parent to it: [page->node_count],
 * owned by `arena`. A step is the hash of the tag name and, if with_class, of
 * the names in the class attribute. The order of the names does not matter.
 * Digits (post-4711 is the same as post-) and bytes after the first 64 of a
 * name are left out. The classes of html and body are ignored, because they
 * change from page to page. Linear.
 */
const uint64_t *node_steps(struct arena *arena, const struct page *page,
			   bool with_class);

/*
 * Return for each element its path from the root: [page->node_count], owned by
 * `arena`. A path is the hash of all steps on it, as in node_steps(). It is
 * never 0. Linear.
 */
const uint64_t *node_paths(struct arena *arena, const struct page *page,
			   bool with_class);

/*
 * Return a 64-bit hash that is similar for similar texts. Divide UTF-8 text
 * into words with word_next(), with ASCII letters in lower case, and hash each
 * word with hash64(). Then combine the hashes of every three consecutive words
 * with hash_chain(); a text of fewer than three words has one combined hash of
 * all its words. Bit i of the result is 1 if bit i is 1 in more than half of
 * the combined hashes. The result is 0 for a text without words.
 *
 * Measured on 290 pages of 100 words and more: one changed word changed at most
 * 8 bits. One changed word in every hundred changed at most 15 bits, and at
 * most 8 bits on 96 % of the pages. The hashes of texts of two different pages
 * differed in at least 16 bits. The values are stored, so the function must
 * never change. Linear.
 *
 * Source: Charikar, Similarity Estimation Techniques from Rounding Algorithms,
 * STOC 2002, section 3. The number of different bits as a distance is from
 * Manku et al., Detecting Near-Duplicates for Web Crawling, WWW 2007.
 */
uint64_t simhash(struct slice text);

#endif
