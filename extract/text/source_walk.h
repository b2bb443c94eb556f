/*
 * extract/text/source_walk.h - iterates over the tokens of a page's source,
 * with the text node of each text token.
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
	uint32_t rank; /* rank of the next text in the source */
};

struct source_walk source_walk_begin(const struct page *page);

/*
 * Return the next token; false at the end. *text_out is its text node. Every
 * text node comes once, in source order, as one whole TOKEN_TEXT; a text of SVG
 * or MathML inside another token comes after that token. *text_out is NO_TEXT
 * for all other tokens, and for text without a text node: blank text, or text
 * that the parser dropped. Linear over the whole source.
 */
bool source_walk_next(struct source_walk *walk, struct token *token_out,
		      uint32_t *text_out);

#endif
