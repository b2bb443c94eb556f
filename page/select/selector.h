/*
 * page/select/selector.h - CSS selectors over a flat page.
 *
 * Beside XPath (page/select/xpath.h), because every extraction may have some
 * (what to include, what to leave out) and a search for the successor of a lost
 * element tries hundreds on a page: they must be linear, have no limit below
 * those of a page, and never give up. A translation to XPath for libxml2
 * (page/select/css_xpath.h) would be none of that.
 *
 * Source: Selectors Level 3 (W3C, 2018). What is there: lists with commas; type
 * and *; .class, #id; [a], [a=v], [a~=v], [a|=v], [a^=v], [a$=v], [a*=v];
 * :first-child, :last-child, :nth-child(an+b), :first-of-type,
 * :nth-of-type(an+b), :not(one simple selector); descendants, >, +, ~; escapes.
 * Names of tags and attributes are matched in any case, as HTML has them,
 * everything else exactly.
 */
#ifndef PAGE_SELECT_SELECTOR_H
#define PAGE_SELECT_SELECTOR_H

#include <stdbool.h>

#include "store/limit.h"

struct arena;
struct page;
struct selector;

enum {
	MAX_SELECTOR_BYTES = LIMIT(4096, 1024),
	MAX_SELECTOR_PARTS = 64, /* "ul > li.a, h2" has three */
};

/*
 * Compile `text`; the selector belongs to `arena` and points to nothing else.
 * NULL, with an English phrase in `error_out` [256] that names the position of
 * the byte (from 1), when it is wrong or not supported.
 */
const struct selector *selector_compile(struct arena *arena, const char *text,
					char *error_out);

/*
 * Which elements it selects: [page->node_count], owned by `arena`. One pass:
 * linear in the page times the simple selectors. Five bytes a node; constant
 * stack.
 */
const bool *selector_match(const struct selector *selector,
			   const struct page *page, struct arena *arena);

#endif
