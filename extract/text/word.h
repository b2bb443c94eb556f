/*
 * extract/text/word.h - defines words in any script, and recognises dates and
 * prices by digits and signs, without the names of months or currencies.
 */
#ifndef EXTRACT_TEXT_WORD_H
#define EXTRACT_TEXT_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct arena;
struct page;

/* What a character means for the division of a text into words. */
enum word_role {
	ROLE_MARK,   /* does not end a word and does not begin one */
	ROLE_SPACE,  /* ends a word */
	ROLE_LETTER, /* begins a word if no word is open */
	ROLE_WORD,   /* is a word by itself */
};

/* Return the role of a character outside of ASCII. */
enum word_role word_role(uint32_t code);

/*
 * Return the number of words of UTF-8 text. A word is a run between white space
 * that contains a letter or a digit, so "e-mail" is one word and "-" is no
 * word. In scripts without spaces (Han, kana, Thai, Lao, Khmer, Burmese) every
 * letter is a word. All non-ASCII characters except white space and common
 * punctuation count as letters. Linear.
 */
uint32_t word_count(struct slice text);

/*
 * Remove the next word from the start of `text`, and write it to *word_out,
 * with the marks inside it. Return false if there is no word.
 */
bool word_next(struct slice *text, struct slice *word_out);

/*
 * list_next() removes the next word from a list such as "a|b" and writes it to
 * *word_out, or returns false at the end of the list. The other functions
 * return true if `text` is a word of the list.
 */
bool list_next(const char **list, struct slice *word_out);
bool list_has(const char *list, struct slice text);
bool list_has_in_any_case(const char *list, struct slice text);

/*
 * Return true if the digits from `at` to before `end` are 1900..2099 without a
 * letter after them, or if they are the first digits of a time or a date such
 * as 12:30, 12/31 or 31.12. (with the final dot). Read at most four bytes after
 * `end`.
 */
bool quantity_is_date(const unsigned char *at, const unsigned char *end);

enum unit {
	UNIT_NONE,
	UNIT_DATE,  /* the number is followed by the East Asian character for
		       year, month or day */
	UNIT_MONEY, /* the number is followed by the character for yuan, yen or
		       won */
};

/*
 * Return the unit that the letter `code` is for the number immediately before
 * it.
 */
enum unit quantity_unit(uint32_t code);

struct term_list {
	const uint64_t
		*terms; /* hashes of the terms; the terms of text i are */
	const uint32_t *begin; /* [text_count + 1]: from begin[i] to before
				  begin[i + 1] */
};

/*
 * Return the terms of the page's texts whose is_visible [text_count] is true. A
 * term is the hash of a word, without ASCII punctuation around it and with
 * ASCII letters in lower case. Everything belongs to `arena`: 6 bytes for each
 * byte of text. Linear.
 */
struct term_list terms_of_page(struct arena *arena, const struct page *page,
			       const bool *is_visible);

#endif
