/* The bytes of each form, by hand. */
#include "daemon/query/text_export.h"

#include <math.h>

#include "page/page_class.h"
#include "tests/unit/run.h"

static struct buffer out;
static struct text_result answer;
static const struct positioned_page page = {
	.url = "http://a.test/1",
	.fetched_ms = 1488773033000,
	.cluster = 2,
	.title = "One, \"1\"",
	.page_class = CLASS_PAGE,
};
static struct text_export_row told;

static void setup(void)
{
	out = (struct buffer){0};
	answer = (struct text_result){
		.method = "auto",
		.cluster = "a.test/2",
		.confidence = 0.5F,
		.quality = QUALITY_OK,
	};
	buffer_append_text(&answer.body, "Say \"hello\",\nworld");
	told = (struct text_export_row){
		.place = {7, 8},
		.page = &page,
		.host = "a.test",
		.url = page.url,
		.format = FORMAT_TXT,
		.answer = &answer,
	};
}

static void teardown(void)
{
	buffer_free(&out);
	buffer_free(&answer.body);
}

static void set_body(const char *text)
{
	buffer_clear(&answer.body);
	buffer_append_text(&answer.body, text);
	told.format = FORMAT_JSON;
}

#define PLACE "{\"sequence\":\"7.0000000000000008\",\"type\":\"page\","

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_line_of_json)
{
	text_export_append(TEXT_EXPORT_JSON_LINES, &told, &out);
	ck_assert_str_eq(
		out.data, PLACE
		"\"url\":\"http://a.test/1\",\"title\":\"One, \\\"1\\\"\","
		"\"fetched\":\"2017-03-06T04:03:53Z\","
		"\"cluster\":\"a.test/2\",\"quality\":\"ok\","
		"\"confidence\":0.5,\"method\":\"auto\","
		"\"text\":\"Say \\\"hello\\\",\\nworld\"}\n");
}

TEST(a_line_with_an_object)
{
	set_body("{\"url\":\"u\",\"text\":\"\"}\n");
	text_export_append(TEXT_EXPORT_JSON_LINES, &told, &out);
	ck_assert_str_eq(out.data, PLACE "\"url\":\"u\",\"text\":\"\"}\n");
}

/* Two lines, no object, no end. */
TEST_LOOP(a_line_without_an_object_is_an_error, 0, 4)
{
	static const char *const bodies[] = {"{\"a\":1}\n{}\n", "[1,2]\n",
					     "{\"a\":1}", "{\n"};

	set_body(bodies[_i]);
	text_export_append(TEXT_EXPORT_JSON_LINES, &told, &out);
	ck_assert_ptr_nonnull(
		strstr(out.data, "\"error\":{\"code\":\"quarantined\""));
	ck_assert_ptr_eq(strchr(out.data, '\n'), out.data + out.size - 1);
}

TEST(an_ingested_page_has_a_position)
{
	told.position = 3;
	told.page = NULL;
	told.url = "";
	answer.confidence = NAN;
	answer.cluster[0] = '\0';
	text_export_append(TEXT_EXPORT_JSON_LINES, &told, &out);
	ck_assert_str_eq(out.data,
			 "{\"position\":3,\"url\":null,\"cluster\":null,"
			 "\"quality\":\"ok\",\"confidence\":null,"
			 "\"method\":\"auto\","
			 "\"text\":\"Say \\\"hello\\\",\\nworld\"}\n");
}

TEST(an_error_is_a_line)
{
	told.error = ERR_BODY_EXPIRED;
	strcpy(answer.reason, "it is \"old\"");
	text_export_append(TEXT_EXPORT_JSON_LINES, &told, &out);
	ck_assert_ptr_nonnull(strstr(out.data,
				     "\"error\":{\"code\":\"body_expired\","
				     "\"message\":\"it is \\\"old\\\"\"}}\n"));
	buffer_clear(&out);
	text_export_append(TEXT_EXPORT_CSV, &told, &out);
	ck_assert_str_eq(
		out.data,
		"7.0000000000000008,\"http://a.test/1\",\"One, \"\"1\"\"\","
		"2017-03-06T04:03:53Z,page,\"a.test/2\",,,\"\",body_expired,"
		"\"it is \"\"old\"\"\"\r\n");
	buffer_clear(&out);
	text_export_append(TEXT_EXPORT_WET, &told, &out);
	ck_assert_ptr_nonnull(strstr(out.data, "WARC-Type: metadata\r\n"));
	ck_assert_ptr_nonnull(
		strstr(out.data, "WARC-Target-URI: http://a.test/1\r\n"
				 "Templated-Sequence: 7.0000000000000008\r\n"
				 "Content-Type: application/warc-fields\r\n"));
	ck_assert_ptr_nonnull(strstr(out.data, "\r\n\r\nerror: body_expired\r\n"
					       "message: it is \"old\"\r\n"
					       "\r\n\r\n"));
}

