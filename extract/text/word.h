/* extract/text/word.h - defines words, in any script. */
#ifndef EXTRACT_TEXT_WORD_H
#define EXTRACT_TEXT_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* The effect of a character on words. */
enum word_role {
	ROLE_MARK,   /* does not end a word and does not begin one */
	ROLE_SPACE,  /* ends a word */
	ROLE_LETTER, /* begins a word if no word is open */
	ROLE_WORD,   /* is a word by itself */
};

/* Return the role of a character outside of ASCII. */
enum word_role word_role(uint32_t code);

/*
 * Return the number of words of UTF-8 text: runs between white space that
 * contain a letter or a digit, so that "e-mail" is one word and "-" is no word.
 * In scripts without spaces (Han, kana, Thai, Lao, Khmer, Burmese) every letter
 * is a word. All non-ASCII characters except white space and common punctuation
 * count as letters. Linear.
 */
uint32_t word_count(struct slice text);

/*
 * Remove the next word from the start of `text`: its bytes, with the marks
 * inside it. Return false if there is none.
 */
bool word_next(struct slice *text, struct slice *word_out);

#endif
