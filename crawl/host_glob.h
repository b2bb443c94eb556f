/*
 * crawl/host_glob.h - a list of hosts where '*' matches any characters,
 * such as "example.org" and "*.example.org". Pure.
 */
#ifndef CRAWL_HOST_GLOB_H
#define CRAWL_HOST_GLOB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "crawl/pattern.h"
#include "crawl/url.h"

enum { MAX_HOST_GLOBS = 64 };

struct host_globs {
	struct pattern patterns[MAX_HOST_GLOBS]; /* [count] */
	struct slice texts[MAX_HOST_GLOBS]; /* [count] canonical form: letters,
					       digits and "-._:[]*" */
	size_t count;
	struct arena *arena;
};

/*
 * Add a host, with its port if that is not the default, in any form that
 * url_parse() accepts; a host with '*' must be canonical except for upper case.
 * Return false and change nothing if it is invalid or the list is full.
 */
bool host_globs_add(struct host_globs *globs, struct slice text);

/*
 * Return whether an entry matches the canonical host `host` (struct url).
 * O(host + glob) for each glob, whatever its stars.
 */
bool host_globs_match(const struct host_globs *globs, struct slice host);

void host_globs_free(struct host_globs *globs);

#endif
