#include "template/cursor.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

enum { MORE = 0x80, LOW = 0x7f, SHIFT = 7, MAX_SHIFT = 63 };

struct byte_cursor cursor_of(struct slice bytes)
{
	const unsigned char *at = bytes.data;

	if (at == NULL)
		return (struct byte_cursor){0};
	return (struct byte_cursor){at, at + bytes.size, false};
}

size_t cursor_left(const struct byte_cursor *cursor)
{
	assert(cursor->at <= cursor->end);
	return (size_t)(cursor->end - cursor->at);
}

/* Mark the cursor as damaged: all further reads return 0. */
static void cursor_fail(struct byte_cursor *cursor)
{
	assert(cursor->at <= cursor->end);
	cursor->at = cursor->end;
	cursor->is_broken = true;
}

uint64_t cursor_u64(struct byte_cursor *cursor)
{
	uint64_t number;

	if (cursor_left(cursor) < sizeof(number)) {
		cursor_fail(cursor);
		return 0;
	}
	memcpy(&number, cursor->at, sizeof(number));
	cursor->at += sizeof(number);
	return le64toh(number);
}

uint64_t cursor_number(struct byte_cursor *cursor, uint64_t max)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift <= MAX_SHIFT; shift += SHIFT) {
		unsigned char byte;

		if (cursor->at == cursor->end)
			break;
		byte = *cursor->at++;
		if (shift == MAX_SHIFT && byte > 1)
			break;
		number |= (uint64_t)(byte & LOW) << shift;
		if ((byte & MORE) != 0)
			continue;
		if (number > max)
			break;
		return number;
	}
	cursor_fail(cursor);
	return 0;
}

struct slice cursor_bytes(struct byte_cursor *cursor, uint64_t size)
{
	const unsigned char *at = cursor->at;

	if (size > cursor_left(cursor)) {
		cursor_fail(cursor);
		return (struct slice){"", 0};
	}
	if (size == 0)
		return (struct slice){"", 0};
	cursor->at += size;
	return (struct slice){at, (size_t)size};
}

struct slice cursor_text(struct byte_cursor *cursor, uint64_t max)
{
	return cursor_bytes(cursor, cursor_number(cursor, max));
}

bool cursor_is_done(const struct byte_cursor *cursor)
{
	return !cursor->is_broken && cursor->at == cursor->end;
}

void pack_u32(struct buffer *out, uint32_t number)
{
	uint32_t little = htole32(number);

	buffer_append(out, &little, sizeof(little));
}

void pack_u64(struct buffer *out, uint64_t number)
{
	uint64_t little = htole64(number);

	buffer_append(out, &little, sizeof(little));
}

void pack_number(struct buffer *out, uint64_t number)
{
	while (number >= MORE) {
		buffer_append_byte(out, (char)((number & LOW) | MORE));
		number >>= SHIFT;
	}
	buffer_append_byte(out, (char)number);
}

void pack_text(struct buffer *out, struct slice text)
{
	pack_number(out, text.size);
	buffer_append_slice(out, text);
}
