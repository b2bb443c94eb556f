/* extract/render/render.h - from verdicts to text, in all formats. */
#ifndef EXTRACT_RENDER_RENDER_H
#define EXTRACT_RENDER_RENDER_H

#include <stdbool.h>

#include "extract/core/extractor.h"
#include "store/buffer.h"
#include "store/slice.h"

struct metadata;

enum format {
	FORMAT_TXT,     /* a line a block, a blank line between blocks */
	FORMAT_MD,      /* CommonMark, with the tables of GFM; sub and sup are
			   its inline HTML */
	FORMAT_JSON,    /* the text is TXT, the blocks are those of
			   extract/render/content_block.h; the object around
			   them is made by template/answer_json.h */
	FORMAT_HTML,    /* the kept text in its allow-listed elements */
	FORMAT_XML,     /* a TEI P5 document */
	FORMAT_EXPLAIN, /* a picture of the verdicts: extract/explain/explain.h
			 */
	FORMAT_COPY,    /* all texts, as links: extract/explain/page_copy.h */
	FORMAT_COUNT
};

/* "txt", "md", "json", "html", "xml", "explain", "copy"; false for others. */
bool format_from_name(const char *name, enum format *format_out);
const char *format_name(enum format format);

/* What a file's name ends with: "txt"; of FORMAT_EXPLAIN "explain.html", and so
 * FORMAT_COPY. */
const char *format_ending(enum format format);

/* "text/plain; charset=utf-8" */
const char *format_media_type(enum format format);

struct render_request {
	const struct page *page;
	const struct verdict *verdicts; /* [page->text_count] */
	/*
	 * Append the absolute address of `href`, as the page writes it
	 * (entities decoded, page->base not looked at), to `out` and return
	 * true; false, nothing appended, when it has none. NULL: addresses stay
	 * as they are written. Either way none but http and https ones are
	 * written.
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
 * each, but that MD has a link "video" or "audio" for what is played between
 * them. Linear in the page.
 */
void render(enum format format, const struct render_request *request,
	    struct buffer *out);

/*
 * TXT: inline text is joined, blocks (TAG_IS_BLOCK) and br break the line,
 * white space is collapsed but in pre. The text ends with a newline unless it
 * is empty.
 */
void render_text(const struct page *page, const struct verdict *verdicts,
		 struct buffer *out);

/*
 * HTML: a fragment of p, h1..h6, ul, ol (start), li, table, caption, tr, td and
 * th (colspan, rowspan), pre (class language-...), blockquote, figure,
 * figcaption, a (href), img (src, alt), em, i, strong, b, code, kbd, samp, tt,
 * del, s, strike, sub, sup, br; everything escaped, every element closed,
 * nothing executable, no address but http, https and relative ones.
 */
void render_html(const struct page *page, const struct verdict *verdicts,
		 struct buffer *out);

#endif
