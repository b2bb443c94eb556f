/*
 * store/migrate.h - migrates a store from an earlier schema. Internal to
 * store/.
 */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

struct txn;

/*
 * The last schema whose rows contain their secrets. store_upgrade() makes a
 * copy in the current schema.
 */
enum { SCHEMA_UNSEALED = 9 };

/*
 * The last schema whose values have no checksums. store_upgrade() makes a copy
 * that has them.
 */
enum { SCHEMA_WITHOUT_CHECKSUMS = 8 };

/*
 * Migrate a store to SCHEMA_WITHOUT_CHECKSUMS, in a write transaction, before
 * its tables are opened. Do nothing unless its schema is earlier and supported.
 * All data remain. The step to schema 5 gives tables and counters their current
 * names, and renames "share" to "ratio" in the versions of templates. Schema 6
 * adds the table of dictionaries, and still reads values without one. Schema 7
 * has the counts of fragments in blocks, and makes the daemon rebuild the
 * dictionaries. Schema 8 has sites whose measure earlier programs do not know.
 * Costs a copy of the renamed tables, of the counts and of the dictionaries.
 */
void store_migrate(struct txn *txn);

#endif
