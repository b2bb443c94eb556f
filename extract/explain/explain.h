/*
 * extract/explain/explain.h - writes a page with every text node coloured by
 * its score and verdict, and below it the method's figures: a self-contained
 * HTML file without scripts, in which nothing of the page can run.
 */
#ifndef EXTRACT_EXPLAIN_EXPLAIN_H
#define EXTRACT_EXPLAIN_EXPLAIN_H

#include "base/buffer.h"
#include "extract/core/extractor.h"

struct page;
struct trace;

struct explanation {
	const struct extractor *extractor;
	const double *parameters; /* the values that the method used */
	const char *reason;       /* why this method was selected */
	const char *url;          /* of the page, or "" */
	const char *cluster;      /* HOST/N, or "" */
	const struct template_counts *template_counts; /* or NULL */
};

void render_explanation(const struct page *page, const struct verdict *verdicts,
			const struct trace *trace,
			const struct explanation *explanation,
			struct buffer *out);

#endif
