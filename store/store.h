/* store/store.h - the store: all data of the daemon in one LMDB environment. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/txn.h"

struct cipher;
struct dictionary_cache;
struct migration;
struct reserve;
struct secrets;
struct store;

enum { STORE_SCHEMA = 1, STORE_PARTITIONS = 256 };

/* The end of each message about damage. */
#define STORE_ADVICE                                                      \
	"the daemon does not write to it; restore a backup (templatectl " \
	"restore) or recover the intact part (templatectl recover)"

struct store_options {
	size_t max_map_bytes; /* size of the map; it uses address space and no
				 memory, because the file grows into it; 0 = 16
				 GiB */
	bool is_read_only;    /* another process may have the store open */
	bool is_temporary;    /* no fsync: for batch and tests */
	/*
	 * Return the partition of a host: below STORE_PARTITIONS and constant.
	 * NULL: the store has no partitions (store/journal.h).
	 */
	unsigned (*partition_of)(struct slice host);
	/*
	 * Encrypts the secrets that store/journal.h writes, and decrypts them.
	 * It must outlive the store. NULL: the journal contains no secrets, and
	 * reading encrypted ones is ERR_NO_ENCRYPTION_KEY.
	 */
	const struct cipher *cipher;
	/*
	 * The steps from earlier schemas (store/migrate.h); NULL: those of this
	 * program. Only tests set others.
	 */
	const struct migration *migration;
};

/*
 * Open or create the store in the folder `path` (created with mode 0700 if it
 * is missing). Check all pages first if the last writer did not close the
 * store. One store per path and process; never fork() with an open store.
 * ERR_IO, ERR_STORE_FULL, ERR_BUSY (another process writes), ERR_VERSION (the
 * schema is not STORE_SCHEMA, and store/migrate.h cannot migrate it),
 * ERR_CORRUPT (the store or its secrets, see store/secrets.h),
 * ERR_NOT_FOUND (read-only, and there is no store). On an error *store_out does
 * not change.
 */
enum error store_open(struct store **store_out, const char *path,
		      const struct store_options *options);

/*
 * Check all pages of a store that its last writer did not close, first without
 * the map and then with it. If they are intact, note that the store is closed,
 * so that store_open() need not check it. Run it in a separate process:
 * undetected damage may end it with a signal. ERR_CORRUPT, and the errors of
 * store_open().
 */
enum error store_check_unclean(const char *path);

/* Close the store; no transaction may be open. Do nothing for NULL. */
void store_close(struct store *store);

struct store_usage {
	uint64_t used_bytes; /* size of the used pages of the map */
	uint64_t map_bytes;  /* less than max_map_bytes if the address space was
				too small */
	uint64_t max_map_bytes;
	uint64_t rows[TABLE_COUNT];
	uint64_t bytes[TABLE_COUNT]; /* size of the used pages of each table;
					the sum is below used_bytes */
};

enum { STORE_FAILURE_BYTES = 512 };

/*
 * Write to `out` [STORE_FAILURE_BYTES] why the last write transaction failed:
 * the file, the text of the errno, and the free space of its disk; "" if there
 * was no errno. Call it in the thread that wrote.
 */
void store_write_failure(struct store *store, char *out);

/* Return numbers for status and metrics. ERR_IO. */
enum error store_usage(struct store *store, struct store_usage *usage_out);

/*
 * Write a snapshot of the store to `file`, an empty regular file, without
 * unused pages. The store stays usable meanwhile. ERR_STORE_FULL: the disk of
 * the file is full; ERR_CORRUPT: a page is damaged, and nothing was copied;
 * ERR_IO.
 */
enum error store_copy(struct store *store, int file);

/*
 * Create an unnamed file in the folder of the store for a copy; return -1 with
 * errno on failure. One thread at a time.
 */
int store_scratch_file(struct store *store);

/*
 * Do the same for data that are too large for memory, such as a queued
 * response. Any thread.
 */
int store_spool_file(struct store *store);

struct store_sizes { /* size of the file in bytes */
	uint64_t before;
	uint64_t after;
};

/*
 * Compact the store: write every row to a new file with full pages, which
 * replaces the old one. Writers wait for all of it; readers wait only for the
 * replacement, and, while an earlier transaction stays open, at most 20 ms at a
 * time. If the process is killed at any instant, a complete file with every
 * commit exists. ERR_BUSY: a transaction stays open for more than 10 s, or
 * another process reads the store; ERR_STORE_FULL: the disk has no room for
 * both files; ERR_ADDRESS_FORBIDDEN: the store is read-only; ERR_IO. After an
 * error the store is unchanged. This thread must have no open transaction.
 */
enum error store_compact(struct store *store, struct store_sizes *sizes_out);

/*
 * Replace the store in the folder `path`, which is created if it is missing,
 * with a copy of `from`. Rename existing data to `aside` in that folder; if
 * `aside` is NULL, existing data are ERR_ADDRESS_FORBIDDEN. If the process is
 * killed at any instant, the old or the new store exists. ERR_BUSY: a process
 * has the store open; otherwise the errors of store_copy().
 */
