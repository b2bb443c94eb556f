/*
 * extract/text/passage_text.h - reading the characters of passages in one pass.
 * Internal to extract/text/passage.c.
 */
#ifndef EXTRACT_TEXT_PASSAGE_TEXT_H
#define EXTRACT_TEXT_PASSAGE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"

struct passage;

/* Begin with {.terms = ...}. */
struct passage_text {
	struct passage *passage; /* that is being read */
	/* The terms of all passages, at most one for every second byte of a
	   text, rounded up. */
	uint32_t *terms;
	uint32_t term_count;
	uint64_t term;  /* hash of the one that is not yet ended; or 0 */
	uint32_t dense; /* letters since the last space, in a script that has
			   none between words */
	uint8_t last;   /* enum character_class: the last one but spaces and
			   quotes */
	uint8_t near;   /* part of a price directly before */
	bool is_word_open;
	bool is_space_due;     /* before the next character */
	bool is_sentence_open; /* has letters, and has not ended */
	bool follows_number;   /* the open term does */
};

/* The next text is the first one of `passage`, which is zeroed. */
void passage_text_begin(struct passage_text *reader, struct passage *passage);

/* Read a text of it, behind the one before without white space. */
void passage_text_add(struct passage_text *reader, struct slice text,
		      bool is_link);

/* White space, or a line end. */
void passage_text_space(struct passage_text *reader);

/* End the passage: sets `hash` and the fields that depend on its end. */
void passage_text_end(struct passage_text *reader);

/*
 * The terms of a text that is in no passage, to terms_out
 * [(text.size + 1) / 2]; returns how many. Linear.
 */
uint32_t passage_text_terms(struct slice text, uint32_t *terms_out);

#endif
