/*
 * store/row_codec.h - convert between a struct with slices and the value of a
 * row
 *
 * A value consists of the fields in order, host-endian and without padding; the
 * length of each slice as u32; and the bytes of the slices. The fields are
 * copied when a row is read, because LMDB aligns values only to 2 bytes.
 */
#ifndef STORE_ROW_CODEC_H
#define STORE_ROW_CODEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "store/key.h"
#include "store/txn.h"

struct row_field {
	size_t offset;
	size_t size;
};

struct row_codec {
	const struct row_field *fields; /* the fields that are not slices */
	size_t field_count;
	/*
	 * offset of the first slice in the struct; the other slices follow it
	 */
	size_t slices;
	size_t slice_count;
	size_t size; /* size of the struct */
	/*
	 * [slice_count], the offsets of all slices if they are not adjacent; or
	 * NULL
	 */
	const size_t *apart;
};

/*
 * Encode the row into a new buffer. So the slices of the row may point into the
 * memory map, which a write to LMDB changes. Free the buffer with
 * buffer_free().
 */
struct buffer row_codec_encode(const struct row_codec *layout, const void *row);

/*
 * Decode a row. Its slices point into `value`. If `value` is not exactly one
 * row, return false; then *row_out is undefined.
 */
bool row_codec_decode(const struct row_codec *layout, struct slice value,
		      void *row_out);

/*
 * Rules for the rows of all tables (store/rows.h), and macros that define their
 * functions from a layout. A slice of a row points into the memory map: it is
 * valid until txn_end() or the next write. Functions named *_get return false
 * if the row does not exist, or if it is damaged; a damaged row also fails the
 * transaction with ERR_CORRUPT. In both cases all fields of the row are zeros.
 * Times are Unix milliseconds. The functions are internal to store/.
 */

#define FIELD(type, name)                                   \
	{                                                   \
		offsetof(struct type, name),                \
			sizeof(((struct type *)NULL)->name) \
	}
/*
 * Define the layout of a row, TYPE_layout. After the number of slices, list the
 * fields that are not slices as FIELD().
 */
#define ROW_LAYOUT(type, first_slice, slice_count, ...)                \
	static const struct row_field type##_fields[] = {__VA_ARGS__}; \
	static const struct row_codec type##_layout = {                \
		type##_fields,                                         \
		sizeof(type##_fields) / sizeof(type##_fields[0]),      \
		offsetof(struct type, first_slice),                    \
		slice_count,                                           \
		sizeof(struct type),                                   \
		NULL};
/* The layout of a row whose slices are not adjacent. */
#define LAYOUT_APART(type, fields, slices)                         \
	{                                                          \
		(fields), sizeof(fields) / sizeof((fields)[0]), 0, \
			sizeof(slices) / sizeof((slices)[0]),      \
			sizeof(struct type), (slices)              \
	}

/*
 * The layout of a struct whose fields up to `last` have no padding between
 * them. They are encoded as one field.
 */
#define MESSAGE(type, last, first_slice, slice_count)                       \
	{                                                                   \
		(const struct row_field[]){                                 \
			{0, offsetof(struct type, last) +                   \
				    sizeof(((struct type *)NULL)->last)}},  \
			1, offsetof(struct type, first_slice), slice_count, \
			sizeof(struct type), NULL                           \
	}
#define MESSAGE_PLAIN(type, last) MESSAGE(type, last, last, 0)

bool row_get(struct txn *txn, enum table table, struct slice key,
	     const struct row_codec *layout, void *row_out);
void row_put(struct txn *txn, enum table table, struct slice key,
	     const struct row_codec *layout, const void *row);

/*
 * Define the functions of a row from its layout TYPE_layout. `key_of` is an
 * expression for the key of a row in `table`. It uses the parameters that
 * follow it:
 *
 *         ROW_FUNCTIONS(hook_row, TABLE_HOOKS, key_small(hook), uint32_t hook)
 *
 * This defines hook_row_decode(), hook_row_get() and hook_row_put().
 */
#define ROW_FUNCTIONS(type, table, key_of, ...)   \
	ROW_DECODE(type)                          \
	ROW_GET(type, table, key_of, __VA_ARGS__) \
	ROW_PUT(type, table, key_of, __VA_ARGS__)
#define ROW_DECODE(type)                                                 \
	bool type##_decode(struct slice value, struct type *row_out)     \
	{                                                                \
		return row_codec_decode(&type##_layout, value, row_out); \
	}
#define ROW_GET(type, table, key_of, ...)                                   \
	bool type##_get(struct txn *txn, __VA_ARGS__, struct type *row_out) \
	{                                                                   \
		struct key key = key_of;                                    \
                                                                            \
		return row_get(txn, table, key_slice(&key), &type##_layout, \
			       row_out);                                    \
	}
#define ROW_PUT(type, table, key_of, ...)                                     \
	void type##_put(struct txn *txn, __VA_ARGS__, const struct type *row) \
	{                                                                     \
		struct key key = key_of;                                      \
                                                                              \
		row_put(txn, table, key_slice(&key), &type##_layout, row);    \
	}

#endif
