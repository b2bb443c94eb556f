/*
 * extract/text/fragment.h - the pieces of text whose document frequencies are
 * counted: one text node each, with collapsed and trimmed white space (Gottron
 * 2008, section 6).
 */
#ifndef EXTRACT_TEXT_FRAGMENT_H
#define EXTRACT_TEXT_FRAGMENT_H

#include <stdint.h>

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

#endif
