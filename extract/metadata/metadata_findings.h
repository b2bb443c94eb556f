/*
 * extract/metadata/metadata_findings.h - the candidates for the metadata of a
 * page, from all sources. Internal to the metadata.
 */
#ifndef EXTRACT_METADATA_METADATA_FINDINGS_H
#define EXTRACT_METADATA_METADATA_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "page/page.h"
#include "store/slice.h"

struct json_ld;

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

enum { MAX_CANDIDATES = 64, MAX_VALUE = 1024 };

struct candidate {
	struct slice value; /* as written, never empty */
	const char *source; /* as of struct metadatum */
	uint32_t rank;      /* lower ranks are preferred */
	uint32_t node;      /* of a h1; else NO_NODE */
};

struct findings {
	struct arena *arena;
	const struct page *page;
	struct candidate items[SUBJECT_COUNT][MAX_CANDIDATES]; /* as found */
	uint32_t counts[SUBJECT_COUNT];
	/* The texts where the title stands in the body; both NO_TEXT: it does
	   not. */
	uint32_t title_begin;
	uint32_t title_end;
	uint32_t look_ups;   /* of @id in JSON-LD, at most MAX_CANDIDATES */
	uint32_t texts_read; /* of elements in the body */
};

/* Of this one the value is an address. */
static inline bool subject_is_address(enum subject subject)
{
	return subject == SUBJECT_IMAGE || subject == SUBJECT_CANONICAL ||
	       subject == SUBJECT_LICENCE || subject == SUBJECT_FAVICON;
}

/*
 * Add a candidate, unless it is blank or there are MAX_CANDIDATES. The value is
 * collapsed and cut at MAX_VALUE bytes; a longer address is left out.
 */
void findings_add(struct findings *findings, enum subject subject,
		  struct slice value, const char *source, uint32_t rank);

/* The best of a subject, the first of several; or NULL. */
const struct candidate *findings_best(const struct findings *findings,
				      enum subject subject);

/*
 * Collect from each kind of source, in this order. The title is found before
 * the body is read, because its place tells what belongs to the content.
 * Linear, constant stack.
 */
void findings_json_ld(struct findings *findings, const struct json_ld *ld);
void findings_meta(struct findings *findings);
void findings_headings(struct findings *findings);
void findings_body(struct findings *findings);
void findings_near(struct findings *findings);

/* Whether `text` is `word`, but for the case of ASCII letters. */
bool value_is(struct slice text, const char *word);

/* Whether `word` is one of the words in `text`, in any case: rel, class. */
bool value_has_word(struct slice text, const char *word);

/* Whether `word` (lower case) stands anywhere in `text`, in any case. */
bool value_holds(struct slice text, const char *word);

#endif
