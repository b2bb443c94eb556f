#include "store/document_frequency.h"

#include <assert.h>
#include <endian.h>
#include <lmdb.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "store/journal.h"
#include "store/key.h"
#include "store/store.h"

enum {
	HEAD_BYTES = 2,
	WORD_BYTES = sizeof(uint64_t),
	WORD_BITS = 64,
	MAX_WIDTH = 63,
	/* maximum number of bits of a count after its highest bit */
	MAX_GAMMA = 31,
	/*
	 * the unary parts of all counts together have at most 2 bits for each
	 * count
	 */
	MAX_BITS = MAX_WIDTH + 3 + MAX_GAMMA + 1 + MAX_GAMMA,
	MAX_BYTES = HEAD_BYTES + DF_BLOCK_MAX * MAX_BITS / 8 + 2 * WORD_BYTES,
};

/* Bytes that are written or read bit by bit. */
struct bits {
	unsigned char bytes[MAX_BYTES];
	size_t at; /* index of the next bit to write or read */
	size_t end;
};

/* Return the binary logarithm of `number`, rounded down; 0 for 0. */
static unsigned log2_of(uint64_t number)
{
	return WORD_BITS - 1 - (unsigned)__builtin_clzll(number | 1);
}

static uint64_t low_bits(uint64_t word, unsigned count)
{
	assert(count < WORD_BITS);
	return word & (((uint64_t)1 << count) - 1);
}

static uint64_t bits_load_word(const unsigned char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return le64toh(word);
}

/*
 * Write the low `count` bits of `word`. All bits from `at` on must be 0 before
 * the call.
 */
static void bits_put(struct bits *bits, uint64_t word, unsigned count)
{
	unsigned char *to = bits->bytes + bits->at / 8;
	unsigned shift = bits->at % 8;
	uint64_t first = htole64(bits_load_word(to) | word << shift);

	assert(count < WORD_BITS && low_bits(word, count) == word);
	assert(bits->at + count <= sizeof(bits->bytes) * 8 - WORD_BITS - 8);
	memcpy(to, &first, sizeof(first));
	if (shift + count > WORD_BITS)
		to[WORD_BYTES] = (unsigned char)(word >> (WORD_BITS - shift));
	bits->at += count;
}

/* Read the next `count` bits. Bits after the end are 0. */
static uint64_t bits_take(struct bits *bits, unsigned count)
{
	const unsigned char *from = bits->bytes + bits->at / 8;
	unsigned shift = bits->at % 8;
	uint64_t word;

	if (bits->at + count > bits->end) {
		/* further reads are then also after the end */
		bits->at = bits->end + 1;
		return 0;
	}
	word = bits_load_word(from) >> shift;
	if (shift + count > WORD_BITS)
		word |= (uint64_t)from[WORD_BYTES] << (WORD_BITS - shift);
	bits->at += count;
	return low_bits(word, count);
}

/* Write `zeros` bits that are 0 and then one that is 1. */
static void put_unary(struct bits *bits, uint64_t zeros)
{
	for (; zeros >= MAX_WIDTH; zeros -= MAX_WIDTH)
		bits_put(bits, 0, MAX_WIDTH);
	bits_put(bits, (uint64_t)1 << zeros, (unsigned)zeros + 1);
}

static uint64_t bits_take_unary(struct bits *bits)
{
	uint64_t zeros = 0;

	while (bits->at < bits->end) {
		unsigned shift = bits->at % 8;
		uint64_t word =
			bits_load_word(bits->bytes + bits->at / 8) >> shift;
		unsigned here = WORD_BITS - shift;

		if (word != 0)
			here = (unsigned)__builtin_ctzll(word);
		zeros += here;
		bits->at += here + (word != 0);
		if (word != 0)
			return zeros;
	}
	return zeros;
}

void df_block_encode(const struct df_count *counts, size_t count, uint64_t last,
		     struct buffer *out)
{
	struct bits bits = {.at = (size_t)HEAD_BYTES * 8};
	unsigned width;

