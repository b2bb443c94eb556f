/* crawl/url/url.h - URLs and their canonical form. */
#ifndef CRAWL_URL_URL_H
#define CRAWL_URL_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limit.h"

enum { MAX_URL_BYTES = LIMIT(2083, 512), MAX_HOST_BYTES = 262 };

/* Maximum number of consecutive redirects; browsers follow 20. */
enum { MAX_REDIRECTS = 10 };

/* The parts of a canonical http or https URL. Plain data, safe to copy. */
struct url {
	char text[MAX_URL_BYTES + 1]; /* the whole URL, without fragment */
	char authority[MAX_HOST_BYTES + 8 + 1]; /* scheme://host[:port] */
	char host[MAX_HOST_BYTES +
		  1];  /* host[:port]; the port only if it is not the default of
			  the scheme. HOST in HOST/N */
	uint16_t path; /* index of the path in `text` */
	bool is_https;
};

/*
 * Resolve `reference` against `base` and convert it to canonical form. If
 * `base` is NULL, the reference must be absolute, and a missing scheme means
 * http://. Mistakes in links are handled as in the WHATWG URL standard and in
 * browsers.
 *
 * The canonical form differs from the standard so that one page has only one
 * form: it has no fragment, no user and password, no '?' if the query is empty,
 * no dot at the end of the host, and percent-encoding in only one form. A host
 * that cannot exist in the DNS is refused. The canonical form of a canonical
 * URL is the same URL. ERR_MALFORMED, ERR_ADDRESS_FORBIDDEN (a scheme other
 * than http or https), ERR_TOO_LARGE.
 *
 * The URL functions of libcurl 7.88 differ from the standard in hosts
 * (crawl/url/host.h) and paths, and take several times as long.
 */
enum error url_parse(struct url *url_out, struct slice reference,
		     const struct url *base);

/*
 * Parse the URL or the host of a site, as a user writes it, without a base. A
 * word such as "foo" is ERR_MALFORMED: a host without a scheme must have a dot
 * or a port, or be localhost or an address.
 */
enum error url_parse_site(struct url *url_out, struct slice text);

/*
 * Parse the URL of a browser (ws, wss, http or https) as the URL of http or
 * https with the same server and path. ERR_ADDRESS_FORBIDDEN: another scheme;
 * other errors as of url_parse().
 */
enum error url_parse_endpoint(struct url *url_out, const char *text);

/*
 * Append the user and the password of a URL, decoded, as "user:password";
 * append nothing if it has none. Return false if they cannot be sent as Basic
 * credentials (RFC 7617): the user is empty or has a colon, there is a control
 * character, or they have over 512 bytes.
 */
enum { MAX_CREDENTIALS = 512 };
bool url_credentials(struct slice text, struct buffer *out);

/*
 * Return the scheme://host[:port] of a canonical URL. The result points into
 * `canonical`.
 */
struct slice url_origin(struct slice canonical);

/*
 * Return the base URL for the links of a page: `base_href`, the address in its
 * base element, resolved against the URL of the page.
 */
struct url url_base(const struct url *page, struct slice base_href);

/*
 * The names of query parameters that well-known trackers and sessions use. They
 * are separated by blanks or commas. A '*' at the end of a name matches any
 * rest. Upper and lower case are equal.
 */
extern const char parameters_default[];

/*
 * Append the names in `text` to `out`. The word "common" is replaced by
 * parameters_default.
 */
void parameters_expand(struct slice text, struct buffer *out);

/*
 * Remove the parameters with the names in `names` from the query of a canonical
 * URL, and ";name=..." with such a name from its path. The other parameters are
 * not changed. If the query becomes empty, remove its '?'. Return false if
 * nothing has changed.
 */
bool parameters_drop(struct url *url, struct slice names);

/* Percent-encoding (RFC 3986, 2.1), in one canonical form. */

/* Text in memory of a fixed size. */
struct bounded {
	char *data;
	size_t size;
	size_t capacity;
	bool is_cut; /* text was dropped because it did not fit */
};

void bounded_put(struct bounded *out, char byte);
void bounded_put_slice(struct bounded *out, struct slice text);
struct slice bounded_slice(const struct bounded *out);

/*
 * Return whether the byte is a letter, a digit or one of "-._~". These are
 * never encoded (RFC 3986, 2.3).
 */
bool percent_is_unreserved(unsigned char byte);

/*
 * Append `text`. Encode all bytes except unreserved ones and those in `kept`.
 */
void percent_append(struct buffer *out, struct slice text, const char *kept);

/*
 * Decode the escapes in `text` and write it to `out`. A '%' that begins no
 * escape is copied.
 */
void percent_decode(struct slice text, struct bounded *out);

/* Write `byte` as %XX. */
void percent_put(struct bounded *out, unsigned char byte);

/*
 * Write `text` (a path, a query or both) in canonical form. Escapes of
 * unreserved characters are decoded; other escapes have upper-case digits.
 * Reserved characters are not encoded, unless they are in `special`. All other
 * bytes are encoded, and so is a '%' that begins no escape.
 */
void percent_normalize(struct slice text, const char *special,
		       struct bounded *out);

/*
 * The kind of a part of a URL, according to its form. A part is a segment of a
 * path, or the name or value of a parameter. Pure, linear.
 */

enum url_kind {
	URL_NOTHING,    /* the part is empty */
	URL_NUMBER,     /* digits, possibly in groups: 12, 1.2.3 */
	URL_DATE,       /* 2024-05-14, 2024-05, 14.5.2024, 20240514 */
	URL_IDENTIFIER, /* at least 8 hexadecimal digits, a UUID, or alternating
			   letters and digits */
	URL_WORD,       /* anything else; words of any language */
};

enum url_kind url_kind_of(struct slice text);

/*
 * Return the notation of the kind in patterns: "", "{n}", "{date}", "{id}" or
 * "{w}".
 */
const char *url_kind_text(enum url_kind kind);

/*
 * Return whether the word may be a name and not a sentence: it has at most 32
 * bytes and two hyphens, and nothing in it is percent-encoded.
 */
bool url_is_name(struct slice word);

#endif
