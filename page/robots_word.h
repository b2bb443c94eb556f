/*
 * page/robots_word.h - splits robots.txt and X-Robots-Tag into words. Internal
 * to page/ and crawl/.
 */
#ifndef PAGE_ROBOTS_WORD_H
#define PAGE_ROBOTS_WORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* Return `text` without its first `count` bytes; `count` <= text.size. */
struct slice word_skip(struct slice text, size_t count);

/* Return the index of the first `byte`, or text.size if there is none. */
size_t word_find(struct slice text, char byte);

/* Return the index of the first blank (space, tab, VT or FF), or text.size. */
size_t word_find_blank(struct slice text);

/* Return `text` without blanks at both ends. */
struct slice word_trim(struct slice text);

/* Return whether `text` equals `word`, ignoring the case of ASCII letters. */
bool word_is(struct slice text, const char *word);
bool word_begins_with(struct slice text, const char *word);

/*
 * Return the product token at the beginning of `agent`: letters, '-' and '_',
 * without a version or comment (RFC 9309, 2.2.1). May be empty.
 */
struct slice word_product(struct slice agent);

#endif
