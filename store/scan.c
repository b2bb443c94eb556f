#include "store/txn.h"

#include <assert.h>
#include <lmdb.h>
#include <string.h>

#include "store/checksum.h"
#include "store/env.h"
#include "store/journal.h"

/*
 * If `is_started` is false, the next step seeks the first key that is not below
 * the first key.size bytes of `start`. These bytes begin with the prefix.
 */
struct scan scan_begin_at(struct txn *txn, enum table table, struct slice from,
			  size_t prefix_size)
{
	struct scan scan = {
		.txn = txn, .table = table, .prefix_size = prefix_size};

	assert(prefix_size <= from.size);
	if (from.size > sizeof(scan.start)) {
		txn_fail(txn, ERR_MALFORMED);
		return scan;
	}
	scan.cursor = txn_cursor(txn, table);
	if (from.size > 0)
		memcpy(scan.start, from.data, from.size);
	scan.key.size = from.size;
	return scan;
}

struct scan scan_begin(struct txn *txn, enum table table, struct slice prefix)
{
	return scan_begin_at(txn, table, prefix, prefix.size);
}

static bool has_prefix(const struct scan *scan)
{
	assert(scan->prefix_size <= sizeof(scan->start));
	return scan->key.size >= scan->prefix_size &&
	       memcmp(scan->key.data, scan->start, scan->prefix_size) == 0;
}

static bool scan_read_value(struct scan *scan, MDB_val key, MDB_val value)
{
	if (!scan->is_keys_only)
		scan->value = txn_value(scan->txn, scan->table, key, value);
	return scan->txn->error == ERR_NONE;
}

bool scan_next(struct scan *scan)
{
	MDB_val key = {scan->key.size, scan->start};
	MDB_val value = {0};
	MDB_cursor_op step = MDB_NEXT;
	int rc;

	if (scan->cursor == NULL || scan->txn->error != ERR_NONE)
		return false;
	if (!scan->is_started)
		step = key.mv_size == 0 ? MDB_FIRST : MDB_SET_RANGE;
	assert(scan->is_started || scan->key.size <= sizeof(scan->start));
	rc = mdb_cursor_get(scan->cursor, &key, &value, step);
	if (rc != MDB_SUCCESS && rc != MDB_NOTFOUND)
		txn_check(scan->txn, rc);
	if (rc == MDB_SUCCESS) {
		scan->is_started = true;
		scan->key = (struct slice){key.mv_data, key.mv_size};
		scan->value = (struct slice){0};
		if (has_prefix(scan) && scan_read_value(scan, key, value))
			return true;
	}
	scan_end(scan);
	return false;
}

static bool get_current(struct scan *scan, MDB_val *key, MDB_val *value)
{
	int rc;

	assert(scan->is_keys_only && scan->is_started);
	if (scan->cursor == NULL || scan->txn->error != ERR_NONE)
		return false;
	rc = mdb_cursor_get(scan->cursor, key, value, MDB_GET_CURRENT);
	txn_check(scan->txn, rc);
	return rc == MDB_SUCCESS;
}

bool scan_read(struct scan *scan)
{
	MDB_val key;
	MDB_val value;

	if (!get_current(scan, &key, &value))
		return false;
	scan->value = txn_value(scan->txn, scan->table, key, value);
	return scan->value.data != NULL;
}

bool scan_try(struct scan *scan)
{
	MDB_val key;
	MDB_val value;

	if (!get_current(scan, &key, &value))
		return false;
	scan->value =
		checksum_read(table_name(scan->table), scan->key,
			      (struct slice){value.mv_data, value.mv_size});
	return scan->value.data != NULL;
}

/*
 * The scan continues with a new cursor after a copy of the deleted key. LMDB
 * 0.9 promises only that MDB_NEXT works on a cursor after mdb_cursor_del(), and
 * releases have broken that at page boundaries.
 */
void scan_delete(struct scan *scan)
{
	if (scan->cursor == NULL || scan->txn->error != ERR_NONE)
		return;
	assert(scan->is_started);
	assert(scan->key.size <= sizeof(scan->start));
	memcpy(scan->start, scan->key.data, scan->key.size);
	if (scan->txn->journal != NULL)
		journal_note(scan->txn->journal, scan->txn->store, scan->table,
			     (struct slice){scan->start, scan->key.size});
	txn_check(scan->txn, mdb_cursor_del(scan->cursor, 0));
	mdb_cursor_close(scan->cursor);
	scan->cursor = txn_cursor(scan->txn, scan->table);
	scan->is_started = false;
	scan->key.data = NULL;
	scan->value = (struct slice){0};
}

void scan_end(struct scan *scan)
{
	if (scan->cursor != NULL)
		mdb_cursor_close(scan->cursor);
	scan->cursor = NULL;
	scan->key = (struct slice){0};
	scan->value = (struct slice){0};
}
