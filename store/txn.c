#include "store/txn.h"

#include <assert.h>
#include <errno.h>
#include <lmdb.h>

#include "base/log.h"
#include "store/journal.h"
#include "store/key.h"
#include "store/secrets.h"
#include "store/store.h"

/*
 * Maximum attempts to begin a transaction. An attempt fails if another process
 * enlarges the map while this one adopts its size.
 */
enum { MAX_BEGIN_ATTEMPTS = 16 };

/* Return whether another attempt to begin a transaction can succeed. */
static bool txn_error_is_temporary(int rc)
{
	return rc == MDB_MAP_RESIZED || rc == MDB_PANIC;
}

/*
 * The number of open transactions of this thread. It is only used by
 * txn_is_open() and by assertions; the store decides nothing by it.
 */
static _Thread_local unsigned open_count;

bool txn_is_open(void)
{
	return open_count > 0;
}

void txn_wait_begin(void)
{
	assert(open_count == 1);
	open_count = 0;
}

void txn_wait_end(void)
{
	assert(open_count == 0);
	open_count = 1;
}

enum error error_from_mdb(int rc)
{
	switch (rc) {
	case MDB_SUCCESS:
		return ERR_NONE;
	case MDB_NOTFOUND:
	case ENOENT:
		return ERR_NOT_FOUND;
	case MDB_MAP_FULL:
	case ENOSPC:
		return ERR_STORE_FULL;
	case MDB_TXN_FULL:
		return ERR_TOO_LARGE;
	case MDB_BAD_VALSIZE:
		return ERR_MALFORMED;
	case MDB_READERS_FULL:
	case MDB_MAP_RESIZED:
	case EBUSY:
	case EAGAIN:
		return ERR_BUSY;
	case MDB_VERSION_MISMATCH:
		return ERR_VERSION;
	case MDB_INVALID:
	case MDB_CORRUPTED:
	case MDB_PAGE_NOTFOUND:
	case MDB_INCOMPATIBLE:
		return ERR_CORRUPT;
	default:
		return ERR_IO;
	}
}

MDB_val val_from_slice(struct slice slice)
{
	return (MDB_val){slice.size, (void *)slice.data};
}

void txn_fail(struct txn *txn, enum error error)
{
	if (txn->error == ERR_NONE)
		txn->error = error;
}

void txn_check(struct txn *txn, int rc)
{
	/* only an errno is positive; codes of LMDB are negative */
	if (txn->error == ERR_NONE && rc > 0)
		txn->cause = rc;
	txn_fail(txn, error_from_mdb(rc));
}

static struct txn txn_begin(struct store *store, unsigned flags)
{
	struct txn txn = {.store = store};
	int rc = MDB_MAP_RESIZED;

	assert(!txn_is_open());
	for (int i = 0; i < MAX_BEGIN_ATTEMPTS && txn_error_is_temporary(rc);
	     i++) {
		pthread_rwlock_rdlock(&store->map_lock);
		rc = mdb_txn_begin(store->env, NULL, flags, &txn.mdb);
		if (rc == MDB_SUCCESS) {
			open_count++;
			return txn;
		}
		pthread_rwlock_unlock(&store->map_lock);
		if (rc == MDB_MAP_RESIZED)
			txn_fail(&txn, store_follow_growth(store));
		if (rc == MDB_PANIC)
			store_repair_env(store);
	}
	txn_check(&txn, rc);
	txn.mdb = NULL;
	return txn;
}

uint64_t store_commits(const struct store *store)
{
	return atomic_load(&store->commits);
}

bool store_is_same(const struct store *store, uint64_t commits)
{
	return commits % 2 == 0 && store_commits(store) == commits;
}

struct txn txn_begin_read(struct store *store)
{
	return txn_begin(store, MDB_RDONLY);
}

struct txn txn_begin_write(struct store *store)
{
	struct txn txn;

	pthread_mutex_lock(&store->write_lock);
	txn = txn_begin(store, 0);
	assert(txn.mdb != NULL || txn.error != ERR_NONE);
	txn.is_writer = true;
	if (txn.mdb == NULL)
		pthread_mutex_unlock(&store->write_lock);
	return txn;
}

void txn_put(struct txn *txn, enum table table, struct slice key,
	     struct slice value)
{
	MDB_val k = val_from_slice(key);
	MDB_val v = {value.size + CHECKSUM_BYTES, NULL};
	int rc;

	assert(key.data != NULL || key.size == 0);
	if (txn->error != ERR_NONE)
		return;
	assert(txn->mdb != NULL);
	rc = mdb_put(txn->mdb, txn->store->tables[table], &k, &v, MDB_RESERVE);
	if (rc == MDB_SUCCESS)
		checksum_write(table_name(table), key, value, v.mv_data);
	txn_check(txn, rc);
	if (txn->journal != NULL)
		journal_note(txn->journal, txn->store, table, key);
	if (table == TABLE_SITES)
		site_feeds_note(&txn->store->feeds, key);
}

static void txn_log_checksum(const struct txn *txn, enum table table,
			     struct slice key)
{
	struct key_text text;

	log_error_limited(
		"store %s: table %s, row %s: its checksum is wrong; see "
		"templatectl verify --store",
		txn->store->path, table_name(table), key_text(key, &text));
}

struct slice txn_value(struct txn *txn, enum table table, MDB_val key,
		       MDB_val value)
{
	struct slice k = {key.mv_data, key.mv_size};
	struct slice whole =
		checksum_read(table_name(table), k,
			      (struct slice){value.mv_data, value.mv_size});

	if (whole.data == NULL) {
		txn_log_checksum(txn, table, k);
		txn_fail(txn, ERR_CORRUPT);
	}
	return whole;
}

