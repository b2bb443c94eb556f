/*
 * extract/metadata/metadata.h - reads the metadata of a page, such as author,
 * dates and title. Every value has the name of its source.
 */
#ifndef EXTRACT_METADATA_METADATA_H
#define EXTRACT_METADATA_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "extract/metadata/metadata_date.h"
#include "page/page.h"

struct site_names;

/*
 * One value, in UTF-8 with collapsed white space, at most 1,024 bytes. If the
 * page has no value, `value` is {NULL, 0} and `source` is NULL. Otherwise
 * `source` is one of "json-ld", "microdata", "og", "dublin-core", "meta",
 * "link", "time", "url", "byline", "title", "h1", "html-lang", "text".
 */
struct metadatum {
	struct slice value;
	const char *source; /* static string */
};

enum { MAX_AUTHORS = 16, MAX_TAGS = 32 };

struct metadata {
	struct metadatum title; /* without the name of the site */
	struct metadatum authors[MAX_AUTHORS]; /* names, never URLs */
	size_t author_count;
	/*
	 * ISO 8601: YYYY-MM-DD, with Thh:mm[:ss] and the offset (Z or +hh:mm)
	 * if the page states them. A valid date from 1970 to 2100.
	 */
	struct metadatum published;
	struct metadatum modified;
	struct metadatum site_name;
	struct metadatum language; /* BCP 47 as in the page, or guessed from the
				      script */
	struct metadatum description;
	/*
	 * URLs as in the page, without white space around them; they may be
	 * relative. The caller must resolve them against page->base, and
	 * page->base against the URL of the page, because this module must not
	 * include crawl/.
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
	struct metadatum categories[MAX_TAGS]; /* sections of the site,
						  distinct, in page order */
	size_t category_count;
	struct metadatum licence; /* the URL of the licence text, possibly
				     relative, or the name of the licence */
	struct metadatum favicon; /* the URL, possibly relative, of an icon that
				     the page declares; never guessed */
};

enum { MAX_PAGE_TITLES = 32, MAX_PAGE_TITLE = 512 };

/*
 * The title elements of pages of the same template. They may include the title
 * of the page itself.
 */
struct page_titles {
	struct slice items[MAX_PAGE_TITLES]; /* at most MAX_PAGE_TITLE bytes */
	size_t count;
};

/*
 * Read the metadata. `address` is the URL of the page, or empty; the result
 * does not point into it. `titles` shows what is the same in the titles of the
 * site; NULL if no other page is known. Values belong to `arena` or to the
 * page; both must outlive the result. Linear in the page, constant stack.
 * Deterministic.
 */
struct metadata metadata_read(struct arena *arena, const struct page *page,
			      struct slice address,
			      const struct page_titles *titles);

/*
 * Return the title of the page as metadata_read() does, at a part of its cost:
 * the JSON-LD is read only if no h1 is the title.
 */
struct metadatum metadata_read_title(struct arena *arena,
				     const struct page *page,
				     struct slice address);

/*
 * The candidates for the metadata of a page, collected from all sources, and
 * functions that collect them.
 */

/* A field of struct metadata. */
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

enum {
	MAX_FINDINGS = 64,
	MAX_VALUE = 1024,
	TOP_RANK = 55,   /* of authors: a byline below the title */
	NAMES_RANK = 57, /* of authors: full names beside a date */
	LOGIN_RANK = 66, /* of authors: any word after "by" */
	LIST_RANK = 67,  /* the last rank of authors: full names that count
			    only if they include the author of a field */
};

struct metadata_candidate {
	struct slice value; /* as in the page, never empty */
	const char *source; /* see struct metadatum */
	uint32_t rank;      /* lower ranks are preferred */
	uint32_t node;      /* the h1 whose text is the value; NO_NODE for other
			       candidates */
};

struct metadata_candidates {
	struct arena *arena;
	const struct page *page;
	/* in order of discovery */
	struct metadata_candidate items[SUBJECT_COUNT][MAX_FINDINGS];
	uint32_t counts[SUBJECT_COUNT];
	/*
	 * The range of the texts of the title in the body; both are NO_TEXT if
	 * the title is not in the body.
	 */
	uint32_t title_begin;
	uint32_t title_end;
	bool is_title_only; /* title_choose() does not search the position */
	uint32_t look_ups;  /* number of searches for an @id in JSON-LD, at most
			       MAX_FINDINGS */
	uint32_t
		texts_read; /* number of texts read from elements in the body */
	/*
	 * For each node, whether is_of_others(), or NULL before the first
	 * call: [node_count].
	 */
	uint8_t *of_others;
};

/* Return true if the subject's value is a URL. */
static inline bool subject_is_address(enum subject subject)
{
	return subject == SUBJECT_IMAGE || subject == SUBJECT_CANONICAL ||
	       subject == SUBJECT_LICENCE || subject == SUBJECT_FAVICON;
}

/*
 * Add a candidate, unless the value is blank or there are MAX_FINDINGS
 * candidates for the subject. Collapse the white space of the value and
 * truncate it to MAX_VALUE bytes. Do not add a URL that is longer.
 */
void findings_add(struct metadata_candidates *findings, enum subject subject,
		  struct slice value, const char *source, uint32_t rank);

/*
 * Return the candidate for the subject with the lowest rank, the first of
 * several; NULL if there is no candidate.
 */
const struct metadata_candidate *
findings_best(const struct metadata_candidates *findings, enum subject subject);

/*
 * Collect candidates from the body of the page: findings_headings() from
 * headings, findings_body() from microdata, time elements and class names, and
 * findings_near() from texts near the title. Call them in this order, after the
 * JSON-LD and the head were read. Call title_choose() before findings_body(),
 * because the position of the title shows which text belongs to the content.
 * Linear, constant stack.
 */
void findings_headings(struct metadata_candidates *findings);
void findings_body(struct metadata_candidates *findings);
void findings_near(struct metadata_candidates *findings);

/*
 * Return the title: the h1 with the highest overlap with the title element or
 * og:title, if the overlap is high enough; otherwise the headline of the
 * JSON-LD, og:title, or the title element without the name of the site. Set
 * title_begin and title_end of the findings; later functions search bylines
 * near them. Linear.
 */
struct metadatum title_choose(struct metadata_candidates *findings,
			      const struct site_names *site);

/*
 * Return true if node `index` is in comments, reviews, testimonials, menus,
 * links to other pages, a quote, or a list of staff: in an element whose name,
 * class names, id or itemprop say so and that does not contain the title.
 * Linear for all nodes together.
 */
bool is_of_others(struct metadata_candidates *findings, uint32_t index);

/*
 * Return true if node `index` is in a link that has a long text, as a date
 * beside the title of another article, and not the title of the page.
 */
bool is_in_link_of_others(const struct metadata_candidates *findings,
			  uint32_t index);

/*
 * Return the label at the end of the text before text `text` of the page, such
 * as "Published", if that text is short.
 */
enum date_label label_before(const struct metadata_candidates *findings,
			     uint32_t text);

/* Return true if `text` and `word` are equal, in any case of ASCII letters. */
bool value_is(struct slice text, const char *word);

/*
 * Return true if `word` is one of the words in the attribute value `text` (such
 * as rel or class), in any case.
 */
bool value_has_word(struct slice text, const char *word);

/*
 * Return true if `text` contains one of `words`, a list such as "a|b", at any
 * position and in any case.
 */
bool value_holds_any(struct slice text, const char *words);

#endif
