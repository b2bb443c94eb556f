#include "page/charset.h"

#include <assert.h>
#include <stdlib.h>

#include <uchardet/uchardet.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/utf8.h"
#include "page/attribute.h"
#include "page/convert.h"
#include "page/label.h"
#include "page/mojibake.h"

enum {
	MAX_ENCODINGS = 64,
	PRESCAN_BYTES = 1024,
	GUESS_BYTES = 64 * 1024,
	/*
	 * Treat a page as UTF-8, whatever it declares, if it has at least
	 * SURE_SEQUENCES sequences of two or more bytes and at most one broken
	 * sequence per SURE_RATIO. In GB2312 only one in seven Chinese
	 * characters looks like a sequence.
	 */
	SURE_SEQUENCES = 8,
	SURE_RATIO = 64,
	/* With fewer bytes over 127, uchardet mistakes French for Polish. */
	MIN_GUESS_HIGH = 8,
	/*
	 * An encoding is wrong if more than one in WRONG_RATIO of the bytes
	 * over 127 does not decode.
	 */
	WRONG_RATIO = 4,
};

static struct decoded decoded_with_charset(char *text, size_t size,
					   const char *name)
{
	size = mojibake_repair(text, size);
	return (struct decoded){{text, size}, slice_of(name)};
}

static void blank_nuls(char *text, size_t size)
{
	char *at = text;

	while ((at = memchr(at, '\0', size - (size_t)(at - text))) != NULL)
		*at = ' ';
}

/* Return false if the bytes are not UTF-8: too many sequences are broken. */
static bool decode_utf8(struct arena *arena, struct slice body,
			struct utf8_count count, struct decoded *decoded_out)
{
	size_t size = body.size;
	char *text;

	if (count.invalid > count.sequences / WRONG_RATIO)
		return false;
	if (count.invalid == 0) {
		text = arena_copy(arena, body.data, size);
	} else {
		text = arena_alloc(arena, size + 2 * count.invalid + 1, 1);
		size = utf8_repair(body, text);
	}
	blank_nuls(text, size);
	*decoded_out = decoded_with_charset(text, size, "UTF-8");
	return true;
}

static size_t count_high(struct slice text)
{
	const unsigned char *bytes = text.data;
	size_t count = 0;

	for (size_t i = 0; i < text.size; i++)
		count += bytes[i] >> 7;
	return count;
}

/* Decode windows-1252. Cannot fail: every byte is a character. */
static struct decoded decode_windows_1252(struct arena *arena,
					  struct slice body)
{
	const unsigned char *bytes = body.data;
	size_t size = 0;
	char *text =
		arena_alloc(arena, body.size + 2 * count_high(body) + 1, 1);

	for (size_t i = 0; i < body.size; i++)
		size += utf8_encode(utf8_from_windows_1252(bytes[i]),
				    text + size);
	blank_nuls(text, size);
	return decoded_with_charset(text, size, "WINDOWS-1252");
}

static bool encoding_is_wide(const struct encoding *encoding)
{
	return strncmp(encoding->name, "UTF-16", 6) == 0;
}

/*
 * Return false if iconv does not support the encoding, or too many bytes do not
 * decode.
 */
static bool decode_iconv(struct arena *arena, struct slice body,
			 const struct encoding *encoding,
			 struct decoded *decoded_out)
{
	struct converter converter = convert_begin(encoding);
	const size_t chances =
		encoding_is_wide(encoding) ? body.size : count_high(body);
	struct buffer out = {0};
	bool is_done = converter.iconv != NULL &&
		       convert(converter, chances / WRONG_RATIO, &body, &out);

	if (is_done && body.size > 0)
		buffer_append(&out, "\xEF\xBF\xBD", 3);
	convert_end(&converter);
	if (is_done) {
		char *text = arena_copy(arena, out.data, out.size);

		blank_nuls(text, out.size);
		*decoded_out =
			decoded_with_charset(text, out.size, encoding->name);
	}
	buffer_free(&out);
	return is_done;
}

/* Return whether there are too many well-formed sequences for chance. */
static bool is_surely_utf8(struct utf8_count count)
{
	return count.sequences >= SURE_SEQUENCES &&
	       count.invalid <= count.sequences / SURE_RATIO;
}

/*
 * Return whether the page may be UTF-16. Such a page begins with markup, so
 * every second byte there is zero.
 */
static bool may_be_wide(struct slice body)
{
	size_t size = body.size < PRESCAN_BYTES ? body.size : PRESCAN_BYTES;

	return memchr(body.data, '\0', size) != NULL;
}

static bool decode_as(struct arena *arena, struct slice body,
		      const struct encoding *encoding, struct utf8_count count,
		      struct decoded *decoded_out)
{
	if (encoding == NULL)
		return false;
	if (strcmp(encoding->name, "UTF-8") == 0)
		return decode_utf8(arena, body, count, decoded_out);
	if (encoding_is_wide(encoding) && !may_be_wide(body))
		return false;
	if (is_surely_utf8(count))
		return false;
	if (strcmp(encoding->name, "WINDOWS-1252") != 0)
		return decode_iconv(arena, body, encoding, decoded_out);
	*decoded_out = decode_windows_1252(arena, body);
	return true;
}

static bool decode_bom(struct arena *arena, struct slice body,
		       struct decoded *decoded_out)
{
	const char *bytes = body.data;
	struct slice rest;

