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

/* Consecutive redirects that lead to a page; browsers follow 20. */
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
 * standard and browsers do, also with mistakes in links. Unlike the standard,
 * so that one page has one key: no fragment, no user and password, no '?' with
 * an empty query, no final dot of the host, and percent-encoding in one form;
 * and a host that cannot exist in the DNS is refused. The canonical form of a
 * canonical form is itself. ERR_MALFORMED, ERR_ADDRESS_FORBIDDEN (another
 * scheme), ERR_TOO_LARGE.
 *
 * libcurl's URL API (7.88) differs from the standard in hosts
 * (crawl/url/host.h) and paths, and is several times slower.
 */
enum error url_parse(struct url *url_out, struct slice reference,
		     const struct url *base);

/*
 * Return the scheme://host[:port] of a canonical URL; it points into the URL.
 */
struct slice url_origin(struct slice canonical);

/* Return the base of a page's links: `base_href` resolved against its URL. */
struct url url_base(const struct url *page, struct slice base_href);

/*
 * The names of query parameters of well known trackers and sessions, separated
 * by blanks or commas; a '*' at the end matches any rest; in any case.
 */
extern const char parameters_default[];

/*
 * Append the names of `text` to `out`, and replace the word "common" with the
 * default list.
 */
void parameters_expand(struct slice text, struct buffer *out);

/*
 * Remove the parameters `names` from the query of the canonical `url`, and
 * ";name=..." with those names from its path. Others keep order and spelling;
 * remove an empty query with its '?'. Return false if nothing changed.
 */
bool parameters_drop(struct url *url, struct slice names);

/* Percent-encoding (RFC 3986, 2.1) in one canonical form. */

/* Text in memory of a fixed size. */
struct bounded {
	char *data;
	size_t size;
	size_t capacity;
	bool is_cut; /* text that did not fit was dropped */
};

void bounded_put(struct bounded *out, char byte);
void bounded_put_slice(struct bounded *out, struct slice text);
struct slice bounded_slice(const struct bounded *out);

/*
 * Return whether the byte is a letter, a digit or one of "-._~", which are
 * never encoded (RFC 3986, 2.3).
 */
bool percent_is_unreserved(unsigned char byte);

/* Append `text`; escape bytes that are neither unreserved nor in `kept`. */
void percent_append(struct buffer *out, struct slice text, const char *kept);

/* Write `text` with its escapes decoded; a '%' that begins no escape stays. */
void percent_decode(struct slice text, struct bounded *out);

/* Write `byte` as %XX. */
void percent_put(struct bounded *out, unsigned char byte);

/*
 * Write `text` (path, query or both) in canonical form: decode unreserved
 * characters, write hexadecimal digits in upper case, keep reserved characters,
 * and encode everything else, the characters in `special`, and a '%' that
 * begins no escape.
 */
void percent_normalize(struct slice text, const char *special,
		       struct bounded *out);

/*
 * The kind of a part of a URL by its form: of a path segment, or of the name
 * or value of a parameter. Pure, linear.
 */

enum url_kind {
	URL_NOTHING,    /* empty */
	URL_NUMBER,     /* digits, also in groups: 12, 1.2.3 */
	URL_DATE,       /* 2024-05-14, 2024-05, 14.5.2024, 20240514 */
	URL_IDENTIFIER, /* 8 or more hexadecimal digits, a UUID, or alternating
			   letters and digits */
	URL_WORD,       /* anything else, words of any script */
};

enum url_kind url_kind_of(struct slice text);

/* Return "", "{n}", "{date}", "{id}" or "{w}". */
const char *url_kind_text(enum url_kind kind);

/*
 * Return whether the word may be a name and not a sentence: at most 32 bytes
 * and two hyphens, nothing percent-encoded.
 */
bool url_is_name(struct slice word);

#endif