	assert(count > 0 && count <= DF_BLOCK_MAX);
	assert(counts[count - 1].fragment <= last);
	width = log2_of((last - counts[0].fragment) / count);
	bits.bytes[0] = (unsigned char)count;
	bits.bytes[1] = (unsigned char)width;
	for (size_t i = count; i-- > 0;) {
		uint64_t distance = last - counts[i].fragment;
		unsigned gamma = log2_of(counts[i].pages);

		assert(counts[i].pages > 0);
		put_unary(&bits, distance >> width);
		bits_put(&bits, low_bits(distance, width), width);
		put_unary(&bits, gamma);
		bits_put(&bits, low_bits(counts[i].pages, gamma), gamma);
		last = counts[i].fragment - 1;
	}
	buffer_append(out, bits.bytes, (bits.at + 7) / 8);
}

/* Read the next count. Return false if it is invalid. */
static bool bits_read_count(struct bits *bits, unsigned width, uint64_t last,
			    struct df_count *count_out)
{
	uint64_t high = bits_take_unary(bits);
	uint64_t distance;
	uint64_t gamma;

	if (high > last >> width)
		return false;
	distance = high << width | bits_take(bits, width);
	gamma = bits_take_unary(bits);
	if (gamma > MAX_GAMMA || distance > last)
		return false;
	count_out->fragment = last - distance;
	count_out->pages = (uint32_t)((uint64_t)1 << gamma |
				      bits_take(bits, (unsigned)gamma));
	return bits->at <= bits->end;
}

size_t df_block_decode(struct slice value, uint64_t last,
		       struct df_count *counts_out)
{
	struct bits bits;
	size_t count;

	if (value.size <= HEAD_BYTES || value.size > MAX_BYTES - WORD_BYTES - 1)
		return 0;
	bits.at = (size_t)HEAD_BYTES * 8;
	bits.end = value.size * 8;
	memcpy(bits.bytes, value.data, value.size);
	memset(bits.bytes + value.size, 0, WORD_BYTES + 1);
	count = bits.bytes[0];
	if (count == 0 || count > DF_BLOCK_MAX || bits.bytes[1] > MAX_WIDTH)
		return 0;
	for (size_t i = count; i-- > 0;) {
		if (!bits_read_count(&bits, bits.bytes[1], last,
				     &counts_out[i]) ||
		    (counts_out[i].fragment == 0 && i > 0))
			return 0;
		last = counts_out[i].fragment - 1;
	}
	return (bits.at + 7) / 8 == value.size ? count : 0;
}

enum { CLUSTER_BYTES = 2 * sizeof(uint32_t) };

static struct key key_df(uint32_t site, uint32_t cluster, uint64_t last)
{
	/* the keys of TABLE_DF and TABLE_MEMBERS have the same layout */
	return key_member(site, cluster, last);
}

/* A row in LMDB's memory map. `value` has no data if there is no row. */
struct df_row {
	uint64_t last;
	struct slice value;
};

/*
 * Find the row whose block contains the fragment. The last row of a cluster has
 * the highest possible fragment in its key, so this row exists if the cluster
 * has counts.
 */
static struct df_row df_find_row(struct txn *txn, MDB_cursor *cursor,
				 uint32_t site, uint32_t cluster,
				 uint64_t fragment)
{
	struct key from = key_df(site, cluster, fragment);
	struct df_row none = {UINT64_MAX, {NULL, 0}};
	MDB_val key = val_from_slice(key_slice(&from));
	MDB_val value = {0};
	int rc = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);

	if (rc != MDB_SUCCESS) {
		if (rc != MDB_NOTFOUND)
			txn_check(txn, rc);
		return none;
	}
	if (key.mv_size != from.size ||
	    memcmp(key.mv_data, from.bytes, CLUSTER_BYTES) != 0)
		return none;
	return (struct df_row){
		key_u64((struct slice){key.mv_data, key.mv_size},
			CLUSTER_BYTES),
		txn_value(txn, TABLE_DF, key, value),
	};
}

/*
 * Decode the block of the row to `counts_out` [DF_BLOCK_MAX]. Return the number
 * of counts.
 */
static size_t df_row_decode(struct txn *txn, const struct df_row *found,
			    struct df_count *counts_out)
{
	size_t count;

	if (found->value.data == NULL)
		return 0;
	count = df_block_decode(found->value, found->last, counts_out);
	if (count == 0)
		txn_fail(txn, ERR_CORRUPT);
	return count;
}

