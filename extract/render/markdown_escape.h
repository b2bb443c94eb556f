/*
 * extract/render/markdown_escape.h - escaping text for CommonMark 0.31 and the
 * tables and strikethrough of GFM.
 */
#ifndef EXTRACT_RENDER_MARKDOWN_ESCAPE_H
#define EXTRACT_RENDER_MARKDOWN_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "store/slice.h"

struct buffer;

/* The place of the text. */
struct markdown_place {
	bool begins_line;   /* at the begin of a line */
	bool follows_line;  /* of one that stands under another */
	unsigned digits;    /* that are the whole line so far; 0: it is not */
	bool is_heading;    /* # at its end would be dropped */
	bool is_cell;       /* | ends a cell, wherever it stands */
	bool precedes_text; /* another text follows, and nothing between */
	bool precedes_link; /* a link does */
};

/*
 * Append `text`, which has no line end. Runs of spaces become one, and none is
 * left at the begin of a line.
 */
void markdown_escape(struct buffer *out, struct slice text,
		     struct markdown_place place);

/*
 * Append an address as the destination of a link or an image, without < >:
 * what would end it, or mean something to what stands around, is
 * percent-encoded or escaped.
 */
void markdown_escape_address(struct buffer *out, struct slice address);

/* Append a span of code that is not empty and has no line end. */
void markdown_escape_code(struct buffer *out, struct slice code, bool is_cell);

/* The length of the longest run of ` in `text`. */
size_t markdown_longest_ticks(struct slice text);

/*
 * The class of a character in the rules of emphasis (CommonMark, "left-flanking
 * delimiter run"); MARKDOWN_UNSURE if versions of CommonMark or Unicode differ.
 */
enum markdown_class {
	MARKDOWN_SPACE, /* or an end of the line */
	MARKDOWN_PUNCTUATION,
	MARKDOWN_LETTER, /* neither */
	MARKDOWN_UNSURE,
};

/* Of the first and of the last character of `text`; of "" MARKDOWN_SPACE. */
enum markdown_class markdown_class_first(struct slice text);
enum markdown_class markdown_class_last(struct slice text);

#endif
