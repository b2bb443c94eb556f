/* crawl/host.h - the host of a URL in canonical form. */
#ifndef CRAWL_HOST_H
#define CRAWL_HOST_H

#include "crawl/percent.h"
#include "store/error.h"

/*
 * Write the canonical form of `authority` (the host with an optional port and
 * nothing else) to `out`: lower case, IDNA to ASCII, odd spellings of IPv4 as
 * dotted quads, IPv6 in brackets and compressed, one final dot dropped, the
 * port `default_port` dropped. ERR_MALFORMED: a host that could be no name in
 * the DNS, a number that is no address, a zone, port 0; ERR_TOO_LARGE when it
 * does not fit.
 */
enum error host_canonical(struct slice authority, unsigned default_port,
			  struct bounded *out);

#endif
