/*
 * template/cursor.h - read and write numbers and bytes of a bundle's sections.
 * Whole numbers are LEB128: seven bits per byte, the least significant first,
 * the top bit set if more follow; hashes are eight bytes, the least significant
 * first.
 */
#ifndef TEMPLATE_CURSOR_H
#define TEMPLATE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"

/* The rest of the input. After the end, and after damage, every number is 0. */
struct byte_cursor {
	const unsigned char *at;
	const unsigned char *end;
	bool is_broken;
};

struct byte_cursor cursor_of(struct slice bytes);
size_t cursor_left(const struct byte_cursor *cursor);

uint64_t cursor_u64(struct byte_cursor *cursor);

/* Read a whole number of at most `max`; a greater one is damage. */
uint64_t cursor_number(struct byte_cursor *cursor, uint64_t max);

/* Return the next `size` bytes. */
struct slice cursor_bytes(struct byte_cursor *cursor, uint64_t size);

/* Read a text preceded by its length, which is at most `max`. */
struct slice cursor_text(struct byte_cursor *cursor, uint64_t max);

/* Return whether everything was read, without damage. */
bool cursor_is_done(const struct byte_cursor *cursor);

void pack_u32(struct buffer *out, uint32_t number);
void pack_u64(struct buffer *out, uint64_t number);
void pack_number(struct buffer *out, uint64_t number);
void pack_text(struct buffer *out, struct slice text);

#endif