	if (body.size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
		rest = (struct slice){bytes + 3, body.size - 3};
		return decode_utf8(arena, rest, utf8_check(rest), decoded_out);
	}
	if (body.size < 2)
		return false;
	rest = (struct slice){bytes + 2, body.size - 2};
	if (memcmp(bytes, "\xFF\xFE", 2) == 0)
		return decode_iconv(arena, rest,
				    encoding_of(slice_of("utf-16le")),
				    decoded_out);
	if (memcmp(bytes, "\xFE\xFF", 2) == 0)
		return decode_iconv(arena, rest,
				    encoding_of(slice_of("utf-16be")),
				    decoded_out);
	return false;
}

/* Return the name after "charset=" in the content of a meta element. */
static struct slice charset_of_content(struct slice content)
{
	static const char word[] = "charset";
	const char *at = content.data;
	const char *end = at + content.size;
	const char *begin;

	for (;; at++) {
		if ((size_t)(end - at) < sizeof(word))
			return (struct slice){NULL, 0};
		if (text_is((struct slice){at, sizeof(word) - 1}, word))
			break;
	}
	at += sizeof(word) - 1;
	while (at < end &&
	       (is_space(*at) || *at == '=' || *at == '"' || *at == '\''))
		at++;
	begin = at;
	while (at < end && !is_space(*at) && *at != ';' && *at != '"' &&
	       *at != '\'')
		at++;
	return (struct slice){begin, (size_t)(at - begin)};
}

/*
 * Return the charset that a meta element declares; `at` is after the tag's
 * name.
 */
static struct slice charset_of_tag(const char *at, const char *end,
				   const char *attribute)
{
	struct attribute_cursor cursor = {.at = at, .end = end};
	struct slice content = {NULL, 0};
	struct slice charset = {NULL, 0};
	bool is_type = false;

	while (attribute_next(&cursor)) {
		if (text_is(cursor.name, attribute))
			charset = cursor.value;
		else if (text_is(cursor.name, "content"))
			content = cursor.value;
		else if (text_is(cursor.name, "http-equiv"))
			is_type = text_is(cursor.value, "content-type");
	}
	if (charset.data == NULL && is_type && content.data != NULL)
		return charset_of_content(content);
	return charset;
}

static const char *skip_comment(const char *at, const char *end)
{
	const char *close = memmem(at, (size_t)(end - at), "-->", 3);

	return close == NULL ? end : close + 3;
}

/*
 * Source: HTML, section 13.2.3.2. A declared UTF-16 means UTF-8, because the
 * declaration was read as single bytes.
 */
const struct encoding *charset_declared(struct slice body)
{
	const char *at = body.data;
	const char *end =
		at + (body.size < PRESCAN_BYTES ? body.size : PRESCAN_BYTES);
	const struct encoding *encoding = NULL;

	while (encoding == NULL && at < end &&
	       (at = memchr(at, '<', (size_t)(end - at))) != NULL) {
		struct slice label = {NULL, 0};
		size_t left = (size_t)(end - at);

		if (left > 4 && memcmp(at, "<!--", 4) == 0) {
			at = skip_comment(at + 2, end);
			continue;
		}
		if (left > 6 && text_is((struct slice){at, 5}, "<meta") &&
		    (is_space(at[5]) || at[5] == '/'))
			label = charset_of_tag(at + 5, end, "charset");
		else if (left > 6 && text_is((struct slice){at, 5}, "<?xml"))
			label = charset_of_tag(at + 5, end, "encoding");
		encoding = label.size == 0 ? NULL : encoding_of(label);
		at++;
	}
	if (encoding != NULL && encoding_is_wide(encoding))
		return encoding_of(slice_of("utf-8"));
	return encoding;
}

/* Let uchardet guess the encoding from the first byte over 127 on. */
static const struct encoding *charset_guess(struct slice body)
{
	const char *bytes = body.data;
	uchardet_t detector;
	const struct encoding *encoding = NULL;
	struct slice sample;
	size_t begin = 0;

	while (begin < body.size && (unsigned char)bytes[begin] < 0x80)
		begin++;
	sample = (struct slice){bytes + begin, body.size - begin};
	if (sample.size > GUESS_BYTES)
		sample.size = GUESS_BYTES;
	if (count_high(sample) < MIN_GUESS_HIGH)
		return NULL;
	detector = uchardet_new();
	if (uchardet_handle_data(detector, sample.data, sample.size) == 0) {
		uchardet_data_end(detector);
		encoding =
			encoding_of(slice_of(uchardet_get_charset(detector)));
	}
	uchardet_delete(detector);
	return encoding;
}

struct decoded charset_decode(struct arena *arena, struct slice body,
			      struct slice header)
{
	struct utf8_count count;
	struct decoded decoded;

	if (body.size == 0)
		return (struct decoded){{"", 0}, slice_of("UTF-8")};
	if (decode_bom(arena, body, &decoded))
		return decoded;
	count = utf8_check(body);
	if (decode_as(arena, body, encoding_of(header), count, &decoded) ||
	    decode_as(arena, body, charset_declared(body), count, &decoded) ||
	    decode_utf8(arena, body, count, &decoded) ||
	    decode_as(arena, body, charset_guess(body), count, &decoded))
		return decoded;
	return decode_windows_1252(arena, body);
}

/* iconv unloads an encoding that has no open descriptor. */
void charset_load(void)
{
	static struct converter kept[MAX_ENCODINGS];
	const struct encoding *encoding;

	for (size_t i = 0; (encoding = encoding_by_index(i)) != NULL; i++) {
		assert(i < MAX_ENCODINGS);
		if (kept[i].iconv == NULL)
			kept[i] = convert_begin(encoding);
	}
}
