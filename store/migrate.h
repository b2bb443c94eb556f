/*
 * store/migrate.h - migrate a store from an earlier schema, and rewrite it.
 * Internal to store/.
 */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "store/store.h"

struct txn;

/* A function that migrates every row from one schema to the next schema. */
typedef void migration_step(struct txn *txn);

/*
 * The steps to STORE_SCHEMA from earlier schemas. The last step migrates from
 * STORE_SCHEMA - 1.
 */
struct migration {
	migration_step *const *steps; /* [count] */
	/* number of steps, at most STORE_SCHEMA */
	size_t count;
};

/*
 * Migrate the store from `schema` to STORE_SCHEMA, in a write transaction with
 * open tables. The steps are those in store/migrate.c, or those in the options
 * of the store. Errors of the transaction: ERR_VERSION: there is no step from
 * `schema`. ERR_STORE_FULL: there is no space for the rows that a step writes.
 */
void store_migrate(struct txn *txn, uint64_t schema);

/* A copy of the store whose pages are full. Internal to store/. */

/*
 * Write all rows of `from`, table by table and in order, to the empty file
 * `name`. LMDB's own compaction does not merge pages, which may be only a
 * quarter full; this copy fills each page. It does not write the file to disk.
 * It uses one read transaction. ERR_STORE_FULL, ERR_CORRUPT, ERR_IO.
 */
enum error store_rewrite(struct store *from, const char *name);

#endif
