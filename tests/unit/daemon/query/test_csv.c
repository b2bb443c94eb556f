#include "daemon/query/text_export.h"

#include "tests/unit/run.h"

static bool is_formula(const char *text)
{
	return csv_is_formula(slice_of(text));
}

TEST(what_begins_as_a_formula_is_one)
{
	static const char *const texts[] = {
		"=cmd|'/C calc'!A0",
		"+1+1",
		"-2+3",
		"@SUM(1)",
		"-",
		"\tTAB",
		"\rCR",
		"\nLF",
		"  =1+1",
		"\"=1+1",
		"' \"@A1",
		"\x01=1",
		"\xc2\xa0=1",     /* a no-break space */
		"\xe2\x80\x8b=1", /* a zero-width space */
		"\xef\xbb\xbf=1", /* a byte order mark */
		"\xe2\x80\x9c=1", /* a typographic quotation mark */
		"\xef\xbc\x9dx",  /* the full-width forms */
		"\xef\xbc\x8bx",
		"\xef\xbc\x8dx",
		"\xef\xbc\xa0x",
		"-1-1",
		"+49 30 123",
		"-12.5 =1",
		"--1",
		"-1.",
		"=1",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		ck_assert_msg(is_formula(texts[i]), "%s", texts[i]);
}

TEST(words_and_plain_numbers_are_data)
{
	static const char *const texts[] = {
		"",          "a",        "a=b",   "a\n=b",
		" a",        "\"a\" -b", "-12.5", "+3",
		"-1,234.5%", "12",       "-0,5",  "\xe2\x82\xac 5",
		"http://a/", " ",        "\"",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		ck_assert_msg(!is_formula(texts[i]), "%s", texts[i]);
}

TEST(a_formula_gets_an_apostrophe)
{
	AUTO_BUFFER out = {0};

	csv_append_cell(slice_of("=\"a\""), false, &out);
	csv_append_cell(slice_of("=\"a\""), true, &out);
	csv_append_cell(slice_of("a"), false, &out);
	csv_append_cell((struct slice){0}, false, &out);
	ck_assert_str_eq(out.data, "\"'=\"\"a\"\"\""
				   "\"=\"\"a\"\"\""
				   "\"a\"\"\"");
}

/* A sequence that is cut off is not read beyond its end. */
TEST(broken_utf_8_is_no_formula)
{
	static const char cut[] = {(char)0xEF, (char)0xBC};

	ck_assert(!csv_is_formula((struct slice){cut, 1}));
	ck_assert(!csv_is_formula((struct slice){cut, 2}));
}

static void check_value(const char *json, const char *wanted)
{
	json_t *value = json_loads(json, JSON_DECODE_ANY, NULL);
	AUTO_BUFFER out = {0};

	buffer_append_text(&out, "");
	csv_append_value(value, false, &out);
	ck_assert(slice_equal(buffer_slice(&out), slice_of(wanted)));
	json_decref(value);
}

TEST(values_of_a_field_are_one_cell)
{
	check_value("\"a, b\"", "\"a, b\"");
	check_value("\"=a\"", "\"'=a\"");
	check_value("[\"a\", \"b\"]", "\"a; b\"");
	check_value("[\"-a\", \"b\"]", "\"'-a; b\"");
	check_value("[{\"a\": \"1\"}, {\"b\": [\"x\", \"y\"]}]",
		    "\"[{\"\"a\"\":\"\"1\"\"},"
		    "{\"\"b\"\":[\"\"x\"\",\"\"y\"\"]}]\"");
	check_value("[]", "");
	check_value("\"\"", "");
	check_value("null", "");
}