TEST(a_row_of_csv)
{
	text_export_begin(TEXT_EXPORT_CSV, "", 0, &out);
	text_export_append(TEXT_EXPORT_CSV, &told, &out);
	ck_assert_str_eq(
		out.data,
		"sequence,url,title,fetched,type,cluster,quality,confidence,"
		"method,error,text\r\n"
		"7.0000000000000008,\"http://a.test/1\",\"One, \"\"1\"\"\","
		"2017-03-06T04:03:53Z,page,\"a.test/2\",ok,0.500,\"auto\","
		",\"Say \"\"hello\"\",\nworld\"\r\n");
}

TEST(a_formula_in_csv_is_text_unless_raw_is_wanted)
{
	answer.body.size = 0;
	buffer_append_text(&answer.body, "=1+1");
	text_export_append(TEXT_EXPORT_CSV, &told, &out);
	ck_assert_ptr_nonnull(strstr(out.data, ",\"'=1+1\"\r\n"));
	buffer_clear(&out);
	told.is_raw = true;
	text_export_append(TEXT_EXPORT_CSV, &told, &out);
	ck_assert_ptr_nonnull(strstr(out.data, ",\"=1+1\"\r\n"));
}

/* The digest of `printf 'Say "hello",\nworld' | openssl dgst -sha1` in
 * base32. */
TEST(a_record_of_wet)
{
	text_export_append(TEXT_EXPORT_WET, &told, &out);
	ck_assert_ptr_nonnull(strstr(out.data,
				     "WARC-Date: 2017-03-06T04:03:53Z\r\n"
				     "WARC-Target-URI: http://a.test/1\r\n"
				     "Templated-Sequence: "
				     "7.0000000000000008\r\n"
				     "Content-Type: text/plain; "
				     "charset=utf-8\r\n"));
	ck_assert_ptr_nonnull(
		strstr(out.data, "sha1:D55F5LYJCEPJICF2UW24A563YTOJKLAY\r\n"));
	ck_assert_ptr_nonnull(strstr(out.data,
				     "Content-Length: 18\r\n\r\n"
				     "Say \"hello\",\nworld\r\n\r\n"));
}

/* So that clients recognise a repeated text. */
TEST(a_record_has_the_same_name_again)
{
	AUTO_BUFFER again = {0};

	text_export_append(TEXT_EXPORT_WET_GZIP, &told, &out);
	text_export_append(TEXT_EXPORT_WET_GZIP, &told, &again);
	ck_assert_uint_eq(out.size, again.size);
	ck_assert_mem_eq(out.data, again.data, out.size);
	ck_assert_mem_eq(out.data, "\x1f\x8b", 2);
}

TEST(a_file_begins_with_who_made_it)
{
	text_export_begin(TEXT_EXPORT_JSON_LINES, "us", 0, &out);
	ck_assert_uint_eq(out.size, 0);
	text_export_begin(TEXT_EXPORT_WET, "us", 1488773033000, &out);
	ck_assert_mem_eq(out.data, "WARC/1.1\r\nWARC-Type: warcinfo\r\n", 31);
	ck_assert_ptr_nonnull(strstr(out.data, "software: us\r\n"));
}

TEST(names)
{
	enum text_export_format form;

	ck_assert(text_export_format_of("wet.gz", &form));
	ck_assert_int_eq(form, TEXT_EXPORT_WET_GZIP);
	ck_assert(!text_export_format_of("json", &form));
	ck_assert_str_eq(text_export_media_type(TEXT_EXPORT_JSON_LINES),
			 "application/x-ndjson");
}
