/*
 * extract/text/character_class.h - classes of characters, of all scripts,
 * independent of language: ends of sentences, signs of currency, and how much
 * meaning a letter carries.
 */
#ifndef EXTRACT_TEXT_CHARACTER_CLASS_H
#define EXTRACT_TEXT_CHARACTER_CLASS_H

#include <stdint.h>

/* The order matters: everything from CHARACTER_LETTER on is part of words. */
enum character_class {
	CHARACTER_MARK, /* any other that is neither letter, digit nor white
			   space */
	CHARACTER_SPACE,
	CHARACTER_JOINT,  /* of the letter before: Thai vowel sign, soft hyphen
			   */
	CHARACTER_CLAUSE, /* , ; and those of other scripts */
	CHARACTER_COLON,  /* : and that of full width */
	CHARACTER_STOP,   /* . ! ...: ends a sentence before white space */
	CHARACTER_QUESTION,      /* ?: the same */
	CHARACTER_FULL_STOP,     /* Han, Arabic, Indic...: ends one anywhere */
	CHARACTER_FULL_QUESTION, /* the same */
	CHARACTER_QUOTE,         /* quotation mark or bracket */
	CHARACTER_CURRENCY,
	CHARACTER_RIGHTS, /* (c) in a circle */
	CHARACTER_LETTER,
	CHARACTER_DIGIT,  /* 0-9 */
	CHARACTER_HAN,    /* and kana, bopomofo: no spaces between words */
	CHARACTER_THAI,   /* and Lao, Khmer, Burmese: no spaces between words */
	CHARACTER_HANGUL, /* a syllable */
};

/* enum character_class by byte of ASCII; CHARACTER_MARK from 0x80 on. */
extern const uint8_t character_class_of_byte[256];

/* The class of a character outside of ASCII. */
enum character_class character_class_of(uint32_t code);

/*
 * The lower case of a letter that is not of ASCII, for Latin-1, Latin
 * Extended-A, Greek (the final sigma becomes a sigma), Cyrillic and Armenian;
 * other letters stay as they are.
 */
uint32_t character_lower(uint32_t code);

#endif