static void df_reader_read_block(struct df_reader *reader, uint64_t fragment)
{
	MDB_cursor *cursor = txn_cursor(reader->txn, TABLE_DF);
	struct df_row found;

	reader->is_read = cursor != NULL;
	reader->count = 0;
	if (cursor == NULL)
		return;
	found = df_find_row(reader->txn, cursor, reader->site, reader->cluster,
			    fragment);
	reader->from = fragment;
	reader->last = found.last;
	reader->count = df_row_decode(reader->txn, &found, reader->counts);
	mdb_cursor_close(cursor);
}

uint32_t df_read(struct df_reader *reader, uint64_t fragment)
{
	const struct df_count *counts = reader->counts;
	size_t at;

	if (!reader->is_read || fragment < reader->from ||
	    fragment > reader->last)
		df_reader_read_block(reader, fragment);
	LOWER_BOUND(at, reader->count, counts[at].fragment < fragment);
	return at < reader->count && counts[at].fragment == fragment
		       ? counts[at].pages
		       : 0;
}

uint32_t df_get(struct txn *txn, uint32_t site, uint32_t cluster,
		uint64_t fragment)
{
	struct df_reader reader;

	reader.txn = txn;
	reader.site = site;
	reader.cluster = cluster;
	reader.is_read = false;
	return df_read(&reader, fragment);
}

struct df_scan df_scan_begin(struct txn *txn, uint32_t site, uint32_t cluster)
{
	return (struct df_scan){
		.rows = scan_cluster(txn, TABLE_DF, site, cluster)};
}

bool df_scan_next(struct df_scan *scan)
{
	uint64_t last;

	if (scan->next == scan->count) {
		if (!scan_next(&scan->rows))
			return false;
		last = key_u64(scan->rows.key, CLUSTER_BYTES);
		scan->next = 0;
		scan->count = 0;
		if (scan->rows.key.size == CLUSTER_BYTES + sizeof(last))
			scan->count = df_block_decode(scan->rows.value, last,
						      scan->counts);
		if (scan->count == 0) {
			scan->now = (struct df_count){.fragment = last};
			return true;
		}
	}
	scan->now = scan->counts[scan->next++];
	return true;
}

void df_scan_end(struct df_scan *scan)
{
	scan_end(&scan->rows);
}

static int compare_deltas(const void *a, const void *b)
{
	const struct df_delta *x = a;
	const struct df_delta *y = b;

	if (x->cluster != y->cluster)
		return x->cluster < y->cluster ? -1 : 1;
	if (x->fragment != y->fragment)
		return x->fragment < y->fragment ? -1 : 1;
	return 0;
}

/*
 * Add up the deltas of each fragment, and remove sums that are 0. Return the
 * number of remaining deltas.
 */
static size_t df_sum_deltas(struct txn *txn, struct df_delta *deltas,
			    size_t count)
{
	size_t left = 0;
	size_t i = 0;

	while (i < count) {
		struct df_delta one = deltas[i];
		int64_t sum = 0;

		for (; i < count && compare_deltas(&deltas[i], &one) == 0; i++)
			sum += deltas[i].delta;
		if (sum > INT32_MAX || sum < INT32_MIN)
			txn_fail(txn, ERR_CORRUPT);
		one.delta = (int32_t)sum;
		if (sum != 0)
			deltas[left++] = one;
	}
	return left;
}

/*
 * The state of an update of the table, which writes the deltas of distinct
 * fragments.
 */
struct df_update {
	struct txn *txn;
	MDB_cursor *cursor;
	uint32_t site;
	uint32_t cluster;        /* cluster whose block is updated */
	struct df_count *counts; /* [count] the new counts of the block */
	size_t count;
	size_t capacity;
};

static void df_update_add(struct df_update *application, uint64_t fragment,
			  int64_t pages)
{
	if (pages < 0 || pages > UINT32_MAX)
		txn_fail(application->txn, ERR_CORRUPT);
	if (pages <= 0)
		return;
	application->counts =
		mem_grow(application->counts, application->count,
			 &application->capacity, sizeof(*application->counts));
	application->counts[application->count++] =
		(struct df_count){fragment, (uint32_t)pages};
}

/*
 * Compute the new counts of the block from its old counts and the deltas. Both
 * lists are ascending by fragment.
 */
