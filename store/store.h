/* store/store.h - the store: all data of the daemon in one LMDB environment. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "store/txn.h"

struct cipher;
struct migration;
struct store;

enum { STORE_SCHEMA = 1, STORE_PARTITIONS = 256 };

/* The end of each message about damage. */
#define STORE_ADVICE                                                      \
	"the daemon does not write to it; restore a backup (templatectl " \
	"restore) or recover the intact part (templatectl salvage)"

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

#endif
