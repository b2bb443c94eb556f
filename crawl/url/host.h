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
 * Write the canonical form of `authority` (only a host with an optional port)
 * to `out`, like the host parser of the WHATWG URL standard (3.5): decode
 * escapes, convert to lower case and IDNA to ASCII, write odd spellings of IPv4
 * as dotted quads and IPv6 compressed in brackets; drop the port
 * `default_port`. Deliberate differences to the standard: drop one final dot;
 * and a name that cannot exist in the DNS (labels of 1 to 63 letters, digits,
 * '-' and '_'; 253 bytes) is ERR_MALFORMED, and so is port 0. ERR_TOO_LARGE if
 * it does not fit. libcurl 7.88 cannot be used: it writes ::ffff:1.2.3.4, does
 * not recognise addresses that are escaped, end in a dot or are a bare "0x",
 * and its IDNA depends on the locale.
 */
enum error host_canonical(struct slice authority, unsigned default_port,
			  struct bounded *out);

/*
 * A list of hosts where '*' matches any characters, such as "example.org" and
 * "*.example.org". Pure.
 */

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
