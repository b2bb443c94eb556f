#include "page/charset.h"

#include <sys/resource.h>

#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

static void check(struct slice body, const char *header, const char *text,
		  const char *charset)
{
	struct decoded decoded =
		charset_decode(test_arena, body, slice_of(header));

	check_slice(decoded.charset, charset);
	check_slice(decoded.text, text);
}

#define BYTES(text) ((struct slice){text, sizeof(text) - 1})

TEST(nothing_is_utf_8)
{
	check((struct slice){NULL, 0}, NULL, "", "UTF-8");
	check((struct slice){"", 0}, "windows-1251", "", "UTF-8");
}

TEST(a_byte_order_mark_wins)
{
	check(BYTES("\xEF\xBB\xBF\xC3\xA9"), "iso-8859-1", "é", "UTF-8");
	check(BYTES("\xFF\xFE\xE9\0<\0"), "utf-8", "é<", "UTF-16LE");
	check(BYTES("\xFE\xFF\0\xE9\0<"), NULL, "é<", "UTF-16BE");
	/* a lone surrogate, and half a unit at the end */
	check(BYTES("\xFE\xFF\xDC\0\0a\0"), NULL,
	      "\uFFFD"
	      "a\uFFFD",
	      "UTF-16BE");
}

TEST(the_header_comes_before_the_page)
{
	check(BYTES("<meta charset=koi8-r>\xE9"), " Windows-1251 ",
	      "<meta charset=koi8-r>й", "WINDOWS-1251");
	check(BYTES("<\0p\0>\0"), "UTF-16", "<p>", "UTF-16LE");
}

TEST(the_meta_is_found_in_its_forms)
{
	check(BYTES("<META x CharSet = 'KOI8-R'>\xCA"), NULL,
	      "<META x CharSet = 'KOI8-R'>й", "KOI8-R");
	check(BYTES("<meta content='text/html; charset=big5' "
		    "http-equiv=Content-Type>\xA4\xA4"),
	      NULL,
	      "<meta content='text/html; charset=big5' "
	      "http-equiv=Content-Type>中",
	      "BIG5");
	check(BYTES("<?xml version='1.0' encoding='ISO-8859-2'?>\xB1"), NULL,
	      "<?xml version='1.0' encoding='ISO-8859-2'?>ą", "ISO-8859-2");
}

TEST(a_meta_in_a_comment_or_too_late_does_not_count)
{
	static const char meta[] = "<meta charset=koi8-r>\xC3\xA9";
	char late[1100];

	check(BYTES("<!-- <meta charset=koi8-r> --><meta charset=cp1251>\xE9"),
	      NULL, "<!-- <meta charset=koi8-r> --><meta charset=cp1251>й",
	      "WINDOWS-1251");
	memset(late, ' ', sizeof(late));
	memcpy(late + 1040, meta, sizeof(meta) - 1);
	check_slice(charset_decode(test_arena,
				   (struct slice){late, sizeof(late)},
				   slice_of(NULL))
			    .charset,
		    "UTF-8");
}

TEST(utf_16_in_a_meta_means_utf_8)
{
	check(BYTES("<meta charset=utf-16le>é"), NULL,
	      "<meta charset=utf-16le>é", "UTF-8");
	check(BYTES("<p>é"), "utf-16", "<p>é", "UTF-8"); /* no zero byte */
}

TEST(labels_mean_what_the_web_means)
{
	check(BYTES("\x93\xE9"), "ISO-8859-1", "“é", "WINDOWS-1252");
	check(BYTES("\x80"), "us-ascii", "€", "WINDOWS-1252");
	check(BYTES("\xD6\xD0"), "GB2312", "中", "GB18030");
	check(BYTES("\x82\xA0"), "shift-jis", "あ", "SHIFT_JIS");
	check(BYTES("\xA4\xA2"), "euc-jp", "あ", "EUC-JP");
	check(BYTES("\x1B$B$\"\x1B(B"), "iso-2022-jp", "あ", "ISO-2022-JP");
	check(BYTES("\xB0\xA1"), "ks_c_5601-1987", "가", "EUC-KR");
	check(BYTES("\xA1"), "tis-620", "ก", "WINDOWS-874");
	check(BYTES("\xD0"), "iso-8859-9", "Ğ", "WINDOWS-1254");
}

