/* crawl/host.h - converts the host of a URL to canonical form. */
#ifndef CRAWL_HOST_H
#define CRAWL_HOST_H

#include "base/error.h"
#include "crawl/percent.h"

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

#endif
