/*
 * extract/render/markdown_blocks.h - blocks of CommonMark: the lists, items and
 * quotes around a block, as the marks and spaces before its lines.
 */
#ifndef EXTRACT_RENDER_MARKDOWN_BLOCKS_H
#define EXTRACT_RENDER_MARKDOWN_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/render/outline.h"
#include "store/buffer.h"

/* Lists and their items, and quotes. */
enum { MAX_MARKDOWN_DEPTH = 3 * MAX_OUTLINE_NESTING };

enum markdown_container_kind {
	CONTAINER_LIST,
	CONTAINER_ITEM,
	CONTAINER_QUOTE,
};

struct markdown_container {
	enum markdown_container_kind kind;
	char marker;     /* of a list and its items: - * . ) */
	bool is_written; /* an item whose marker is */
	uint32_t number; /* of a list: of its next item; of an item: its own */
	uint32_t width;  /* of an item: columns of its marker */
};

/* Begin with the buffer alone; end with markdown_blocks_end(). */
struct markdown_blocks {
	struct buffer *out;
	struct markdown_container open[MAX_MARKDOWN_DEPTH]; /* [count] */
	uint32_t count;
	uint32_t kept; /* of these, those that the last block stood in */
	bool has_block;
	bool was_bare; /* the last one was the text of an item */
	/* The list that was closed last, when no block came behind it. */
	struct markdown_container closed;
	uint32_t closed_depth; /* `open` below it */
	bool has_closed;
	struct buffer prefix; /* of the second and further lines of the block */
};

/* A list begins: `start` is its first number, 0 when it has none. */
void markdown_open_list(struct markdown_blocks *blocks, bool is_ordered,
			uint32_t start);
void markdown_open_item(struct markdown_blocks *blocks);
void markdown_open_quote(struct markdown_blocks *blocks);

/* Close the innermost container. */
void markdown_close(struct markdown_blocks *blocks);

/*
 * Begin a block: end the one before it, and write what stands before its first
 * line. `is_bare`: it is the text of an item, which needs no blank line.
 */
void markdown_begin_block(struct markdown_blocks *blocks, bool is_bare);

/* Begin the next line of the block; one that stays empty ends in no space. */
void markdown_begin_line(struct markdown_blocks *blocks, bool is_empty);

/* End the last line. */
void markdown_blocks_end(struct markdown_blocks *blocks);

#endif
