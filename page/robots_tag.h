/*
 * page/robots_tag.h - parses X-Robots-Tag headers and robots meta elements
 * (Google's specification of the robots meta tag). It also has functions that
 * split these headers and robots.txt into words. Pure.
 */
#ifndef PAGE_ROBOTS_TAG_H
#define PAGE_ROBOTS_TAG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/* The product token of our crawler, also for robots.txt. */
#define ROBOTS_AGENT "templated"

enum {
	ROBOTS_TAG_NOFOLLOW = 1, /* for "nofollow" and "none" */
	ROBOTS_TAG_NOINDEX = 2,  /* for "noindex" and "none" */
};

/*
 * Return the ROBOTS_TAG_* flags of one X-Robots-Tag header. The rules without
 * an agent count, and those for the product token `agent` ("templated:
 * nofollow"). Rules for other agents and unknown words are ignored. If there
 * are several headers, combine the results by OR.
 */
unsigned robots_tag_parse(struct slice value, const char *agent);

/*
 * Return `text` without its first `count` bytes; `count` must be at most
 * text.size.
 */
struct slice word_skip(struct slice text, size_t count);

/* Return the index of the first `byte`; text.size if none exists. */
size_t word_find(struct slice text, char byte);

/*
 * Return the index of the first blank (space, tab, VT or FF); text.size if none
 * exists.
 */
size_t word_find_blank(struct slice text);

/* Return `text` without blanks at both ends. */
struct slice word_trim(struct slice text);

/*
 * word_is() returns whether `text` equals `word`; word_begins_with() returns
 * whether it begins with `word`. Upper and lower case of ASCII letters are
 * equal.
 */
bool word_is(struct slice text, const char *word);
bool word_begins_with(struct slice text, const char *word);

/*
 * Return the product token at the beginning of `agent`: letters, '-' and '_',
 * without version and comment (RFC 9309, 2.2.1). It may be empty.
 */
struct slice word_product(struct slice agent);

#endif
