/* store/env.h - the LMDB environment. Internal to store/. */
#ifndef STORE_ENV_H
#define STORE_ENV_H

#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/slice.h"
#include "store/store.h"
#include "store/txn.h"

struct dictionary_cache;
struct secrets;

struct store {
	char *path;
	struct store_options options;
	MDB_env *env;
	MDB_dbi tables[TABLE_COUNT];
	/*
	 * The file may be replaced or reopened only while this process has no
	 * open transaction: every transaction holds this lock shared from begin
	 * to end. A thread that holds it exclusively blocks all new
	 * transactions, so it must release it soon (store/copy.c).
	 */
	pthread_rwlock_t map_lock;
	/*
	 * Held by a write transaction from begin to end, and during compaction;
	 * acquired before map_lock.
	 */
	pthread_mutex_t write_lock;
	struct dictionary_cache *dictionaries;
	struct secrets *secrets; /* NULL: read-only */
	size_t max_map_bytes;
	int lock_file;          /* the lock of store/folder.h, or -1 */
	atomic_int write_cause; /* errno of the last failed write, or 0 */
	bool is_read_only;
	bool is_noted; /* the folder notes that a process writes to it */
	atomic_bool owns[STORE_PARTITIONS +
			 1]; /* owned partitions, see store/partitions.h */
};

/*
 * Open the environment and its tables according to the options. No other thread
 * may use the store.
 */
enum error store_open_env(struct store *store);

/*
 * Open the environment again after LMDB has closed it. On a failure the process
 * cannot continue: it logs a message and exits.
 */
void store_reopen(struct store *store);

/*
 * Reopen the environment after LMDB failed to write a meta page: it undoes the
 * transaction, keeps all previous ones, and rejects every further one
 * (MDB_PANIC). The caller has no open transaction.
 */
void store_repair_env(struct store *store);

/* Translate a code of LMDB or an errno; only this function does that. */
enum error error_from_mdb(int rc);

/* LMDB declares keys and values as non-const, but only reads them. */
MDB_val val_from_slice(struct slice slice);

/*
 * Return the value of a row of LMDB. If its checksum is wrong, return no value
 * and fail the transaction with ERR_CORRUPT.
 */
struct slice txn_value(struct txn *txn, enum table table, MDB_val key,
		       MDB_val value);

/* Like txn_fail(), for a code of LMDB. */
void txn_check(struct txn *txn, int rc);

/*
 * Open a cursor; NULL if the transaction has failed. Close it before the
 * transaction ends.
 */
MDB_cursor *txn_cursor(struct txn *txn, enum table table);

/* Adopt the size of the map after another process has grown it. */
enum error store_follow_growth(struct store *store);

#endif
