/* crawl/url/host.h - the host of a URL in canonical form. */
#ifndef CRAWL_URL_HOST_H
#define CRAWL_URL_HOST_H

#include "crawl/url/percent.h"
#include "store/error.h"

/*
 * Write the canonical form of `authority` (the host with an optional port and
 * nothing else) to `out`, as the host parser of the WHATWG URL standard does
 * (3.5): escapes decoded, lower case, IDNA to ASCII, odd spellings of IPv4 as
 * dotted quads, IPv6 in brackets and compressed; the port `default_port` is
 * dropped. Deliberate departures from the standard: one final dot is dropped,
 * and a name that could be none in the DNS (labels of 1 to 63 letters, digits,
 * '-' and '_'; 253 bytes) is ERR_MALFORMED, as is port 0. ERR_TOO_LARGE when it
 * does not fit. libcurl 7.88 cannot be used: it writes ::ffff:1.2.3.4, does not
 * recognise addresses that are escaped, end in a dot or are a bare "0x", and
 * its IDNA depends on the locale.
 */
enum error host_canonical(struct slice authority, unsigned default_port,
			  struct bounded *out);

#endif
