#include "crawl/http_message.h"

#include <stdint.h>

#include "tests/unit/run.h"

#define OF(text) slice_of(text)

TEST(a_value_is_found_by_its_name)
{
	struct slice value =
		header_value(OF("LOCATION: \t/a b \r\n"), "Location");

	ck_assert(slice_equal(value, OF("/a b")));
	ck_assert_ptr_null(header_value(OF("Locations: x"), "Location").data);
	ck_assert_ptr_null(header_value(OF("Location"), "Location").data);
	ck_assert_ptr_null(header_value(OF("X-Location: x"), "Location").data);
	ck_assert_uint_eq(header_value(OF("Location:"), "Location").size, 0);
}

TEST(lists_are_taken_apart)
{
	struct slice list = OF(" gzip ,, br");
	struct slice none = {0};

	ck_assert(slice_equal(header_list_take(&list), OF("gzip")));
	ck_assert_uint_eq(header_list_take(&list).size, 0);
	ck_assert_uint_gt(list.size, 0);
	ck_assert(slice_equal(header_list_take(&list), OF("br")));
	ck_assert_uint_eq(list.size, 0);
	ck_assert_uint_eq(header_list_take(&none).size, 0);
}

TEST(words_and_printable_characters)
{
	ck_assert(header_is_word(OF("CHUNKED"), "chunked"));
	ck_assert(!header_is_word(OF("chunk"), "chunked"));
	ck_assert(!header_is_word(OF("chunkeds"), "chunked"));
	ck_assert(header_is_printable(OF("a b~")));
	ck_assert(header_is_printable(OF("")));
	ck_assert(!header_is_printable(OF("a\tb")));
	ck_assert(!header_is_printable(OF("a\x7f")));
	ck_assert(!header_is_printable(OF("\xc3\xbc")));
	ck_assert(!header_is_printable((struct slice){"a\0b", 3}));
}

TEST(html_types)
{
	ck_assert(header_is_html(OF("text/html")));
	ck_assert(header_is_html(OF("Text/HTML;charset=x")));
	ck_assert(header_is_html(OF(" application/xhtml+xml ; q=1")));
	ck_assert(header_is_html(OF("")));
	ck_assert(!header_is_html(OF("text/htmlx")));
	ck_assert(!header_is_html(OF("text/plain")));
	ck_assert(!header_is_html(OF("application/pdf; x=text/html")));
	/* a list: the last one counts */
	ck_assert(header_is_html(OF("text/html, text/html;charset=x")));
	ck_assert(header_is_html(OF("text/plain, text/html,")));
	ck_assert(header_is_html(OF("text/html, */*")));
	ck_assert(!header_is_html(OF("text/html, text/plain")));
	/* these are no types */
	ck_assert(header_is_html(OF("html")));
	ck_assert(header_is_html(OF("text/")));
	ck_assert(header_is_html(OF("text/html charset=utf-8")));
	ck_assert(header_is_html(OF("; charset=utf-8")));
	ck_assert(header_is_html(OF("*/*")));
	ck_assert(header_is_html(OF("unknown/unknown")));
}

static const char *charset(const char *type)
{
	static char out[8];

	header_charset(OF(type), out, sizeof(out));
	return out;
}

TEST(charsets)
{
	ck_assert_str_eq(charset("text/html; charset=utf-8"), "utf-8");
	ck_assert_str_eq(charset("text/html;a=b; CHARSET = \"utf-8\" ;c"),
			 "utf-8");
	ck_assert_str_eq(charset("text/html; charset='cp1252'"), "cp1252");
	ck_assert_str_eq(charset("text/html"), "");
	ck_assert_str_eq(charset("text/html; charset"), "");
	ck_assert_str_eq(charset("text/html; charset="), "");
	ck_assert_str_eq(charset("text/html; charset=\""), "");
	ck_assert_str_eq(charset("text/html; xcharset=utf-8"), "");
	ck_assert_str_eq(charset("text/html; charset=1234567"), "1234567");
	ck_assert_str_eq(charset("text/html; charset=12345678"), "");
	ck_assert_str_eq(charset("text/html; charset=a<b"), "");
	ck_assert_str_eq(charset(""), "");
	ck_assert_str_eq(charset("text/html;charset=a, text/html"), "a");
	ck_assert_str_eq(charset("text/html, text/html;charset=b;charset=c"),
			 "b");
}

/* 784111777 is the example of RFC 9110, 5.6.7. */
TEST(retry_after_is_seconds_or_a_date)
{
	static const char date[] = "Sun, 06 Nov 1994 08:49:37 GMT";

	ck_assert_uint_eq(header_date(OF(date)), 784111777);
	ck_assert_uint_eq(header_retry_after(OF("120"), 5), 120);
	ck_assert_uint_eq(header_retry_after(OF(date), 784111700), 77);
	ck_assert_uint_eq(header_retry_after(OF(date), 784111777), 0);
	ck_assert_uint_eq(header_retry_after(OF(date), 784111778), 0);
	ck_assert_uint_eq(header_retry_after(OF("soon"), 5), 0);
	ck_assert_uint_eq(header_retry_after(OF(""), 5), 0);
	ck_assert_uint_eq(header_retry_after(OF("-5"), 5), 0);
}

TEST(numbers)
{
	ck_assert_uint_eq(header_number(OF("0")), 0);
	ck_assert_uint_eq(header_number(OF("18446744073709551")),
			  18446744073709551U);
	ck_assert_uint_eq(header_number(OF("99999999999999999999")),
			  UINT64_MAX);
	ck_assert_uint_eq(header_number(OF("1x")), UINT64_MAX);
	ck_assert_uint_eq(header_number(OF("")), UINT64_MAX);
}
