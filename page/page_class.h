/*
 * page/page_class.h - tells real pages from errors, challenges, consent
 * gates... by their structure and a few words in many languages. Models are
 * built from real pages only, because the other documents look alike on all
 * sites. daemon/engine/engine_internal.h finds soft 404s.
 */
#ifndef PAGE_PAGE_CLASS_H
#define PAGE_PAGE_CLASS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct page;

/* The numbers are stored. */
#define PAGE_CLASS_LIST(X)                                                    \
	X(CLASS_PAGE, 0, "page")                                              \
	X(CLASS_ERROR, 1, "error") /* an error page, even with status 200 */  \
	X(CLASS_SOFT_404, 2, "soft-404") /* a missing page with status 200 */ \
	X(CLASS_CHALLENGE, 3, "challenge") /* a check for a human */          \
	X(CLASS_CONSENT, 4, "consent")     /* requests consent first */       \
	X(CLASS_STUB, 5, "stub") /* a redirect in HTML: meta refresh */       \
	X(CLASS_TRUNCATED, 6, "truncated") /* cut by a limit or in transit */ \
	X(CLASS_NOT_HTML, 7, "not-html")   /* text, JSON, XML: no HTML tag */ \
	X(CLASS_EMPTY, 8, "empty")         /* no text at all */

enum page_class {
#define X(name, value, text) name = (value),
	PAGE_CLASS_LIST(X)
#undef X
		PAGE_CLASS_COUNT = 9
};

/* Return "page", "soft-404", ...; "unknown" for other numbers. */
const char *page_class_name(unsigned page_class);

/*
 * Return the first class whose condition holds, in this order: CLASS_ERROR for
 * an `http_status` of 400 or more (0 = unknown); CLASS_TRUNCATED for `is_cut`,
 * page->is_truncated, or a source that ends inside a tag, a comment or a
 * script; no HTML; a challenge; a consent gate; a stub (a redirect to another
 * URL, in page->links); an error by its words; no text. Never CLASS_SOFT_404.
 * Classes that are recognised by words have a limit on their text, so that a
 * page that quotes them stays a page. Linear.
 */
enum page_class page_class_of(const struct page *page, unsigned http_status,
			      bool is_cut);

/* Return whether the element is a custom element: its name contains a "-". */
bool page_is_custom_element(const struct page *page, uint32_t node);

/*
 * Return the target, as written, of a script of at most 1,024 bytes that
 * redirects immediately (location = "URL", location.replace("URL"), ...);
 * {NULL, 0} if it does not, or only under a condition. Linear.
 */
struct slice script_redirect(struct slice script);

/*
 * Kinds of strings that identify documents of services and servers that replace
 * a page; long pages may quote one.
 */
enum page_marker_kind {
	MARKER_CHALLENGE = 1, /* a check for a human, or a refusal */
	MARKER_CONSENT = 2,   /* a request for consent */
	MARKER_ERROR = 4,     /* an error of a server or gateway */
};

/* Return the MARKER_* whose strings the source of a page contains. Linear. */
unsigned page_markers_find(struct slice source);

#endif
