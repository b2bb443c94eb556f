/*
 * extract/layout_html.h - texts of a page laid out as HTML by the page's own
 * structure: paragraphs, headings, lists, tables, and what is inline.
 */
#ifndef EXTRACT_LAYOUT_HTML_H
#define EXTRACT_LAYOUT_HTML_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/slice.h"

struct outline;
struct page;

/* Which texts are laid out, and how they are written. */
struct html_style {
	bool (*shows)(const void *context, uint32_t index);
	/*
	 * Write text `index` by outline_text(), with elements around it that it
	 * closes itself. `text` is what is to be read of it, white space
	 * collapsed but in pre: empty when nothing is.
	 */
	void (*write)(const void *context, struct outline *outline,
		      uint32_t index, struct slice text);
	const void *context;
	bool has_links; /* `a` is written too, where its address is safe */
};

/*
 * Append the elements: those of outline.h, every one closed, each text that is
 * shown once, in document order. Linear in the page.
 */
void layout_html(const struct page *page, const struct html_style *style,
		 struct buffer *out);

#endif
