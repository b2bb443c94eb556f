/*
 * extract/explain/explain_texts.h - the texts of a page as HTML, laid out by
 * the page's structure, each in a span that tells its score, its verdict and
 * why.
 */
#ifndef EXTRACT_EXPLAIN_EXPLAIN_TEXTS_H
#define EXTRACT_EXPLAIN_EXPLAIN_TEXTS_H

#include "extract/core/extractor.h"
#include "store/buffer.h"

struct trace;

/* Shades of a score: the classes s0 to s7. */
enum { EXPLAIN_QUANTILES = 8 };

/* What a text is shown as. */
enum standing {
	STANDING_KEPT,
	STANDING_DROPPED,
	STANDING_HIDDEN, /* no reader of the page sees it: visible.h */
	STANDING_COUNT
};

/* How many texts stand so, and words in them: word.h. */
struct explained {
	uint32_t texts[STANDING_COUNT];
	uint64_t words[STANDING_COUNT];
};

/*
 * Append all texts, each once, in document order. `trace` and `counts` may be
 * NULL. Nothing is written of the page's attributes, and no link.
 */
void explain_texts(const struct page *page, const struct verdict *verdicts,
		   const struct trace *trace,
		   const struct template_counts *counts, struct buffer *out);

struct explained explain_count(const struct page *page,
			       const struct verdict *verdicts);

#endif
