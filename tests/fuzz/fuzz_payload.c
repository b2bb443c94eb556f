/* tests/fuzz/fuzz_payload.c - a template of a hook: the first byte is its type.
 * No value may change the structure of the result: if it is JSON with a
 * harmless value, it is JSON with a hostile one. */
#include "tests/fuzz/require.h"

#include <string.h>

#include "daemon/query/payload.h"

static json_t *make_values(const char *text)
{
	json_t *values = json_pack(
		"{s:s, s:s, s:s, s:s, s:i, s:{s:s}, s:[{s:s, s:s}]}", "title",
		text, "text", text, "url", text, "severity", "alert", "seq", 7,
		"event", "a", text, "links", "name", text, "url", text);

	require(values != NULL);
	return values;
}

static bool write_with(struct slice text, enum payload_type type,
		       const char *value, struct buffer *out)
{
	json_t *values = make_values(value);
	char message[64] = "";
	bool is_written =
		payload_write(text, type, values, out,
			      &(struct failure_text){message, sizeof(message)});

	require(is_written == (*message == '\0'));
	json_decref(values);
	return is_written;
}

static bool is_json(const struct buffer *text)
{
	json_t *value = json_loadb(text->size == 0 ? "" : text->data,
				   text->size, JSON_DECODE_ANY, NULL);

	json_decref(value);
	return value != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char hostile[] = "\",\"x\":{\\}]\n\x01\x7f<b>&*_"
				      "\xc3\xa9\xf0\x9f\x98\x80%{title}";
	struct buffer plain = {0};
	struct buffer other = {0};
	enum payload_type type;
	struct slice text;

	if (size == 0)
		return 0;
	type = (enum payload_type)(data[0] % (PAYLOAD_LINE + 1));
	text = (struct slice){data + 1, size - 1};
	if (write_with(text, type, "%%", &plain) && type == PAYLOAD_JSON &&
	    is_json(&plain) && memchr(text.data, '=', text.size) == NULL &&
	    write_with(text, type, hostile, &other))
		require(is_json(&other));
	if (type == PAYLOAD_LINE &&
	    memchr(text.data, '\n', text.size) == NULL && plain.size > 0)
		require(memchr(plain.data, '\n', plain.size) == NULL);
	buffer_free(&plain);
	buffer_free(&other);
	return 0;
}
