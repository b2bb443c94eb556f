/*
 * extract/answer_quality.h - one word for what an answer is worth, so that its
 * reader need not guess from a short text why it is short.
 */
#ifndef EXTRACT_ANSWER_QUALITY_H
#define EXTRACT_ANSWER_QUALITY_H

#include <stdint.h>

struct page;
struct verdict;

/* The first that holds. */
enum answer_quality {
	QUALITY_NOT_HTML,  /* text, JSON or XML: no tag of HTML is in it */
	QUALITY_BLOCKED,   /* the server refused (401, 403, 407, 429, 503), or
			      asks its visitor to prove that he is human, or to
			      consent before he sees the page */
	QUALITY_JS_ONLY,   /* scripts must fill the page: a shell came */
	QUALITY_EMPTY,     /* nothing was chosen */
	QUALITY_TRUNCATED, /* cut at a limit, or it ends inside a tag */
	QUALITY_LISTING,   /* more than half of the words chosen are links */
	QUALITY_OK,
	QUALITY_COUNT
};

/* "ok", "js-only", "not-html", ... */
const char *answer_quality_name(enum answer_quality quality);

/*
 * Judge the choice verdicts [page->text_count]. `http_status` is 0 when it is
 * not known. Linear, constant stack; memory from page->arena.
 */
enum answer_quality answer_quality_of(const struct page *page,
				      const struct verdict *verdicts,
				      unsigned http_status);

#endif
