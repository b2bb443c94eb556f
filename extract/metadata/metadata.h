/*
 * extract/metadata/metadata.h - reads the metadata of a page: author, dates,
 * title... Every value names its source.
 */
#ifndef EXTRACT_METADATA_METADATA_H
#define EXTRACT_METADATA_METADATA_H

#include <stddef.h>

#include "base/slice.h"

struct arena;
struct page;

/*
 * One value, in UTF-8, white space collapsed, at most 1,024 bytes; {NULL, 0} if
 * the page has none, with `source` NULL. Otherwise `source` is one of
 * "json-ld", "microdata", "og", "dublin-core", "meta", "link", "time", "url",
 * "byline", "title", "h1", "html-lang", "text".
 */
struct metadatum {
	struct slice value;
	const char *source; /* static string */
};

enum { MAX_AUTHORS = 16, MAX_TAGS = 32 };

struct metadata {
	struct metadatum title; /* without the name of the site */
	struct metadatum authors[MAX_AUTHORS]; /* names, never addresses */
	size_t author_count;
	/*
	 * ISO 8601: YYYY-MM-DD, with Thh:mm[:ss] and the offset (Z or +hh:mm)
	 * if the page states them. A valid date from 1970 to 2100.
	 */
	struct metadatum published;
	struct metadatum modified;
	struct metadatum site_name;
	struct metadatum language; /* BCP 47 as the page writes it, or guessed
				      from the script */
	struct metadatum description;
	/*
	 * Addresses as the page writes them, trimmed; they may be relative. The
	 * caller resolves them against page->base, and page->base against the
	 * URL of the page; this module must not include crawl/.
	 */
	struct metadatum image;
	struct metadatum canonical;
	struct metadatum tags[MAX_TAGS]; /* distinct, in page order */
	size_t tag_count;
	/*
	 * article, forum, product, collection, documentation, service, home,
	 * profile, or video; empty if unknown.
	 */
	struct metadatum page_type;
	struct metadatum categories[MAX_TAGS]; /* sections of the site; same
						  rules as tags */
	size_t category_count;
	struct metadatum licence; /* the address of the licence text, as for
				     image; or its name */
	struct metadatum favicon; /* the address of an icon that the page
				     declares, as for image; never guessed */
};

/*
 * Read the metadata. `url` is the page's address, or empty; the result does not
 * point to it. Values belong to `arena` or to the page; both must outlive them.
 * Linear in the page, constant stack. Deterministic.
 */
struct metadata metadata_read(struct arena *arena, const struct page *page,
			      struct slice url);

#endif
