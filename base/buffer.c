#include "base/buffer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void buffer_free(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){0};
}

void buffer_wipe(struct buffer *buffer)
{
	if (buffer->data != NULL)
		explicit_bzero(buffer->data, buffer->capacity);
	buffer_free(buffer);
}

void buffer_clear(struct buffer *buffer)
{
	assert(buffer->data != NULL || buffer->size == 0);
	buffer->size = 0;
	if (buffer->data != NULL)
		buffer->data[0] = '\0';
}

void buffer_truncate(struct buffer *buffer, size_t size)
{
	assert(size <= buffer->size);
	buffer->size = size;
	if (buffer->data != NULL)
		buffer->data[size] = '\0';
}

char *buffer_reserve(struct buffer *buffer, size_t size)
{
	size_t wanted = buffer->size + size + 1;

	assert(buffer->size < buffer->capacity || buffer->size == 0);
	assert((buffer->data == NULL) == (buffer->capacity == 0));
	if (wanted > buffer->capacity) {
		size_t doubled = buffer->capacity * 2;

		buffer->capacity = wanted > doubled ? wanted : doubled;
		buffer->data = mem_resize(buffer->data, buffer->capacity, 1);
		buffer->data[buffer->size] = '\0';
	}
	return buffer->data + buffer->size;
}

void buffer_append(struct buffer *buffer, const void *data, size_t size)
{
	char *end = buffer_reserve(buffer, size);

	assert(data != NULL || size == 0);
	if (size > 0)
		memcpy(end, data, size);
	end[size] = '\0';
	buffer->size += size;
	assert(buffer->size < buffer->capacity);
}

void buffer_append_slice(struct buffer *buffer, struct slice slice)
{
	buffer_append(buffer, slice.data, slice.size);
}

void buffer_append_text(struct buffer *buffer, const char *text)
{
	assert(text != NULL);
	buffer_append(buffer, text, strlen(text));
}

void buffer_append_byte(struct buffer *buffer, char byte)
{
	buffer_append(buffer, &byte, 1);
}

void buffer_append_varint(struct buffer *buffer, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		buffer_append_byte(buffer, (char)(number | 0x80));
	buffer_append_byte(buffer, (char)number);
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
	va_list list;
	va_list again;
	int length;

	va_start(list, format);
	va_copy(again, list);
	length = vsnprintf(NULL, 0, format, list);
	va_end(list);
	if (length > 0) {
		char *end = buffer_reserve(buffer, (size_t)length);

		vsnprintf(end, (size_t)length + 1, format, again);
		buffer->size += (size_t)length;
	}
	va_end(again);
}

struct slice buffer_slice(const struct buffer *buffer)
{
	return (struct slice){buffer->data, buffer->size};
}
