/*
 * extract/render/render.h - writes the kept text of a page in an output format.
 */
#ifndef EXTRACT_RENDER_RENDER_H
#define EXTRACT_RENDER_RENDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "extract/core/extractor.h"
#include "extract/render/layout.h"

struct metadata;
struct notes;

enum format {
	FORMAT_TXT,  /* each block is one line, with a blank line between blocks
		      */
	FORMAT_MD,   /* CommonMark with GFM tables, tasks, strikethrough and
			  footnotes, and with callouts as GitHub has them; sub
			  and sup as inline HTML; formulas as $TeX$ */
	FORMAT_JSON, /* an object from template/result.h, whose text is as in
			TXT and whose blocks are struct content_block */
	FORMAT_HTML, /* the kept text in allow-listed elements of the page */
	FORMAT_XML,  /* a TEI P5 document */
	FORMAT_EXPLAIN, /* the explanation of extract/explain/explain.h */
	FORMAT_COPY,    /* page_copy() of extract/explain/explain.h */
	FORMAT_COUNT
};

/*
 * Parse "txt", "md", "json", "html", "xml", "explain" or "copy"; return false
 * for other names. format_name() returns the name of a format.
 */
bool format_from_name(const char *name, enum format *format_out);
const char *format_name(enum format format);

/*
 * Return the extension of file names, such as "txt", or "explain.html" for
 * FORMAT_EXPLAIN.
 */
const char *format_ending(enum format format);

/* Return the media type of a format, such as "text/plain; charset=utf-8". */
const char *format_media_type(enum format format);

struct render_request {
	const struct page *page;
	const struct verdict *verdicts; /* [page->text_count] */
	/*
	 * Append the absolute URL of `href` to `out` and return true. If `href`
	 * has no absolute URL, append nothing and return false. `href` is as in
	 * the page, with decoded entities and without page->base. If the
	 * pointer is NULL, URLs are written unchanged. In both cases, URLs with
	 * schemes other than http and https are not written.
	 */
	bool (*resolve)(const void *context, struct slice href,
			struct buffer *out);
	const void *resolve_context;
	const struct metadata *metadata; /* for XML, or NULL */
	struct slice title; /* for MD and HTML: a heading to write before the
			       text, see title_is_missing(); or empty */
	struct slice url;   /* URL of the page, for XML, or empty */
	/*
	 * Pass the marks of these notes as pieces such as "[^1]", pass notes
	 * that are no items of lists as a blockquote, and leave out the links
	 * back; or NULL. render() sets it for MD.
	 */
	const struct notes *notes;
};

/*
 * Append the kept text nodes (is_content) in document order, each at most once,
 * in a format other than FORMAT_EXPLAIN and FORMAT_COPY. FORMAT_JSON is written
 * as FORMAT_TXT. The words are the same in all formats, except that FORMAT_MD
 * has the marks of footnotes, those of callouts in place of a heading that
 * repeats their kind, for each of the media a link with its title, "video",
 * "audio" or "post", and after a quote the address that only its attribute cite
 * has, and that FORMAT_TXT has ^ before raised numbers, as in 10^6. Linear in
 * the page.
 */
void render(enum format format, const struct render_request *request,
	    struct buffer *out);

/*
 * Return true if text is kept, but neither its first line nor the only h1 of
 * the page is a kept h1. Only then the page may need a heading before its text.
 * Linear.
 */
bool heading_is_missing(const struct render_request *request);

/*
 * Return true if heading_is_missing(), and if neither a kept heading nor the
 * first kept text is `title`. Two headings are equal if their letters and
 * digits are; an h1 may also begin or end like the title. Linear.
 */
bool title_is_missing(const struct render_request *request, struct slice title);

/*
 * Append the kept text as FORMAT_TXT: inline texts are joined, the line is
 * broken at blocks (TAG_IS_BLOCK) and br, and white space is collapsed except
 * in pre. The text ends with a newline unless it is empty.
 */
void render_text(const struct page *page, const struct verdict *verdicts,
		 struct buffer *out);

/*
 * Append the kept text as FORMAT_HTML, a fragment with only these elements and
 * (in parentheses) attributes: p, h1..h6, ul, ol (start), li, table, caption,
 * tr, td and th (colspan), pre (class language-...), blockquote,
 * figure, figcaption, a (href), img (src, alt), em, i, strong, b, code, kbd,
 * samp, tt, del, s, strike, sub, sup, br. All text is escaped, every element is
 * closed, and nothing is executable. Only http, https and relative URLs are
 * written.
 */
void render_html(const struct page *page, const struct verdict *verdicts,
		 struct buffer *out);

enum { MAX_EXCERPT = 300 /* characters */ };

/*
 * Return the first paragraph of ten words or more, or the longest block if
 * there is no such paragraph, with collapsed white space. A text of more than
 * MAX_EXCERPT characters is truncated after a word (in scripts without spaces,
 * after any character), and ends in U+2026. The result is empty if there are no
 * blocks. It belongs to `arena`.
 */
struct slice excerpt_make(struct arena *arena,
			  const struct content_blocks *blocks);

/* A layout_writer (extract/render/layout.h) for FORMAT_HTML. */

struct html_writer {
	const struct page *page;
	struct buffer *out;
	bool is_verbatim; /* in pre */
	bool is_bare;     /* in text that is written without p:
			     layout_element.is_bare */
};

/*
 * The functions of the layout_writer. `context` is a struct html_writer, or a
 * struct that begins with one.
 */
void html_open(void *context, const struct layout_element *element);
void html_close(void *context, uint16_t tag);
void html_gap(void *context, enum separator separator, struct slice blank);
void html_text(void *context, uint32_t index, struct slice text);

/* render() for FORMAT_MD and for FORMAT_XML. */
void render_as_markdown(const struct render_request *request,
			struct buffer *out);
void render_as_xml(const struct render_request *request, struct buffer *out);

#endif
