/*
 * extract/render/layout.h - passes the kept text of a page to a writer, as a
 * sequence of events that follows the page's structure. All formats use it.
 *
 * Blocks nest as in HTML: li in ul and ol; caption and tr in table; td and th
 * in tr; lines, ul, ol, table, blockquote and figure anywhere else. A line is
 * p, h1..h6, pre, caption or figcaption: all text is in lines, and lines hold
 * only text, images and inline elements (enum inline_kind). Every
 * element that is opened holds something, and is closed in order.
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
 * Maximum number of lines in which a link continues; its text in further lines
 * is not a link.
 */
enum { MAX_LINK_LINES = 4 };

struct layout_element {
	uint16_t tag;
	uint16_t outer; /* for a block: the block around it; TAG_html: none */
	uint32_t node;  /* an element of the page; NO_NODE: layout() added it as
			   a container */
	bool is_bare;   /* a p that is the text of its cell, item or figure */
	struct slice href; /* for a: the address, not escaped */
};

struct layout_image {
	struct slice source; /* the address, not escaped */
	struct slice label;  /* alt, plain; may be empty */
};

struct layout_media {
	struct slice source; /* the address, not escaped */
	struct slice kind;   /* "video", "audio" */
};

struct layout_writer {
	void *context;
	/* Both NULL: the writer gets only texts and all gaps. */
	void (*open)(void *context, const struct layout_element *element);
	void (*close)(void *context, uint16_t tag);
	/*
	 * The gap between two texts, before the inline elements that start
	 * there: a separator, or in pre the white space of the source. Not
	 * called at the start of a line. NULL: gaps are ignored.
	 */
	void (*gap)(void *context, enum separator separator,
		    struct slice blank);
	/*
	 * Text node `index`, or its readable part (extract/render/outline.h),
	 * with collapsed white space except in pre. NULL: texts only open
	 * blocks.
	 */
	void (*text)(void *context, uint32_t index, struct slice text);
	/* NULL: images do not even open blocks. */
	void (*image)(void *context, const struct layout_image *image);
	/* The only content of its line; NULL: media are ignored. */
	void (*media)(void *context, const struct layout_media *media);
	bool has_links; /* pass on `a` elements with safe addresses */
};

/*
 * Pass the kept texts to `writer`: texts with is_content that are not blank,
 * or, if the request has no verdicts, all texts but no images. Linear.
 */
void layout(const struct render_request *request,
	    const struct layout_writer *writer);

/* An image() that only opens blocks. */
void image_ignore(void *context, const struct layout_image *image);

/*
 * Append `blank`, and for the separator a space, or `line` once or twice.
 */
void gap_append(struct buffer *out, enum separator separator,
		struct slice blank, const char *line);

enum content_kind {
	CONTENT_PARAGRAPH,
	CONTENT_HEADING,   /* level: 1..6 */
	CONTENT_LIST_ITEM, /* level: number of lists around it */
	CONTENT_TABLE_ROW, /* of a simple table; tabs separate the cells */
	CONTENT_CODE,      /* a code block with its lines */
	CONTENT_QUOTE,     /* level: number of quotes around it */
	CONTENT_CAPTION,   /* of a figure or a table */
	CONTENT_KIND_COUNT
};

/* Return the name: "paragraph", "list-item", "table-row", ... */
const char *content_kind_name(enum content_kind kind);

struct content_block {
	enum content_kind kind;
	uint32_t level; /* 0 for kinds without a level */
	size_t begin;   /* in `text` */
	size_t length;  /* bytes, > 0 */
	float score; /* mean of its texts' scores, weighted by length; finite */
};

struct content_blocks {
	const struct content_block *items; /* [count], document order */
	size_t count;
	const char *text; /* UTF-8, plain; the blocks are parts of it */
};

/* Divide the kept text. The blocks belong to `arena`. Linear in the page. */
struct content_blocks content_blocks_make(struct arena *arena,
					  const struct page *page,
					  const struct verdict *verdicts);

/*
 * The inline elements around a piece of text, outermost first: at most one of
 * each kind, with code innermost, because in most formats code can hold only
 * text.
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

/* Return the kind; INLINE_NONE for an element without effect on the output. */
enum inline_kind inline_kind(uint16_t tag);

struct inline_element {
	uint32_t node;
	uint32_t level; /* level of the node: outline.h */
	uint16_t tag;
};

struct inline_chain {
	struct inline_element items[INLINE_KIND_COUNT - 1]; /* [count] */
	uint32_t count;
};

/*
 * Longer addresses are left out, because a hostile page may repeat a huge
 * address many times.
 */
enum { MAX_ADDRESS_BYTES = LIMIT(4096, 512) };

/*
 * Append `href`, resolved as the request demands: an http, https or relative
 * address, not escaped. Append nothing and return false for other addresses.
 */
bool link_address_append(struct buffer *out,
			 const struct render_request *request,
			 struct slice href);

enum { MAX_WHOLE_ATTRIBUTE = 999999999 };

/*
 * Return the number at the start of attribute `name` of `node`, by HTML's
 * "rules for parsing non-negative integers"; `otherwise` if `node` is NO_NODE
 * or has no such number, or the number is over MAX_WHOLE_ATTRIBUTE.
 */
uint32_t whole_attribute(const struct page *page, uint32_t node,
			 const char *name, uint32_t otherwise);

#endif
