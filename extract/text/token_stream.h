/*
 * extract/text/token_stream.h - a page as the sequence of its tags and words,
 * in source order: the input of one-dimensional methods (Pinto et al., QuASM,
 * JCDL 2002: "tags and words as tokens").
 */
#ifndef EXTRACT_TEXT_TOKEN_STREAM_H
#define EXTRACT_TEXT_TOKEN_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/text/source_walk.h"

struct arena;

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

#endif
