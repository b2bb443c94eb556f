/*
 * extract/text/sign.h - what a character tells about the text that it stands
 * in: where a sentence ends, what is a price, how much meaning a letter
 * carries. Of every script, and of no language.
 */
#ifndef EXTRACT_TEXT_SIGN_H
#define EXTRACT_TEXT_SIGN_H

#include <stdint.h>

/* In this order: everything from SIGN_LETTER on is of words. */
enum sign {
	SIGN_MARK, /* any other that is neither letter, digit nor white space */
	SIGN_SPACE,
	SIGN_JOINT,     /* of the letter before: Thai vowel sign, soft hyphen */
	SIGN_CLAUSE,    /* , ; and those of other scripts */
	SIGN_COLON,     /* : and that of full width */
	SIGN_STOP,      /* . ! ...: ends a sentence before white space */
	SIGN_QUESTION,  /* ?: the same */
	SIGN_FULL_STOP, /* Han, Arabic, Indic...: ends one anywhere */
	SIGN_FULL_QUESTION, /* the same */
	SIGN_QUOTE,         /* quotation mark or bracket */
	SIGN_CURRENCY,
	SIGN_RIGHTS, /* (c) in a circle */
	SIGN_LETTER,
	SIGN_DIGIT,  /* 0-9 */
	SIGN_HAN,    /* and kana, bopomofo: no spaces between words */
	SIGN_THAI,   /* and Lao, Khmer, Burmese: no spaces between words */
	SIGN_HANGUL, /* a syllable */
};

/* enum sign by byte of ASCII; SIGN_MARK from 0x80 on. */
extern const uint8_t sign_of_byte[256];

/* The sign of a character that is not of ASCII. */
enum sign sign_of(uint32_t code);

/*
 * The lower case of a letter that is not of ASCII, for Latin-1, Latin
 * Extended-A, Greek (the final sigma becomes a sigma), Cyrillic and Armenian;
 * other letters stay as they are.
 */
uint32_t sign_lower(uint32_t code);

#endif
