/*
 * extract/metadata/metadata.h - reads the metadata of a page: author, dates,
 * title... Every value names its source.
 */
#ifndef EXTRACT_METADATA_METADATA_H
#define EXTRACT_METADATA_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "page/page.h"

struct site_names;

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

/* Collects the candidates for the metadata of a page from all sources. */

enum subject {
	SUBJECT_TITLE,
	SUBJECT_AUTHOR,
	SUBJECT_PUBLISHED,
	SUBJECT_MODIFIED,
	SUBJECT_SITE_NAME,
	SUBJECT_LANGUAGE,
	SUBJECT_DESCRIPTION,
	SUBJECT_IMAGE,
	SUBJECT_CANONICAL,
	SUBJECT_TAG,
	SUBJECT_TYPE,
	SUBJECT_CATEGORY,
	SUBJECT_LICENCE,
	SUBJECT_FAVICON,
	SUBJECT_COUNT,
};

#define NO_TEXT UINT32_MAX

enum { MAX_FINDINGS = 64, MAX_VALUE = 1024 };

struct metadata_candidate {
	struct slice value; /* as the page writes it, never empty */
	const char *source; /* see struct metadatum */
	uint32_t rank;      /* lower ranks are preferred */
	uint32_t node;      /* an h1; NO_NODE for other candidates */
};

struct metadata_candidates {
	struct arena *arena;
	const struct page *page;
	/* in order of discovery */
	struct metadata_candidate items[SUBJECT_COUNT][MAX_FINDINGS];
	uint32_t counts[SUBJECT_COUNT];
	/*
	 * The texts of the title in the body; both NO_TEXT if it is not in the
	 * body.
	 */
	uint32_t title_begin;
	uint32_t title_end;
	uint32_t look_ups;   /* of @id in JSON-LD, at most MAX_FINDINGS */
	uint32_t texts_read; /* texts of elements in the body */
};

/* Return true if the subject's value is an address. */
static inline bool subject_is_address(enum subject subject)
{
	return subject == SUBJECT_IMAGE || subject == SUBJECT_CANONICAL ||
	       subject == SUBJECT_LICENCE || subject == SUBJECT_FAVICON;
}

/*
 * Add a candidate, unless it is blank or there are MAX_FINDINGS. Collapse the
 * value and truncate it to MAX_VALUE bytes; leave out a longer address.
 */
void findings_add(struct metadata_candidates *findings, enum subject subject,
		  struct slice value, const char *source, uint32_t rank);

/* Return the best candidate of a subject, the first of several; or NULL. */
const struct metadata_candidate *
findings_best(const struct metadata_candidates *findings, enum subject subject);

/*
 * Collect from the body, in this order, after the JSON-LD and the head of the
 * page. Find the title before reading the body, because its position shows
 * which text belongs to the content. Linear, constant stack.
 */
void findings_headings(struct metadata_candidates *findings);
void findings_body(struct metadata_candidates *findings);
void findings_near(struct metadata_candidates *findings);

/*
 * Return the title: the h1 with the highest overlap with the title element or
 * og:title if the overlap is high enough; otherwise the headline of the
 * JSON-LD, og:title, or the title element without the name of the site. Sets
 * title_begin and title_end of the findings, near which bylines are searched.
 * Linear.
 */
struct metadatum title_choose(struct metadata_candidates *findings,
			      const struct site_names *site);

/* Compare `text` with `word`, ignoring the case of ASCII letters. */
bool value_is(struct slice text, const char *word);

/*
 * Return true if `word` is one of the words in `text`, in any case: rel, class.
 */
bool value_has_word(struct slice text, const char *word);

/*
 * Return true if `text` contains a word of a list such as "a|b" anywhere, in
 * any case.
 */
bool value_holds_any(struct slice text, const char *words);

#endif
