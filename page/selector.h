/*
 * page/selector.h - CSS selectors for a page. Matching is linear and works on
 * all pages, up to the limits of struct page_limits, because an extraction may
 * use several selectors, and the search for the successor of a lost element
 * tries hundreds.
 *
 * Source: Selectors Level 3 (W3C, 2018). Supported are lists with commas; type
 * and *; .class, #id; [a], [a=v], [a~=v], [a|=v], [a^=v], [a$=v], [a*=v];
 * :first-child, :last-child, :nth-child(an+b), :first-of-type,
 * :nth-of-type(an+b), :not(one simple selector); descendants, >, +, ~; escapes.
 * In names of tags and attributes upper and lower case are equal, as in HTML;
 * everything else must match exactly.
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
	MAX_SELECTOR_PARTS = 64, /* maximum number of compound selectors; "ul >
				    li.a, h2" has three */
};

/*
 * Compile the selector `text`; the result is in `arena`. If it is invalid or
 * not supported, write an English phrase with the position (byte, from 1) to
 * `error_out` [256] and return NULL.
 */
const struct selector *selector_compile(struct arena *arena, const char *text,
					char *error_out);

/*
 * Return for each node [page->node_count] whether the selector selects it, in
 * `arena`. Linear in the size of the page times the number of simple selectors.
 */
const bool *selector_match(const struct selector *selector,
			   const struct page *page, struct arena *arena);

/*
 * Write an error of the selector `text` to `error_out` [256], as "at byte 7:
 * WHAT" or "at the end: WHAT".
 */
void selector_write_error(const char *text, const char *at, const char *what,
			  char *error_out);

enum { ELEMENT_VALUE_BYTES = 256 };

/*
 * Write the value of an element, followed by a NUL, to `out` and return its
 * length. The value is the text of the element with collapsed white space;
 * texts are separated by a space if white space or the boundary of a block is
 * between them. If there is no text, it is the first of the attributes content,
 * alt, title, value, datetime, src and href. It is truncated to
 * ELEMENT_VALUE_BYTES at the end of a character.
 */
size_t element_value(const struct page *page, uint32_t node,
		     char out[ELEMENT_VALUE_BYTES + 1]);

/*
 * Append the text of an element as in element_value(), but up to `max` bytes.
 */
void element_text(const struct page *page, uint32_t node, size_t max,
		  struct buffer *out);

/*
 * Copy `text` to `out` with collapsed white space, truncated as in
 * element_value(); return the length.
 */
size_t element_cut(struct slice text, char out[ELEMENT_VALUE_BYTES + 1]);

/*
 * Append the path from the root to the element in CSS syntax, for example
 * "html>body>div#main>h1.title.big". The part for each element is truncated to
 * 128 bytes. A path of more than 40 elements begins with the 40th from the end.
 */
void element_path(const struct page *page, uint32_t node, struct buffer *out);

/* Append `name`, with escapes if CSS requires them. */
void element_escape(struct slice name, struct buffer *out);

enum test_kind {
	TEST_ANY,
	TEST_TYPE,
	TEST_EXISTS, /* the attribute exists; the following tests compare its
			value */
	TEST_EQUALS,
	TEST_WORD, /* equals one word of the value */
	TEST_DASH, /* the value equals, or begins with it and a "-" */
	TEST_PREFIX,
	TEST_SUFFIX,
	TEST_PART,
	TEST_LAST_CHILD,
	TEST_NTH_CHILD, /* the number is `step` * n + `offset` for an n >= 0 */
	TEST_NTH_OF_TYPE,
};

/* A simple selector: a single test of an element. */
struct test {
	enum test_kind kind;
	bool is_negated;
	uint16_t tag; /* for TEST_TYPE; if it is TAG_COUNT, compare `name` */
	const char *name;
	struct slice value;
	int32_t step;
	int32_t offset;
};

/* The combinator between a compound selector and the one before it. */
enum combinator {
	COMBINE_NONE, /* the compound selector is the first one */
	COMBINE_DESCENDANT,
	COMBINE_CHILD,
	COMBINE_NEXT,  /* "+": the next sibling */
	COMBINE_LATER, /* "~": a later sibling */
};

/* A compound selector, and the combinator before it. */
struct selector_part {
	enum combinator combinator;
	/* [test_count]; an element must pass all of them */
	const struct test *tests;
	size_t test_count;
};

struct selector {
	/* the parts of all selectors in the list, one after another */
	struct selector_part parts[MAX_SELECTOR_PARTS];
	size_t part_count;
	uint64_t last; /* bits of the parts that are the last ones of their
			  selectors */
};

#endif
