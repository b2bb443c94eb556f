/*
 * page/signs.h - finds strings that identify the documents of services and
 * servers that replace a page. Internal to page/.
 */
#ifndef PAGE_SIGNS_H
#define PAGE_SIGNS_H

#include "base/slice.h"

/* Long pages may quote such a string, so it alone proves nothing. */
enum page_marker_kind {
	MARKER_CHALLENGE =
		1, /* a check that the visitor is human, or a refusal */
	MARKER_CONSENT = 2, /* a request for consent */
	MARKER_ERROR = 4,   /* an error of a server or gateway */
};

/* Return the SIGN_* whose strings the source of a page contains. One pass. */
unsigned page_markers_find(struct slice source);

#endif
