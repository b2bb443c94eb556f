/* store/buffer.h - bytes that grow at the end. */
#ifndef STORE_BUFFER_H
#define STORE_BUFFER_H

#include <stddef.h>

#include "store/slice.h"

/* Begin with {0}; end with buffer_free(). `data` has a NUL behind `size`. */
struct buffer {
	char *data;      /* NULL when nothing was ever appended */
	size_t size;     /* bytes in use */
	size_t capacity; /* bytes allocated */
};

/* Free the bytes and begin anew. */
void buffer_free(struct buffer *buffer);

/* Keep the memory, drop the bytes. */
void buffer_clear(struct buffer *buffer);

/* Make room for `size` more bytes and return where they begin. */
char *buffer_reserve(struct buffer *buffer, size_t size);

void buffer_append(struct buffer *buffer, const void *data, size_t size);
void buffer_append_slice(struct buffer *buffer, struct slice slice);
void buffer_append_text(struct buffer *buffer, const char *text);
void buffer_append_byte(struct buffer *buffer, char byte);
void buffer_printf(struct buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Valid until the buffer changes. */
struct slice buffer_slice(const struct buffer *buffer);

#endif
