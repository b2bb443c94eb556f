/*
 * extract/answer_quality.h - the quality of an extracted text in one word,
 * which explains why a text is short or missing.
 */
#ifndef EXTRACT_ANSWER_QUALITY_H
#define EXTRACT_ANSWER_QUALITY_H

#include <stdbool.h>
#include <stdint.h>

struct page;
struct verdict;

/* The first quality whose condition holds. */
enum text_quality {
	QUALITY_NOT_HTML,  /* text, JSON or XML without an HTML tag */
	QUALITY_BLOCKED,   /* HTTP status 401, 403, 407, 429 or 503, or a page
			      that demands a CAPTCHA or a consent */
	QUALITY_JS_ONLY,   /* the page is a shell that scripts must fill */
	QUALITY_EMPTY,     /* the method chose nothing */
	QUALITY_UNSURE,    /* assessment.is_unsure is true */
	QUALITY_TRUNCATED, /* truncated at a limit, or the page ends inside a
			      tag */
	QUALITY_LISTING, /* more than half of the chosen words are link texts */
	QUALITY_OK,
	QUALITY_COUNT
};

/* Return the name: "ok", "js-only", "not-html", ... */
const char *text_quality_name(enum text_quality quality);

/*
 * Judge the verdicts [page->text_count]. `is_unsure` is the field of struct
 * assessment; `http_status` is 0 if it is unknown. Linear, constant stack;
 * memory from page->arena.
 */
enum text_quality text_quality_of(const struct page *page,
				  const struct verdict *verdicts,
				  bool is_unsure, unsigned http_status);

#endif
