/*
 * page/selector.h - CSS selectors over a flat page: linear, with no limit below
 * the limits of a page, because an extraction may use several, and the search
 * for the successor of a lost element tries hundreds.
 *
 * Source: Selectors Level 3 (W3C, 2018). Supported: lists with commas; type and
 * *; .class, #id; [a], [a=v], [a~=v], [a|=v], [a^=v], [a$=v], [a*=v];
 * :first-child, :last-child, :nth-child(an+b), :first-of-type,
 * :nth-of-type(an+b), :not(one simple selector); descendants, >, +, ~; escapes.
 * Names of tags and attributes match in any case, as in HTML, everything else
 * exactly.
 */
#ifndef PAGE_SELECTOR_H
#define PAGE_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/limit.h"
#include "page/page.h"

struct arena;
struct selector;

enum {
	MAX_SELECTOR_BYTES = LIMIT(4096, 1024),
	MAX_SELECTOR_PARTS = 64, /* "ul > li.a, h2" has three */
};

/*
 * Compile `text` into `arena`. Return NULL, with an English phrase in
 * `error_out` [256] that names the position (byte, from 1), if `text` is wrong
 * or not supported.
 */
const struct selector *selector_compile(struct arena *arena, const char *text,
					char *error_out);

/*
 * Return for each node whether the selector selects it: [page->node_count], in
 * `arena`. Linear in the page times the number of simple selectors.
 */
const bool *selector_match(const struct selector *selector,
			   const struct page *page, struct arena *arena);

/* Write "at byte 7: ..." or "at the end: ..." to `error_out` [256]. */
void selector_write_error(const char *text, const char *at, const char *what,
			  char *error_out);

enum { ELEMENT_VALUE_BYTES = 256 };

/*
 * Write the value of the element and a NUL to `out` and return the length: its
 * text, collapsed, or without text the first of its attributes content, alt,
 * title, value, datetime, src and href; at most ELEMENT_VALUE_BYTES, in whole
 * characters. A space separates texts if white space or a block-level boundary
 * is between them.
 */
size_t element_value(const struct page *page, uint32_t node,
		     char out[ELEMENT_VALUE_BYTES + 1]);

/* Copy `text` in the same way, collapsed and truncated. */
size_t element_cut(struct slice text, char out[ELEMENT_VALUE_BYTES + 1]);

/*
 * Append the path from the root, "html>body>div#main>h1.title.big", in CSS
 * syntax. Truncate each element to 128 bytes and deep paths to the last 40
 * elements.
 */
void element_path(const struct page *page, uint32_t node, struct buffer *out);

/* Append `name` in CSS syntax. */
void element_escape(struct slice name, struct buffer *out);

enum test_kind {
	TEST_ANY,
	TEST_TYPE,
	TEST_EXISTS, /* [name]; the following tests compare `value` */
	TEST_EQUALS,
	TEST_WORD, /* one of the words, which white space separates */
	TEST_DASH, /* the value, or the value followed by "-" */
	TEST_PREFIX,
	TEST_SUFFIX,
	TEST_PART,
	TEST_LAST_CHILD,
	TEST_NTH_CHILD, /* `step` * n + `offset`, n >= 0 */
	TEST_NTH_OF_TYPE,
};

/* A simple selector. */
struct test {
	enum test_kind kind;
	bool is_negated;
	uint16_t tag; /* TEST_TYPE; for TAG_COUNT compare `name` */
	const char *name;
	struct slice value;
	int32_t step;
	int32_t offset;
};

/* The combinator between a compound selector and the previous one. */
enum combinator {
	COMBINE_NONE, /* the compound selector is the first one */
	COMBINE_DESCENDANT,
	COMBINE_CHILD,
	COMBINE_NEXT,  /* + */
	COMBINE_LATER, /* ~ */
};

/* A compound selector. */
struct selector_part {
	enum combinator combinator;
	const struct test *tests; /* [test_count], all must hold */
	size_t test_count;
};

struct selector {
	struct selector_part parts[MAX_SELECTOR_PARTS]; /* the parts of all
						  selectors in the list */
	size_t part_count;
	uint64_t last; /* bits of the last parts of the selectors in the list */
};

#endif
