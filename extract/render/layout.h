/*
 * extract/render/layout.h - passes the kept text of a page to a writer, as a
 * sequence of events that follows the page's structure. All formats use it.
 *
 * Blocks nest as in HTML: li in ul and ol; caption and tr in table; td and th
 * in tr; lines, ul, ol, table, blockquote and figure anywhere else. A line is
 * p, h1..h6, pre, caption or figcaption: all text is in lines, and lines hold
 * only text, images and inline elements (extract/render/inline_chain.h). Every
 * element that is opened holds something, and is closed in order.
 */
#ifndef EXTRACT_RENDER_LAYOUT_H
#define EXTRACT_RENDER_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "extract/core/separator.h"

struct buffer;
struct render_request;

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
	 * called at the start of a line.
	 */
	void (*gap)(void *context, enum separator separator,
		    struct slice blank);
	/*
	 * Text node `index`, or its readable part (extract/render/readable.h),
	 * with collapsed white space except in pre.
	 */
	void (*text)(void *context, uint32_t index, struct slice text);
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

#endif
