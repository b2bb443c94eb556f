/* store/store.h - everything the daemon remembers, in one LMDB environment. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/error.h"
#include "store/txn.h"

struct store;

enum { STORE_SCHEMA = 4 };

struct store_options {
	size_t map_bytes;     /* size to begin with; 0: 64 MiB */
	size_t max_map_bytes; /* the map grows up to this; 0: 16 GiB */
	bool is_read_only;    /* another process may hold the store */
	bool is_temporary;    /* no fsync: for batch and tests */
};

/*
 * Open, or create, the store in the folder `path` (made when it is missing,
 * mode 0700). One store per path and process; never fork() with one open.
 * ERR_IO, ERR_STORE_FULL, ERR_BUSY (another process writes here), ERR_VERSION
 * (the schema of the store is not STORE_SCHEMA), ERR_CORRUPT, ERR_NOT_FOUND
 * (read only, and there is no store); *store_out is untouched then.
 */
enum error store_open(struct store **store_out, const char *path,
		      const struct store_options *options);

/* NULL is a no-op. No transaction may be open. */
void store_close(struct store *store);

/*
 * Double the map, up to max_map_bytes: ERR_STORE_FULL when it is there
 * already. Waits until no transaction is open, so call it outside of any.
 * txn_begin_write() does the same early, when nothing must wait for it.
 */
enum error store_grow(struct store *store);

struct store_usage {
	uint64_t used_bytes; /* pages of the map in use */
	uint64_t map_bytes;
	uint64_t max_map_bytes;
	uint64_t rows[TABLE_COUNT];
	uint64_t bytes[TABLE_COUNT]; /* pages of each table in use; together
					less than used_bytes */
};

/* Numbers for status and metrics. ERR_IO. */
enum error store_usage(struct store *store, struct store_usage *usage_out);

/*
 * Write the store as it is now to `file`, an empty regular file, without the
 * room that it does not use; it goes on meanwhile. ERR_STORE_FULL: the disk of
 * the file is; ERR_IO. A growth of the map waits until it is done.
 */
enum error store_copy(struct store *store, int file);

/* A new file without a name in the folder of the store, for a copy of it; -1:
 * errno says why. One thread at a time. */
int store_scratch_file(struct store *store);

struct store_sizes { /* of the file, in bytes */
	uint64_t before;
	uint64_t after;
};

/*
 * Give the room that is not used back to the disk: copy what is used to another
 * file and put it in place of the first. Writers wait meanwhile, readers at the
 * end of it alone. Killed at any instant, one of both is there, with all that
 * was ever committed. ERR_BUSY: a transaction stays open for longer than 10 s,
 * or another process reads the store; ERR_STORE_FULL: no room on the disk for
 * both; ERR_REFUSED: the store is read only; ERR_IO. It goes on as it was then.
 * No transaction of this thread may be open.
 */
enum error store_compact(struct store *store, struct store_sizes *sizes_out);

/*
 * Put a copy of `from` in the place of the store in the folder `path`, which is
 * made when it is missing. What is there gets the name `aside` in that folder;
 * aside NULL: ERR_REFUSED when something is there. Killed at any instant, the
 * old or the new one is there. ERR_BUSY: a process has it open; as store_copy()
 * else.
 */
enum error store_restore(struct store *from, const char *path,
			 const char *aside);

/* The name of a table. */
const char *table_name(enum table table);

/* Forget readers of processes that were killed; call now and then. */
void store_check_readers(struct store *store);

/* How many readers, of any process, are in the store. */
uint32_t store_count_readers(struct store *store);

/* Fetch and raise the counter `name` in TABLE_META; the first value is 1. */
uint64_t store_next_number(struct txn *txn, const char *name);

/* What it gave last; 0: nothing yet. */
uint64_t store_last_number(struct txn *txn, const char *name);

#endif
