/* base/buffer.h - an array of bytes that grows at the end. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A byte string in memory that another object owns. */

struct slice {
	const void *data; /* NULL if there is no value */
	size_t size;      /* bytes */
};

/*
 * Return the bytes of `text` without its final NUL; {NULL, 0} if `text` is
 * NULL.
 */
static inline struct slice slice_of(const char *text)
{
	return (struct slice){text, text == NULL ? 0 : strlen(text)};
}

/* Return the byte at `index`, or '\0' if `index` is not below the size. */
static inline char slice_byte(struct slice slice, size_t index)
{
	const char *bytes = slice.data;

	if (index >= slice.size)
		return '\0';
	return bytes[index];
}

static inline bool slice_equal(struct slice a, struct slice b)
{
	return a.size == b.size &&
	       (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Remove `size` bytes from the front of the slice. */
static inline void slice_advance(struct slice *slice, size_t size)
{
	if (size == 0)
		return; /* `data` may be NULL; adding to NULL is undefined */
	slice->data = (const char *)slice->data + size;
	slice->size -= size;
}

/*
 * Move `size` bytes from the front of the slice to `out`. Return false, and
 * change nothing, if the slice has fewer.
 */
static inline bool slice_read(struct slice *slice, void *out, size_t size)
{
	if (slice->size < size)
		return false;
	memcpy(out, slice->data, size);
	slice_advance(slice, size);
	return true;
}

/*
 * A growing array of bytes. Initialise with {0}; free with buffer_free(). A NUL
 * follows the `size` bytes.
 */
struct buffer {
	char *data;      /* NULL before the first append */
	size_t size;     /* bytes in use */
	size_t capacity; /* bytes allocated */
};

/* Free the bytes and reset the buffer. */
void buffer_free(struct buffer *buffer);

/* Overwrite the bytes with zeros because they are secret, then free them. */
void buffer_wipe(struct buffer *buffer);

/* Set the size to 0; keep the memory. */
void buffer_clear(struct buffer *buffer);

/* Reduce the size to `size`; keep the memory. */
void buffer_truncate(struct buffer *buffer, size_t size);

/*
 * Make room for `size` more bytes at the end, and return a pointer to the room.
 */
char *buffer_reserve(struct buffer *buffer, size_t size);

void buffer_append(struct buffer *buffer, const void *data, size_t size);
void buffer_append_slice(struct buffer *buffer, struct slice slice);
void buffer_append_text(struct buffer *buffer, const char *text);
void buffer_append_byte(struct buffer *buffer, char byte);

/*
 * Append a number as LEB128: seven bits per byte, the lowest first; the top bit
 * means that another byte follows.
 */
void buffer_append_varint(struct buffer *buffer, uint64_t number);
void buffer_printf(struct buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Return the bytes as a slice, which is valid until the buffer changes. */
struct slice buffer_slice(const struct buffer *buffer);

#endif
