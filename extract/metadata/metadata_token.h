/*
 * extract/metadata/metadata_token.h - splits a date into numbers, words and
 * marks. Internal to the metadata.
 */
#ifndef EXTRACT_METADATA_METADATA_TOKEN_H
#define EXTRACT_METADATA_METADATA_TOKEN_H

#include <stdint.h>

#include "base/slice.h"

enum { MAX_DATE_TOKENS = 64 };

enum date_part { DATE_NUMBER, DATE_WORD, DATE_MARK, DATE_NONE };

struct date_token {
	enum date_part kind;
	uint32_t digits; /* for a number: the number of its digits */
	uint64_t value;  /* for a number of at most 17 digits */
	uint32_t month;  /* for a word: 1..12, or 0 */
	uint32_t
		mark; /* for a mark or a word of one character: the character */
	struct slice text; /* for a word */
};

struct date_tokens {
	struct date_token items[MAX_DATE_TOKENS];
	uint32_t count;
};

/*
 * Read the first MAX_DATE_TOKENS tokens of `text`, UTF-8, without white space.
 * A character of Han or Hangul is a word by itself. Linear.
 */
void date_tokens_read(struct slice text, struct date_tokens *tokens);

#endif
