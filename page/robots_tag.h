/*
 * page/robots_tag.h - what X-Robots-Tag headers and robots metas say to a
 * crawler (Google's robots meta tag specification). Pure.
 */
#ifndef PAGE_ROBOTS_TAG_H
#define PAGE_ROBOTS_TAG_H

#include "store/slice.h"

/* Our product token, in robots.txt as well. */
#define ROBOTS_AGENT "templated"

enum {
	ROBOTS_TAG_NOFOLLOW = 1, /* also "none" */
	ROBOTS_TAG_NOINDEX = 2,  /* also "none" */
};

/*
 * The rules of one X-Robots-Tag value for the product token `agent`: rules
 * without an agent and those of our agent ("templated: nofollow"); rules for
 * others are ignored, and so are words that are not known. May be called for
 * each header; the results are or-ed.
 */
unsigned robots_tag_parse(struct slice value, const char *agent);

#endif
