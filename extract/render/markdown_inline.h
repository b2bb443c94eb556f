/*
 * extract/render/markdown_inline.h - writes the inline content of blocks, with
 * escapes, for CommonMark 0.31 and the tables and strikethrough of GFM.
 */
#ifndef EXTRACT_RENDER_MARKDOWN_INLINE_H
#define EXTRACT_RENDER_MARKDOWN_INLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "extract/render/layout.h"

/* Where a text is. The characters that need an escape depend on it. */
struct markdown_place {
	bool begins_line;  /* the text is at the start of a line */
	bool follows_line; /* the text is at the start of a line that is not the
			      first one of its block */
	unsigned digits;   /* number of digits before the text, if the line has
			      nothing else before the text; otherwise 0 */
	bool is_heading; /* the text is in a heading, where a parser would drop
			    # at the end */
	bool is_cell; /* the text is in a table cell, which any | would end */
	bool precedes_text; /* another text follows immediately */
	bool precedes_link; /* a link follows immediately */
};

/* Return the length of the longest run of ` in `text`. */
size_t markdown_longest_ticks(struct slice text);

/*
 * The class of a character in the rules of emphasis (CommonMark, "left-flanking
 * delimiter run"). The class is MARKDOWN_UNSURE if versions of CommonMark or
 * Unicode disagree about it.
 */
enum markdown_class {
	MARKDOWN_SPACE, /* white space, or the start or end of a line */
	MARKDOWN_PUNCTUATION,
	MARKDOWN_LETTER, /* any other character */
	MARKDOWN_UNSURE,
};

/*
 * Return the class of the first character of `text`, or with the second
 * function of the last one; MARKDOWN_SPACE for "".
 */
enum markdown_class markdown_class_first(struct slice text);
enum markdown_class markdown_class_last(struct slice text);

/*
 * The inline content of a CommonMark block: texts, line breaks, links, images,
 * code, emphasis, sub and sup. It is collected as runs before it is written,
 * because the meaning of a mark depends on the characters on both sides.
 */

/* Initialise with {0}; free with markdown_line_free(). */
struct markdown_line {
	struct markdown_run *runs; /* [count] */
	size_t count;
	size_t capacity;
	size_t open[INLINE_KIND_COUNT]; /* indexes of the RUN_OPEN without a
					   RUN_CLOSE up to now */
	size_t open_count;
	struct buffer bytes; /* bytes of the runs */
};

enum markdown_run_kind {
	RUN_TEXT,
	RUN_PIECE, /* Markdown already, such as a formula */
	RUN_SPACE,
	RUN_BREAK,
	RUN_IMAGE, /* the bytes are the label; a RUN_ADDRESS follows */
	RUN_ADDRESS,
	RUN_OPEN, /* for a link, the bytes are the URL */
	RUN_CLOSE,
};

struct markdown_run {
	enum markdown_run_kind kind;
	uint16_t
		tag; /* for RUN_OPEN and RUN_CLOSE: tag of the inline element */
	char mark;   /* for emphasis: '*', '_' or '~', or '\0' to write no mark
		      */
	bool is_left_out; /* for a link: write only its content */
	size_t begin;     /* offset in `bytes` of the line */
	size_t length;
	size_t partner; /* for RUN_OPEN: index of the RUN_CLOSE; for RUN_CLOSE:
			   of the RUN_OPEN */
};

void markdown_line_free(struct markdown_line *line);
void markdown_line_clear(struct markdown_line *line);

/* Add a run. `tag` is for RUN_OPEN and RUN_CLOSE, which must nest. */
void markdown_line_add(struct markdown_line *line, enum markdown_run_kind kind,
		       uint16_t tag, struct slice bytes);

enum markdown_block {
	MARKDOWN_PARAGRAPH,
	MARKDOWN_HEADING, /* is one line, so breaks become spaces */
	MARKDOWN_CELL,    /* a table cell is one line, so breaks become <br> */
};

/*
 * Append the line as inline content, and `prefix` at the start of each line
 * after a break. A CommonMark parser reads the same texts from the result:
 * marks of emphasis that it would not recognise ("a**(b)**c") are left out.
 * Linear. Sets `mark` of the runs.
 */
void markdown_line_write(struct markdown_line *line, enum markdown_block block,
			 struct slice prefix, struct buffer *out);

#endif
