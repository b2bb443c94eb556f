/*
 * store/store.h - the store: all data of the daemon, in one LMDB environment.
 */
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
#include "store/site_feed.h"
#include "store/txn.h"

struct cipher;
struct dictionary_cache;
struct migration;
struct reserve;
struct secrets;
struct store;

enum { STORE_SCHEMA = 9, STORE_PARTITIONS = 256 };

/* The end of each log message about damage. */
#define STORE_ADVICE                                                      \
	"the daemon does not write to it; restore a backup (templatectl " \
	"restore) or recover the intact part (templatectl recover)"

struct store_options {
	/*
	 * size of the memory map. It takes address space but no memory, because
	 * the file grows into it. 0 = 16 GiB
	 */
	size_t max_map_bytes;
	/* another process may have the store open for writing */
	bool is_read_only;
	/* nothing is synced to disk; for the command `batch` and for tests */
	bool is_temporary;
	/*
	 * Return the partition of a host, which is below STORE_PARTITIONS and
	 * never changes. NULL: the store has no partitions (store/journal.h).
	 */
	unsigned (*partition_of)(struct slice host);
	/*
	 * The cipher for the secrets that store/journal.h writes and reads. It
	 * must outlive the store. NULL: the journal writes no secrets, and
	 * reading an encrypted secret results in ERR_NO_ENCRYPTION_KEY.
	 */
	const struct cipher *cipher;
	/*
	 * The steps of a migration from earlier schemas (store/migrate.h).
	 * NULL: use the steps of this program. Only tests set other steps.
	 */
	const struct migration *migration;
};

/*
 * Open the store in the folder `path`, or create it; the folder is created with
 * mode 0700 if it is missing. If the last writer did not close the store, first
 * check all pages. A process may open a path only once, and must never fork()
 * while a store is open. On an error *store_out is not changed. ERR_IO.
 * ERR_STORE_FULL. ERR_BUSY: another process writes to the store. ERR_VERSION:
 * the schema is not STORE_SCHEMA, and store/migrate.h cannot migrate it.
 * ERR_CORRUPT: the store or its secrets (store/secrets.h) are damaged.
 * ERR_NOT_FOUND: `is_read_only` is set, and there is no store.
 */
enum error store_open(struct store **store_out, const char *path,
		      const struct store_options *options);

/*
 * Check all pages of a store that its last writer did not close, first without
 * a memory map and then through LMDB. If they are intact, mark the store as
 * closed, so that store_open() need not check it again. Run this in a separate
 * process, because damage that the first check does not find may end the
 * process with a signal. ERR_CORRUPT, and the errors of store_open().
 */
enum error store_check_unclean(const char *path);

/*
 * Close the store. No transaction may be open. If `store` is NULL, do nothing.
 */
void store_close(struct store *store);

struct store_usage {
	/*
	 * size of the pages that tables use; the store is full when this
	 * reaches max_map_bytes
	 */
	uint64_t live_bytes;
	/* size of the other pages, which later transactions use */
	uint64_t free_bytes;
	uint64_t file_bytes; /* size of the file */
	/*
	 * size of the disk blocks of the file; less than file_bytes if the file
	 * has holes
	 */
	uint64_t allocated_bytes;
	/*
	 * size of the memory map; less than max_map_bytes if there was too
	 * little address space
	 */
	uint64_t map_bytes;
	uint64_t max_map_bytes;
	uint64_t rows[TABLE_COUNT];
	/*
	 * size of the used pages of each table; the sum is less than live_bytes
	 */
	uint64_t bytes[TABLE_COUNT];
};

enum { STORE_FAILURE_BYTES = 512 };

/*
 * Write to `out` [STORE_FAILURE_BYTES] why the last write transaction failed:
 * the file, the text of the errno, and the free space on its disk. Write "" if
 * there was no errno. Call this in the thread that has written.
 */
void store_write_failure(struct store *store, char *out);

/* Return figures for the status and the metrics. O(1). ERR_IO. */
enum error store_usage(struct store *store, struct store_usage *usage_out);

/*
 * Write a snapshot of the store without unused pages to `file`, an empty
 * regular file. The store can be used meanwhile. ERR_STORE_FULL: the disk of
 * `file` is full. ERR_CORRUPT: a page is damaged, and nothing was copied.
 * ERR_IO.
 */
enum error store_copy(struct store *store, int file);

/*
 * Create a file without a name in the folder of the store, for a copy. Return
 * -1, with errno set, on failure. Only one thread may use it at a time.
 */
