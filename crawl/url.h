/* crawl/url.h - URLs and their canonical form. */
#ifndef CRAWL_URL_H
#define CRAWL_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/slice.h"

enum { MAX_URL_BYTES = LIMIT(2083, 512), MAX_HOST_BYTES = 262 };

/*
 * Maximum number of consecutive redirects that lead to a page; browsers follow
 * 20.
 */
enum { MAX_REDIRECTS = 10 };

/* The parts of a canonical http or https URL. Plain data, safe to copy. */
struct url {
	char text[MAX_URL_BYTES + 1]; /* the whole URL, without fragment */
	char authority[MAX_HOST_BYTES + 8 + 1]; /* scheme://host[:port] */
	char host[MAX_HOST_BYTES +
		  1];  /* host[:port]; the port only if it is not the scheme's
			  default: HOST in HOST/N */
	uint16_t path; /* index of the path in `text` */
	bool is_https;
};

/*
 * Resolve `reference` against `base` (NULL: it must be absolute; a missing
 * scheme is then http://) and convert it to canonical form as the WHATWG URL
 * standard and browsers do: correct mistakes in links (blanks around, line ends
 * inside, '\' for '/'), convert scheme and host to lower case and IDNA to
 * ASCII, normalise odd addresses, drop the default port, resolve dot segments,
 * and replace an empty path with "/"; never add or remove a trailing slash of a
 * path. Unlike the standard, so that one page has one key: no fragment, no user
 * and password (which a page could choose), no '?' with an empty query, no
 * final dot of the host, and percent-encoding in one form
 * (crawl/percent.h); and a host that cannot exist in the DNS is refused.
 * The canonical form of a canonical form is itself. ERR_MALFORMED,
 * ERR_ADDRESS_FORBIDDEN (another scheme), ERR_TOO_LARGE.
 *
 * libcurl's URL API (7.88) differs from the standard in hosts
 * (crawl/host.h) and paths (it makes /b/x of .//x), and is several times
 * slower; the fuzzer compares the two on dot segments.
 */
enum error url_parse(struct url *url_out, struct slice reference,
		     const struct url *base);

/*
 * Return the origin of a canonical URL, its scheme://host[:port]; it points
 * into the URL. Credentials belong to an origin (RFC 6454).
 */
struct slice url_origin(struct slice canonical);

/*
 * Return the base of a page's links: its `base_href` resolved against its own
 * URL.
 */
struct url url_base(const struct url *page, struct slice base_href);

#endif
