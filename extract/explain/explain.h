/*
 * extract/explain/explain.h - writes a page with every text node coloured by
 * its score and verdict, and below it the method's figures: a self-contained
 * HTML file without scripts, in which nothing of the page can run. Or writes a
 * copy of the page in which the user selects an element.
 */
#ifndef EXTRACT_EXPLAIN_EXPLAIN_H
#define EXTRACT_EXPLAIN_EXPLAIN_H

#include "base/buffer.h"
#include "extract/core/extractor.h"

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

/*
 * Writes a copy of a page in which the user selects an element: its visible
 * texts in the page's structure, each a link that names its element.
 */

enum { PAGE_COPY_MAX_BYTES = 8 << 20 }; /* maximum; one more text may follow */

/*
 * Append a self-contained HTML file. It contains only escaped text of the page,
 * in the elements of render_html() without links and pictures: no script,
 * handler, form, style, address or image of the page. Text that is content has
 * the class "k", other text "d". The link of a text is "?url=URL&element=N",
 * where N is the index of its element in page->nodes; it opens in the outermost
 * frame.
 */
void page_copy(const struct page *page, const struct verdict *verdicts,
	       const char *url, struct buffer *out);

#endif
