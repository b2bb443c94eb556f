/*
 * extract/render/layout.h - the kept text of a page as a sequence of events
 * that follows the page's structure, from which every format is written.
 *
 * Blocks stand as HTML has them: li in ul and ol; caption and tr in table; td
 * and th in tr; lines, ul, ol, table, blockquote and figure anywhere else. A
 * line is p, h1..h6, pre, caption or figcaption: all text stands in one, and
 * nothing but text, images and inline elements (extract/render/inline_chain.h).
 * Whatever is opened is closed, in order, and holds something.
 */
#ifndef EXTRACT_RENDER_LAYOUT_H
#define EXTRACT_RENDER_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/core/separator.h"
#include "store/slice.h"

struct buffer;
struct render_request;

/*
 * A link is continued in at most so many lines; its text in further lines is no
 * link.
 */
enum { MAX_LINK_LINES = 4 };

struct layout_element {
	uint16_t tag;
	uint16_t outer; /* of a block: the one around it, TAG_html: none */
	uint32_t node;  /* of the page, or NO_NODE: made by layout() to hold
			   others */
	bool is_bare;   /* a p that is the text of its cell, item or figure */
	struct slice href; /* of a: the address, not escaped */
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
	/* Both NULL: only texts and all gaps are passed on. */
	void (*open)(void *context, const struct layout_element *element);
	void (*close)(void *context, uint16_t tag);
	/*
	 * The gap between two texts, before the inline elements that begin
	 * there: a separator, or in pre the white space of the source. Not
	 * called at the beginning of a line.
	 */
	void (*gap)(void *context, enum separator separator,
		    struct slice blank);
	/*
	 * Text node `index`, or what is to be read of it
	 * (extract/render/readable.h): white space collapsed but in pre.
	 */
	void (*text)(void *context, uint32_t index, struct slice text);
	void (*image)(void *context, const struct layout_image *image);
	/* Alone in its line; NULL: as if it was not there. */
	void (*media)(void *context, const struct layout_media *media);
	bool has_links; /* `a` is passed on, where its address is safe */
};

/*
 * Pass the kept texts to `writer`: those with is_content that are not blank, or
 * all when the request has no verdicts; then without images. Linear.
 */
void layout(const struct render_request *request,
	    const struct layout_writer *writer);

#endif
