/*
 * store/store.h - everything that the daemon stores, in one LMDB environment.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/error.h"
#include "store/txn.h"

struct cipher;
struct store;

enum { STORE_SCHEMA = 10, STORE_PARTITIONS = 256 };

/* Behind what is said of damage. */
#define STORE_ADVICE                                                        \
	"nothing is written to it; put a backup in its place (templatectl " \
	"restore) or save what is whole (templatectl salvage)"

struct store_options {
	size_t max_map_bytes; /* size of the map, which is address space and
				 no memory: the file grows into it; 0: 16 GiB */
	bool is_read_only;    /* another process may hold the store */
	bool is_temporary;    /* no fsync: for batch and tests */
	/* The partition of a host, below STORE_PARTITIONS and always the same;
	 * NULL: the store has none (store/journal.h). */
	unsigned (*partition_of)(struct slice host);
	/* What seals secrets in what store/journal.h writes, and opens them;
	 * it outlives the store. NULL: they are not in it, and what was sealed
	 * is ERR_NO_KEY. */
	const struct cipher *cipher;
};

/*
 * Open, or create, the store in the folder `path` (made when it is missing,
 * mode 0700). All pages of a store that its last writer did not close are
 * looked at before. One store per path and process; never fork() with one open.
 * ERR_IO, ERR_STORE_FULL, ERR_BUSY (another process writes here), ERR_VERSION
 * (the schema of the store is not STORE_SCHEMA, nor one of the six before,
 * which are migrated), ERR_CORRUPT (or its secrets are: store/secrets.h),
 * ERR_NOT_FOUND (read only, and there is no store); *store_out is untouched
 * then.
 */
enum error store_open(struct store **store_out, const char *path,
		      const struct store_options *options);

/*
 * Look at all pages of a store that its last writer did not close, first
 * without the map and then with it, and if they are whole note that it is
 * closed, so that store_open() need not. For a process of its own: what it
 * cannot see may end this in a signal. ERR_CORRUPT, and as store_open().
 */
enum error store_recover(const char *path);

/* NULL is a no-op. No transaction may be open. */
void store_close(struct store *store);

struct store_usage {
	uint64_t used_bytes; /* pages of the map in use */
	uint64_t map_bytes;  /* less than max_map_bytes where there was no
				address space for more */
	uint64_t max_map_bytes;
	uint64_t rows[TABLE_COUNT];
	uint64_t bytes[TABLE_COUNT]; /* pages of each table in use; together
					less than used_bytes */
};

enum { STORE_FAILURE_BYTES = 512 };

/*
 * Why the last write transaction failed, as far as the system knows: the file,
 * what the system said of it, and how much room its disk has, to `out`
 * [STORE_FAILURE_BYTES]; "" when it had nothing to say. The thread that wrote.
 */
void store_write_failure(struct store *store, char *out);

/* Numbers for status and metrics. ERR_IO. */
enum error store_usage(struct store *store, struct store_usage *usage_out);

/*
 * Write a snapshot of the store to `file`, an empty regular file, without
 * unused pages. The store can be used meanwhile. ERR_STORE_FULL: the disk of
 * the file is full; ERR_CORRUPT: a page is damaged, and nothing was copied;
 * ERR_IO.
 */
enum error store_copy(struct store *store, int file);

/*
 * Make an unnamed file in the folder of the store, for a copy of it; -1: errno
 * says why. One thread at a time.
 */
int store_scratch_file(struct store *store);

/* The same for what is too large for memory, such as an answer that waits. Any
 * thread. */
int store_spool_file(struct store *store);

struct store_sizes { /* of the file, in bytes */
	uint64_t before;
	uint64_t after;
};

/*
 * Compact the store: write every row to a new file, whose pages are full, and
 * which replaces the old one. Writers wait for all of it, readers only for the
 * replacement, and while a transaction stays open that began before it, no
 * longer than 20 ms at a time. If the process is killed at any instant, a
 * complete file with every commit is there. ERR_BUSY: it stays open for longer
 * than 10 s, or another process reads the store; ERR_STORE_FULL: no room on the
 * disk for both; ERR_REFUSED: the store is read only; ERR_IO; the store is
 * unchanged then. No transaction of this thread may be open.
 */
enum error store_compact(struct store *store, struct store_sizes *sizes_out);

/*
 * Replace the store in the folder `path`, which is made when it is missing, by
 * a copy of `from`. Existing data are renamed to `aside` in that folder; with
 * aside NULL existing data are ERR_REFUSED. If the process is killed at any
 * instant, the old or the new store is there. ERR_BUSY: a process has the store
 * open; other errors as in store_copy().
 */
enum error store_restore(struct store *from, const char *path,
			 const char *aside);

/* The name of a table. */
const char *table_name(enum table table);

/* Free the reader slots of killed processes; to be called from time to time. */
void store_check_readers(struct store *store);

/* How many readers, of any process, are in the store. */
uint32_t store_count_readers(struct store *store);

/* Fetch and raise the counter `name` in TABLE_META; the first value is 1. */
uint64_t store_next_number(struct txn *txn, const char *name);

/* The last value that store_next_number() gave; 0: none yet. */
uint64_t store_last_number(struct txn *txn, const char *name);

#endif
