/*
 * extract/explain/page_copy.h - writes a copy of a page in which the user
 * selects an element: its visible texts in the page's structure, each a link
 * that names its element.
 */
#ifndef EXTRACT_EXPLAIN_PAGE_COPY_H
#define EXTRACT_EXPLAIN_PAGE_COPY_H

#include "base/buffer.h"
#include "extract/core/extractor.h"

struct page;

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
