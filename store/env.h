/* store/env.h - the LMDB environment. Internal to store/. */
#ifndef STORE_ENV_H
#define STORE_ENV_H

#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "store/error.h"
#include "store/slice.h"
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
	 * The file may be replaced, or opened again, only while this process
	 * has no open transaction: every transaction holds this lock shared
	 * from begin to end. Who takes it exclusively holds up all that want to
	 * begin: not for long (store/copy.c).
	 */
	pthread_rwlock_t map_lock;
	/*
	 * Held by a write transaction from begin to end, and during compaction;
	 * taken before map_lock.
	 */
	pthread_mutex_t write_lock;
	struct dictionary_cache *dictionaries;
	struct secrets *secrets; /* NULL: read only */
	size_t max_map_bytes;
	int lock_file;          /* of store/folder.h; or -1 */
	atomic_int write_cause; /* the errno that the last writer met, or 0 */
	bool is_read_only;
	bool is_without_checksums; /* as it was found */
	bool is_older;             /* than STORE_SCHEMA, as it was found */
	bool is_noted;             /* in the folder, as being written to */
	atomic_bool owns[STORE_PARTITIONS + 1]; /* store/partitions.h */
};

/*
 * Open the environment and its tables by the options. Caller: no other thread
 * uses the store.
 */
enum error store_open_env(struct store *store);

/*
 * The same, where going on without is not possible: LMDB has let go of what it
 * had. Else the process ends, with a message.
 */
void store_open_again(struct store *store);

/*
 * Replace the file of a store that is older, of SCHEMA_WITHOUT_CHECKSUMS at
 * least, by a copy of this schema, which has no byte of its secrets; killed at
 * any instant, one of them is there. The environment is closed then. Caller: as
 * above, with a transaction neither. ERR_BUSY: another process reads the store;
 * else as store_rewrite().
 */
enum error store_upgrade(struct store *store);

/*
 * LMDB gives an environment up when its meta page cannot be written: the
 * transaction is undone, all before it is safe, and every further one is
 * refused (MDB_PANIC). Open it anew. Caller: has no transaction.
 */
void store_mend(struct store *store);

/* Codes of LMDB and errno are translated here and nowhere else. */
enum error error_from_mdb(int rc);

/* LMDB takes keys and values as non-const, but only reads them. */
MDB_val val_from_slice(struct slice slice);

/* The value of a row as LMDB has it; when its checksum is wrong, no value, and
 * the transaction fails with ERR_CORRUPT. */
struct slice txn_value(struct txn *txn, enum table table, MDB_val key,
		       MDB_val value);

/* As txn_fail(), with a code of LMDB. */
void txn_check(struct txn *txn, int rc);

/* A cursor, or NULL when the transaction has failed. Close it before the end.
 */
MDB_cursor *txn_cursor(struct txn *txn, enum table table);

/* Another process writes with a larger map: adopt its size. */
enum error store_follow_growth(struct store *store);

#endif
