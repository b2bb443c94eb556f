/*
 * extract/render/outline.h - opening and closing the blocks around kept text:
 * every block is closed, and is only where HTML allows it.
 *
 * A level is the depth of an element of the page, 0 the page itself. A block
 * that is opened belongs to a level, and ends with it.
 */
#ifndef EXTRACT_RENDER_OUTLINE_H
#define EXTRACT_RENDER_OUTLINE_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct layout_writer;

/*
 * The deepest nesting of lists in lists, and likewise of tables, quotes and
 * figures.
 */
enum { MAX_OUTLINE_NESTING = 16 };

/* A block that is open. */
struct frame {
	uint32_t level;    /* it ends with this level */
	uint32_t home;     /* the level that made it */
	uint16_t tag;      /* enum tag; TAG_html holds all others */
	uint8_t nested[4]; /* lists, tables, quotes, figures around and here */
	bool has_child;    /* a block was opened in it */
	uint32_t columns;  /* of tr: columns of its cells so far */
};

/* The columns that a cell takes in its tr, half open; {0, 0}: not known. */
struct columns {
	uint32_t begin;
	uint32_t end;
};

struct outline {
	const struct layout_writer *writer;
	struct frame *frames; /* [frame_count]; frames[0] is the whole */
	uint32_t frame_count;
	uint32_t max_frames;
	/* Frames from here on were opened for the sake of a line of text, and
	   end where the next block begins. */
	uint32_t line_frame;
};

/* `level_count` levels at most. The frames belong to `arena`. */
struct outline outline_begin(struct arena *arena,
			     const struct layout_writer *writer,
			     uint32_t level_count);

/*
 * Whether the element holds text and no blocks: p, pre, h1..h6, caption,
 * figcaption.
 */
bool outline_is_line(uint16_t tag);

/*
 * Open the block `tag` of `node` at `level` when it is one that holds others
 * (ul, ol, li, table, tr, td, th, blockquote, figure) and may stand here, with
 * the item, row or cell that is missing around it. `columns` are those of td
 * and th: empty cells are opened in place of cells before it without kept
 * content.
 */
void outline_open_block(struct outline *outline, uint16_t tag, uint32_t node,
			uint32_t level, struct columns columns);

/* Whether a line is open. */
bool outline_is_in_line(const struct outline *outline);

/*
 * Open a line (outline_is_line()) of `node` for text whose innermost block is
 * at `level`, when none is open.
 */
void outline_open_line(struct outline *outline, uint16_t line, uint32_t node,
		       uint32_t level);

/*
 * Close what was opened for a line, because a block of the page begins or ends.
 */
void outline_end_line(struct outline *outline);

/* Close the blocks that belong to `level` and to levels inside it. */
void outline_close(struct outline *outline, uint32_t level);

#endif