static void df_update_merge(struct df_update *application,
			    const struct df_row *found,
			    const struct df_delta *deltas, size_t delta_count)
{
	struct df_count before[DF_BLOCK_MAX];
	size_t count = df_row_decode(application->txn, found, before);
	size_t next = 0;

	application->count = 0;
	for (size_t i = 0; i < delta_count; i++) {
		uint64_t fragment = deltas[i].fragment;
		int64_t pages = 0;

		for (; next < count && before[next].fragment < fragment; next++)
			df_update_add(application, before[next].fragment,
				      before[next].pages);
		if (next < count && before[next].fragment == fragment)
			pages = before[next++].pages;
		df_update_add(application, fragment, pages + deltas[i].delta);
	}
	for (; next < count; next++)
		df_update_add(application, before[next].fragment,
			      before[next].pages);
}

static void df_update_note_row(const struct df_update *application,
			       const struct key *key)
{
	struct txn *txn = application->txn;

	if (txn->journal != NULL)
		journal_note(txn->journal, txn->store, TABLE_DF,
			     key_slice(key));
}

static void df_update_put_block(struct df_update *application, uint64_t last,
				const struct df_count *counts, size_t count,
				unsigned flags)
{
	struct key key = key_df(application->site, application->cluster, last);
	struct buffer block = {0};
	MDB_val k = val_from_slice(key_slice(&key));
	MDB_val v;
	int rc;

	df_block_encode(counts, count, last, &block);
	v = (MDB_val){block.size + CHECKSUM_BYTES, NULL};
	rc = mdb_cursor_put(application->cursor, &k, &v, flags | MDB_RESERVE);
	if (rc == MDB_SUCCESS)
		checksum_write(table_name(TABLE_DF), key_slice(&key),
			       buffer_slice(&block), v.mv_data);
	txn_check(application->txn, rc);
	df_update_note_row(application, &key);
	buffer_free(&block);
}

/*
 * Write the new counts. If they are too many for one block, write several
 * blocks; the last of these replaces the old block.
 */
static void df_update_write(struct df_update *application,
			    const struct df_row *found)
{
	const struct df_count *counts = application->counts;
	size_t count = application->count;
	size_t blocks = (count + DF_BLOCK_MAX - 1) / DF_BLOCK_MAX;
	size_t from = count - count / (blocks + (blocks == 0));
	bool was_there = found->value.data != NULL;

	if (count == 0 && was_there) {
		struct key key = key_df(application->site, application->cluster,
					found->last);

		df_update_note_row(application, &key);
		txn_check(application->txn,
			  mdb_cursor_del(application->cursor, 0));
		/* open a new cursor; scan_delete() has the reason */
		mdb_cursor_close(application->cursor);
		application->cursor = txn_cursor(application->txn, TABLE_DF);
	}
	if (count == 0)
		return;
	df_update_put_block(application, found->last, counts + from,
			    count - from, was_there ? MDB_CURRENT : 0);
	for (size_t i = 0; i + 1 < blocks; i++) {
		size_t begin = from * i / (blocks - 1);
		size_t end = from * (i + 1) / (blocks - 1);

		df_update_put_block(application, counts[end - 1].fragment,
				    counts + begin, end - begin, 0);
	}
}

/*
 * Apply the first delta and all deltas that belong to the same block. Return
 * their number.
 */
static size_t df_update_apply(struct df_update *application,
			      const struct df_delta *deltas, size_t count)
{
	struct df_row found;
	size_t end = 1;

	application->cluster = deltas[0].cluster;
	found = df_find_row(application->txn, application->cursor,
			    application->site, deltas[0].cluster,
			    deltas[0].fragment);
	while (end < count && deltas[end].cluster == deltas[0].cluster &&
	       deltas[end].fragment <= found.last)
		end++;
	df_update_merge(application, &found, deltas, end);
	if (application->txn->error == ERR_NONE)
		df_update_write(application, &found);
	return end;
}

void df_apply(struct txn *txn, uint32_t site, struct df_delta *deltas,
	      size_t count)
{
	struct df_update application = {
		.txn = txn, .site = site, .cursor = txn_cursor(txn, TABLE_DF)};
	size_t i = 0;

	if (count > 1)
		qsort(deltas, count, sizeof(*deltas), compare_deltas);
	count = df_sum_deltas(txn, deltas, count);
	while (i < count && txn->error == ERR_NONE)
		i += df_update_apply(&application, deltas + i, count - i);
	if (application.cursor != NULL)
		mdb_cursor_close(application.cursor);
	free(application.counts);
}
