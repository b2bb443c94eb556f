#include "page/attribute.h"

#include <stdint.h>

bool text_is(struct slice text, const char *word)
{
	const char *bytes = text.data;

	if (strlen(word) != text.size)
		return false;
	for (size_t i = 0; i < text.size; i++)
		if (lower(bytes[i]) != word[i])
			return false;
	return true;
}

bool text_has_word(struct slice text, const char *word)
{
	const char *at = text.data;
	const char *end = at == NULL ? NULL : at + text.size;
	const size_t size = strlen(word);

	while (at < end) {
		const char *begin = at;

		while (at < end && !is_space(*at) && *at != ',')
			at++;
		if ((size_t)(at - begin) == size &&
		    text_is((struct slice){begin, size}, word))
			return true;
		if (at < end)
			at++;
	}
	return false;
}

struct slice text_trim(struct slice text)
{
	const char *bytes = text.data;
	size_t begin = 0;
	size_t end = text.size;

	while (begin < end && is_space(bytes[begin]))
		begin++;
	while (end > begin && is_space(bytes[end - 1]))
		end--;
	return (struct slice){text.size == 0 ? bytes : bytes + begin,
			      end - begin};
}

/* The classes of a byte inside a tag, as bits. */
enum {
	IS_SPACE = 1,
	ENDS_NAME = 2,  /* ends the name of an attribute */
	ENDS_VALUE = 4, /* ends a value without quotes */
	IS_UPPER = 8,
};

#define UPPER(a, b, c, d) \
	[a] = IS_UPPER, [b] = IS_UPPER, [c] = IS_UPPER, [d] = IS_UPPER

static const uint8_t kinds[256] = {
	[' '] = IS_SPACE | ENDS_NAME | ENDS_VALUE,
	['\t'] = IS_SPACE | ENDS_NAME | ENDS_VALUE,
	['\n'] = IS_SPACE | ENDS_NAME | ENDS_VALUE,
	['\f'] = IS_SPACE | ENDS_NAME | ENDS_VALUE,
	['\r'] = IS_SPACE | ENDS_NAME | ENDS_VALUE,
	['='] = ENDS_NAME,
	['>'] = ENDS_NAME | ENDS_VALUE,
	['/'] = ENDS_NAME,
	UPPER('A', 'B', 'C', 'D'),
	UPPER('E', 'F', 'G', 'H'),
	UPPER('I', 'J', 'K', 'L'),
	UPPER('M', 'N', 'O', 'P'),
	UPPER('Q', 'R', 'S', 'T'),
	UPPER('U', 'V', 'W', 'X'),
	['Y'] = IS_UPPER,
	['Z'] = IS_UPPER,
};

static inline bool attribute_byte_is(char byte, unsigned kind)
{
	return (kinds[(unsigned char)byte] & kind) != 0;
}

static const char *attribute_skip_space(const char *at, const char *end)
{
	while (at < end && attribute_byte_is(*at, IS_SPACE))
		at++;
	return at;
}

static bool attribute_mark_cut(struct attribute_cursor *cursor)
{
	cursor->at = cursor->end;
	cursor->is_cut = true;
	return false;
}

/* Read the attribute value at `at`, the byte after the "=". */
static bool attribute_read_value(struct attribute_cursor *cursor,
				 const char *at)
{
	const char *end = cursor->end;
	const char *begin = attribute_skip_space(at, end);

	if (begin == end)
		return attribute_mark_cut(cursor);
	if (*begin == '"' || *begin == '\'') {
		at = memchr(begin + 1, *begin, (size_t)(end - begin) - 1);
		if (at == NULL)
			return attribute_mark_cut(cursor);
		begin++;
		cursor->at = at + 1;
	} else {
		for (at = begin;
		     at < end && !attribute_byte_is(*at, ENDS_VALUE); at++)
			;
		cursor->at = at;
	}
	cursor->value = (struct slice){begin, (size_t)(at - begin)};
	return true;
}

bool attribute_next(struct attribute_cursor *cursor)
{
	const char *end = cursor->end;
	const char *at = cursor->at;
	const char *begin;
	unsigned seen;

	while (at < end && (attribute_byte_is(*at, IS_SPACE) || *at == '/'))
		at++;
	cursor->is_empty = at > cursor->at && at[-1] == '/';
	cursor->at = at;
	if (at == end)
		return attribute_mark_cut(cursor);
	if (*at == '>')
		return false;

	begin = at++; /* a "=" here begins the name */
	seen = kinds[(unsigned char)*begin];
	while (at < end && !attribute_byte_is(*at, ENDS_NAME))
		seen |= kinds[(unsigned char)*at++];
	cursor->is_upper = (seen & IS_UPPER) != 0;
	cursor->name = (struct slice){begin, (size_t)(at - begin)};
	cursor->value = (struct slice){"", 0};
	at = attribute_skip_space(at, end);
	cursor->at = at;
	if (at == end)
		return attribute_mark_cut(cursor);
	return *at != '=' || attribute_read_value(cursor, at + 1);
}
