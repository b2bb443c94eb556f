#include "extract/text/sign.h"

#include "extract/text/word.h"
#include "tests/unit/run.h"

START_TEST(ascii_has_a_sign_for_every_byte)
{
	ck_assert_int_eq(sign_of_byte['a'], SIGN_LETTER);
	ck_assert_int_eq(sign_of_byte['z'], SIGN_LETTER);
	ck_assert_int_eq(sign_of_byte['A'], SIGN_LETTER);
	ck_assert_int_eq(sign_of_byte['Z'], SIGN_LETTER);
	ck_assert_int_eq(sign_of_byte['@'], SIGN_MARK);
	ck_assert_int_eq(sign_of_byte['['], SIGN_MARK);
	ck_assert_int_eq(sign_of_byte['`'], SIGN_MARK);
	ck_assert_int_eq(sign_of_byte['{'], SIGN_MARK);
	ck_assert_int_eq(sign_of_byte['0'], SIGN_DIGIT);
	ck_assert_int_eq(sign_of_byte['9'], SIGN_DIGIT);
	ck_assert_int_eq(sign_of_byte['/'], SIGN_MARK);
	ck_assert_int_eq(sign_of_byte[':'], SIGN_COLON);
	ck_assert_int_eq(sign_of_byte[';'], SIGN_CLAUSE);
	ck_assert_int_eq(sign_of_byte[','], SIGN_CLAUSE);
	ck_assert_int_eq(sign_of_byte['.'], SIGN_STOP);
	ck_assert_int_eq(sign_of_byte['!'], SIGN_STOP);
	ck_assert_int_eq(sign_of_byte['?'], SIGN_QUESTION);
	ck_assert_int_eq(sign_of_byte['"'], SIGN_QUOTE);
	ck_assert_int_eq(sign_of_byte['\''], SIGN_QUOTE);
	ck_assert_int_eq(sign_of_byte[')'], SIGN_QUOTE);
	ck_assert_int_eq(sign_of_byte[']'], SIGN_QUOTE);
	ck_assert_int_eq(sign_of_byte['$'], SIGN_CURRENCY);
	ck_assert_int_eq(sign_of_byte[' '], SIGN_SPACE);
	ck_assert_int_eq(sign_of_byte['\t'], SIGN_SPACE);
	ck_assert_int_eq(sign_of_byte['\r'], SIGN_SPACE);
	ck_assert_int_eq(sign_of_byte['\0'], SIGN_MARK);
	ck_assert_int_eq(sign_of_byte[0x7F], SIGN_MARK);
	ck_assert_int_eq(sign_of_byte[0x80], SIGN_MARK);
	ck_assert_int_eq(sign_of_byte[0xFF], SIGN_MARK);
}
END_TEST

START_TEST(sentences_end_in_every_script)
{
	ck_assert_int_eq(sign_of(0x2026), SIGN_STOP);
	ck_assert_int_eq(sign_of(0x3002), SIGN_FULL_STOP);
	ck_assert_int_eq(sign_of(0xFF01), SIGN_FULL_STOP);
	ck_assert_int_eq(sign_of(0xFF1F), SIGN_FULL_QUESTION);
	ck_assert_int_eq(sign_of(0x061F), SIGN_FULL_QUESTION);
	ck_assert_int_eq(sign_of(0x06D4), SIGN_FULL_STOP);
	ck_assert_int_eq(sign_of(0x0964), SIGN_FULL_STOP);
	ck_assert_int_eq(sign_of(0x037E), SIGN_QUESTION);
	ck_assert_int_eq(sign_of(0x1362), SIGN_FULL_STOP);
}
END_TEST

