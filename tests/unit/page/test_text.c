#include "page/page.h"

#include "base/utf8.h"
#include "page/entity.h"
#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

static void check_collapse(const char *text, const char *collapsed)
{
	char out[128];
	size_t size = text_collapse(slice_of(text), out);

	check_slice((struct slice){out, size}, collapsed);
	ck_assert(text_is_blank(slice_of(text)) == (size == 0));
}

TEST(white_space_collapses_and_ends_are_trimmed)
{
	check_collapse("", "");
	check_collapse(" \t\n\f\r", "");
	check_collapse("a", "a");
	check_collapse("  a \n\t b  ", "a b");
	check_collapse("a\u00A0\u3000b\uFEFFc\u2003\u200Bd\u2000", "a b c d");
	/* not white space: VT, ZWNJ, en dash, and what looks like a prefix */
	check_collapse("a\vb\u200Cc\u2013", "a\vb\u200Cc\u2013");
	check_collapse("\u3001 \u00E9", "\u3001 \u00E9");
}

TEST(spaces_collapse_at_any_place_in_eight_bytes)
{
	char text[] = "  abcdefgh ij  klmnopqrst\x7Fuvw x  ";

	check_collapse("\nabcdefgh  ijklmnop", "abcdefgh ijklmnop");
	check_collapse("abcdefgh ijklmno  ", "abcdefgh ijklmno");
	check_collapse("abcdefg hijklmno pqrstu\u00E9 \n v",
		       "abcdefg hijklmno pqrstu\u00E9 v");
	/* in place */
	check_slice((struct slice){text, text_collapse(slice_of(text), text)},
		    "abcdefgh ij klmnopqrst\x7Fuvw x");
}

TEST(nothing_at_all_collapses_to_nothing)
{
	char out[1];

	ck_assert_uint_eq(text_collapse((struct slice){NULL, 0}, out), 0);
	ck_assert(text_is_blank((struct slice){NULL, 0}));
}

static void check_decode(const char *text, const char *in_text,
			 const char *in_attribute)
{
	char out[128];
	size_t size = entity_decode(slice_of(text), false, out);

	check_slice((struct slice){out, size}, in_text);
	size = entity_decode(slice_of(text), true, out);
	check_slice((struct slice){out, size}, in_attribute);
}

TEST(references_are_decoded_as_in_browsers)
{
	check_decode("a&amp;b&lt;&gt;&quot;&apos;", "a&b<>\"'", "a&b<>\"'");
	check_decode("&eacute;&Eacute;&thetasym;&hellip;", "éÉϑ…", "éÉϑ…");
	check_decode("&nbsp", "\u00A0", "\u00A0");
	check_decode("&copy=1", "©=1", "&copy=1");
	check_decode("&notit;", "¬it;", "&notit;");
	check_decode("&hellip", "&hellip", "&hellip");
	/* the longest name counts, and two characters may be one name */
	check_decode("&parallel;&parallel", "∥¶llel", "∥&parallel");
	check_decode("&CounterClockwiseContourIntegral;", "∳", "∳");
	check_decode("&nGt;&nLt;", "≫\u20D2≪\u20D2", "≫\u20D2≪\u20D2");
	check_decode("&lt;&ltx&lt x&lt=", "<<x< x<=", "<&ltx< x&lt=");
	check_decode("&;&& &x; &nosuchname;", "&;&& &x; &nosuchname;",
		     "&;&& &x; &nosuchname;");
}

TEST(numbers_are_decoded_as_in_browsers)
{
	check_decode("&#65;&#x42;&#X43&#68", "ABCD", "ABCD");
	check_decode("&#150;&#x80;", "–€", "–€"); /* windows-1252 */
	check_decode("&#0;&#xD800;&#x110000;&#99999999999999999999;",
		     "\uFFFD\uFFFD\uFFFD\uFFFD", "\uFFFD\uFFFD\uFFFD\uFFFD");
	check_decode("&#x1F600;", "😀", "😀");
	check_decode("&#; &#x; &#", "&#; &#x; &#", "&#; &#x; &#");
}

static void check_truncate(const char *text, size_t max, size_t size)
{
	ck_assert_uint_eq(utf8_truncate(slice_of(text), max).size, size);
}

TEST(a_text_is_truncated_before_a_character)
{
	check_truncate("", 0, 0);
	check_truncate("abc", 3, 3);
	check_truncate("abc", 2, 2);
	check_truncate("aé", 2, 1);
	check_truncate("aé", 3, 3);
	check_truncate("\U0001F600", 3, 0);
	check_truncate("\U0001F600", 4, 4);
	/* bytes that continue nothing: at most three are dropped */
	check_truncate("\x80\x80\x80\x80\x80\x80", 5, 2);
}
