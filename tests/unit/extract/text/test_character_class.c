#include "extract/text/characters.h"

#include "extract/text/word.h"
#include "tests/unit/run.h"

TEST(ascii_has_a_sign_for_every_byte)
{
	ck_assert_int_eq(character_class_of_byte['a'], CHARACTER_LETTER);
	ck_assert_int_eq(character_class_of_byte['z'], CHARACTER_LETTER);
	ck_assert_int_eq(character_class_of_byte['A'], CHARACTER_LETTER);
	ck_assert_int_eq(character_class_of_byte['Z'], CHARACTER_LETTER);
	ck_assert_int_eq(character_class_of_byte['@'], CHARACTER_MARK);
	ck_assert_int_eq(character_class_of_byte['['], CHARACTER_MARK);
	ck_assert_int_eq(character_class_of_byte['`'], CHARACTER_MARK);
	ck_assert_int_eq(character_class_of_byte['{'], CHARACTER_MARK);
	ck_assert_int_eq(character_class_of_byte['0'], CHARACTER_DIGIT);
	ck_assert_int_eq(character_class_of_byte['9'], CHARACTER_DIGIT);
	ck_assert_int_eq(character_class_of_byte['/'], CHARACTER_MARK);
	ck_assert_int_eq(character_class_of_byte[':'], CHARACTER_COLON);
	ck_assert_int_eq(character_class_of_byte[';'], CHARACTER_CLAUSE);
	ck_assert_int_eq(character_class_of_byte[','], CHARACTER_CLAUSE);
	ck_assert_int_eq(character_class_of_byte['.'], CHARACTER_STOP);
	ck_assert_int_eq(character_class_of_byte['!'], CHARACTER_STOP);
	ck_assert_int_eq(character_class_of_byte['?'], CHARACTER_QUESTION);
	ck_assert_int_eq(character_class_of_byte['"'], CHARACTER_QUOTE);
	ck_assert_int_eq(character_class_of_byte['\''], CHARACTER_QUOTE);
	ck_assert_int_eq(character_class_of_byte[')'], CHARACTER_QUOTE);
	ck_assert_int_eq(character_class_of_byte[']'], CHARACTER_QUOTE);
	ck_assert_int_eq(character_class_of_byte['$'], CHARACTER_CURRENCY);
	ck_assert_int_eq(character_class_of_byte[' '], CHARACTER_SPACE);
	ck_assert_int_eq(character_class_of_byte['\t'], CHARACTER_SPACE);
	ck_assert_int_eq(character_class_of_byte['\r'], CHARACTER_SPACE);
	ck_assert_int_eq(character_class_of_byte['\0'], CHARACTER_MARK);
	ck_assert_int_eq(character_class_of_byte[0x7F], CHARACTER_MARK);
	ck_assert_int_eq(character_class_of_byte[0x80], CHARACTER_MARK);
	ck_assert_int_eq(character_class_of_byte[0xFF], CHARACTER_MARK);
}

TEST(sentences_end_in_every_script)
{
	ck_assert_int_eq(character_class_of(0x2026), CHARACTER_STOP);
	ck_assert_int_eq(character_class_of(0x3002), CHARACTER_FULL_STOP);
	ck_assert_int_eq(character_class_of(0xFF01), CHARACTER_FULL_STOP);
	ck_assert_int_eq(character_class_of(0xFF1F), CHARACTER_FULL_QUESTION);
	ck_assert_int_eq(character_class_of(0x061F), CHARACTER_FULL_QUESTION);
	ck_assert_int_eq(character_class_of(0x06D4), CHARACTER_FULL_STOP);
	ck_assert_int_eq(character_class_of(0x0964), CHARACTER_FULL_STOP);
	ck_assert_int_eq(character_class_of(0x037E), CHARACTER_QUESTION);
	ck_assert_int_eq(character_class_of(0x1362), CHARACTER_FULL_STOP);
}