START_TEST(other_signs_are_told_apart)
{
	ck_assert_int_eq(sign_of(0x060C), SIGN_CLAUSE);
	ck_assert_int_eq(sign_of(0x3001), SIGN_CLAUSE);
	ck_assert_int_eq(sign_of(0xFF1A), SIGN_COLON);
	ck_assert_int_eq(sign_of(0x20AC), SIGN_CURRENCY);
	ck_assert_int_eq(sign_of(0x00A9), SIGN_RIGHTS);
	ck_assert_int_eq(sign_of(0x201D), SIGN_QUOTE);
	ck_assert_int_eq(sign_of(0x00A0), SIGN_SPACE);
	ck_assert_int_eq(sign_of(0x00AD), SIGN_JOINT);
	ck_assert_int_eq(sign_of(0x0E34), SIGN_JOINT);
	ck_assert_int_eq(sign_of(0x0E01), SIGN_THAI);
	ck_assert_int_eq(sign_of(0x4E2D), SIGN_HAN);
	ck_assert_int_eq(sign_of(0x20000), SIGN_HAN);
	ck_assert_int_eq(sign_of(0xAC00), SIGN_HANGUL);
	ck_assert_int_eq(sign_of(0x0416), SIGN_LETTER);
	ck_assert_int_eq(sign_of(0x1F600), SIGN_MARK);
}
END_TEST

static bool agrees(enum sign sign, enum word_role role)
{
	switch (sign) {
	case SIGN_LETTER:
	case SIGN_HANGUL:
		return role == ROLE_LETTER;
	case SIGN_HAN:
	case SIGN_THAI:
		return role == ROLE_WORD;
	case SIGN_SPACE:
		return role == ROLE_SPACE;
	case SIGN_DIGIT:
		return false;
	default: /* marks of scripts that extract/text/word.h takes for letters
		  */
		return role == ROLE_MARK || role == ROLE_LETTER;
	}
}

START_TEST(letters_and_spaces_are_those_of_words)
{
	for (uint32_t code = 0x80; code <= 0x10FFFF; code++)
		if (!agrees(sign_of(code), word_role(code)))
			ck_abort_msg("U+%04X", code);
}
END_TEST

START_TEST(capitals_become_small)
{
	ck_assert_uint_eq(sign_lower(0x00C0), 0x00E0);
	ck_assert_uint_eq(sign_lower(0x00D7), 0x00D7); /* times */
	ck_assert_uint_eq(sign_lower(0x00DE), 0x00FE);
	ck_assert_uint_eq(sign_lower(0x00DF), 0x00DF);
	ck_assert_uint_eq(sign_lower(0x00E0), 0x00E0);
	ck_assert_uint_eq(sign_lower(0x0100), 0x0101);
	ck_assert_uint_eq(sign_lower(0x0101), 0x0101);
	ck_assert_uint_eq(sign_lower(0x0141), 0x0142); /* L with stroke */
	ck_assert_uint_eq(sign_lower(0x0142), 0x0142);
	ck_assert_uint_eq(sign_lower(0x0178), 0x00FF);
	ck_assert_uint_eq(sign_lower(0x017D), 0x017E);
	ck_assert_uint_eq(sign_lower(0x0386), 0x03AC); /* Greek */
	ck_assert_uint_eq(sign_lower(0x0388), 0x03AD);
	ck_assert_uint_eq(sign_lower(0x038A), 0x03AF);
	ck_assert_uint_eq(sign_lower(0x038C), 0x03CC);
	ck_assert_uint_eq(sign_lower(0x038F), 0x03CE);
	ck_assert_uint_eq(sign_lower(0x03A3), 0x03C3);
	ck_assert_uint_eq(sign_lower(0x03C2), 0x03C3);
	ck_assert_uint_eq(sign_lower(0x0401), 0x0451); /* Cyrillic */
	ck_assert_uint_eq(sign_lower(0x042F), 0x044F);
	ck_assert_uint_eq(sign_lower(0x044F), 0x044F);
	ck_assert_uint_eq(sign_lower(0x04C1), 0x04C2);
	ck_assert_uint_eq(sign_lower(0x0556), 0x0586); /* Armenian */
	ck_assert_uint_eq(sign_lower(0x0557), 0x0557);
	ck_assert_uint_eq(sign_lower(0x4E2D), 0x4E2D);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("sign");
	TCase *tcase = tcase_create("sign");

	tcase_add_test(tcase, ascii_has_a_sign_for_every_byte);
	tcase_add_test(tcase, sentences_end_in_every_script);
	tcase_add_test(tcase, other_signs_are_told_apart);
	tcase_add_test(tcase, letters_and_spaces_are_those_of_words);
	tcase_add_test(tcase, capitals_become_small);
	suite_add_tcase(suite, tcase);
	return suite;
}
