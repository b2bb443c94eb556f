/*
 * crawl/reference.h - splits a link, as written in a page, into its parts.
 */
#ifndef CRAWL_REFERENCE_H
#define CRAWL_REFERENCE_H

#include <stdbool.h>

#include "base/error.h"
#include "crawl/percent.h"

struct url;

struct url_reference {
	bool is_relative; /* without an authority */
	bool is_https;
	struct slice authority; /* without user and password */
	struct slice rest;      /* path and query */
};

/*
 * Repair `text` as browsers read an attribute (WHATWG URL, basic URL parser):
 * trim controls and spaces around it, drop tabs and line ends inside and the
 * fragment, and replace '\' before the query with '/'. Return a slice of
 * `text`, or of `room` if something inside had to be repaired; truncated if
 * `room` is full.
 */
struct slice reference_repair(struct slice text, struct bounded *room);

/*
 * Split the repaired `text`, which must be absolute if `base` is NULL; the
 * slices point into it. ERR_MALFORMED, ERR_ADDRESS_FORBIDDEN (a scheme other
 * than http or https).
 */
enum error reference_split(struct slice text, const struct url *base,
			   struct url_reference *reference_out);

#endif