int store_scratch_file(struct store *store);

/*
 * Create a file without a name in the folder of the store, for data that is too
 * large for memory, such as a queued response. Return -1, with errno set, on
 * failure. Any thread may call this.
 */
int store_spool_file(struct store *store);

struct store_sizes { /* sizes of the file in bytes */
	uint64_t before;
	uint64_t after;
};

/*
 * Compact the store: write all rows to a new file with full pages, which
 * replaces the old file. Writers wait until this is finished. Readers wait only
 * during the replacement and, if an earlier transaction stays open, for at most
 * 20 ms at a time. If the process is killed at any time, there is a complete
 * file with all commits. After an error the store is unchanged. The calling
 * thread must have no open transaction. ERR_BUSY: a transaction stays open for
 * more than 10 s, or another process reads the store. ERR_STORE_FULL: the disk
 * has no room for both files. ERR_ADDRESS_FORBIDDEN: the store is read-only.
 * ERR_IO.
 */
enum error store_compact(struct store *store, struct store_sizes *sizes_out);

/*
 * Replace the store in the folder `path` by a copy of `from`. The folder is
 * created if it is missing. Existing data is renamed to `aside` in that folder.
 * If the process is killed at any time, the folder has the old or the new
 * store. ERR_ADDRESS_FORBIDDEN: there is data, but `aside` is NULL. ERR_BUSY: a
 * process has the store open. Otherwise the errors of store_copy().
 */
enum error store_restore(struct store *from, const char *path,
			 const char *aside);

/* Return the name of a table. */
const char *table_name(enum table table);

/* Free the reader slots of killed processes. Call this from time to time. */
void store_check_readers(struct store *store);

/* Return the number of current readers of all processes. */
uint32_t store_count_readers(struct store *store);

/*
 * Increment the counter `name` in TABLE_META, and return its new value. The
 * first value is 1.
 */
uint64_t store_next_number(struct txn *txn, const char *name);

/* Return the value of the counter; 0 if it was never incremented. */
uint64_t store_last_number(struct txn *txn, const char *name);

/*
 * store_set_number() sets the counter to `number`. store_raise_number() does so
 * only if its value is lower.
 */
void store_set_number(struct txn *txn, const char *name, uint64_t number);
void store_raise_number(struct txn *txn, const char *name, uint64_t number);

/* The open store. Internal to store/. */

struct store {
	char *path;
	struct store_options options;
	MDB_env *env;
	MDB_dbi tables[TABLE_COUNT];
	/*
	 * The file may be replaced or reopened only while this process has no
	 * open transaction. So every transaction holds this lock shared from
	 * its begin to its end. A thread that holds it exclusively blocks all
	 * new transactions, so it must release it soon (store/backup.c).
	 */
	pthread_rwlock_t map_lock;
	/*
	 * A write transaction holds this lock from its begin to its end.
	 * Compaction holds it too. It is acquired before map_lock.
	 */
	pthread_mutex_t write_lock;
	struct dictionary_cache *dictionaries;
	struct secrets *secrets; /* NULL if the store is read-only */
	size_t max_map_bytes;
	/* descriptor of the file "lock", or -1; see below */
	int lock_file;
	/* see store_commits(); odd while a commit is in progress */
	atomic_uint_least64_t commits;
	/* errno of the last failed write; 0 = no failure */
	atomic_int write_cause;
	/* the file system does not support holes (store/holes.h) */
	atomic_bool has_no_holes;
	bool is_read_only;
	/* the lock file states that a process writes to the store */
	bool is_noted;
	/* partitions that this process owns; see store/partitions.h */
	atomic_bool owns[STORE_PARTITIONS + 1];
	struct site_feeds feeds;
};

/*
 * Open the environment again after it was closed. If that fails, the process
 * cannot continue: log a message and exit.
 */
void store_reopen(struct store *store);

/*
 * Reopen the environment after LMDB has failed to write a meta page. LMDB then
 * undoes the transaction, keeps all previous ones, and rejects further ones
 * (MDB_PANIC). The caller has no open transaction.
 */
void store_repair_env(struct store *store);

/* Write a row that stays the same. LMDB commits nothing without any change. */
void store_touch(struct txn *txn);

/* Translate a code of LMDB or an errno. No other function does this. */
enum error error_from_mdb(int rc);

/*
 * Return a slice as LMDB's type. Its pointer is not const, but LMDB only reads
 * keys and values.
 */
MDB_val val_from_slice(struct slice slice);

