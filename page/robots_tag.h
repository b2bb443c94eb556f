/*
 * page/robots_tag.h - parses X-Robots-Tag headers and robots metas (Google's
 * robots meta tag specification). Pure.
 */
#ifndef PAGE_ROBOTS_TAG_H
#define PAGE_ROBOTS_TAG_H

#include "base/slice.h"

/* Our product token, also in robots.txt. */
#define ROBOTS_AGENT "templated"

enum {
	ROBOTS_TAG_NOFOLLOW = 1, /* also "none" */
	ROBOTS_TAG_NOINDEX = 2,  /* also "none" */
};

/*
 * Return the rules of one X-Robots-Tag value for the product token `agent`: the
 * rules without an agent and those for our agent ("templated: nofollow").
 * Ignore the rules for other agents, and unknown words. Call it for each header
 * and OR the results.
 */
unsigned robots_tag_parse(struct slice value, const char *agent);

#endif
