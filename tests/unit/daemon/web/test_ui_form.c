#include "daemon/web/html.h"

#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

static const char *field(json_t *form, const char *name)
{
	const char *text = json_string_value(json_object_get(form, name));

	return text == NULL ? "-" : text;
}

TEST(fields_are_decoded)
{
	AUTO_JSON *form = ui_form_read(
		slice_of("url=https%3A%2F%2Fa.example%2F%3Fq%3D1&name=a+b%2B"
			 "&empty=&flag&%6eame2=%zz%4&name3=1&name3=2"));

	ck_assert_str_eq(field(form, "url"), "https://a.example/?q=1");
	ck_assert_str_eq(field(form, "name"), "a b+");
	ck_assert_str_eq(field(form, "name2"), "%zz%4");
	ck_assert_str_eq(field(form, "name3"), "2");
	ck_assert_uint_eq(json_object_size(form), 4);
}

TEST(a_malformed_form_is_refused)
{
	static const char many[] = "a&a&a&a&a&a&a&a&a&a&a&a&a&a&a&a&a"
				   "&a&a&a&a&a&a&a&a&a&a&a&a&a&a&a&a";
	AUTO_JSON *form;

	ck_assert_ptr_null(ui_form_read(slice_of("a=%00b")));
	ck_assert_ptr_null(ui_form_read(slice_of(many)));
	form = ui_form_read((struct slice){many, sizeof(many) - 2});
	ck_assert_ptr_nonnull(form);
	ck_assert_ptr_null(
		ui_form_read((struct slice){many, UI_FORM_MAX_BYTES + 1}));
}

TEST(bytes_that_are_no_text_are_left_out)
{
	AUTO_JSON *form = ui_form_read(slice_of("a=%ff&b=%c3%a4"));

	ck_assert_str_eq(field(form, "a"), "-");
	ck_assert_str_eq(field(form, "b"), "\xc3\xa4");
}

TEST(only_our_own_pages_send_forms)
{
	static const char host[] = "127.0.0.1:8481";
	static const char ours[] = "http://127.0.0.1:8481";

	ck_assert(ui_form_is_ours(ours, host, NULL));
	ck_assert(ui_form_is_ours(ours, host, "same-origin"));
	ck_assert(ui_form_is_ours("https://h", "h", "same-origin"));
	ck_assert(!ui_form_is_ours(ours, host, "same-site"));
	ck_assert(!ui_form_is_ours(NULL, host, "same-origin"));
	ck_assert(!ui_form_is_ours("null", host, NULL));
	ck_assert(!ui_form_is_ours("http://127.0.0.1:84810", host, NULL));
	ck_assert(!ui_form_is_ours("http://", "", NULL));
}

TEST(numbers_are_whole)
{
	static const char *const names[] = {"a", "b"};
	AUTO_JSON *form = ui_form_read(slice_of("a=12"));

	ck_assert(ui_form_number(form, names, 2));
	ck_assert_int_eq(json_integer_value(json_object_get(form, "a")), 12);
	json_object_set_new(form, "b", json_string("-1"));
	ck_assert(!ui_form_number(form, names, 2));
	json_object_set_new(form, "b", json_string("1.5"));
	ck_assert(!ui_form_number(form, names, 2));
}

TEST(settings_become_api_options)
{
	static const char *const flags[] = {"cookies", "probe"};
	AUTO_JSON *form = ui_form_read(
		slice_of("threshold=0.25&cookies=1&headers=A%3A+b%0D%0AC%3Ad%0A"
			 "%0D%0A"));
	const json_t *headers;

	ck_assert(ui_form_threshold(form));
	ck_assert(json_number_value(json_object_get(form, "threshold")) ==
		  0.25);
	ui_form_flags(form, flags, 2);
	ck_assert(json_is_true(json_object_get(form, "cookies")));
	ck_assert(json_is_false(json_object_get(form, "probe")));
	ck_assert(ui_form_headers(form));
	headers = json_object_get(form, "headers");
	ck_assert_uint_eq(json_object_size(headers), 2);
	ck_assert_str_eq(json_string_value(json_object_get(headers, "A")), "b");
	ck_assert_str_eq(json_string_value(json_object_get(headers, "C")), "d");
}

TEST(lines_become_a_list)
{
	AUTO_JSON *form = ui_form_read(slice_of("a=%2Fx%0D%0A%0A%2Fy&b="));

	ui_form_lines(form, "a");
	ui_form_lines(form, "b");
	ck_assert_uint_eq(json_array_size(json_object_get(form, "a")), 2);
	ck_assert_str_eq(json_string_value(
				 json_array_get(json_object_get(form, "a"), 1)),
			 "/y");
	ck_assert(json_is_array(json_object_get(form, "b")));
}

/* Texts, and whether the threshold and the headers of them can be. */
static const struct {
	const char *text;
	bool is_threshold;
	bool is_headers;
} settings[] = {
	{"a=b", true, true},
	{"threshold=auto&headers=A%3A", true, true},
	{"threshold=1.5&headers=A", false, false},
	{"threshold=nan&headers=%0AA%3Ab%0Ac", false, false},
	{"threshold=0.5x&no_headers=1&headers=A", false, true},
};

TEST_ROWS(settings_that_cannot_be_are_refused, settings)
{
	AUTO_JSON *form = ui_form_read(slice_of(settings[_i].text));

	ck_assert(ui_form_threshold(form) == settings[_i].is_threshold);
	ck_assert(ui_form_headers(form) == settings[_i].is_headers);
	ck_assert_ptr_null(json_object_get(form, "no_headers"));
}
