/*
 * page/robots_tag.h - parses X-Robots-Tag headers and robots metas (Google's
 * robots meta tag specification), and splits robots.txt and these headers into
 * words. Pure.
 */
#ifndef PAGE_ROBOTS_TAG_H
#define PAGE_ROBOTS_TAG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/* Our product token, also in robots.txt. */
#define ROBOTS_AGENT "templated"

enum {
	ROBOTS_TAG_NOFOLLOW = 1, /* also "none" */
	ROBOTS_TAG_NOINDEX = 2,  /* also "none" */
};

/*
 * Return the rules of one X-Robots-Tag value for the product token `agent`: the
 * rules without an agent and those for our agent ("templated: nofollow").
 * Ignore the rules for other agents, and unknown words. Call it for each header
 * and OR the results.
 */
unsigned robots_tag_parse(struct slice value, const char *agent);

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
