/*
 * store/row_layout.h - how a struct with slices becomes the value of a row, and
 * back. The fields in order, host-endian and without padding; the length of
 * each slice as u32; the bytes of the slices; nothing behind them. Fields are
 * copied, because LMDB aligns values to 2 bytes only.
 */
#ifndef STORE_ROW_LAYOUT_H
#define STORE_ROW_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "store/buffer.h"
#include "store/slice.h"

struct field {
	size_t offset;
	size_t size;
};

struct row_layout {
	const struct field *fields; /* the plain ones */
	size_t field_count;
	size_t slices; /* offset of the first; the others follow it */
	size_t slice_count;
	size_t size;         /* of the struct */
	const size_t *apart; /* the offsets of all slices, [slice_count], when
				they do not follow each other; or NULL */
};

/*
 * Encode the row into a new buffer, so that slices of the row may point into
 * the map that LMDB is about to change. End with buffer_free().
 */
struct buffer row_layout_encode(const struct row_layout *layout,
				const void *row);

/*
 * False when `value` is not exactly one such row; what *row_out holds then
 * means nothing. Slices of the row point into `value`.
 */
bool row_layout_decode(const struct row_layout *layout, struct slice value,
		       void *row_out);

#endif
