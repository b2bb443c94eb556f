#include "crawl/render/cdp.h"

#include "tests/unit/run.h"

static struct cdp cdp;

static void begin(void)
{
	cdp = (struct cdp){0};
}

static void end(void)
{
	cdp_free(&cdp);
}

FIXTURE(.setup = begin, .teardown = end);

static void feed(const char *text, size_t size)
{
	cdp_feed(&cdp, (struct slice){text, size});
}

/* Feed a message with its NUL; return the error. */
static enum error error_of(const char *text)
{
	struct cdp_message message;
	enum error error;

	feed(text, strlen(text) + 1);
	ck_assert(!cdp_next(&cdp, &message, &error));
	return error;
}

TEST(messages_arrive_in_any_pieces)
{
	static const char text[] = "{\"id\":1,\"result\":{\"a\":\"b\"}}\0"
				   "{\"method\":\"M\",\"sessionId\":\"S\","
				   "\"params\":{\"n\":7}}";
	struct cdp_message message;
	enum error error;
	size_t count = 0;

	for (size_t i = 0; i < sizeof(text); i++) {
		feed(text + i, 1);
		while (cdp_next(&cdp, &message, &error)) {
			if (count++ == 0) {
				ck_assert_uint_eq(message.id, 1);
				ck_assert_str_eq(message.session, "");
				ck_assert_str_eq(
					cdp_text(message.value, "a", 1), "b");
				ck_assert_ptr_null(
					cdp_text(message.value, "a", 0));
			} else {
				ck_assert_uint_eq(message.id, 0);
				ck_assert_str_eq(message.method, "M");
				ck_assert_str_eq(message.session, "S");
				ck_assert_uint_eq(cdp_whole(message.value, "n"),
						  7);
			}
			json_decref(message.root);
		}
		ck_assert_int_eq(error, ERR_NONE);
	}
	ck_assert_uint_eq(count, 2);
}

TEST(a_command_that_failed_has_an_error)
{
	static const char text[] = "{\"id\":3,\"error\":{\"message\":\"no\"}}";
	struct cdp_message message;
	enum error error;

	feed(text, sizeof(text));
	ck_assert(cdp_next(&cdp, &message, &error));
	ck_assert_str_eq(message.error, "no");
	ck_assert_ptr_null(message.value);
	json_decref(message.root);
}

TEST(nonsense_is_refused)
{
	static const char *const texts[] = {
		"",
		"x",
		"[]",
		"{}",
		"{\"id\":-1}",
		"{\"id\":0}",
		"{\"id\":\"1\"}",
		"{\"method\":1}",
		"{\"method\":\"\"}",
		"{\"id\":1",
		"{\"id\":1,\"result\":\"\\u0000\"}",
		"{\"id\":1}{\"id\":2}",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		ck_assert_msg(error_of(texts[i]) == ERR_MALFORMED, "%s",
			      texts[i]);
		end();
		begin();
	}
}

TEST(a_message_has_limited_bytes_and_values)
{
	struct buffer text = {0};
	struct cdp_message message;
	enum error error;

	buffer_append_text(&text, "{\"id\":1,\"result\":{\"a\":[");
	for (size_t i = 0; i < MAX_CDP_VALUES; i++)
		buffer_append_text(&text, "1,");
	buffer_append_text(&text, "1]}}");
	ck_assert_int_eq(error_of(text.data), ERR_TOO_LARGE);
	end();
	begin();
	/* brackets and commas in texts are no values */
	buffer_clear(&text);
	buffer_append_text(&text, "{\"id\":1,\"result\":{\"a\":\"\\\"");
	for (size_t i = 0; i < MAX_CDP_VALUES; i++)
		buffer_append_text(&text, ",[");
	buffer_append_text(&text, "\"}}");
	feed(text.data, text.size + 1);
	ck_assert(cdp_next(&cdp, &message, &error));
	json_decref(message.root);
	end();
	begin();
	/* it has no end */
	buffer_clear(&text);
	memset(buffer_reserve(&text, MAX_CDP_BYTES + 1), 'x',
	       MAX_CDP_BYTES + 1);
	feed(text.data, MAX_CDP_BYTES + 1);
	ck_assert(!cdp_next(&cdp, &message, &error));
	ck_assert_int_eq(error, ERR_TOO_LARGE);
	buffer_free(&text);
}

TEST(commands_are_numbered_and_end_with_nul)
{
	ck_assert_uint_eq(cdp_send(&cdp, "", "A.b", NULL), 1);
	ck_assert_uint_eq(
		cdp_send(&cdp, "S", "C.d", json_pack("{s:s}", "x", "\"")), 2);
	ck_assert_str_eq(cdp.out.data, "{\"id\":1,\"method\":\"A.b\"}");
	ck_assert_str_eq(cdp.out.data + strlen(cdp.out.data) + 1,
			 "{\"id\":2,\"method\":\"C.d\",\"sessionId\":\"S\","
			 "\"params\":{\"x\":\"\\\"\"}}");
}
