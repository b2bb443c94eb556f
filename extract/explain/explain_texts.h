/*
 * extract/explain/explain_texts.h - writes the texts of a page as HTML in the
 * page's structure, each in a span with its score, its verdict and the reason.
 */
#ifndef EXTRACT_EXPLAIN_EXPLAIN_TEXTS_H
#define EXTRACT_EXPLAIN_EXPLAIN_TEXTS_H

#include "base/buffer.h"
#include "extract/core/extractor.h"

struct trace;

/* Quantiles of a score: the CSS classes s0 to s7. */
enum { EXPLAIN_QUANTILES = 8 };

/* How the explanation shows a text. */
enum standing {
	STANDING_KEPT,
	STANDING_DROPPED,
	STANDING_HIDDEN, /* the reader of the page does not see it: visible.h */
	STANDING_COUNT
};

/* The number of texts of each kind, and of the words (word.h) in them. */
struct explained_counts {
	uint32_t texts[STANDING_COUNT];
	uint64_t words[STANDING_COUNT];
};

/*
 * Append all texts, each once, in document order. `trace` and `counts` may be
 * NULL. Writes no attributes and no links of the page.
 */
void explain_texts(const struct page *page, const struct verdict *verdicts,
		   const struct trace *trace,
		   const struct template_counts *counts, struct buffer *out);

struct explained_counts explain_count(const struct page *page,
				      const struct verdict *verdicts);

#endif
