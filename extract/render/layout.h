/*
 * extract/render/layout.h - passes the kept texts of a page to a writer, as a
 * sequence of calls that follows the structure of the page. All output formats
 * use it. A text is kept if its verdict is is_content.
 *
 * Blocks nest as in HTML: li is in ul and ol, caption and tr in table, td and
 * th in tr. Lines, ul, ol, table, blockquote and figure may be anywhere else. A
 * line is a p, h1..h6, pre, caption or figcaption. All text is in lines, and
 * lines contain only text, images and inline elements (enum inline_kind). Every
 * element that is opened contains something, and elements are closed in the
 * reverse order.
 */
#ifndef EXTRACT_RENDER_LAYOUT_H
#define EXTRACT_RENDER_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/limit.h"
#include "extract/core/document_walk.h"

struct render_request;
struct verdict;

/*
 * Maximum number of lines that a link is in. The text of the link in further
 * lines is not a link.
 */
enum { MAX_LINK_LINES = 4 };

struct layout_element {
	uint16_t tag;
	uint16_t outer; /* for a block: the tag of the block around it; TAG_html
			   = none */
	uint32_t node;  /* the element of the page; NO_NODE if layout() added it
			   as a container */
	bool is_bare;   /* a p that only stands for the text directly in a cell,
			   item or figure */
	struct slice href; /* for a: the URL, not escaped */
};

struct layout_image {
	struct slice source; /* the address, not escaped */
	struct slice label;  /* attribute alt as plain text; may be empty */
};

struct layout_media {
	struct slice source; /* the address, not escaped */
	struct slice title;  /* as plain text; "video", "audio" or "post" if it
			      * has none
			      */
};

/* The functions that layout() calls. */
struct layout_writer {
	void *context;
	/*
	 * Called at the start and the end of an element. If both are NULL, the
	 * writer gets only texts and all gaps.
	 */
	void (*open)(void *context, const struct layout_element *element);
	void (*close)(void *context, uint16_t tag);
	/*
	 * Called for the gap between two texts, before the inline elements that
	 * start there. The gap is a separator, or in pre the white space of the
	 * source. Not called at the start of a line. May be NULL.
	 */
	void (*gap)(void *context, enum separator separator,
		    struct slice blank);
	/*
	 * Called for text node `index`. `text` is its readable part
	 * (readable_text()), with collapsed white space except in pre. If NULL,
	 * texts only open blocks.
	 */
	void (*text)(void *context, uint32_t index, struct slice text);
	/*
	 * Called for a piece that Markdown writes without escapes, such as a
	 * formula with its $. `index` is a text next to it. If NULL, text() is
	 * called.
	 */
	void (*piece)(void *context, uint32_t index, struct slice text);
	/* Called for an image. If NULL, images do not even open blocks. */
	void (*image)(void *context, const struct layout_image *image);
	/*
	 * Called for a video or a sound, which is the only content of its line.
	 * If NULL, media are ignored.
	 */
	void (*media)(void *context, const struct layout_media *media);
	bool has_links; /* call open() and close() for links with safe URLs, too
			 */
	bool has_powers;   /* pass the text ^ between a number and a raised one,
			      as in 10^6 */
	bool has_callouts; /* call open() and close() for callouts outside of
			      tables as for a blockquote */
};

/*
 * Pass the texts with is_content that are not blank, and the images and media
 * that belong to them, to `writer`. If the request has no verdicts, pass all
 * texts but no images. Linear.
 */
void layout(const struct render_request *request,
	    const struct layout_writer *writer);

/*
 * Return true if a text in element `node`, or the text before or after it, is
 * kept, or if the request has no verdicts. Call this for nodes in ascending
 * order, with a *next_kept that begins at 0. O(1) on average.
 */
bool node_is_near(const struct render_request *request, uint32_t node,
		  uint32_t *next_kept);

/*
 * A function for layout_writer.image that does nothing, so that images only
 * open blocks.
 */
void image_ignore(void *context, const struct layout_image *image);

/*
 * Append `blank`, and then the separator: a space for SEPARATOR_SPACE, `line`
 * once for SEPARATOR_LINE, and `line` twice for SEPARATOR_BLANK_LINE.
 */
void gap_append(struct buffer *out, enum separator separator,
		struct slice blank, const char *line);

enum content_kind {
	CONTENT_PARAGRAPH,
	CONTENT_HEADING,   /* `level` is 1..6 */
	CONTENT_LIST_ITEM, /* `level` is the number of lists around it */
	CONTENT_TABLE_ROW, /* a row of a simple table; tabs separate the cells
			    */
	CONTENT_CODE,      /* a code block with all of its lines */
	CONTENT_QUOTE,     /* `level` is the number of quotes around it */
	CONTENT_CAPTION,   /* caption of a figure or a table */
	CONTENT_KIND_COUNT
};

/*
 * Return the name of a kind, such as "paragraph", "list-item" or "table-row".
 */
const char *content_kind_name(enum content_kind kind);

struct content_block {
	enum content_kind kind;
	uint32_t level; /* 0 for kinds without a level */
	size_t begin;   /* offset in content_blocks.text */
	size_t length;  /* bytes, > 0 */
	float score;    /* mean of the scores of its texts, weighted by their
			   length; finite */
};

struct content_blocks {
	const struct content_block *items; /* [count], document order */
	size_t count;
	const char *text; /* plain text in UTF-8; the blocks are parts of it */
};

/*
 * Divide the kept text of the page into blocks. They belong to `arena`. Linear
 * in the page.
 */
struct content_blocks content_blocks_make(struct arena *arena,
					  const struct page *page,
					  const struct verdict *verdicts);

/*
 * The inline elements around a piece of text, the outermost first. There is at
 * most one of each kind. Code is the innermost, because in most formats code
 * can contain only text.
 */

enum inline_kind {
	INLINE_NONE,
	INLINE_LINK,        /* a */
	INLINE_STRONG,      /* b, strong */
	INLINE_EMPHASIS,    /* em, i */
	INLINE_CODE,        /* code, kbd, samp, tt */
	INLINE_DELETED,     /* del, s, strike */
	INLINE_SUBSCRIPT,   /* sub */
	INLINE_SUPERSCRIPT, /* sup */
	INLINE_KIND_COUNT
};

/*
 * Return the kind of an element; INLINE_NONE for an element that does not
 * change the output.
 */
enum inline_kind inline_kind(uint16_t tag);

struct inline_element {
	uint32_t node;
	uint32_t level; /* level of the node, as in extract/render/outline.h */
	uint16_t tag;
};

struct inline_chain {
	struct inline_element items[INLINE_KIND_COUNT - 1]; /* [count] */
	uint32_t count;
};

/*
 * Longer URLs are left out, because a hostile page may repeat a huge URL many
 * times.
 */
enum { MAX_ADDRESS_BYTES = LIMIT(4096, 512) };

/*
 * If `href` is an http, https or relative URL, append it, resolved with
 * request->resolve and not escaped, and return true. Otherwise append nothing
 * and return false.
 */
bool link_address_append(struct buffer *out,
			 const struct render_request *request,
			 struct slice href);

enum { MAX_WHOLE_ATTRIBUTE = 999999999 };

/*
 * Return the number at the start of attribute `name` of `node`, parsed by
 * HTML's "rules for parsing non-negative integers". Return `otherwise` if
 * `node` is NO_NODE, or if it has no such number, or if the number is over
 * MAX_WHOLE_ATTRIBUTE.
 */
uint32_t whole_attribute(const struct page *page, uint32_t node,
			 const char *name, uint32_t otherwise);

#endif
