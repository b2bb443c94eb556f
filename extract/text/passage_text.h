/*
 * extract/text/passage_text.h - reads the characters of passages in one pass.
 * Internal to extract/text/passage.c.
 */
#ifndef EXTRACT_TEXT_PASSAGE_TEXT_H
#define EXTRACT_TEXT_PASSAGE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct passage;

/* Initialise with {.terms = ...}. */
struct passage_text {
	struct passage *passage; /* the current passage */
	/*
	 * The terms of all passages: at most one for every second byte of a
	 * text, rounded up.
	 */
	uint32_t *terms;
	uint32_t term_count;
	uint64_t term;  /* hash of the open term; or 0 */
	uint32_t dense; /* letters since the last space, in a script without
			   spaces between words */
	uint8_t last;   /* enum character_class of the last character except
			   spaces and quotes */
	uint8_t near;   /* part of a price immediately before */
	bool is_word_open;
	bool is_space_due; /* a space is pending before the next character */
	bool is_sentence_open; /* a sentence with letters is open */
	bool follows_number;   /* the open term follows a number */
};

/* Begin `passage`, which must be zeroed, with the next text. */
void passage_text_begin(struct passage_text *reader, struct passage *passage);

/*
 * Read a text of the passage; it follows the previous text without white space.
 */
void passage_text_add(struct passage_text *reader, struct slice text,
		      bool is_link);

/* Read white space, or a line end. */
void passage_text_space(struct passage_text *reader);

/* End the passage: set `hash` and the fields that depend on its end. */
void passage_text_end(struct passage_text *reader);

/*
 * Write the terms of a text outside of passages to terms_out [(text.size + 1) /
 * 2]; return their number. Linear.
 */
uint32_t passage_text_terms(struct slice text, uint32_t *terms_out);

#endif
