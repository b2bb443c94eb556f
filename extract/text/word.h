/* extract/text/word.h - what counts as a word, in any script. */
#ifndef EXTRACT_TEXT_WORD_H
#define EXTRACT_TEXT_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"

/* The effect of a character on words. */
enum word_role {
	ROLE_MARK,   /* neither ends nor begins a word */
	ROLE_SPACE,  /* ends a word */
	ROLE_LETTER, /* begins a word, if none is open */
	ROLE_WORD,   /* is one */
};

/* The role of a character that is not of ASCII. */
enum word_role word_role(uint32_t code);

/*
 * The words of UTF-8 text: runs between white space that hold a letter or a
 * digit, so that "e-mail" is one and "-" is none. In scripts without spaces
 * (Han, kana, Thai, Lao, Khmer, Burmese) every letter is one. Of characters
 * outside of ASCII all but white space and the common punctuation count as
 * letters. Linear.
 */
uint32_t word_count(struct slice text);

/*
 * Take the next of these words from the beginning of `text`: its bytes, with
 * the marks inside it. False: there is none left.
 */
bool word_next(struct slice *text, struct slice *word_out);

#endif
