/*
 * page/page_class.h - distinguishes real pages from errors, challenges, consent
 * gates and others, by their structure and a few words in many languages.
 * Models are built only from real pages, because the others look similar on all
 * sites. Soft 404s are found in daemon/engine/engine_internal.h.
 */
#ifndef PAGE_PAGE_CLASS_H
#define PAGE_PAGE_CLASS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct page;

/*
 * Each row: constant, stored number, name. An error page may have status 200; a
 * soft 404 is a missing page with status 200. A challenge checks whether the
 * visitor is human; a consent gate requests consent before the content. A stub
 * is a redirect in HTML, by meta refresh or script. A truncated page is
 * incomplete because of a limit or the network. A page that is not HTML is
 * text, JSON or XML without HTML tags; an empty one has no text.
 */
#define PAGE_CLASS_LIST(X)                 \
	X(CLASS_PAGE, 0, "page")           \
	X(CLASS_ERROR, 1, "error")         \
	X(CLASS_SOFT_404, 2, "soft-404")   \
	X(CLASS_CHALLENGE, 3, "challenge") \
	X(CLASS_CONSENT, 4, "consent")     \
	X(CLASS_STUB, 5, "stub")           \
	X(CLASS_TRUNCATED, 6, "truncated") \
	X(CLASS_NOT_HTML, 7, "not-html")   \
	X(CLASS_EMPTY, 8, "empty")

enum page_class {
#define X(name, value, text) name = (value),
	PAGE_CLASS_LIST(X)
#undef X
		PAGE_CLASS_COUNT = 9
};

/* Return the name, for example "soft-404"; "unknown" for other numbers. */
const char *page_class_name(unsigned page_class);

/*
 * Return the class of a page, the first whose condition holds:
 *
 *   - CLASS_ERROR: `http_status` is 400 or more (0 = unknown);
 *   - CLASS_TRUNCATED: `is_cut` or page->is_truncated is set, or the source
 * ends within a tag, a comment or a script;
 *   - CLASS_NOT_HTML, CLASS_CHALLENGE, CLASS_CONSENT;
 *   - CLASS_STUB: page->links contains a redirect to another URL;
 *   - CLASS_ERROR by the words of the page; CLASS_EMPTY; otherwise CLASS_PAGE.
 *
 * CLASS_SOFT_404 is never returned. Classes that are recognised by words have a
 * limit for their text, so that a real page may quote these words. Linear.
 */
enum page_class page_class_of(const struct page *page, unsigned http_status,
			      bool is_cut);

/* Return whether the element is a custom element: its name contains a "-". */
bool page_is_custom_element(const struct page *page, uint32_t node);

/*
 * Return the target of a script that redirects immediately (location = "URL",
 * location.replace("URL"), ...), as in its source. Return {NULL, 0} if the
 * script does not redirect, has a condition, or has more than 1,024 bytes.
 * Linear.
 */
struct slice script_redirect(struct slice script);

/*
 * Kinds of strings that identify the documents which services and servers
 * return instead of a page. A long page may quote such a string.
 */
enum page_marker_kind {
	/* a check whether the visitor is human, or a refusal */
	MARKER_CHALLENGE = 1,
	MARKER_CONSENT = 2, /* a request for consent */
	MARKER_ERROR = 4,   /* an error of a server or gateway */
};

/*
 * Return the MARKER_* kinds of the strings that the source of a page contains.
 * Linear.
 */
unsigned page_markers_find(struct slice source);

#endif
