/* crawl/url.h - one canonical form for every address. */
#ifndef CRAWL_URL_H
#define CRAWL_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/error.h"
#include "store/slice.h"

enum { MAX_URL_BYTES = 2083, MAX_HOST_BYTES = 262 };

/* A canonical http or https URL, taken apart. Plain data, safe to copy. */
struct url {
	char text[MAX_URL_BYTES + 1];           /* whole, without fragment */
	char authority[MAX_HOST_BYTES + 8 + 1]; /* scheme://host[:port] */
	char host[MAX_HOST_BYTES + 1]; /* host[:port]; the port only when it is
					  not the scheme's: HOST in HOST/N */
	uint16_t path;                 /* where in `text` the path begins */
	bool is_https;
};

/*
 * Resolve `reference` against `base` (NULL: it must be absolute; a missing
 * scheme is then taken as http://) and make it canonical: lower-case scheme and
 * host, IDNA to ASCII, default port dropped, dot segments resolved, fragment
 * dropped, percent-encoding normalised, an empty path made "/". A trailing
 * slash is never added to or stripped from a path; an empty query is dropped.
 * User and password are dropped. What browsers mend in links (blanks around,
 * line ends inside, '\' for '/') is mended. ERR_MALFORMED, ERR_REFUSED (another
 * scheme), ERR_TOO_LARGE.
 */
enum error url_parse(struct url *url_out, struct slice reference,
		     const struct url *base);

/* The base of a page's links: `base_href` of the page against its own URL. */
struct url url_base(const struct url *page, struct slice base_href);

#endif
