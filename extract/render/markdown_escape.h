/*
 * extract/render/markdown_escape.h - escapes text for CommonMark 0.31 and the
 * tables and strikethrough of GFM.
 */
#ifndef EXTRACT_RENDER_MARKDOWN_ESCAPE_H
#define EXTRACT_RENDER_MARKDOWN_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

struct buffer;

/* The position of the text. */
struct markdown_place {
	bool begins_line;  /* at the start of a line */
	bool follows_line; /* at the start of a line that follows another line
			    */
	unsigned digits; /* number of digits that are the whole line before the
			    text; 0: other content */
	bool is_heading; /* a parser would drop # at its end */
	bool is_cell;    /* | ends a cell, wherever it stands */
	bool precedes_text; /* another text follows immediately */
	bool precedes_link; /* a link follows immediately */
};

/*
 * Append `text`, which has no line end. Collapse runs of spaces, and drop them
 * at the start of a line.
 */
void markdown_escape(struct buffer *out, struct slice text,
		     struct markdown_place place);

/*
 * Append an address as the destination of a link or an image, without < >.
 * Percent-encode or escape characters that would end it or have a meaning
 * around it.
 */
void markdown_escape_address(struct buffer *out, struct slice address);

/* Append a code span, which must not be empty and must have no line end. */
void markdown_escape_code(struct buffer *out, struct slice code, bool is_cell);

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

#endif
