/*
 * crawl/sitemap/sitemap.h - sitemaps (sitemaps.org 0.9): XML, index, plain
 * text, RSS and Atom, each also packed by gzip, as a stream: some 300 KB,
 * whatever the size of the file, and 5 MB at most when it is hostile.
 *
 * What begins with '<' is XML, read by page/xml/xml_stream.h, so that broken
 * files give what can be read; anything else is text. gzip is recognised by the
 * content. Extensions (images, videos, news, hreflang) are skipped by their
 * namespace; that of the sitemap itself may be any. Without a <loc> the text of
 * <url> or <sitemap> is used, without a link the guid of an item if it is a
 * URL. The page of a feed itself is no entry.
 */
#ifndef CRAWL_SITEMAP_SITEMAP_H
#define CRAWL_SITEMAP_SITEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/url/url.h"
#include "store/error.h"
#include "store/limit.h"
#include "store/slice.h"

enum {
	MAX_SITEMAP_ENTRIES = LIMIT(50000, 20), /* of a file, also those left
					out; the protocol's limit */
	MAX_SITEMAP_BYTES =
		LIMIT(50 * 1024 * 1024, 3000), /* unpacked; the protocol's limit
						*/
};

enum sitemap_kind {
	SITEMAP_UNKNOWN, /* nothing that could be a sitemap has come yet */
	SITEMAP_URLS,
	SITEMAP_INDEX,
	SITEMAP_TEXT,
	SITEMAP_RSS,
	SITEMAP_ATOM,
};

struct sitemap_entry {
	struct slice url;    /* canonical, absolute; valid during the call */
	uint64_t lastmod_ms; /* Unix; 0: not named, or no date */
	bool is_sitemap;     /* of an index: another sitemap */
};

struct sitemap;

/*
 * `base` is the URL of the file itself, to resolve what is relative; it is
 * copied. The handler gets each entry once, in the order of the file; entries
 * that are no http(s) URLs, or over MAX_URL_BYTES, are counted and left out; in
 * text only lines with an absolute URL are entries.
 */
struct sitemap *sitemap_create(const struct url *base,
			       void (*on_entry)(void *context,
						const struct sitemap_entry *),
			       void *context);
void sitemap_destroy(struct sitemap *sitemap); /* NULL is a no-op */

/*
 * Take the next bytes, packed or not. ERR_TOO_LARGE over a limit above,
 * ERR_MALFORMED (no sitemap: HTML, binary), ERR_CORRUPT (broken gzip). Entries
 * before the error are valid; later calls do nothing and return the same error.
 */
enum error sitemap_feed(struct sitemap *sitemap, struct slice bytes);

/*
 * End the file. Errors as in sitemap_feed(); a truncated file is ERR_MALFORMED,
 * and so is an empty one, or text without a URL.
 */
enum error sitemap_finish(struct sitemap *sitemap);

enum sitemap_kind sitemap_kind(const struct sitemap *sitemap);

/* The number of entries passed to the handler, and of entries left out. */
size_t sitemap_count(const struct sitemap *sitemap);
size_t sitemap_refused(const struct sitemap *sitemap);

/*
 * A W3C date (2004-12-23T18:00:15+00:00 and its shorter forms) or a date of
 * RFC 822 (RSS) in Unix milliseconds; 0 when it is none, or before 1970. A time
 * without a zone is UTC.
 */
uint64_t sitemap_date(struct slice text);

#endif
