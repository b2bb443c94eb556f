#include "extract/text/word.h"

#include "tests/unit/run.h"

static uint32_t words(const char *text)
{
	return word_count(slice_of(text));
}

TEST(white_space_separates_words)
{
	ck_assert_uint_eq(words(""), 0);
	ck_assert_uint_eq(words(" \t\r\n\f "), 0);
	ck_assert_uint_eq(words("one"), 1);
	ck_assert_uint_eq(words("  one\n two\tthree "), 3);
	/* a no-break space, U+2003, U+3000 */
	ck_assert_uint_eq(words("a\xC2\xA0"
				"b\xE2\x80\x83"
				"c\xE3\x80\x80"
				"d"),
			  4);
	ck_assert_uint_eq(word_count((struct slice){NULL, 0}), 0);
}

TEST(a_word_has_a_letter_or_a_digit)
{
	ck_assert_uint_eq(words("- | \xC2\xBB \xE2\x80\xA2 \xE2\x82\xAC ..."),
			  0);
	ck_assert_uint_eq(words("e-mail don't 3.14 (see)"), 4);
	ck_assert_uint_eq(words("na\xC3\xAFve \xC3\xA9t\xC3\xA9"), 2);
	/* Russian, Korean: scripts with spaces */
	ck_assert_uint_eq(words("\xD0\x94\xD0\xB0 \xD0\xBD\xD0\xB5\xD1\x82"),
			  2);
	ck_assert_uint_eq(words("\xED\x95\x9C\xEA\xB5\xAD \xEB\xA7\x90"), 2);
}

TEST(in_scripts_without_spaces_every_letter_is_one)
{
	/* Han with its full stop; kana; Thai with a mark above (U+0E35) */
	ck_assert_uint_eq(words("\xE4\xB8\xAD\xE6\x96\x87\xE3\x80\x82"), 2);
	ck_assert_uint_eq(words("\xE3\x81\x8B\xE3\x83\x8A"), 2);
	ck_assert_uint_eq(words("\xE0\xB8\x97\xE0\xB8\xB5\xE0\xB9\x88"), 1);
	/* U+20000, of four bytes */
	ck_assert_uint_eq(words("\xF0\xA0\x80\x80\xF0\xA0\x80\x80"), 2);
	/* Latin on both sides of one */
	ck_assert_uint_eq(words("ab\xE4\xB8\xAD"
				"cd"),
			  3);
}

TEST(bytes_that_are_no_utf_8_are_read_to_their_end)
{
	const unsigned char cut[] = {'a', ' ', 0xE4, 0xB8};

	ck_assert_uint_eq(word_count((struct slice){cut, sizeof(cut)}), 2);
	ck_assert_uint_ge(words("\x80\x80\xFF\xFF a b"), 2);
}

/* As "word|word". */
static void assert_words(const char *text, const char *expected)
{
	struct slice rest = slice_of(text);
	AUTO_BUFFER out = {0};
	struct slice word;

	while (word_next(&rest, &word)) {
		if (out.size > 0)
			buffer_append_byte(&out, '|');
		buffer_append_slice(&out, word);
	}
	buffer_append_text(&out, "");
	ck_assert_str_eq(out.data, expected);
}

TEST(words_can_be_taken_one_by_one)
{
	assert_words("", "");
	assert_words(" -- ", "");
	assert_words("(It's) e-mail, \"3.14\".", "It's|e-mail|3.14");
	/* Han, its full stop, a word of Latin letters on both sides */
	assert_words("a\xE4\xB8\xAD\xE6\x96\x87\xE3\x80\x82"
		     "b",
		     "a|\xE4\xB8\xAD|\xE6\x96\x87|b");
}
