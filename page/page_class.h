/*
 * page/page_class.h - what a page is, or is instead of a page: only pages are
 * learned from (FIELD.md, A 3). Judged by the page alone: its structure and
 * few words of the languages that the web speaks; soft 404s, which need a page
 * of the same site to compare with, are found elsewhere
 * (daemon/engine/soft_404.h).
 */
#ifndef PAGE_PAGE_CLASS_H
#define PAGE_PAGE_CLASS_H

#include <stdbool.h>
#include <stdint.h>

struct page;

/* The numbers are stored. */
#define PAGE_CLASS_LIST(X)                                                     \
	X(CLASS_PAGE, 0, "page")                                               \
	X(CLASS_ERROR, 1,                                                      \
	  "error") /* the server's error page, with 200, too */                \
	X(CLASS_SOFT_404, 2, "soft-404")   /* what is not there answers 200 */ \
	X(CLASS_CHALLENGE, 3, "challenge") /* prove that you are human */      \
	X(CLASS_CONSENT, 4, "consent")     /* agree before you see it */       \
	X(CLASS_STUB, 5, "stub") /* a redirect in HTML: meta refresh */        \
	X(CLASS_TRUNCATED, 6,                                                  \
	  "truncated")                   /* cut: by a limit, or on the way */  \
	X(CLASS_NOT_HTML, 7, "not-html") /* text, JSON, XML: no tag of HTML */ \
	X(CLASS_EMPTY, 8, "empty")       /* no text at all */

enum page_class {
#define X(name, value, text) name = (value),
	PAGE_CLASS_LIST(X)
#undef X
		PAGE_CLASS_COUNT = 9
};

/* "page", "soft-404", ...; "unknown" for other numbers. */
const char *page_class_name(unsigned page_class);

/*
 * The first that holds: `http_status` of 400 or more (0: not known) is an error
 * at once; `is_cut` (the body stops before its end), page->is_truncated, or a
 * source that ends inside a tag, a comment or a script; no HTML; a challenge,
 * a gate that asks for consent, a stub (its target is in page->links, as
 * LINK_IS_REFRESH: when that is the page itself, it is none), an error by its
 * words; no text. CLASS_SOFT_404 is not found here. All that are judged by
 * what they say have little text, so that a page is not taken for one that
 * quotes it. Linear, constant stack.
 */
enum page_class page_class_of(const struct page *page, unsigned http_status,
			      bool is_cut);

/* Is the element one of the page's own, with a "-" in its name? */
bool page_has_own_tag(const struct page *page, uint32_t node);

#endif
