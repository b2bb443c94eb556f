/* extract/text/term.h - the words of a page as hashes, for counting. */
#ifndef EXTRACT_TEXT_TERM_H
#define EXTRACT_TEXT_TERM_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct page;

struct term_list {
	const uint64_t *terms; /* hashes of the terms; text i has */
	const uint32_t
		*begin; /* [text_count + 1]: begin[i]..begin[i + 1] - 1 */
};

/*
 * Return the words (as in extract/text/word.h) of the page's visible texts,
 * without ASCII punctuation around them, ASCII letters in lower case.
 * Everything belongs to `arena`. Linear, 6 bytes a byte of text.
 */
struct term_list terms_of_page(struct arena *arena, const struct page *page,
			       const bool *is_visible);

#endif
