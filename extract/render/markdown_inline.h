/*
 * extract/render/markdown_inline.h - escapes text for CommonMark 0.31 and the
 * tables and strikethrough of GFM.
 */
#ifndef EXTRACT_RENDER_MARKDOWN_INLINE_H
#define EXTRACT_RENDER_MARKDOWN_INLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "extract/render/layout.h"

/* The position of the text. */
struct markdown_place {
	bool begins_line;  /* at the start of a line */
	bool follows_line; /* the same, not the first line */
	unsigned digits; /* number of digits that are the whole line before the
			    text; 0: other content */
	bool is_heading; /* a parser would drop # at its end */
	bool is_cell;    /* | ends a cell, wherever it stands */
	bool precedes_text; /* another text follows immediately */
	bool precedes_link; /* a link follows immediately */
};

/* Return the length of the longest run of ` in `text`. */
size_t markdown_longest_ticks(struct slice text);

/*
 * The class of a character in the rules of emphasis (CommonMark, "left-flanking
 * delimiter run"); MARKDOWN_UNSURE if versions of CommonMark or Unicode differ.
 */
enum markdown_class {
	MARKDOWN_SPACE, /* or an end of the line */
	MARKDOWN_PUNCTUATION,
	MARKDOWN_LETTER, /* neither space nor punctuation */
	MARKDOWN_UNSURE,
};

/*
 * Return the class of the first and of the last character of `text`;
 * MARKDOWN_SPACE for "".
 */
enum markdown_class markdown_class_first(struct slice text);
enum markdown_class markdown_class_last(struct slice text);

/*
 * The inline content of a CommonMark block: texts, line breaks, links, images,
 * code, emphasis, sub and sup. It is collected before it is written, because
 * the meaning of a mark depends on both of its sides.
 */

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
