#include "store/row.h"

#include <assert.h>
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
