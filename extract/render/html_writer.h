/*
 * extract/render/html_writer.h - writes the events of extract/render/layout.h
 * as HTML: a fragment of allow-listed elements, with nothing executable; all
 * text is escaped and all elements are closed.
 */
#ifndef EXTRACT_RENDER_HTML_WRITER_H
#define EXTRACT_RENDER_HTML_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/render/layout.h"

struct buffer;
struct page;

struct html_writer {
	const struct page *page;
	struct buffer *out;
	bool is_verbatim; /* in pre */
	bool is_bare;     /* in the text of a cell, without p */
};

/* The functions of a layout_writer; `context` is a struct html_writer. */
void html_open(void *context, const struct layout_element *element);
void html_close(void *context, uint16_t tag);
void html_gap(void *context, enum separator separator, struct slice blank);
void html_text(void *context, uint32_t index, struct slice text);
void html_image(void *context, const struct layout_image *image);

#endif
