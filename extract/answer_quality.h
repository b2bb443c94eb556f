/*
 * extract/answer_quality.h - the quality of an extract in one word, which
 * explains why a text is short or missing.
 */
#ifndef EXTRACT_ANSWER_QUALITY_H
#define EXTRACT_ANSWER_QUALITY_H

#include <stdbool.h>
#include <stdint.h>

struct page;
struct verdict;

/* The first whose condition holds. */
enum answer_quality {
	QUALITY_NOT_HTML,  /* text, JSON or XML: no tag of HTML is in it */
	QUALITY_BLOCKED,   /* the server refused (401, 403, 407, 429, 503), or
			      asks for a proof of being human or for consent */
	QUALITY_JS_ONLY,   /* the page is a shell that scripts must fill */
	QUALITY_EMPTY,     /* nothing was chosen */
	QUALITY_UNSURE,    /* struct assessment says so */
	QUALITY_TRUNCATED, /* cut at a limit, or it ends inside a tag */
	QUALITY_LISTING,   /* more than half of the words chosen are links */
	QUALITY_OK,
	QUALITY_COUNT
};

/* "ok", "js-only", "not-html", ... */
const char *answer_quality_name(enum answer_quality quality);

/*
 * Judge the choice verdicts [page->text_count]; `is_unsure` is that of struct
 * assessment. `http_status` is 0 when it is not known. Linear, constant stack;
 * memory from page->arena.
 */
enum answer_quality answer_quality_of(const struct page *page,
				      const struct verdict *verdicts,
				      bool is_unsure, unsigned http_status);

#endif
