#include "daemon/query/payload.h"

#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

static const char values_text[] =
	"{\"title\":\"a \\\"b\\\" <c>\\n&\","
	"\"text\":\"\\u00e9\\ud83d\\ude00x\",\"severity\":\"alert\",\"url\":"
	"\"\","
	"\"page\":\"a\\ufffe\\uffffb\",\"seq\":7,\"event\":{\"k\":[1]},"
	"\"links\":[{\"name\":\"Page\",\"url\":\"http://a/\"}]}";

static bool write_as(enum payload_type type, const char *text,
		     struct buffer *out, char message[100])
{
	AUTO_JSON *values = json_loads(values_text, 0, NULL);
	bool is_written;

	ck_assert_ptr_nonnull(values);
	is_written = payload_write(slice_of(text), type, values, out,
				   &(struct failure_text){message, 100});
	buffer_append_byte(out, '\0');
	return is_written;
}

static void check(enum payload_type type, const char *text, const char *wanted)
{
	AUTO_BUFFER out = {0};
	char message[100] = "";

	ck_assert_msg(write_as(type, text, &out, message), "%s: %s", text,
		      message);
	ck_assert_str_eq(out.data, wanted);
}

static void refuse(const char *text, const char *wanted)
{
	AUTO_BUFFER out = {0};
	char message[100] = "";

	ck_assert(!write_as(PAYLOAD_TEXT, text, &out, message));
	ck_assert_str_eq(message, wanted);
}

TEST(values_are_escaped_for_the_type)
{
	check(PAYLOAD_JSON, "{\"t\":\"{title}\"}",
	      "{\"t\":\"a \\\"b\\\" <c>\\n&\"}");
	check(PAYLOAD_TEXT, "{title}", "a \"b\" <c>\n&");
	check(PAYLOAD_LINE, "{title}", "a \"b\" <c> &");
	check(PAYLOAD_XML, "<t>{title}", "<t>a &quot;b&quot; &lt;c&gt;\n&amp;");
	/* XML 1.0 forbids them even as references */
	check(PAYLOAD_XML, "{page}", "a\ufffd\ufffdb");
	check(PAYLOAD_FORM, "t={title}&x={text}",
	      "t=a%20%22b%22%20%3Cc%3E%0A%26&x=%C3%A9%F0%9F%98%80x");
}

TEST(numbers_and_lists_are_json_in_json)
{
	check(PAYLOAD_JSON, "{\"n\":{seq},\"e\":{event}}",
	      "{\"n\":7,\"e\":{\"k\":[1]}}");
	check(PAYLOAD_TEXT, "{seq} {links}", "7 Page: http://a/");
}

/* 1 code unit for the letter, 2 for the face, 1 for the x. */
TEST(a_limit_counts_utf_16_and_leaves_room_for_the_ellipsis)
{
	check(PAYLOAD_TEXT, "{text.4}", "\xc3\xa9\xf0\x9f\x98\x80x");
	check(PAYLOAD_TEXT, "{text.3}", "\xc3\xa9\xe2\x80\xa6");
	check(PAYLOAD_TEXT, "{text.1}", "\xe2\x80\xa6");
	check(PAYLOAD_TEXT, "{text.0}", "");
}

TEST(filters_come_before_the_limit)
{
	check(PAYLOAD_TEXT, "{title|slack}", "a \"b\" &lt;c&gt;\n&amp;");
	check(PAYLOAD_TEXT, "{title|markdown}", "a \"b\" \\<c\\>\n&");
	check(PAYLOAD_TEXT, "{title.8|html}", "a \xe2\x80\xa6");
}

TEST(a_map_chooses_a_word)
{
	check(PAYLOAD_TEXT, "{severity:info=1,alert=2,*=3}", "2");
	check(PAYLOAD_TEXT, "{severity:info=1,*=3}", "3");
	check(PAYLOAD_TEXT, "{severity:info=1}", "alert");
	check(PAYLOAD_TEXT, "{url:=none}", "none");
}

TEST(a_part_is_left_out_without_its_value)
{
	check(PAYLOAD_TEXT, "a{?url}{url}!{/url}b{?seq} c{/seq}", "ab c");
}

TEST(braces_that_begin_no_tag_stay)
{
	check(PAYLOAD_JSON, "{\"a\":{},\"b\":{ }}", "{\"a\":{},\"b\":{ }}");
}

TEST(mistakes_are_named)
{
	refuse("{nothing}", "{nothing}: there is no such value");
	refuse("x{title", "{title}: not a tag");
	refuse("{title|loud}", "{title|loud}: not a tag");
	refuse("{title.1000000}", "{title.1000000}: not a tag");
	refuse("{?url}", "{url}: this part has no end");
	refuse("{?url}{?seq}{/seq}{/url}",
	       "{?seq}: the parts do not begin and end in pairs");
	refuse("{/url}", "{/url}: the parts do not begin and end in pairs");
}

TEST(the_result_is_limited)
{
	AUTO_BUFFER text = {0};
	AUTO_BUFFER out = {0};
	char message[100] = "";

	for (int i = 0; i < MAX_PAYLOAD_BYTES / 7 + 2; i++)
		buffer_append_text(&text, "{severity}{seq}{seq}");
	buffer_append_byte(&text, '\0');
	ck_assert(!write_as(PAYLOAD_TEXT, text.data, &out, message));
	ck_assert_str_eq(message, "the text is over 262144 bytes");
}