enum error store_restore(struct store *from, const char *path,
			 const char *aside);

/* Return the name of a table. */
const char *table_name(enum table table);

/* Free the reader slots of killed processes; call it from time to time. */
void store_check_readers(struct store *store);

/* Return the number of current readers, in all processes. */
uint32_t store_count_readers(struct store *store);

/*
 * Increment the counter `name` in TABLE_META and return it; the first value is
 * 1.
 */
uint64_t store_next_number(struct txn *txn, const char *name);

/* Return the last value of store_next_number(); 0 = none yet. */
uint64_t store_last_number(struct txn *txn, const char *name);

/* Set the counter, or only raise it to `number`. */
void store_set_number(struct txn *txn, const char *name, uint64_t number);
void store_raise_number(struct txn *txn, const char *name, uint64_t number);

/* The LMDB environment. */

struct store {
	char *path;
	struct store_options options;
	MDB_env *env;
	MDB_dbi tables[TABLE_COUNT];
	/*
	 * The file may be replaced or reopened only while this process has no
	 * open transaction: every transaction holds this lock shared from begin
	 * to end. A thread that holds it exclusively blocks all new
	 * transactions, so it must release it soon (store/backup.c).
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
	int lock_file;          /* the lock of store/store.h, or -1 */
	atomic_int write_cause; /* errno of the last failed write, or 0 */
	bool is_read_only;
	bool is_noted; /* the folder notes that a process writes to it */
	atomic_bool owns[STORE_PARTITIONS +
			 1]; /* owned partitions, see store/partitions.h */
};

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

/*
 * The folder of a store on disk: locks it against other processes and replaces
 * files in it. For store/ and for callers that restore a copy.
 *
 * The process that writes holds a flock() on the file "lock". A lock on one
 * byte of it is held shared by processes that read, and exclusively by a
 * process that replaces the data. It is necessary because LMDB's own lock file
 * stores the number of the last transaction as long as a process has it open,
 * and after a replacement that number would belong to the old data.
 */

#define FOLDER_DATA "data.mdb"
#define FOLDER_NEW  "data.mdb.new" /* new, or left by a killed process */

enum { MAX_PATH_BYTES = 4096 };

/*
 * Write "FOLDER/NAME" to `out` [MAX_PATH_BYTES]; return false if it is too
 * long.
 */
bool folder_name(char *out, const char *path, const char *name);

/*
 * Create the folder (mode 0700), lock it as its only writer as long as
 * *lock_out is open, and remove the remains of a killed process. ERR_BUSY,
 * ERR_STORE_FULL (the disk), ERR_IO; *lock_out is -1 then.
 */
enum error folder_lock(const char *path, int *lock_out);

/* The state of the store. The size of the lock file in bytes stores it. */
enum folder_use {
	FOLDER_NEVER,  /* no process has written to the store yet */
	FOLDER_CLOSED, /* the last writer has closed it */
	FOLDER_IN_USE, /* the last writer has not closed it: it runs, or was
			  killed */
};

/*
 * Lock out all readers until folder_release(). ERR_BUSY: a process is reading.
 */
enum error folder_lock_out_readers(int lock);
void folder_release(int lock);

/*
 * Return whether a program that does not use our lock, such as mdb_stat, has
 * the data open. A process that has the data open must not call it: it would
 * lose LMDB's locks.
 */
bool folder_is_read(const char *path);

/*
 * Create the new, empty file `name`, readable and writable for the owner of the
 * folder; return -1 with errno on failure.
 */
int folder_create(const char *path, const char *name);

/*
 * Replace the file `name`, accessible only to the owner of the folder: at any
 * instant the old or the new file exists. With `is_synced` the new file is on
 * disk on return. ERR_STORE_FULL, ERR_IO.
 */
enum error folder_write(const char *path, const char *name, struct slice bytes,
			bool is_synced);

/*
 * Rename FOLDER_NEW, which is synced, to FOLDER_DATA: at any instant one of the
 * two files has that name. ERR_IO.
 */
enum error folder_replace(const char *path);

/* Do the same without folder_sync(), which the caller must call. */
enum error folder_put_new(const char *path);

/* Sync the folder, so that renamed files survive a power failure. ERR_IO. */
enum error folder_sync(const char *path);

/*
 * Reserves disk space for deletions when the disk is full: LMDB writes new
 * pages even to delete. The reserve is a file in the folder of the store whose
 * blocks are freed during the deletion.
 */

enum { RESERVE_BYTES = 1 << 20 };

/*
 * Create the file in the folder, as large as the free space allows. Return NULL
 * if it cannot be created; then there is no reserve. For one thread.
 */
struct reserve *reserve_open(const char *folder);

/* Do nothing for NULL. */
void reserve_close(struct reserve *reserve);

/* Free all of it on the disk. */
void reserve_release(struct reserve *reserve);

/*
 * Reserve RESERVE_BYTES again, or the largest half, quarter and so on of them
 * for which there is space. Return the number of reserved bytes.
 */
size_t reserve_hold(struct reserve *reserve);

#endif
