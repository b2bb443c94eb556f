/* store/migrate.h - a store of an earlier schema becomes one of this schema.
 * Internal to store/. */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

struct txn;

/* The last one whose rows have their secrets in them. As below, a copy of it is
 * of this schema. */
enum { SCHEMA_UNSEALED = 9 };

/* The last one of those whose values are without. What is of this schema gets
 * them by a copy: store_upgrade(). */
enum { SCHEMA_WITHOUT_CHECKSUMS = 8 };

/*
 * Make it a store of SCHEMA_WITHOUT_CHECKSUMS, in a write transaction, before
 * the tables are opened; no-op when it is of no earlier schema that can be. All
 * is kept: tables and counters of schema 4 get the names that they have since
 * 5, and the versions of templates say "ratio" where they said "share"; schema
 * 6 adds the table of dictionaries, and reads what was stored without; schema 7
 * has the counts of fragments in blocks, and has dictionaries made anew; schema
 * 8 has sites whose measure earlier programs do not know. Costs a copy of the
 * tables that are renamed, of the counts, and of the dictionaries.
 */
void store_migrate(struct txn *txn);

#endif