/*
 * Return whether the code means that the row does not exist. LMDB rejects keys
 * of invalid sizes, and no row has such a key.
 */
static bool is_absent(int rc)
{
	return rc == MDB_NOTFOUND || rc == MDB_BAD_VALSIZE;
}

struct slice txn_get(struct txn *txn, enum table table, struct slice key)
{
	MDB_val k = val_from_slice(key);
	MDB_val v = {0};
	int rc;

	if (txn->error != ERR_NONE)
		return (struct slice){0};
	assert(txn->mdb != NULL);
	rc = mdb_get(txn->mdb, txn->store->tables[table], &k, &v);
	if (rc == MDB_SUCCESS)
		return txn_value(txn, table, k, v);
	if (!is_absent(rc))
		txn_check(txn, rc);
	return (struct slice){0};
}

bool txn_get_before(struct txn *txn, enum table table, struct slice key,
		    struct slice *key_out, struct slice *value_out)
{
	MDB_val k = val_from_slice(key);
	MDB_cursor *cursor;
	MDB_val v = {0};
	int rc;

	if (txn->error != ERR_NONE)
		return false;
	assert(txn->mdb != NULL);
	rc = mdb_cursor_open(txn->mdb, txn->store->tables[table], &cursor);
	if (rc != MDB_SUCCESS) {
		txn_check(txn, rc);
		return false;
	}
	rc = mdb_cursor_get(cursor, &k, &v, MDB_SET_RANGE);
	rc = mdb_cursor_get(cursor, &k, &v,
			    rc == MDB_NOTFOUND ? MDB_LAST : MDB_PREV);
	if (rc == MDB_SUCCESS) {
		*key_out = (struct slice){k.mv_data, k.mv_size};
		*value_out = txn_value(txn, table, k, v);
	} else if (!is_absent(rc)) {
		txn_check(txn, rc);
	}
	mdb_cursor_close(cursor);
	return rc == MDB_SUCCESS && txn->error == ERR_NONE;
}

void txn_delete(struct txn *txn, enum table table, struct slice key)
{
	MDB_val k = val_from_slice(key);
	int rc;

	if (txn->error != ERR_NONE)
		return;
	assert(txn->mdb != NULL);
	rc = mdb_del(txn->mdb, txn->store->tables[table], &k, NULL);
	if (!is_absent(rc))
		txn_check(txn, rc);
	if (rc == MDB_SUCCESS && txn->journal != NULL)
		journal_note(txn->journal, txn->store, table, key);
	if (table == TABLE_SITES)
		site_feeds_note_any(&txn->store->feeds);
}

uint64_t txn_delete_prefix(struct txn *txn, enum table table,
			   struct slice prefix)
{
	struct scan scan = scan_begin(txn, table, prefix);
	uint64_t count = 0;

	scan.is_keys_only = true;
	while (scan_next(&scan)) {
		scan_delete(&scan);
		count++;
	}
	scan_end(&scan);
	return count;
}

struct table_usage txn_usage(struct txn *txn, enum table table)
{
	MDB_stat stat = {0};

	if (txn->error != ERR_NONE)
		return (struct table_usage){0};
	assert(txn->mdb != NULL);
	txn_check(txn, mdb_stat(txn->mdb, txn->store->tables[table], &stat));
	return (struct table_usage){
		.rows = stat.ms_entries,
		.bytes = (stat.ms_branch_pages + stat.ms_leaf_pages +
			  stat.ms_overflow_pages) *
			 stat.ms_psize,
	};
}

/*
 * Release the locks of the transaction, so that other transactions can begin.
 * Finish its changes of secrets.
 */
static void txn_release_locks(struct txn *txn, enum secrets_end end)
{
	assert(txn->mdb != NULL);
	assert(open_count >
	       0); /* a transaction must end in the thread that began it */
	open_count--;
	txn->mdb = NULL;
	pthread_rwlock_unlock(&txn->store->map_lock);
	if (txn->is_writer)
		atomic_store(&txn->store->write_cause, txn->cause);
	if (txn->is_writer)
		secrets_complete(txn->store->secrets, end);
	if (txn->is_writer)
		site_feeds_end(&txn->store->feeds, end != SECRETS_UNDONE);
	if (txn->is_writer)
		pthread_mutex_unlock(&txn->store->write_lock);
}

enum error txn_end(struct txn *txn)
{
	if (txn->error != ERR_NONE) {
		txn_abort(txn);
	} else if (txn->mdb != NULL) {
		if (txn->is_writer)
			txn_fail(txn, secrets_save(txn->store->secrets));
		if (txn->error != ERR_NONE) {
			txn_abort(txn);
			return txn->error;
		}
		/* mdb_txn_commit() ends the transaction even if it fails */
		atomic_fetch_add(&txn->store->commits, txn->is_writer);
		txn_check(txn, mdb_txn_commit(txn->mdb));
		atomic_fetch_add(&txn->store->commits, txn->is_writer);
		txn_release_locks(txn, txn->error == ERR_NONE
					       ? SECRETS_COMMITTED
					       : SECRETS_IN_DOUBT);
	}
	return txn->error;
}

void txn_abort(struct txn *txn)
{
	if (txn->mdb == NULL)
		return;
	mdb_txn_abort(txn->mdb);
	txn_release_locks(txn, SECRETS_UNDONE);
}

MDB_cursor *txn_cursor(struct txn *txn, enum table table)
{
	MDB_cursor *cursor = NULL;

	if (txn->error != ERR_NONE)
		return NULL;
	assert(txn->mdb != NULL);
	txn_check(txn, mdb_cursor_open(txn->mdb, txn->store->tables[table],
				       &cursor));
	return txn->error == ERR_NONE ? cursor : NULL;
}
