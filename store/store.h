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

/* The name of a table. */
const char *table_name(enum table table);

/* Forget readers of processes that were killed; call now and then. */
void store_check_readers(struct store *store);

/* Fetch and raise the counter `name` in TABLE_META; the first value is 1. */
uint64_t store_next_number(struct txn *txn, const char *name);

#endif
