/*
 * page/scanner.h - splits HTML source into tokens as written, for extractors
 * that read raw source and for tag sequences.
 */
#ifndef PAGE_SCANNER_H
#define PAGE_SCANNER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "page/page.h"

enum token_kind {
	TOKEN_TEXT,    /* up to the next tag or comment, or the content of a
			  text-only element: title, textarea... */
	TOKEN_START,   /* <name ...> */
	TOKEN_END,     /* </name ...> */
	TOKEN_COMMENT, /* comment, doctype, CDATA, processing instruction */
	TOKEN_RAW,     /* the content of script or style */
	TOKEN_COUNT
};

struct token {
	uint8_t kind; /* enum token_kind */
	bool is_open; /* the source ended inside the token; HTML then drops an
			 unfinished tag and the rest of the source */
	uint16_t tag; /* TOKEN_START, TOKEN_END: enum tag, or TAG_COUNT */
	uint32_t attribute_count; /* TOKEN_START: attributes in the tag */
	struct span source;       /* tokens follow each other without gap */
	struct span name;         /* TOKEN_START, TOKEN_END: the tag's name */
	bool is_empty;            /* TOKEN_START: written <name ... /> */
};

/* Initialise with {.source = ...}, at most UINT32_MAX bytes. */
struct scanner {
	struct slice source;
	uint32_t position;
	uint16_t raw; /* tag whose raw content follows, or 0 */
};

/*
 * Return the next token in *token_out; return false at the end. Tokens are
 * those of the HTML standard (section 13.2.5) without scripts, with two
 * differences: a CDATA section always ends at the first ">"; and title, style
 * and similar elements never contain markup, even in SVG. "<" is text unless a
 * letter, "/", "!" or "?" follows; "</" begins a comment unless a letter
 * follows. Linear in the source for any input.
 */
bool scanner_next(struct scanner *scanner, struct token *token_out);

#endif
