/*
 * crawl/sitemap.h - parses sitemaps (sitemaps.org 0.9) as a stream, in at most
 * 5 MB of memory. The formats are XML, index, plain text, RSS and Atom,
 * optionally compressed by gzip. A file that begins with '<' is XML, which
 * page/xml.h parses; any other file is text. Elements of extensions (images,
 * videos, news, hreflang) are skipped because of their namespace. If <url> or
 * <sitemap> has no <loc>, its text is used. If an item has no link, its guid is
 * used if it is a URL. The page that a feed itself belongs to is not an entry.
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
	MAX_SITEMAP_ENTRIES = LIMIT(50000, 20), /* limit of the protocol */
	MAX_SITEMAP_BYTES = LIMIT(
		50 * 1024 * 1024,
		3000), /* limit of the protocol for the decompressed file */
};

enum sitemap_kind {
	SITEMAP_UNKNOWN, /* the format is not detected yet */
	SITEMAP_URLS,
	SITEMAP_INDEX,
	SITEMAP_TEXT,
	SITEMAP_RSS,
	SITEMAP_ATOM,
};

struct sitemap_entry {
	struct slice url;    /* canonical and absolute; valid during the call */
	uint64_t lastmod_ms; /* time of the last change, Unix time; 0 = missing
				or invalid */
	bool is_sitemap;     /* the entry of an index: it is another sitemap */
};

/*
 * Create a parser. `base` is the URL of the file, against which relative URLs
 * are resolved; it is copied. on_entry() is called once for each entry, in the
 * order of the file. Entries whose URL is not http(s), or over MAX_URL_BYTES,
 * are omitted and counted as refused. In a text, only lines with an absolute
 * URL are entries.
 */
struct sitemap *sitemap_create(const struct url *base,
			       void (*on_entry)(void *context,
						const struct sitemap_entry *),
			       void *context);
void sitemap_destroy(struct sitemap *sitemap); /* do nothing for NULL */

/*
 * Parse the next bytes of the file. ERR_TOO_LARGE: one of the limits above;
 * ERR_MALFORMED: for example HTML or binary data; ERR_CORRUPT: damaged gzip.
 * The entries before the error are valid. Later calls return the same error.
 */
enum error sitemap_feed(struct sitemap *sitemap, struct slice bytes);

/*
 * Finish the file. Errors as in sitemap_feed(); ERR_MALFORMED also if the file
 * is truncated or empty, or a text without a URL.
 */
enum error sitemap_finish(struct sitemap *sitemap);

enum sitemap_kind sitemap_kind(const struct sitemap *sitemap);

/*
 * sitemap_count() returns the number of entries passed to on_entry(),
 * sitemap_refused() the number of omitted entries.
 */
size_t sitemap_count(const struct sitemap *sitemap);
size_t sitemap_refused(const struct sitemap *sitemap);

/*
 * Parse a W3C date (also one of its shorter forms) or a date of RFC 822. Return
 * it in Unix milliseconds; 0 if it is invalid or before 1970. A date without a
 * zone is in UTC.
 */
uint64_t sitemap_date(struct slice text);

/*
 * A list of entries as bytes, because one process parses the file and another
 * one uses its entries.
 */

enum { MAX_SITEMAP_ENTRIES_BYTES = LIMIT(8 * 1024 * 1024, 2048) };

/*
 * Append an entry to the list. If the list is full, return false and change
 * nothing.
 */
bool sitemap_entries_append(struct buffer *listing,
			    const struct sitemap_entry *entry);

/*
 * Remove the first entry of *listing; its URL points into the bytes. Return
 * false at the end, and for invalid bytes.
 */
bool sitemap_entries_next(struct slice *listing,
			  struct sitemap_entry *entry_out);

/*
 * Return whether untrusted bytes are exactly a list of entries within the
 * limits. The URLs are not checked.
 */
bool sitemap_entries_are_valid(struct slice listing);

#endif
