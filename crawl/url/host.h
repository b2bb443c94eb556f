/* crawl/url/host.h - converts the host of a URL to canonical form. */
#ifndef CRAWL_URL_HOST_H
#define CRAWL_URL_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "crawl/url/url.h"
#include "crawl/url/url_pattern.h"

/*
 * Write the canonical form of `authority`, which is a host with an optional
 * port, to `out`. Do the same as the host parser of the WHATWG URL standard
 * (3.5): decode escapes, convert the host to lower case and by IDNA to ASCII,
 * write all spellings of an IPv4 address as four decimal numbers and an IPv6
 * address compressed in brackets, and omit the port if it is `default_port`.
 * There are two deliberate differences. One dot at the end is dropped. Port 0
 * and names that cannot exist in the DNS are ERR_MALFORMED: a name has at most
 * 253 bytes, in labels of 1 to 63 letters, digits, '-' and '_'. ERR_TOO_LARGE
 * if the result does not fit. libcurl 7.88 cannot be used instead: it writes
 * ::ffff:1.2.3.4, does not recognise addresses that are escaped, end in a dot
 * or are only "0x", and its IDNA depends on the locale.
 */
enum error host_canonical(struct slice authority, unsigned default_port,
			  struct bounded *out);

/*
 * A list of hosts such as "example.org" and "*.example.org", where '*' matches
 * any characters. Pure.
 */

enum { MAX_HOST_GLOBS = 64 };

struct host_globs {
	struct pattern patterns[MAX_HOST_GLOBS]; /* [count] */
	struct slice texts[MAX_HOST_GLOBS];      /* [count], in canonical form:
						    letters, digits and "-._:[]*" */
	size_t count;
	struct arena *arena;
};

/*
 * Add a host, with its port if that is not the default port. It may have any
 * form that url_parse() accepts; but if it contains '*', it must be canonical
 * except for upper case. Return false and change nothing if it is invalid or
 * the list is full.
 */
bool host_globs_add(struct host_globs *globs, struct slice text);

/*
 * Return whether an entry of the list matches `host`, a canonical host (struct
 * url). O(host + entry) for each entry, however many '*' it has.
 */
bool host_globs_match(const struct host_globs *globs, struct slice host);

void host_globs_free(struct host_globs *globs);

#endif
