/*
 * extract/metadata/metadata_token.h - the numbers, words and marks of a date.
 * Internal to the metadata.
 */
#ifndef EXTRACT_METADATA_METADATA_TOKEN_H
#define EXTRACT_METADATA_METADATA_TOKEN_H

#include <stdint.h>

#include "store/slice.h"

enum { MAX_DATE_TOKENS = 64 };

enum date_part { DATE_NUMBER, DATE_WORD, DATE_MARK, DATE_NONE };

struct date_token {
	enum date_part kind;
	uint32_t digits;   /* of a number, all of them */
	uint64_t value;    /* of a number of at most 17 digits */
	uint32_t month;    /* of a word: 1..12, or 0 */
	uint32_t mark;     /* of a mark or a word of one character: that */
	struct slice text; /* of a word */
};

struct date_tokens {
	struct date_token items[MAX_DATE_TOKENS];
	uint32_t count;
};

/*
 * The first MAX_DATE_TOKENS of `text`, UTF-8, white space left out. A character
 * of Han or Hangul is a word of its own. Linear.
 */
void date_tokens_read(struct slice text, struct date_tokens *tokens);

#endif
