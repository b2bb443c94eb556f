/*
 * extract/text/token_stream.h - a page as the sequence of its tags and words,
 * in source order: the input of one-dimensional methods (Pinto et al., QuASM,
 * JCDL 2002: "tags and words as tokens").
 */
#ifndef EXTRACT_TEXT_TOKEN_STREAM_H
#define EXTRACT_TEXT_TOKEN_STREAM_H

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

struct stream_token {
	uint32_t text; /* for a word: its text node; NO_TEXT for a tag */
	uint16_t tag;  /* for a tag: enum tag, or TAG_COUNT; 0 for a word */
	bool is_end;   /* for a tag: it is an end tag */
};

/* Half open range of tokens. */
struct token_range {
	uint32_t begin;
	uint32_t end;
};

struct token_stream {
	const struct stream_token *tokens; /* [count] */
	uint32_t count;
	/*
	 * [page->text_count]: the words of each text node; for a text without
	 * words, the empty range at its position
	 */
	const struct token_range *texts;
};

/*
 * Build the sequence. Words are the words of word_count(). Only words of text
 * nodes with is_visible [page->text_count] are included; comments, script and
 * style leave only the tags around them. Everything belongs to `arena`: 8 bytes
 * a token and 8 a text node. Linear.
 */
struct token_stream token_stream_make(struct arena *arena,
				      const struct page *page,
				      const bool *is_visible);

/*
 * The tag of the element that holds a passage, as a number. Similar tags have
 * adjacent numbers, so that a decision tree separates them with one
 * comparison.
 */

enum tag_kind {
	KIND_OTHER, /* and NO_NODE */
	KIND_P,
	KIND_LI,
	KIND_H1,
	KIND_H2,
	KIND_H3,
	KIND_H4,
	KIND_H5, /* and h6 */
	KIND_TD,
	KIND_TH,
	KIND_DT,
	KIND_DD,
	KIND_DIV,
	KIND_SPAN,
	KIND_PRE,
	KIND_BLOCKQUOTE,
	KIND_FIGCAPTION,
	KIND_BUTTON,
	KIND_LABEL,
	KIND_OPTION,
	KIND_SECTION,
	KIND_ARTICLE,
	KIND_SUMMARY,
	KIND_LEGEND,
	KIND_BODY, /* and html */
	KIND_HEADER,
	KIND_FOOTER,
	KIND_FORM,
	KIND_CAPTION,
	KIND_NAV,
	KIND_UL,
	KIND_MAIN,
	KIND_ASIDE,
	KIND_FIGURE,
	KIND_COUNT
};

/* Return the enum tag_kind of element `node`. */
uint8_t tag_kind(const struct page *page, uint32_t node);

#endif