TEST(other_signs_are_told_apart)
{
	ck_assert_int_eq(character_class_of(0x060C), CHARACTER_CLAUSE);
	ck_assert_int_eq(character_class_of(0x3001), CHARACTER_CLAUSE);
	ck_assert_int_eq(character_class_of(0xFF1A), CHARACTER_COLON);
	ck_assert_int_eq(character_class_of(0x20AC), CHARACTER_CURRENCY);
	ck_assert_int_eq(character_class_of(0x00A9), CHARACTER_RIGHTS);
	ck_assert_int_eq(character_class_of(0x201D), CHARACTER_QUOTE);
	ck_assert_int_eq(character_class_of(0x00A0), CHARACTER_SPACE);
	ck_assert_int_eq(character_class_of(0x00AD), CHARACTER_JOINT);
	ck_assert_int_eq(character_class_of(0x0E34), CHARACTER_JOINT);
	ck_assert_int_eq(character_class_of(0x0E01), CHARACTER_THAI);
	ck_assert_int_eq(character_class_of(0x4E2D), CHARACTER_HAN);
	ck_assert_int_eq(character_class_of(0x20000), CHARACTER_HAN);
	ck_assert_int_eq(character_class_of(0xAC00), CHARACTER_HANGUL);
	ck_assert_int_eq(character_class_of(0x0416), CHARACTER_LETTER);
	ck_assert_int_eq(character_class_of(0x1F600), CHARACTER_MARK);
}

static bool agrees(enum character_class class, enum word_role role)
{
	switch (class) {
	case CHARACTER_LETTER:
	case CHARACTER_HANGUL:
		return role == ROLE_LETTER;
	case CHARACTER_HAN:
	case CHARACTER_THAI:
		return role == ROLE_WORD;
	case CHARACTER_SPACE:
		return role == ROLE_SPACE;
	case CHARACTER_DIGIT:
		return false;
	default: /* marks of scripts that extract/text/word.h takes for letters
		  */
		return role == ROLE_MARK || role == ROLE_LETTER;
	}
}

TEST(letters_and_spaces_are_those_of_words)
{
	for (uint32_t code = 0x80; code <= 0x10FFFF; code++)
		if (!agrees(character_class_of(code), word_role(code)))
			ck_abort_msg("U+%04X", code);
}

TEST(capitals_become_small)
{
	ck_assert_uint_eq(character_lower(0x00C0), 0x00E0);
	ck_assert_uint_eq(character_lower(0x00D7), 0x00D7); /* times */
	ck_assert_uint_eq(character_lower(0x00DE), 0x00FE);
	ck_assert_uint_eq(character_lower(0x00DF), 0x00DF);
	ck_assert_uint_eq(character_lower(0x00E0), 0x00E0);
	ck_assert_uint_eq(character_lower(0x0100), 0x0101);
	ck_assert_uint_eq(character_lower(0x0101), 0x0101);
	ck_assert_uint_eq(character_lower(0x0141), 0x0142); /* L with stroke */
	ck_assert_uint_eq(character_lower(0x0142), 0x0142);
	ck_assert_uint_eq(character_lower(0x0178), 0x00FF);
	ck_assert_uint_eq(character_lower(0x017D), 0x017E);
	ck_assert_uint_eq(character_lower(0x0386), 0x03AC); /* Greek */
	ck_assert_uint_eq(character_lower(0x0388), 0x03AD);
	ck_assert_uint_eq(character_lower(0x038A), 0x03AF);
	ck_assert_uint_eq(character_lower(0x038C), 0x03CC);
	ck_assert_uint_eq(character_lower(0x038F), 0x03CE);
	ck_assert_uint_eq(character_lower(0x03A3), 0x03C3);
	ck_assert_uint_eq(character_lower(0x03C2), 0x03C3);
	ck_assert_uint_eq(character_lower(0x0401), 0x0451); /* Cyrillic */
	ck_assert_uint_eq(character_lower(0x042F), 0x044F);
	ck_assert_uint_eq(character_lower(0x044F), 0x044F);
	ck_assert_uint_eq(character_lower(0x04C1), 0x04C2);
	ck_assert_uint_eq(character_lower(0x0556), 0x0586); /* Armenian */
	ck_assert_uint_eq(character_lower(0x0557), 0x0557);
	ck_assert_uint_eq(character_lower(0x4E2D), 0x4E2D);
}
