/* crawl/url/url.h - URLs and their canonical form. */
#ifndef CRAWL_URL_URL_H
#define CRAWL_URL_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/error.h"
#include "store/limit.h"
#include "store/slice.h"

enum { MAX_URL_BYTES = LIMIT(2083, 512), MAX_HOST_BYTES = 262 };

/* Redirects in a row that lead to a page; browsers follow 20. */
enum { MAX_REDIRECTS = 10 };

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
 * scheme is then taken as http://) and make it canonical as the WHATWG URL
 * standard does, as browsers do: mistakes in links are corrected (blanks
 * around, line ends inside, '\' for '/'), scheme and host in lower case, IDNA
 * to ASCII, odd addresses spelled out, default port dropped, dot segments
 * resolved, an empty path made "/"; a trailing slash is never added to or
 * stripped from a path. Unlike the standard, so that one page has one key: no
 * fragment, no user and password (which a page could choose), no '?' with
 * nothing behind it, no final dot of the host, and percent-encoding in one form
 * (crawl/url/percent.h); and a host that cannot be in the DNS is refused. The
 * canonical form of a canonical form is itself. ERR_MALFORMED, ERR_REFUSED
 * (another scheme), ERR_TOO_LARGE.
 *
 * libcurl's URL API (7.88) differs from the standard in hosts
 * (crawl/url/host.h) and paths (it makes /b/x of .//x), and is several times
 * slower; the fuzzer compares the two on dot segments.
 */
enum error url_parse(struct url *url_out, struct slice reference,
		     const struct url *base);

/*
 * The origin of a canonical URL: its scheme://host[:port], which points into
 * it. Credentials belong to it (RFC 6454).
 */
struct slice url_origin(struct slice canonical);

/* The base of a page's links: `base_href` of the page against its own URL. */
struct url url_base(const struct url *page, struct slice base_href);

#endif
