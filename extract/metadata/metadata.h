/*
 * extract/metadata/metadata.h - metadata of a page: author, dates, title...
 * Every value names its source.
 */
#ifndef EXTRACT_METADATA_METADATA_H
#define EXTRACT_METADATA_METADATA_H

#include <stddef.h>

#include "store/slice.h"

struct arena;
struct page;

/*
 * One value, in UTF-8, white space collapsed, at most 1,024 bytes; {NULL, 0}
 * when the page has none, `source` is NULL then. Else it is one of "json-ld",
 * "microdata", "og", "dublin-core", "meta", "link", "time", "url", "byline",
 * "title", "h1", "html-lang", "text".
 */
struct metadatum {
	struct slice value;
	const char *source; /* static */
};

enum { MAX_AUTHORS = 16, MAX_TAGS = 32 };

struct metadata {
	struct metadatum title; /* without the name of the site */
	struct metadatum authors[MAX_AUTHORS]; /* names, never addresses */
	size_t author_count;
	/*
	 * ISO 8601: YYYY-MM-DD, with Thh:mm[:ss] and the offset (Z or +hh:mm)
	 * where the page gives them. A date that exists, of 1970 to 2100.
	 */
	struct metadatum published;
	struct metadatum modified;
	struct metadatum site_name;
	struct metadatum language; /* BCP 47 as written, or of the script */
	struct metadatum description;
	/*
	 * Addresses as written, trimmed: they may be relative. The caller
	 * resolves them against page->base, and that against the URL of the
	 * page; this room must not include crawl/.
	 */
	struct metadatum image;
	struct metadatum canonical;
	struct metadatum tags[MAX_TAGS]; /* distinct, as ordered in the page */
	size_t tag_count;
	/*
	 * article, forum, product, collection, documentation, service, home,
	 * profile, or video; empty when it is not known.
	 */
	struct metadatum page_type;
	struct metadatum categories[MAX_TAGS]; /* as tags: sections of the site
						*/
	size_t category_count;
	struct metadatum licence; /* the address of its text, as of image; or
				     its name */
	struct metadatum favicon; /* the address of an icon that the page names,
				     as of image; none is guessed */
};

/*
 * Read the metadata. `url` is the page's address, or empty; it is not kept.
 * Values belong to `arena` or to the page, and live as long as both. Linear in
 * the page, constant stack; the same page and address give the same.
 */
struct metadata metadata_read(struct arena *arena, const struct page *page,
			      struct slice url);

#endif
