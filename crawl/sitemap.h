/*
 * crawl/sitemap.h - parse sitemaps (sitemaps.org 0.9) as a stream: XML, index,
 * plain text, RSS and Atom, each optionally compressed by gzip, in at most 5
 * MB. A file that begins with '<' is XML, parsed by page/xml.h, any other is
 * text. Extensions (images, videos, news, hreflang) are skipped by their
 * namespace. Without a <loc> the text of <url> or <sitemap> is used, without a
 * link the guid of an item if it is a URL. The page of a feed itself is no
 * entry.
 */
#ifndef CRAWL_SITEMAP_H
#define CRAWL_SITEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limit.h"
#include "crawl/url/url.h"

struct sitemap;

enum {
	MAX_SITEMAP_ENTRIES = LIMIT(50000, 20), /* by the protocol */
	MAX_SITEMAP_BYTES =
		LIMIT(50 * 1024 * 1024,
		      3000), /* decompressed; the protocol's limit */
};

enum sitemap_kind {
	SITEMAP_UNKNOWN, /* no format detected yet */
	SITEMAP_URLS,
	SITEMAP_INDEX,
	SITEMAP_TEXT,
	SITEMAP_RSS,
	SITEMAP_ATOM,
};

struct sitemap_entry {
	struct slice url;    /* canonical, absolute; valid during the call */
	uint64_t lastmod_ms; /* Unix time; 0 = missing or invalid */
	bool is_sitemap;     /* in an index: another sitemap */
};

/*
 * `base` is the URL of the file, to resolve relative URLs; it is copied. The
 * handler gets each entry once, in order. Entries that are not http(s) URLs, or
 * over MAX_URL_BYTES, are counted and omitted; in text only lines with an
 * absolute URL are entries.
 */
struct sitemap *sitemap_create(const struct url *base,
			       void (*on_entry)(void *context,
						const struct sitemap_entry *),
			       void *context);
void sitemap_destroy(struct sitemap *sitemap); /* NULL is a no-op */

/*
 * Parse the next bytes. ERR_TOO_LARGE over a limit above, ERR_MALFORMED (HTML,
 * binary), ERR_CORRUPT (broken gzip). Entries before the error are valid; later
 * calls return the same error.
 */
enum error sitemap_feed(struct sitemap *sitemap, struct slice bytes);

/*
 * Finish the file. Errors as in sitemap_feed(); a truncated file, an empty one,
 * or text without a URL is ERR_MALFORMED.
 */
enum error sitemap_finish(struct sitemap *sitemap);

enum sitemap_kind sitemap_kind(const struct sitemap *sitemap);

/* Return the number of entries passed on, and of omitted ones. */
size_t sitemap_count(const struct sitemap *sitemap);
size_t sitemap_refused(const struct sitemap *sitemap);

/*
 * Parse a W3C date (also its shorter forms) or a date of RFC 822 into Unix
 * milliseconds; 0 if it is invalid or before 1970. Without a zone it is UTC.
 */
uint64_t sitemap_date(struct slice text);

/* Entries as bytes: one process parses the file, another uses its entries. */

enum { MAX_SITEMAP_ENTRIES_BYTES = LIMIT(8 * 1024 * 1024, 2048) };

/* Append an entry; if the listing is full, return false and change nothing. */
bool sitemap_entries_append(struct buffer *listing,
			    const struct sitemap_entry *entry);

/*
 * Remove the first entry of *listing, into which it points. Return false at the
 * end and for invalid bytes.
 */
bool sitemap_entries_next(struct slice *listing,
			  struct sitemap_entry *entry_out);

/*
 * Return whether untrusted bytes are exactly a list of entries within the
 * limits; the URLs are not checked.
 */
bool sitemap_entries_are_valid(struct slice listing);

#endif
