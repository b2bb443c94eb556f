#include "page/xml_decode.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "page/attribute.h"
#include "page/label.h"
#include "page/utf8.h"
#include "store/memory.h"

#define DECLARATION "<?xml"

enum { DECLARATION_BYTES = sizeof(DECLARATION) - 1 };

void xml_decode_free(struct xml_decode *decode)
{
	if (decode->converter != NULL)
		iconv_close(decode->converter);
	buffer_free(&decode->rest);
}

static void drop(struct buffer *buffer, size_t size)
{
	memmove(buffer->data, buffer->data + size, buffer->size - size);
	buffer->size -= size;
}

static void use(struct xml_decode *decode, const struct encoding *encoding)
{
	decode->is_known = true;
	if (encoding == NULL || strcmp(encoding->name, "UTF-8") == 0)
		return;
	decode->is_wide = strncmp(encoding->name, "UTF-16", 6) == 0;
	decode->converter = iconv_open("UTF-8", encoding->iconv);
	/* how iconv says no. NOLINTNEXTLINE(performance-no-int-to-ptr) */
	if (decode->converter == (iconv_t)-1 && errno == ENOMEM)
		mem_exhausted("iconv");
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	if (decode->converter == (iconv_t)-1)
		decode->converter = NULL;
}

/* By a BOM, or a '<' of two bytes. */
static bool use_mark(struct xml_decode *decode)
{
	static const struct {
		const char *bytes;
		size_t size;
		size_t dropped;
		const char *label;
	} marks[] = {
		{"\xEF\xBB\xBF", 3, 3, "utf-8"}, {"\xFF\xFE", 2, 2, "utf-16le"},
		{"\xFE\xFF", 2, 2, "utf-16be"},  {"<\0", 2, 0, "utf-16le"},
		{"\0<", 2, 0, "utf-16be"},
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (decode->rest.size >= marks[i].size &&
		    memcmp(decode->rest.data, marks[i].bytes, marks[i].size) ==
			    0) {
			use(decode, encoding_of(slice_of(marks[i].label)));
			drop(&decode->rest, marks[i].dropped);
			return true;
		}
	return false;
}

/* `at` stands behind "<?xml". A declaration that can be read is not UTF-16. */
static const struct encoding *declared(const char *at, const char *end)
{
	struct attribute_cursor cursor = {.at = at, .end = end};
	const struct encoding *encoding = NULL;

	while (encoding == NULL && attribute_next(&cursor))
		if (text_is(cursor.name, "encoding"))
			encoding = encoding_of(cursor.value);
	if (encoding != NULL && strncmp(encoding->name, "UTF-16", 6) == 0)
		return NULL;
	return encoding;
}

/*
 * Decide the encoding; false when more bytes are needed. Only as many bytes are
 * read as are necessary, so that the result does not depend on how the input is
 * cut.
 */
static bool use_declaration(struct xml_decode *decode)
{
	size_t size = decode->rest.size < XML_HEAD_BYTES ? decode->rest.size
							 : XML_HEAD_BYTES;
	const char *at = decode->rest.data;
	const char *end = at + size;
	const char *close;
	size_t left;

	while (at < end && is_space(*at))
		at++;
	left = (size_t)(end - at);
	if (memcmp(at, DECLARATION,
		   left < DECLARATION_BYTES ? left : DECLARATION_BYTES) != 0) {
		use(decode, NULL);
		return true;
	}
	close = memchr(at, '>', left);
	if (close == NULL)
		return false;
	use(decode, declared(at + DECLARATION_BYTES, close + 1));
	return true;
}

static void choose(struct xml_decode *decode, bool is_last)
{
	bool is_enough = is_last || decode->rest.size >= XML_HEAD_BYTES;

	if (decode->rest.size < 3 && !is_last)
		return;
	if (!use_mark(decode) && !use_declaration(decode) && is_enough)
		use(decode, NULL);
}

/* Bytes at the end that begin a character and do not end it. */
static size_t unfinished(struct slice text)
{
	const unsigned char *end = (const unsigned char *)text.data + text.size;

	for (size_t i = 1; i <= 3 && i <= text.size; i++) {
		unsigned char lead = *(end - i);

		if (lead >= 0xC0) {
			size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;

			return length > i ? i : 0;
		}
		if (lead < 0x80)
			break;
	}
	return 0;
}

/* Returns how many bytes were decoded. */
static size_t decode_utf8(struct slice text, bool is_last, struct buffer *out)
{
	size_t invalid;

	if (!is_last)
		text.size -= unfinished(text);
	invalid = utf8_check(text).invalid;
	if (invalid == 0)
		buffer_append_slice(out, text);
	else
		out->size += utf8_repair(
			text, buffer_reserve(out, text.size + 2 * invalid));
	return text.size;
}

static size_t decode_iconv(const struct xml_decode *decode, struct slice text,
			   struct buffer *out)
{
	/* iconv does not write to it. */
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	char *in = (char *)(uintptr_t)text.data;
	size_t unit = decode->is_wide ? 2 : 1;
	size_t left = text.size;

	while (left > 0) {
		size_t room = left + left / 2 + 16;
		char *to = buffer_reserve(out, room);
		size_t result =
			iconv(decode->converter, &in, &left, &to, &room);

		out->size = (size_t)(to - out->data);
		if (result != (size_t)-1 || errno == EINVAL)
			break;
		if (errno == E2BIG)
			continue;
		buffer_append(out, "\xEF\xBF\xBD", 3);
		unit = unit < left ? unit : left;
		in += unit;
		left -= unit;
	}
	return text.size - left;
}

static void decode_rest(struct xml_decode *decode, bool is_last,
			struct buffer *out)
{
	struct slice text;

	if (!decode->is_known)
		choose(decode, is_last);
	text = buffer_slice(&decode->rest);
	if (!decode->is_known || text.size == 0)
		return;
	drop(&decode->rest, decode->converter == NULL
				    ? decode_utf8(text, is_last, out)
				    : decode_iconv(decode, text, out));
}

void xml_decode_feed(struct xml_decode *decode, struct slice bytes,
		     struct buffer *out)
{
	buffer_append_slice(&decode->rest, bytes);
	decode_rest(decode, false, out);
}

void xml_decode_finish(struct xml_decode *decode, struct buffer *out)
{
	if (decode->rest.size > 0)
		decode_rest(decode, true, out);
}
