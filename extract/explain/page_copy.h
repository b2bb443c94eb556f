/*
 * extract/explain/page_copy.h - a copy of a page in which people choose an
 * element: its visible texts, laid out as the page is built, each a link that
 * names its element.
 */
#ifndef EXTRACT_EXPLAIN_PAGE_COPY_H
#define EXTRACT_EXPLAIN_PAGE_COPY_H

#include "extract/core/extractor.h"
#include "store/buffer.h"

struct page;

enum { PAGE_COPY_MAX_BYTES = 8 << 20 }; /* and one text more */

/*
 * Append a self-contained HTML file. Nothing of the page is in it but text,
 * escaped, in the elements of render_html() but for its links and pictures: no
 * script, handler, form, style, address or image of the page can be in it. A
 * text that is content has the class "k", another one "d"; its link is
 * "?url=URL&element=N", N the index of its element in page->nodes, and opens in
 * the outermost frame.
 */
void page_copy(const struct page *page, const struct verdict *verdicts,
	       const char *url, struct buffer *out);

#endif
