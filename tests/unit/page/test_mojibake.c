#include "page/charset.h"

#include "tests/unit/run.h"

static void check(const char *text, const char *expected)
{
	char bytes[256];
	size_t size = strlen(text);

	ck_assert_uint_lt(size, sizeof(bytes));
	memcpy(bytes, text, size);
	size = mojibake_repair(bytes, size);
	bytes[size] = '\0';
	ck_assert_str_eq(bytes, expected);
}

static void check_same(const char *text)
{
	check(text, text);
}

TEST(what_was_encoded_twice_is_decoded_twice)
{
	check("l\u00C3\u00A9g\u00C3\u00A8re \u00C3\u00A9t\u00C3\u00A9",
	      "l\u00E9g\u00E8re \u00E9t\u00E9");
	/* windows-1252: the second and third byte are the euro and trade mark
	 */
	check("a\u00E2\u20AC\u2122b \u00E2\u20AC\u0153c\u00E2\u20AC\xC2\x9D"
	      " "
	      "\u00E2\u20AC\u00A6",
	      "a\u2019b \u201Cc\u201D \u2026");
	/* two letters of Cyrillic: each follows another */
	check("\u00D0\u00BF\u00D1\u20AC\u00D0\u00B8 \u00D0\u00B2\u00D1\u2039",
	      "\u043F\u0440\u0438 \u0432\u044B");
}

TEST(three_times_is_decoded_three_times)
{
	check("a\u00C3\u0192\u00C2\u00A9b\u00C3\u0192\u00C2\u00A9"
	      "c\u00C3\u0192\u00C2\u00A9d\u00C3\u0192\u00C2\u00A9",
	      "a\u00E9b\u00E9c\u00E9d\u00E9");
}

TEST(controls_are_no_text_on_any_page)
{
	check("\u00E9 \u00FC \u00E4 it\u00E2\xC2\x80\xC2\x99"
	      "s",
	      "\u00E9 \u00FC \u00E4 it\u2019s");
	check_same("\u00E9 \u00FC \u00E4 \u00C3\xC2\x89");
}

TEST(references_are_characters)
{
	check("a&acirc;&euro;&trade;b &Atilde;&copy;t\u00C3&#169; "
	      "&acirc;&#128;&#x99;c",
	      "a\u2019b \u00E9t\u00E9 \u2019c");
	/* a correct reference counts, too; &, < and an unterminated one do
	 * not */
	check_same("a\u00C3\u00A9 b\u00C3\u00A9 c\u00C3\u00A9 d\u00C3\u00A9 "
		   "&eacute;&agrave;");
	check("a\u00C3\u00A9 b\u00C3\u00A9 c\u00C3\u00A9 d\u00C3\u00A9 "
	      "&amp;&lt;&nbsp; & &b &acirc",
	      "a\u00E9 b\u00E9 c\u00E9 d\u00E9 &amp;&lt;&nbsp; & &b &acirc");
}

/* One right character is enough for three sequences, two are for six. */
TEST(right_characters_count_against_it)
{
	check_same("a\u00C3\u00A9 b\u00C3\u00A9 c\u00C3\u00A9 d\u00C3\u00A9 "
		   "\u00E9\u00E9");
	check("a\u00C3\u00A9 b\u00C3\u00A9 c\u00C3\u00A9 d\u00C3\u00A9 \u00E9",
	      "a\u00E9 b\u00E9 c\u00E9 d\u00E9 \u00E9");
	check_same("a\u00C3\u00A9 b\u00C3\u00A9 c\u00C3\u00A9");
	check("\u00A0a\u00C3\u00A9 b\u00C3\u00A9 \u00A0\u00A0"
	      "c\u00C3\u00A9 d\u00C3\u00A9",
	      "\u00A0a\u00E9 b\u00E9 \u00A0\u00A0c\u00E9 d\u00E9");
}

/* CAFE with a registered trade mark, IRMA with quotes, multiplications. */
TEST(capital_letters_before_signs_are_right)
{
	check_same("CAF\u00C9\u00AE CAF\u00C9\u00AE CAF\u00C9\u00AE "
		   "CAF\u00C9\u00AE CAF\u00C9\u00AE");
	check_same("IRM\u00C3\u201D IRM\u00C3\u2026 IRM\u00C3\u00BB "
		   "IRM\u00C3\u00AE IRM\u00C3\u00A0");
	check_same("2\u00D7\u00BD 3\u00D7\u00BC 4\u00D7\u00BD 5\u00D7\u00BD");
}

TEST(what_ends_too_early_is_none)
{
	check_same("");
	check_same("\u00C3");
	check_same("a\u00C3 b\u00E2\u20AC c\u00F0\u0178\u02DC d\u00E2\xC2\x80");
	/* an overlong form, a surrogate */
	check_same("\u00E0\xC2\x80\xC2\x80"
		   " \u00ED\u00A0\xC2\x80"
		   " \u00C1\xC2\x81");
}
