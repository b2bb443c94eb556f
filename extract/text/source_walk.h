/*
 * extract/text/source_walk.h - the source of a page token by token, with the
 * text node of each token of text.
 */
#ifndef EXTRACT_TEXT_SOURCE_WALK_H
#define EXTRACT_TEXT_SOURCE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "page/page.h"
#include "page/scanner.h"

#define NO_TEXT UINT32_MAX

struct source_walk {
	const struct page *page;
	struct scanner scanner;
	uint32_t rank; /* of the next text in the source */
};

struct source_walk source_walk_begin(const struct page *page);

/*
 * The next token, false at the end. *text_out is its text node: every one comes
 * once, in the order of the source, as one whole TOKEN_TEXT; a text of SVG or
 * MathML that is part of another token comes behind that. NO_TEXT for all other
 * tokens, and for text that is no text node: blank, or dropped by the parser.
 * Linear over the whole source.
 */
bool source_walk_next(struct source_walk *walk, struct token *token_out,
		      uint32_t *text_out);

#endif
