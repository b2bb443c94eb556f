#include "store/document_frequency.h"

#include <assert.h>
#include <lmdb.h>
#include <stdlib.h>
#include <string.h>

#include "store/env.h"
#include "store/key.h"

static struct key key_df(uint32_t site, uint32_t cluster, uint64_t fragment)
{
	return key_member(site, cluster, fragment); /* the same layout */
}

/* False, and ERR_CORRUPT, when the value is no count. */
static bool read_count(struct txn *txn, struct slice value, uint32_t *count_out)
{
	*count_out = 0;
	if (value.data == NULL)
		return true;
	if (value.size != sizeof(*count_out)) {
		txn_fail(txn, ERR_CORRUPT);
		return false;
	}
	memcpy(count_out, value.data, sizeof(*count_out));
	return true;
}

uint32_t df_get(struct txn *txn, uint32_t site, uint32_t cluster,
		uint64_t fragment)
{
	struct key key = key_df(site, cluster, fragment);
	uint32_t count;

	read_count(txn, txn_get(txn, TABLE_DF, key_slice(&key)), &count);
	return count;
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
 * Apply one change. Deltas come in key order, because a cursor that is near the
 * key finds it without a descent from the root.
 */
static void apply(struct txn *txn, MDB_cursor **cursor, struct key *key,
		  int64_t delta)
{
	MDB_val k = {key->size, key->bytes};
	MDB_val v = {0};
	uint32_t before;
	int64_t after;
	uint32_t count;
	int rc = mdb_cursor_get(*cursor, &k, &v, MDB_SET);

	assert(delta != 0);
	assert(*cursor != NULL);
	if (rc != MDB_SUCCESS && rc != MDB_NOTFOUND)
		txn_check(txn, rc);
	if (!read_count(txn, (struct slice){v.mv_data, v.mv_size}, &before))
		return;
	after = (int64_t)before + delta;
	if (after < 0 || after > UINT32_MAX)
		txn_fail(txn, ERR_CORRUPT);
	if (txn->error != ERR_NONE)
		return;
	if (after > 0) {
		count = (uint32_t)after;
		k = (MDB_val){key->size, key->bytes};
		v = (MDB_val){sizeof(count), &count};
		txn_check(txn,
			  mdb_cursor_put(*cursor, &k, &v,
					 rc == MDB_SUCCESS ? MDB_CURRENT : 0));
		return;
	}
	txn_check(txn, mdb_cursor_del(*cursor, 0));
	mdb_cursor_close(*cursor); /* as in scan_delete() */
	*cursor = txn_cursor(txn, TABLE_DF);
}

void df_apply(struct txn *txn, uint32_t site, struct df_delta *deltas,
	      size_t count)
{
	MDB_cursor *cursor = txn_cursor(txn, TABLE_DF);
	size_t i = 0;

	if (count > 1)
		qsort(deltas, count, sizeof(*deltas), compare_deltas);
	while (i < count && cursor != NULL && txn->error == ERR_NONE) {
		struct df_delta first = deltas[i];
		struct key key = key_df(site, first.cluster, first.fragment);
		int64_t sum = 0;

		for (; i < count && compare_deltas(&deltas[i], &first) == 0;
		     i++)
			sum += deltas[i].delta;
		assert(i > 0);
		if (sum != 0)
			apply(txn, &cursor, &key, sum);
	}
	if (cursor != NULL)
		mdb_cursor_close(cursor);
}
