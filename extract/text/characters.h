/*
 * extract/text/characters.h - the characters of HTML source text, and classes
 * of characters in all scripts, independent of language: for example marks that
 * end sentences, currency signs, and letters that are whole words.
 */
#ifndef EXTRACT_TEXT_CHARACTERS_H
#define EXTRACT_TEXT_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Return the number of bytes of the first character in bytes [size], size >= 1.
 * The character is UTF-8, or an entity with its semicolon ("&amp;"). An entity
 * without a semicolon counts as several single characters.
 */
size_t character_size(const unsigned char *bytes, size_t size);

/*
 * The order matters: words consist of characters of CHARACTER_LETTER and the
 * classes after it.
 */
enum character_class {
	CHARACTER_MARK, /* any other character except letters, digits and white
			   space */
	CHARACTER_SPACE,
	CHARACTER_JOINT,  /* belongs to the letter before it: a Thai vowel sign,
			     a soft hyphen */
	CHARACTER_CLAUSE, /* comma, semicolon, and their equivalents in other
			     scripts */
	CHARACTER_COLON,  /* colon of normal or full width */
	CHARACTER_STOP,   /* . or ! or similar; ends a sentence if white space
			     follows */
	CHARACTER_QUESTION,      /* ? ends a sentence if white space follows */
	CHARACTER_FULL_STOP,     /* full stop of Han, Arabic, Indic and other
				    scripts; always ends a sentence */
	CHARACTER_FULL_QUESTION, /* always ends a sentence */
	CHARACTER_QUOTE,         /* quotation mark or bracket */
	CHARACTER_CURRENCY,
	CHARACTER_RIGHTS, /* copyright sign */
	CHARACTER_LETTER,
	CHARACTER_DIGIT,  /* 0-9 */
	CHARACTER_HAN,    /* Han, kana, bopomofo: scripts without spaces between
			     words */
	CHARACTER_THAI,   /* Thai, Lao, Khmer, Burmese: scripts without spaces
			     between words */
	CHARACTER_HANGUL, /* a Hangul syllable */
};

/*
 * The enum character_class of each ASCII byte. Bytes from 0x80 on are
 * CHARACTER_MARK.
 */
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
 * Return the lower case of a letter outside of ASCII, if it is in Latin-1,
 * Latin Extended-A, Greek (a final sigma becomes a normal sigma), Cyrillic or
 * Armenian. Return other letters unchanged.
 */
uint32_t character_lower(uint32_t code);

/* Return the lower case of any letter, ASCII or other. */
static inline uint32_t character_fold(uint32_t code)
{
	if (code >= 0x80)
		return character_lower(code);
	return code >= 'A' && code <= 'Z' ? code + 32 : code;
}

#endif