TEST(an_unknown_label_falls_to_the_next)
{
	check(BYTES("<meta charset=koi8-r>\xCA"), "x-nonsense",
	      "<meta charset=koi8-r>й", "KOI8-R");
	check(BYTES("é"), "utf-7", "é", "UTF-8");
	check(BYTES("é"), "koi8-r utf-8", "é", "UTF-8");
}

TEST(a_plainly_wrong_label_falls_to_the_next)
{
	/* not UTF-8, as both claim */
	check(BYTES("<meta charset=utf-8>\xE9t\xE9"), "utf-8",
	      "<meta charset=utf-8>été", "WINDOWS-1252");
	/* UTF-8, not windows-1252 */
	check(BYTES("éééééééé"), "iso-8859-1", "éééééééé", "UTF-8");
	check(BYTES("中文中文中文中文"), "gb2312", "中文中文中文中文", "UTF-8");
	check(BYTES("ééééééé"), "koi8-r", "ц╘ц╘ц╘ц╘ц╘ц╘ц╘",
	      "KOI8-R"); /* one less */
	/* no Shift_JIS */
	check(BYTES("\xFD\xFE\xFF\xFD"), "shift_jis", "ýþÿý", "WINDOWS-1252");
}

TEST(a_few_broken_bytes_are_replaced)
{
	check(BYTES("éééé\xE9 \0"), "utf-8", "éééé\uFFFD  ", "UTF-8");
	/* the longest prefix of a sequence is replaced as one */
	check(BYTES("éééé\xE2\x82 x"), NULL, "éééé\uFFFD x", "UTF-8");
	check(BYTES("éééé\xED\xA0\x80 éééééééé"), NULL,
	      "éééé\uFFFD\uFFFD\uFFFD éééééééé", "UTF-8");
}

TEST(what_says_nothing_is_guessed)
{
	/* Russian in windows-1251 */
	check(BYTES("\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0! \xDD\xF2\xEE "
		    "\xF0\xF3\xF1\xF1\xEA\xE8\xE9 \xF2\xE5\xEA\xF1\xF2."),
	      NULL, "Привет, мир! Это русский текст.", "WINDOWS-1251");
}

TEST(nuls_become_spaces)
{
	check(BYTES("a\0b\0"), NULL, "a b ", "UTF-8");
	check(BYTES("\0\xE9\0"), "iso-8859-1", " é ", "WINDOWS-1252");
	check(BYTES("\xFF\xFE\0\0a\0"), NULL, " a", "UTF-16LE");
}

/* Does each byte have its place, and is no byte zero? */
static bool is_utf8(struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *stop = at + text.size;

	while (at < stop) {
		size_t length = *at < 0x80   ? 1
				: *at < 0xE0 ? 2
				: *at < 0xF0 ? 3
					     : 4;

		if (*at == 0 || (*at >= 0x80 && *at < 0xC2) || *at > 0xF4 ||
		    (size_t)(stop - at) < length)
			return false;
		for (size_t i = 1; i < length; i++)
			if ((at[i] & 0xC0) != 0x80)
				return false;
		at += length;
	}
	return true;
}

TEST(any_bytes_become_utf_8_without_nul)
{
	static const char *const labels[] = {
		NULL,     "utf-8",  "shift_jis", "gb18030",    "big5",
		"euc-kr", "euc-jp", "utf-16be",  "iso-2022-jp"};
	uint32_t state = 20240608;

	printf("seed %u\n", state);
	for (int round = 0; round < 5000; round++) {
		unsigned char bytes[64];
		struct decoded decoded;
		uint32_t size;

		for (size_t i = 0; i < sizeof(bytes); i++) {
			state = state * 1664525u + 1013904223u;
			bytes[i] = (unsigned char)(state >> 24);
		}
		size = (state >> 16) % (sizeof(bytes) + 1);
		decoded =
			charset_decode(test_arena, (struct slice){bytes, size},
				       slice_of(labels[round % 9]));
		ck_assert(is_utf8(decoded.text));
		ck_assert_uint_gt(decoded.charset.size, 0);
	}
}

TEST(what_was_loaded_needs_no_file)
{
	struct rlimit limit;

	charset_load();
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	check(BYTES("\x93\xFA\x96\x7B"), "shift_jis", "日本", "SHIFT_JIS");
	check(BYTES("\xCF\xF0"), "windows-1251", "Пр", "WINDOWS-1251");
	check(BYTES("\xBC\xF2\xCC\xE5"), "gb2312", "简体", "GB18030");
	limit.rlim_cur = limit.rlim_max; /* for what is written at the end */
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}
