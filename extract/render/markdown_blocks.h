/*
 * extract/render/markdown_blocks.h - writes CommonMark blocks: the marks and
 * spaces before the lines of a block for the lists, items and quotes around it.
 */
#ifndef EXTRACT_RENDER_MARKDOWN_BLOCKS_H
#define EXTRACT_RENDER_MARKDOWN_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "extract/render/outline.h"

/* Containers: lists and their items, and quotes. */
enum { MAX_MARKDOWN_DEPTH = 3 * MAX_OUTLINE_NESTING };

enum markdown_container_kind {
	CONTAINER_LIST,
	CONTAINER_ITEM,
	CONTAINER_QUOTE,
};

struct markdown_container {
	enum markdown_container_kind kind;
	char marker;     /* for a list and its items: - * . ) */
	bool is_written; /* for an item: its marker is written */
	uint32_t
		number; /* for a list: of its next item; for an item: its own */
	uint32_t width; /* for an item: columns of its marker */
};

/* Initialise with only the buffer; end with markdown_blocks_end(). */
struct markdown_blocks {
	struct buffer *out;
	struct markdown_container open[MAX_MARKDOWN_DEPTH]; /* [count] */
	uint32_t count;
	uint32_t kept; /* number of these that also contained the last block */
	bool has_block;
	bool was_bare; /* the last block was the text of an item */
	/* The list that was closed last, if no block follows it yet. */
	struct markdown_container closed;
	uint32_t closed_depth; /* its depth in `open` */
	bool has_closed;
	struct buffer
		prefix; /* start of the second and further lines of the block */
};

/* Open a list: `start` is the first number of an ordered list. */
void markdown_open_list(struct markdown_blocks *blocks, bool is_ordered,
			uint32_t start);
void markdown_open_item(struct markdown_blocks *blocks);
void markdown_open_quote(struct markdown_blocks *blocks);

/* Close the innermost container. */
void markdown_close(struct markdown_blocks *blocks);

/*
 * Begin a block: end the previous block, and write the marks before its first
 * line. `is_bare`: it is the text of an item, which needs no blank line.
 */
void markdown_begin_block(struct markdown_blocks *blocks, bool is_bare);

/* Begin the next line of the block; an empty line gets no space at its end. */
void markdown_begin_line(struct markdown_blocks *blocks, bool is_empty);

/* End the last line. */
void markdown_blocks_end(struct markdown_blocks *blocks);

#endif
