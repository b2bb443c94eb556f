/*
 * daemon/privsep/page_words.h - the words of a page, to compare a page with
 * what a browser makes of it. A worker lists the words; the daemon compares the
 * lists.
 *
 * A list has a number of 32 bits for each occurrence of a word, in host order
 * and ascending: the upper 31 bits are of the hash of the word, and the lowest
 * bit is set if the word is in the main text, as the default method finds it
 * without a template.
 */
#ifndef DAEMON_PRIVSEP_PAGE_WORDS_H
#define DAEMON_PRIVSEP_PAGE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct page;

enum {
	/* maximum number of words of a page in a list; later ones are ignored
	 */
	MAX_PAGE_WORDS = 20000,
	/*
	 * a page must be rendered if this adds at least this many words to its
	 * main text, and this percentage of the words of the main text
	 */
	RENDER_MIN_WORDS = 30,
	RENDER_MIN_PERCENT = 25,
};

/*
 * Append the list of the words of the page; its arena grows. Linear, plus the
 * time of sorting.
 */
void page_words_append(struct page *page, struct buffer *out);

/* Return whether the bytes are a list. */
bool page_words_are_sound(struct slice words);

struct words_comparison {
	uint32_t before; /* words of the main text without rendering */
	uint32_t after;  /* and of the rendered page */
	/*
	 * words of the main text of the rendered page that the other page has
	 * nowhere; each occurrence counts
	 */
	uint32_t added;
};

/* Compare the lists of a page and of the rendered page. Linear. */
struct words_comparison page_words_compare(struct slice before,
					   struct slice after);

/* Return whether pages like the compared one must be rendered. */
bool words_comparison_is_large(const struct words_comparison *comparison);

#endif