/*
 * Return the value of a row without its checksum. If the checksum is wrong,
 * return an empty slice, and fail the transaction with ERR_CORRUPT.
 */
struct slice txn_value(struct txn *txn, enum table table, MDB_val key,
		       MDB_val value);

/* Fail the transaction if `rc` is an error code of LMDB or an errno. */
void txn_check(struct txn *txn, int rc);

/*
 * Open a cursor; return NULL if the transaction has failed. Close the cursor
 * before the transaction ends.
 */
MDB_cursor *txn_cursor(struct txn *txn, enum table table);

/* Use the new size of the map after another process has enlarged it. */
enum error store_follow_growth(struct store *store);

/*
 * The folder of a store. These functions lock it against other processes, and
 * replace files in it. They are for store/ and for callers that restore a copy.
 *
 * A process that writes to the store holds a flock() on the file "lock". In
 * addition, one byte of this file is locked: shared by processes that read, and
 * exclusively by a process that replaces the data. LMDB's own lock file is not
 * enough, because it keeps the number of the last transaction while a process
 * has it open; after a replacement that number would belong to the old data.
 */

#define FOLDER_DATA "data.mdb"
/*
 * a new file that was not renamed to FOLDER_DATA yet; a killed process may have
 * left it
 */
#define FOLDER_NEW "data.mdb.new"

enum { MAX_PATH_BYTES = 4096 };

/*
 * Write "PATH/NAME" to `out` [MAX_PATH_BYTES]. Return false if it is too long.
 */
bool folder_name(char *out, const char *path, const char *name);

/*
 * Create the folder (mode 0700) if it is missing, lock it as its only writer
 * while *lock_out is open, and remove files that a killed process has left. On
 * an error *lock_out is -1. ERR_BUSY: another process writes. ERR_STORE_FULL:
 * the disk is full. ERR_IO.
 */
enum error folder_lock(const char *path, int *lock_out);

/* The state of a store. It is stored as the size of the lock file in bytes. */
enum folder_use {
	FOLDER_NEVER,  /* no process has written to it yet */
	FOLDER_CLOSED, /* the last writer has closed it */
	/* the last writer has not closed it: it is running, or was killed */
	FOLDER_IN_USE,
};

/*
 * Lock out all readers until folder_release(). ERR_BUSY: a process is reading.
 */
enum error folder_lock_out_readers(int lock);
void folder_release(int lock);

/*
 * Return whether a program that does not use our lock, such as mdb_stat, has
 * the data open. A process that has the data open must not call this, because
 * it would lose LMDB's locks.
 */
bool folder_is_read(const char *path);

/*
 * Create the new, empty file `name`, which the owner of the folder can read and
 * write. Return -1, with errno set, on failure.
 */
int folder_create(const char *path, const char *name);

/*
 * Replace the file `name`, which only the owner of the folder can access. At
 * any time the old or the new file exists. If `is_synced`, the new file is on
 * disk when this returns. ERR_STORE_FULL, ERR_IO.
 */
enum error folder_write(const char *path, const char *name, struct slice bytes,
			bool is_synced);

/*
 * Rename FOLDER_NEW, which must be on disk, to FOLDER_DATA, and write the
 * folder to disk. At any time the old or the new file has the name FOLDER_DATA.
 * ERR_IO.
 */
enum error folder_replace(const char *path);

/*
 * Do the same, but do not write the folder to disk: the caller must call
 * folder_sync().
 */
enum error folder_put_new(const char *path);

/*
 * Write the folder to disk, so that renamed files keep their names after a
 * power failure. ERR_IO.
 */
enum error folder_sync(const char *path);

/*
 * A reserve of disk space. When the disk is full, LMDB needs space for new
 * pages even to delete rows. The reserve is a file in the folder of the store;
 * its blocks are freed before such a deletion.
 */

enum { RESERVE_BYTES = 1 << 20 };

/*
 * Create the file of the reserve in the folder, as large as the free space
 * allows. Return NULL if it cannot be created; then there is no reserve. Only
 * one thread may use a reserve.
 */
struct reserve *reserve_open(const char *folder);

/* Close the reserve. If `reserve` is NULL, do nothing. */
void reserve_close(struct reserve *reserve);

/* Free the reserved space. */
void reserve_release(struct reserve *reserve);

/*
 * Reserve RESERVE_BYTES again. If there is not enough space, try a half, a
 * quarter and so on. Return the number of reserved bytes.
 */
size_t reserve_hold(struct reserve *reserve);

#endif
