/*
 * extract/text/token_stream.h - a page as the sequence of its tags and words in
 * source order, which is the input of one-dimensional methods (Pinto et al.,
 * QuASM, JCDL 2002: "tags and words as tokens").
 */
#ifndef EXTRACT_TEXT_TOKEN_STREAM_H
#define EXTRACT_TEXT_TOKEN_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "page/page.h"
#include "page/scanner.h"

#define NO_TEXT UINT32_MAX

/* A walk over the tokens of the source of a page. */
struct source_walk {
	const struct page *page;
	struct scanner scanner;
	uint32_t rank; /* position, in source order, of the next text */
};

struct source_walk source_walk_begin(const struct page *page);

/*
 * Write the next token to *token_out, and its text node to *text_out; return
 * false at the end. Every text node is returned once, in source order, as one
 * whole TOKEN_TEXT. If a text of SVG or MathML is inside another token, it is
 * returned after that token. *text_out is NO_TEXT for all other tokens, and for
 * text without a text node, which is blank or was dropped by the parser. A
 * whole walk is linear.
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
	 * [page->text_count]: the range of the words of each text node; for a
	 * text without words, the empty range at its position
	 */
	const struct token_range *texts;
};

/*
 * Build the sequence of tags and words; words are defined by word_count(). Only
 * words of text nodes whose is_visible [page->text_count] is true are included.
 * Of script and style, only the tags are included, and of comments nothing.
 * Everything belongs to `arena`: 8 bytes a token and 8 a text node. Linear.
 */
struct token_stream token_stream_make(struct arena *arena,
				      const struct page *page,
				      const bool *is_visible);

/*
 * The tag of the element that contains a passage, as a number. Similar tags
 * have adjacent numbers, so that one comparison in a decision tree separates
 * them from the other tags.
 */

enum tag_kind {
	KIND_OTHER, /* all other tags, and NO_NODE */
	KIND_P,
	KIND_LI,
	KIND_H1,
	KIND_H2,
	KIND_H3,
	KIND_H4,
	KIND_H5, /* h5 and h6 */
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
	KIND_BODY, /* body and html */
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
