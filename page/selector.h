/*
 * page/selector.h - CSS selectors over a flat page.
 *
 * They exist in addition to XPath (page/xpath.h), because an extraction
 * may use several (elements to include or exclude), and a search for the
 * successor of a lost element tries hundreds on a page. So they must be linear,
 * have no limit below the limits of a page, and never stop early. A translation
 * to XPath for libxml2 (page/css_xpath.h) would do none of this.
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

#include "base/limit.h"

struct arena;
struct page;
struct selector;

enum {
	MAX_SELECTOR_BYTES = LIMIT(4096, 1024),
	MAX_SELECTOR_PARTS = 64, /* "ul > li.a, h2" has three */
};

/*
 * Compile `text`. The selector belongs to `arena` and has no other pointers.
 * Return NULL, with an English phrase in `error_out` [256] that names the
 * position (byte, from 1), if `text` is wrong or not supported.
 */
const struct selector *selector_compile(struct arena *arena, const char *text,
					char *error_out);

/*
 * Return for each node whether the selector selects it: [page->node_count],
 * owned by `arena`. One pass, linear in the page times the number of simple
 * selectors. Five bytes per node; constant stack.
 */
const bool *selector_match(const struct selector *selector,
			   const struct page *page, struct arena *arena);

#endif
