/*
 * extract/render/markdown_line.h - the inline content of a CommonMark block:
 * texts, line breaks, links, images, code, emphasis, sub and sup. It is
 * collected before it is written, because the meaning of a mark depends on both
 * of its sides.
 */
#ifndef EXTRACT_RENDER_MARKDOWN_LINE_H
#define EXTRACT_RENDER_MARKDOWN_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "extract/render/inline_chain.h"

/* Initialise with {0}; free with markdown_line_free(). */
struct markdown_line {
	struct markdown_run *runs; /* [count] */
	size_t count;
	size_t capacity;
	size_t open[INLINE_KIND_COUNT]; /* indexes of the RUN_OPEN that are not
					   closed */
	size_t open_count;
	struct buffer bytes; /* bytes of the runs */
};

enum markdown_run_kind {
	RUN_TEXT,
	RUN_SPACE,
	RUN_BREAK,
	RUN_IMAGE, /* bytes: its label; RUN_ADDRESS follows */
	RUN_ADDRESS,
	RUN_OPEN, /* bytes: for a link, its address */
	RUN_CLOSE,
};

struct markdown_run {
	enum markdown_run_kind kind;
	uint16_t tag;     /* for RUN_OPEN, RUN_CLOSE: an inline element */
	char mark;        /* for emphasis, '*' or '_'; '\0': write none */
	bool is_left_out; /* for a link: do not write it */
	size_t begin;     /* offset in `bytes` */
	size_t length;
	size_t partner; /* for RUN_OPEN, RUN_CLOSE: index of the other one */
};

void markdown_line_free(struct markdown_line *line);
void markdown_line_clear(struct markdown_line *line);

/* `tag` is for RUN_OPEN and RUN_CLOSE, which nest. */
void markdown_line_add(struct markdown_line *line, enum markdown_run_kind kind,
		       uint16_t tag, struct slice bytes);

struct slice markdown_run_bytes(const struct markdown_line *line, size_t run);

enum markdown_block {
	MARKDOWN_PARAGRAPH,
	MARKDOWN_HEADING, /* one line: breaks become spaces */
	MARKDOWN_CELL,    /* a table cell: one line, breaks become <br> */
};

/*
 * Append the line as inline content; `prefix` begins the lines after a break. A
 * CommonMark parser reads the same texts from it: emphasis that it would not
 * recognise ("a**(b)**c") is left out. Linear; changes the runs' marks.
 */
void markdown_line_write(struct markdown_line *line, enum markdown_block block,
			 struct slice prefix, struct buffer *out);

#endif
