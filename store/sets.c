#include "store/sets.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "base/memory.h"
#include "store/key.h"

/*
 * Constants of LEB128, the encoding of numbers: seven bits per byte, the lowest
 * first, with the top bit set if another byte follows.
 */
enum { MORE = 0x80, LOW = 0x7f, SHIFT = 7, MAX_SHIFT = 28 };

void shingle_put(struct txn *txn, uint32_t site, uint32_t shingle_id,
		 uint64_t shingle)
{
	txn_put(txn, TABLE_SHINGLES, KEY(key_cluster(site, shingle_id)),
		(struct slice){&shingle, sizeof(shingle)});
}

void shingle_delete(struct txn *txn, uint32_t site, uint32_t shingle_id)
{
	txn_delete(txn, TABLE_SHINGLES, KEY(key_cluster(site, shingle_id)));
}

bool shingle_decode(struct slice value, uint64_t *shingle_out)
{
	if (value.size != sizeof(*shingle_out))
		return false;
	memcpy(shingle_out, value.data, sizeof(*shingle_out));
	return true;
}

void set_put(struct txn *txn, uint32_t site, uint32_t set,
	     const uint32_t *shingle_ids, size_t count)
{
	struct buffer value = {0};
	uint32_t next = 0;

	assert(u32_ascend(shingle_ids, count));
	for (size_t i = 0; i < count; i++) {
		buffer_append_varint(&value, shingle_ids[i] - next);
		next = shingle_ids[i] + 1;
	}
	txn_put(txn, TABLE_SETS, KEY(key_cluster(site, set)),
		value.size == 0 ? slice_of("") : buffer_slice(&value));
	buffer_free(&value);
}

void set_delete(struct txn *txn, uint32_t site, uint32_t set)
{
	txn_delete(txn, TABLE_SETS, KEY(key_cluster(site, set)));
}

struct slice weights_get(struct txn *txn, uint32_t site)
{
	return txn_get(txn, TABLE_WEIGHTS, KEY(key_site(site)));
}

void weights_put(struct txn *txn, uint32_t site, struct slice weights)
{
	txn_put(txn, TABLE_WEIGHTS, KEY(key_site(site)), weights);
}

size_t set_decode(struct slice value, uint32_t *shingles_out)
{
	const unsigned char *bytes = value.data;
	uint64_t next = 0;
	uint64_t number = 0;
	unsigned shift = 0;
	size_t count = 0;

	for (size_t i = 0; i < value.size; i++) {
		if (shift > MAX_SHIFT)
			return SIZE_MAX;
		number |= (uint64_t)(bytes[i] & LOW) << shift;
		shift += SHIFT;
		if ((bytes[i] & MORE) != 0)
			continue;
		assert(count < value.size);
		if (next + number >= UINT32_MAX)
			return SIZE_MAX;
		shingles_out[count++] = (uint32_t)(next + number);
		next += number + 1;
		number = 0;
		shift = 0;
	}
	return shift == 0 ? count : SIZE_MAX;
}

struct set_scan set_scan_begin(struct txn *txn, uint32_t site)
{
	return (struct set_scan){.rows = scan_site(txn, TABLE_SETS, site)};
}

bool set_scan_next(struct set_scan *scan)
{
	if (!scan_next(&scan->rows))
		return false;
	if (scan->shingle_ids == NULL ||
	    scan->capacity < scan->rows.value.size) {
		scan->capacity = 2 * scan->rows.value.size + 1;
		scan->shingle_ids =
			mem_resize(scan->shingle_ids, scan->capacity,
				   sizeof(*scan->shingle_ids));
	}
	assert(scan->capacity >= scan->rows.value.size);
	scan->set = key_u32(scan->rows.key, sizeof(uint32_t));
	scan->count = set_decode(scan->rows.value, scan->shingle_ids);
	assert(scan->count == SIZE_MAX || scan->count <= scan->capacity);
	if (scan->count != SIZE_MAX)
		return true;
	txn_fail(scan->rows.txn, ERR_CORRUPT);
	return false;
}

void set_scan_end(struct set_scan *scan)
{
	scan_end(&scan->rows);
	free(scan->shingle_ids);
}
