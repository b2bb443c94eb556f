/*
 * store/migrate.h - migrates a store from an earlier schema. Internal to
 * store/.
 */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "store/store.h"

struct txn;

/* Migrate every row from one schema to the next. */
typedef void migration_step(struct txn *txn);

/*
 * The steps to STORE_SCHEMA from the schemas before it: the last one migrates
 * from STORE_SCHEMA - 1.
 */
struct migration {
	migration_step *const *steps; /* [count] */
	size_t count;                 /* at most STORE_SCHEMA */
};

/*
 * Migrate the store from `schema` to STORE_SCHEMA in a write transaction with
 * open tables, by the steps of store/migrate.c or of its options. Fail the
 * transaction with ERR_VERSION if there is no step from that schema, and with
 * ERR_STORE_FULL if there is no space for the rows that a step writes.
 */
void store_migrate(struct txn *txn, uint64_t schema);

/* Copies the store so that its pages are full. Internal to store/. */

/*
 * Write every row of `from`, table by table and in order, to the empty file
 * `name`. LMDB's own compaction does not merge pages, which may be a quarter
 * full; this copy fills each page. It does not sync. One read transaction.
 * ERR_STORE_FULL, ERR_CORRUPT, ERR_IO.
 */
enum error store_rewrite(struct store *from, const char *name);

#endif
