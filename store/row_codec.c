#include "store/row_codec.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

bool row_get(struct txn *txn, enum table table, struct slice key,
	     const struct row_codec *layout, void *row_out)
{
	struct slice value = txn_get(txn, table, key);

	assert(layout->size > 0);
	if (value.data == NULL) {
		memset(row_out, 0, layout->size);
		return false;
	}
	if (row_codec_decode(layout, value, row_out))
		return true;
	memset(row_out, 0, layout->size);
	txn_fail(txn, ERR_CORRUPT);
	return false;
}

void row_put(struct txn *txn, enum table table, struct slice key,
	     const struct row_codec *layout, const void *row)
{
	struct buffer value = row_codec_encode(layout, row);

	txn_put(txn, table, key, buffer_slice(&value));
	buffer_free(&value);
}

static size_t row_slice_offset(const struct row_codec *layout, size_t index)
{
	return layout->apart == NULL
		       ? layout->slices + index * sizeof(struct slice)
		       : layout->apart[index];
}

static struct slice slice_at(const struct row_codec *layout, const void *row,
			     size_t index)
{
	struct slice slice;

	assert(index < layout->slice_count);
	memcpy(&slice, (const char *)row + row_slice_offset(layout, index),
	       sizeof(slice));
	return slice;
}

/*
 * Return an upper bound for the size of the encoded row. The size of the struct
 * is used, because it is not below the sum of its fields.
 */
static size_t row_encoded_bound(const struct row_codec *layout, const void *row)
{
	size_t size = layout->size;

	for (size_t i = 0; i < layout->slice_count; i++)
		size += slice_at(layout, row, i).size;
	return size;
}

struct buffer row_codec_encode(const struct row_codec *layout, const void *row)
{
	struct buffer out = {0};

	buffer_reserve(&out, row_encoded_bound(layout, row));
	for (size_t i = 0; i < layout->field_count; i++)
		buffer_append(&out,
			      (const char *)row + layout->fields[i].offset,
			      layout->fields[i].size);
	for (size_t i = 0; i < layout->slice_count; i++) {
		uint32_t length = (uint32_t)slice_at(layout, row, i).size;

		assert(slice_at(layout, row, i).size <= UINT32_MAX);
		buffer_append(&out, &length, sizeof(length));
	}
	for (size_t i = 0; i < layout->slice_count; i++)
		buffer_append_slice(&out, slice_at(layout, row, i));
	return out;
}

static bool row_read_slices(const struct row_codec *layout, struct slice value,
			    void *row_out)
{
	struct slice bytes = value;
	uint32_t length;

	for (size_t i = 0; i < layout->slice_count; i++)
		if (!slice_read(&bytes, &length, sizeof(length)))
			return false;
	for (size_t i = 0; i < layout->slice_count; i++) {
		struct slice slice = {bytes.data, 0};

		slice_read(&value, &length, sizeof(length));
		if (length > bytes.size)
			return false;
		slice.size = length;
		slice_advance(&bytes, length);
		memcpy((char *)row_out + row_slice_offset(layout, i), &slice,
		       sizeof(slice));
	}
	return bytes.size == 0;
}

bool row_codec_decode(const struct row_codec *layout, struct slice value,
		      void *row_out)
{
	memset(row_out, 0, layout->size);
	for (size_t i = 0; i < layout->field_count; i++)
		if (!slice_read(&value,
				(char *)row_out + layout->fields[i].offset,
				layout->fields[i].size))
			return false;
	return row_read_slices(layout, value, row_out);
}
