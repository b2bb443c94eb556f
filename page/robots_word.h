/*
 * page/robots_word.h - the words of robots.txt and of X-Robots-Tag. Internal
 * to page/ and crawl/.
 */
#ifndef PAGE_ROBOTS_WORD_H
#define PAGE_ROBOTS_WORD_H

#include <stdbool.h>
#include <stddef.h>

#include "store/slice.h"

/* `text` without its first `count` bytes, which it has. */
struct slice word_skip(struct slice text, size_t count);

/* Where the first `byte` is; text.size when there is none. */
size_t word_find(struct slice text, char byte);

/* Where the first blank is: space, tab, VT or FF; text.size for none. */
size_t word_find_blank(struct slice text);

/* Without blanks at both ends. */
struct slice word_trim(struct slice text);

/* Whether `text` is `word`, in any case of ASCII letters. */
bool word_is(struct slice text, const char *word);
bool word_begins_with(struct slice text, const char *word);

/*
 * The product token that `agent` begins with: letters, '-' and '_', without a
 * version or comment (RFC 9309, 2.2.1). May be empty.
 */
struct slice word_product(struct slice agent);

#endif
