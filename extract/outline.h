/*
 * extract/outline.h - the elements of an HTML fragment while it is written:
 * every one is closed, and stands where HTML lets it stand.
 *
 * A level is the depth of an element of the page, 0 the page itself. An element
 * that is opened belongs to a level, and ends with it.
 */
#ifndef EXTRACT_OUTLINE_H
#define EXTRACT_OUTLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/slice.h"

struct arena;

/* An element that is written and not yet closed. */
struct frame {
	uint32_t level;   /* it ends with this level */
	uint32_t home;    /* the level that made the innermost block here */
	uint16_t tag;     /* enum tag */
	uint16_t context; /* tag of that block; TAG_html when there is none */
	bool is_in_link;
};

struct outline {
	struct buffer *out;
	struct frame *frames; /* [frame_count]; frames[0] is the fragment */
	uint32_t frame_count;
	uint32_t max_frames;
	/* Frames from here on were opened for the sake of a line of text, and
	   end where the next block begins. */
	uint32_t line_frame;
	bool is_fresh; /* a block's tag was written since outline_text() */
};

/* `level_count` levels at most. The frames belong to `arena`. */
struct outline outline_begin(struct arena *arena, struct buffer *out,
			     uint32_t level_count);

/* The inline elements that are written: a, b, code, em, i, strong. */
bool outline_is_inline(uint16_t tag);

/* What holds text and no block: p, pre, h1..h6. */
bool outline_is_line(uint16_t tag);

/*
 * Write the start of the block `tag` at `level` when it is one that holds
 * others (ul, ol, li, table, tr, td, th, blockquote) and may stand here, with
 * the item, row or cell that is missing around it.
 */
void outline_open_block(struct outline *outline, uint16_t tag, uint32_t level);

/*
 * Write the start of an inline element where it may stand. `href` is that of
 * an `a`, which is left out when the address is not safe or inside a link.
 */
void outline_open_inline(struct outline *outline, uint16_t tag,
			 struct slice href, uint32_t level);

/*
 * Make a place for text whose innermost block is at `level`: nothing when it
 * may stand here, else `line` (outline_is_line()) is opened.
 */
void outline_open_line(struct outline *outline, uint16_t line, uint32_t level);

/* A block of the page begins or ends: what was opened for a line ends. */
void outline_end_line(struct outline *outline);

/* Close what belongs to `level` and those inside it. */
void outline_close(struct outline *outline, uint32_t level);

/* Write text, escaped. */
void outline_text(struct outline *outline, struct slice text);

#endif
