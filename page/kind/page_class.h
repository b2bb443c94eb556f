/*
 * page/kind/page_class.h - what a document is instead of a page: an error, a
 * challenge, a consent gate... Only real pages are learned from, because such
 * documents look alike on all sites and would become templates. The class
 * follows from the page alone, its structure and a few words in many languages;
 * soft 404s, which need another page of the site to compare with, are found by
 * daemon/engine/soft_404.h.
 */
#ifndef PAGE_KIND_PAGE_CLASS_H
#define PAGE_KIND_PAGE_CLASS_H

#include <stdbool.h>
#include <stdint.h>

struct page;

/* The numbers are stored. */
#define PAGE_CLASS_LIST(X)                                                     \
	X(CLASS_PAGE, 0, "page")                                               \
	X(CLASS_ERROR, 1, "error") /* an error page, even with status 200 */   \
	X(CLASS_SOFT_404, 2, "soft-404")   /* a missing page, with 200 */      \
	X(CLASS_CHALLENGE, 3, "challenge") /* prove that you are human */      \
	X(CLASS_CONSENT, 4, "consent")     /* consent is asked for first */    \
	X(CLASS_STUB, 5, "stub") /* a redirect in HTML: meta refresh */        \
	X(CLASS_TRUNCATED, 6, "truncated") /* cut by a limit or in transit */  \
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
 * The first class whose condition holds: `http_status` of 400 or more (0: not
 * known) is an error at once; `is_cut` (the body stops before its end),
 * page->is_truncated, or a source that ends inside a tag, a comment or a
 * script; no HTML; a challenge, a gate that asks for consent, a stub (its
 * target is in page->links, as LINK_IS_REFRESH: when that is the page itself,
 * it is none), an error by its words; no text. CLASS_SOFT_404 is not found
 * here. Classes that are recognised by their words have little text, so that a
 * page that quotes such words is not taken for one. Linear, constant stack.
 */
enum page_class page_class_of(const struct page *page, unsigned http_status,
			      bool is_cut);

/* Whether the element is a custom element: its name has a "-". */
bool page_has_own_tag(const struct page *page, uint32_t node);

#endif
