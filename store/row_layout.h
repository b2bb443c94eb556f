/*
 * store/row_layout.h - converts between a struct with slices and the value of a
 * row. A value has the fields in order, host-endian and without padding; the
 * length of each slice as u32; the bytes of the slices; and nothing after them.
 * Fields are copied, because LMDB aligns values only to 2 bytes.
 */
#ifndef STORE_ROW_LAYOUT_H
#define STORE_ROW_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/slice.h"

struct row_field {
	size_t offset;
	size_t size;
};

struct row_codec {
	const struct row_field *fields; /* the fields that are no slices */
	size_t field_count;
	size_t slices; /* offset of the first slice; the others follow it */
	size_t slice_count;
	size_t size;         /* size of the struct */
	const size_t *apart; /* [slice_count] the offsets of all slices if they
				are not adjacent, or NULL */
};

/*
 * Encode the row into a new buffer, so that slices of the row may point into
 * the map that LMDB will change. Free it with buffer_free().
 */
struct buffer row_codec_encode(const struct row_codec *layout, const void *row);

/*
 * Decode a row; its slices point into `value`. Return false if `value` is not
 * exactly one such row; then *row_out is undefined.
 */
bool row_codec_decode(const struct row_codec *layout, struct slice value,
		      void *row_out);

#endif
