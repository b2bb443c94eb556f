/*
 * extract/render/markdown_line.h - the inline content of a block of CommonMark:
 * texts, line breaks, links, images, code, emphasis, sub and sup. It is
 * collected before it is written, since the meaning of a mark depends on both
 * of its sides.
 */
#ifndef EXTRACT_RENDER_MARKDOWN_LINE_H
#define EXTRACT_RENDER_MARKDOWN_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "extract/render/inline_chain.h"
#include "store/buffer.h"
#include "store/slice.h"

/* Begin with {0}; end with markdown_line_free(). */
struct markdown_line {
	struct markdown_run *runs; /* [count] */
	size_t count;
	size_t capacity;
	size_t open[INLINE_KIND_COUNT]; /* runs: what RUN_CLOSE closes */
	size_t open_count;
	struct buffer bytes; /* what the runs point into */
};

enum markdown_run_kind {
	RUN_TEXT,
	RUN_SPACE,
	RUN_BREAK,
	RUN_IMAGE, /* bytes: its label; then RUN_ADDRESS */
	RUN_ADDRESS,
	RUN_OPEN, /* bytes: of a link, its address */
	RUN_CLOSE,
};

struct markdown_run {
	enum markdown_run_kind kind;
	uint16_t tag;     /* RUN_OPEN, RUN_CLOSE: an inline element */
	char mark;        /* of emphasis, '*' or '_'; '\0': none is written */
	bool is_left_out; /* of a link: none is written */
	size_t begin;     /* in bytes */
	size_t length;
	size_t partner; /* RUN_OPEN, RUN_CLOSE: index of the other */
};

void markdown_line_free(struct markdown_line *line);
void markdown_line_clear(struct markdown_line *line);

/* `tag` is for RUN_OPEN and RUN_CLOSE, which nest. */
void markdown_line_add(struct markdown_line *line, enum markdown_run_kind kind,
		       uint16_t tag, struct slice bytes);

struct slice markdown_run_bytes(const struct markdown_line *line, size_t run);

enum markdown_block {
	MARKDOWN_PARAGRAPH,
	MARKDOWN_HEADING, /* one line: breaks are spaces */
	MARKDOWN_CELL,    /* of a table: the same, but <br> */
};

/*
 * Append it as inline content; `prefix` begins the lines behind a break. A
 * CommonMark parser gets the same texts from it: emphasis that it would not
 * recognise ("a**(b)**c") is left out. Linear; changes the runs' marks.
 */
void markdown_line_write(struct markdown_line *line, enum markdown_block block,
			 struct slice prefix, struct buffer *out);

#endif
