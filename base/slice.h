/* base/slice.h - a byte string that it does not own. */
#ifndef BASE_SLICE_H
#define BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct slice {
	const void *data; /* NULL if there is no value */
	size_t size;      /* bytes */
};

/*
 * Return the bytes of `text` without its final NUL; no value if `text` is NULL.
 */
static inline struct slice slice_of(const char *text)
{
	return (struct slice){text, text == NULL ? 0 : strlen(text)};
}

/* Return the byte at `index`; '\0' after the end. */
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

#endif
