/*
 * page/scanner.h - the tokens of HTML source as written: for extractors that
 * read raw source, and for tag sequences.
 */
#ifndef PAGE_SCANNER_H
#define PAGE_SCANNER_H

#include <stdbool.h>
#include <stdint.h>

#include "page/page.h"
#include "store/slice.h"

enum token_kind {
	TOKEN_TEXT,    /* up to the next tag or comment, or the content of
			  an element that has text alone: title, textarea... */
	TOKEN_START,   /* <name ...> */
	TOKEN_END,     /* </name ...> */
	TOKEN_COMMENT, /* comment, doctype, CDATA, processing instruction */
	TOKEN_RAW,     /* the content of script or style */
	TOKEN_COUNT
};

struct token {
	uint8_t kind; /* enum token_kind */
	bool is_open; /* the source ended inside it; HTML then drops an
			 unfinished tag and the rest of the source */
	uint16_t tag; /* TOKEN_START, TOKEN_END: enum tag, or TAG_COUNT */
	uint32_t attribute_count; /* TOKEN_START: attributes written in the tag
				   */
	struct span source;       /* tokens follow each other without gap */
	struct span name; /* TOKEN_START, TOKEN_END: of the tag's name */
	bool is_empty;    /* TOKEN_START: written <name ... /> */
};

/* Begin with {.source = ...}, at most UINT32_MAX bytes. */
struct scanner {
	struct slice source;
	uint32_t position;
	uint16_t raw; /* tag whose raw content comes next, or 0 */
};

/*
 * The next token; false at the end. Tokens are those of the HTML standard
 * (section 13.2.5) without scripts, but that a CDATA section ends at the first
 * ">" everywhere, and that title, style and their like have no markup inside
 * wherever they stand, as if there were no SVG. "<" before anything
 * but a letter, "/", "!" or "?" is text; "</" before anything but a letter is
 * a comment. Linear over the whole source, whatever it holds.
 */
bool scanner_next(struct scanner *scanner, struct token *token_out);

#endif
