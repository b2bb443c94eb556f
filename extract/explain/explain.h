/*
 * extract/explain/explain.h - writes two self-contained HTML files in which
 * nothing of the page can run: the explanation of an extraction, and a copy of
 * the page in which the user selects or sees an element. In the explanation,
 * every text node is coloured by its score and verdict, and the method's
 * figures are below the page.
 */
#ifndef EXTRACT_EXPLAIN_EXPLAIN_H
#define EXTRACT_EXPLAIN_EXPLAIN_H

#include "base/buffer.h"
#include "extract/core/extractor.h"

struct explanation {
	const struct extractor *extractor;
	const double *parameters; /* the values that the method used */
	const char *reason;       /* reason of struct method_selection */
	const char *url;          /* URL of the page, or "" */
	const char *cluster;      /* HOST/N, or "" */
	const struct template_counts *template_counts; /* or NULL */
};

/*
 * Append the explanation of the verdicts as an HTML file. `trace` may be NULL.
 */
void render_explanation(const struct page *page, const struct verdict *verdicts,
			const struct trace *trace,
			const struct explanation *explanation,
			struct buffer *out);

/*
 * A copy of a page for selecting an element: it has the visible texts in the
 * page's structure, and each text is a link with the number of its element.
 */

enum {
	PAGE_COPY_MAX_BYTES = 8 << 20
}; /* after this size, no other text is begun */

/*
 * Append a self-contained HTML file. It contains only escaped text of the page,
 * in the elements of render_html() except links and pictures, so it has no
 * script, handler, form, style, address or image of the page. Text that is
 * content has the class "k", and other text "d". The link of a text is
 * "/ui/element?url=URL&n=N", where N is the index of the text's element in
 * page->nodes. The link opens in the outermost frame.
 */
void page_copy(const struct page *page, const struct verdict *verdicts,
	       const char *url, struct buffer *out);

/* A value on a page. */
struct page_mark {
	uint32_t node; /* the element that has it */
	struct slice text;
};

/*
 * Append a copy of the page without links, in which the values [count] are
 * outlined. The first one has the id "value". If the page does not show it, a
 * note has this id.
 */
void page_copy_marked(const struct page *page, const struct page_mark *marks,
		      uint32_t count, struct buffer *out);

#endif
