/*
 * extract/text/characters.h - the characters of HTML source text, and classes
 * of characters in all scripts, independent of language: ends of sentences,
 * currency signs, and how much meaning a letter carries.
 */
#ifndef EXTRACT_TEXT_CHARACTERS_H
#define EXTRACT_TEXT_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Return the number of bytes, of `size` >= 1, of the first character: a UTF-8
 * character, or an entity with its semicolon ("&amp;"). An entity without its
 * semicolon counts as single characters.
 */
size_t character_size(const unsigned char *bytes, size_t size);

/* The order matters: words consist of the classes from CHARACTER_LETTER on. */
enum character_class {
	CHARACTER_MARK, /* any other character except letters, digits and white
			   space */
	CHARACTER_SPACE,
	CHARACTER_JOINT,  /* belongs to the letter before: Thai vowel sign, soft
			     hyphen */
	CHARACTER_CLAUSE, /* comma, semicolon, and their equivalents in other
			     scripts */
	CHARACTER_COLON,  /* colon, also full width */
	CHARACTER_STOP,   /* . ! ...: ends a sentence if white space follows */
	CHARACTER_QUESTION,  /* ?: ends a sentence if white space follows */
	CHARACTER_FULL_STOP, /* Han, Arabic, Indic...: always ends a sentence */
	CHARACTER_FULL_QUESTION, /* always ends a sentence */
	CHARACTER_QUOTE,         /* quotation mark or bracket */
	CHARACTER_CURRENCY,
	CHARACTER_RIGHTS, /* copyright sign */
	CHARACTER_LETTER,
	CHARACTER_DIGIT, /* 0-9 */
	CHARACTER_HAN,   /* Han, kana, bopomofo: no spaces between words */
	CHARACTER_THAI, /* Thai, Lao, Khmer, Burmese: no spaces between words */
	CHARACTER_HANGUL, /* a Hangul syllable */
};

/* enum character_class of each ASCII byte; CHARACTER_MARK from 0x80 on. */
extern const uint8_t character_class_of_byte[256];

/* Return the class of a character outside of ASCII. */
enum character_class character_class_of(uint32_t code);

/* Return the class of any character. */
static inline enum character_class character_class_at(uint32_t code)
{
	return code < 0x80 ? (enum character_class)character_class_of_byte[code]
			   : character_class_of(code);
}

/*
 * Return the lower case of a letter outside of ASCII, for Latin-1, Latin
 * Extended-A, Greek (the final sigma becomes a sigma), Cyrillic and Armenian;
 * return other letters unchanged.
 */
uint32_t character_lower(uint32_t code);

/* Do the same for any letter. */
static inline uint32_t character_fold(uint32_t code)
{
	if (code >= 0x80)
		return character_lower(code);
	return code >= 'A' && code <= 'Z' ? code + 32 : code;
}

#endif
