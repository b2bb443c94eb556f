#include "page/json_text.h"

#include <stdint.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "page/attribute.h"
#include "page/entity.h"

/*
 * Read four hexadecimal digits at `at`; return UINT32_MAX if they are invalid.
 */
static uint32_t read_unit(const char *at, const char *end)
{
	uint32_t unit = 0;

	if (end - at < 4)
		return UINT32_MAX;
	for (int i = 0; i < 4; i++) {
		char c = lower(at[i]);

		if (c >= '0' && c <= '9')
			unit = unit << 4 | (uint32_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			unit = unit << 4 | (uint32_t)(c - 'a' + 10);
		else
			return UINT32_MAX;
	}
	return unit;
}

/*
 * Decode the escape whose "\u" is before `at`, two units of a surrogate pair as
 * one character, and return its end. The character is never longer than its
 * escape.
 */
static const char *decode_unit(const char *at, const char *end, char **out)
{
	uint32_t code = read_unit(at, end);
	uint32_t low = UINT32_MAX;

	if (code == UINT32_MAX) {
		*(*out)++ = 'u';
		return at;
	}
	at += 4;
	if (code >= 0xD800 && code < 0xDC00 && end - at >= 6 && at[0] == '\\' &&
	    at[1] == 'u')
		low = read_unit(at + 2, end);
	if (low >= 0xDC00 && low < 0xE000) {
		code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
		at += 6;
	}
	if (code == 0 || (code >= 0xD800 && code < 0xE000))
		code = UTF8_REPLACEMENT;
	*out += utf8_encode(code, *out);
	return at;
}

static char json_unescape_byte(char byte)
{
	switch (byte) {
	case 'n':
	case 'r':
	case 't':
	case 'f':
	case 'b':
		return byte == 'n' ? '\n' : ' ';
	default:
		return byte;
	}
}

/* Copy `text` to `out` [text.size] with its escapes decoded. */
static size_t decode_escapes(struct slice text, char *out)
{
	const char *at = text.data;
	const char *end = at + text.size;
	char *begin = out;

	while (at < end) {
		if (*at != '\\' || at + 1 == end) {
			*out++ = *at++;
			continue;
		}
		if (at[1] == 'u') {
			at = decode_unit(at + 2, end, &out);
			continue;
		}
		*out++ = json_unescape_byte(at[1]);
		at += 2;
	}
	return (size_t)(out - begin);
}

static struct slice json_decode_text(struct arena *arena, struct slice text)
{
	char *out;

	if (text.size == 0)
		return (struct slice){"", 0};
	if (memchr(text.data, '\\', text.size) != NULL) {
		out = arena_alloc(arena, text.size, 1);
		text = (struct slice){out, decode_escapes(text, out)};
	}
	if (memchr(text.data, '&', text.size) != NULL) {
		out = arena_alloc(arena, entity_room(text.size), 1);
		text = (struct slice){out, entity_decode(text, false, out)};
	}
	return text;
}

static size_t json_cursor_remaining(const struct json_cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

bool json_is_at(const struct json_cursor *cursor, const char *word)
{
	size_t size = strlen(word);

	return json_cursor_remaining(cursor) >= size &&
	       memcmp(cursor->at, word, size) == 0;
}

/*
 * Return whether the quote before `at` ends its string: the following bytes can
 * follow a string. Pages often do not escape quotes inside strings.
 */
static bool json_quote_is_closing(const char *at, const char *end)
{
	while (at < end && is_space(*at))
		at++;
	return at == end || strchr(",:}]\"<&/", *at) != NULL;
}

struct slice json_read_string(struct arena *arena, struct json_cursor *cursor,
			      const char *mark)
{
	size_t size = strlen(mark);
	const char *begin = cursor->at;
	const char *at = begin;
	const char *end;

	while (at < cursor->end) {
		if (*at == '\\') {
			at += at + 1 < cursor->end ? 2 : 1;
			continue;
		}
		if (*at == *mark && (size_t)(cursor->end - at) >= size &&
		    memcmp(at, mark, size) == 0 &&
		    json_quote_is_closing(at + size, cursor->end))
			break;
		at++;
	}
	end = at;
	cursor->at = at < cursor->end ? at + size : at;
	return json_decode_text(arena,
				(struct slice){begin, (size_t)(end - begin)});
}

struct slice json_read_word(struct json_cursor *cursor)
{
	const char *begin = cursor->at;

	do {
		cursor->at++;
	} while (cursor->at < cursor->end && !is_space(*cursor->at) &&
		 strchr(",:{}[]\"", *cursor->at) == NULL);
	return (struct slice){begin, (size_t)(cursor->at - begin)};
}

size_t json_comment_size(const struct json_cursor *cursor)
{
	static const char *const marks[] = {"<![CDATA[", "<!--", "-->", "]]>",
					    "//"};
	const char *close;

	if (strchr("<-]/", *cursor->at) == NULL)
		return 0;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (json_is_at(cursor, marks[i]))
			return strlen(marks[i]);
	if (!json_is_at(cursor, "/*"))
		return 0;
	close = memmem(cursor->at + 2, json_cursor_remaining(cursor) - 2, "*/",
		       2);
	return close == NULL ? json_cursor_remaining(cursor)
			     : (size_t)(close - cursor->at) + 2;
}
