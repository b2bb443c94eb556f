/* extract/render/render.h - writes the chosen text in all formats. */
#ifndef EXTRACT_RENDER_RENDER_H
#define EXTRACT_RENDER_RENDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "extract/core/extractor.h"
#include "extract/render/layout.h"

struct metadata;

enum format {
	FORMAT_TXT, /* one line for a block, a blank line between blocks */
	FORMAT_MD,  /* CommonMark with GFM tables; sub and sup as inline HTML */
	FORMAT_JSON,    /* the text is TXT, the blocks are from
			   extract/render/layout.h; template/result.h
			   writes the object around them */
	FORMAT_HTML,    /* the kept text in allow-listed elements of the page */
	FORMAT_XML,     /* a TEI P5 document */
	FORMAT_EXPLAIN, /* the verdicts, coloured: extract/explain/explain.h */
	FORMAT_COPY,    /* all texts as links: extract/explain/explain.h */
	FORMAT_COUNT
};

/*
 * Parse "txt", "md", "json", "html", "xml", "explain" or "copy"; return false
 * for other names.
 */
bool format_from_name(const char *name, enum format *format_out);
const char *format_name(enum format format);

/*
 * Return the ending of file names: "txt"; "explain.html" for FORMAT_EXPLAIN,
 * and similarly for FORMAT_COPY.
 */
const char *format_ending(enum format format);

/* Return the media type: "text/plain; charset=utf-8" */
const char *format_media_type(enum format format);

struct render_request {
	const struct page *page;
	const struct verdict *verdicts; /* [page->text_count] */
	/*
	 * Append the absolute address of `href` to `out` and return true; if it
	 * has none, append nothing and return false. `href` is as the page
	 * writes it, with decoded entities and without page->base. NULL:
	 * addresses stay unchanged. In either case only http and https
	 * addresses are written.
	 */
	bool (*resolve)(const void *context, struct slice href,
			struct buffer *out);
	const void *resolve_context;
	const struct metadata *metadata; /* for XML; or NULL */
	struct slice url; /* the page's own address, for XML; or empty */
};

/*
 * Append the text nodes with is_content in document order, each at most once,
 * in a format (JSON: as TXT; not EXPLAIN and COPY). The words are the same in
 * all formats, except that MD has a link "video" or "audio" for media between
 * them. Linear in the page.
 */
void render(enum format format, const struct render_request *request,
	    struct buffer *out);

/*
 * TXT: join inline text, break the line at blocks (TAG_IS_BLOCK) and br,
 * collapse white space except in pre. The text ends with a newline unless it is
 * empty.
 */
void render_text(const struct page *page, const struct verdict *verdicts,
		 struct buffer *out);

/*
 * HTML: a fragment of p, h1..h6, ul, ol (start), li, table, caption, tr, td and
 * th (colspan, rowspan), pre (class language-...), blockquote, figure,
 * figcaption, a (href), img (src, alt), em, i, strong, b, code, kbd, samp, tt,
 * del, s, strike, sub, sup, br. All text is escaped, every element is closed,
 * nothing is executable; only http, https and relative addresses are written.
 */
void render_html(const struct page *page, const struct verdict *verdicts,
		 struct buffer *out);

enum { MAX_EXCERPT = 300 /* characters */ };

/*
 * Return the first paragraph of ten words or more; without one, the longest
 * block; white space collapsed. A longer text is truncated after a word, or
 * anywhere in scripts without spaces, and then ends in U+2026. Empty without
 * blocks. Belongs to `arena`.
 */
struct slice excerpt_make(struct arena *arena,
			  const struct content_blocks *blocks);

/*
 * Writes the events of extract/render/layout.h as HTML: a fragment of
 * allow-listed elements, with nothing executable; all text is escaped and all
 * elements are closed.
 */

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

void render_as_markdown(const struct render_request *request,
			struct buffer *out);
void render_as_xml(const struct render_request *request, struct buffer *out);

#endif
