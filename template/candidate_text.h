/* template/candidate_text.h - compare two values. Internal to candidates.c. */
#ifndef TEMPLATE_CANDIDATE_TEXT_H
#define TEMPLATE_CANDIDATE_TEXT_H

#include <stdint.h>

#include "base/slice.h"

enum { CANDIDATE_WORDS = 64 };

/* A value and its words, sorted. */
struct wanted_text {
	struct slice text;
	uint64_t words[CANDIDATE_WORDS]; /* [word_count] hashes, ascending */
	uint32_t word_count;
};

void wanted_text_read(struct wanted_text *wanted, struct slice text);

/*
 * Return a similarity in 0..1: 1 if the values are equal; over one half if one
 * contains the other, increasing with the ratio of lengths; otherwise Dice's
 * coefficient of the words, at most 0.9. 0 if one value is empty.
 */
double wanted_text_agreement(const struct wanted_text *wanted,
			     struct slice text);

#endif
