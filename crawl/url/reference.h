/* crawl/url/reference.h - a link as written in a page, split into its parts. */
#ifndef CRAWL_URL_REFERENCE_H
#define CRAWL_URL_REFERENCE_H

#include <stdbool.h>

#include "crawl/url/percent.h"
#include "store/error.h"

struct url;

struct reference {
	bool is_relative; /* without an authority */
	bool is_https;
	struct slice authority; /* without user and password */
	struct slice rest;      /* path and query */
};

/*
 * As browsers read an attribute (WHATWG URL, basic URL parser): controls and
 * spaces around it are trimmed, tabs and line ends inside dropped, '\' before
 * the query is '/'; the fragment is cut. A slice of `text`, or of `room` when
 * something inside had to be repaired; cut when `room` is full.
 */
struct slice reference_mend(struct slice text, struct bounded *room);

/*
 * Take the mended `text` apart, which is absolute when `base` is NULL; the
 * slices point into it. ERR_MALFORMED, ERR_REFUSED (a scheme that is not http
 * or https).
 */
enum error reference_split(struct slice text, const struct url *base,
			   struct reference *reference_out);

#endif
