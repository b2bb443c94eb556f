/*
 * store/verify.h - recomputes from the records everything that other tables
 * derive from them, and compares (promise 2 of the manual).
 * daemon/engine/invariants.h checks the partition of the pages into
 * clusters, which requires clustering.
 */
#ifndef STORE_VERIFY_H
#define STORE_VERIFY_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/rows.h"
#include "store/txn.h"

struct verify_report {
	uint64_t sites;
	uint64_t pages;
	uint64_t clusters;
	uint64_t df_counts; /* compared (cluster, fragment) pairs */
	uint64_t urls;      /* frontier rows */
	uint64_t problems;
	struct buffer text; /* one line per problem, at most the first 100 */
	char *place; /* [VERIFY_PLACE_BYTES] the part that is being read, for a
			watching process; or NULL */
};

enum { VERIFY_PLACE_BYTES = 128 };

/*
 * Check every site in the snapshot of `txn`. Each page has a record; a body
 * that decompresses to its content hash, unless its row states that the body
 * has expired; a signature; and one member row of an existing cluster (none if
 * the page is truncated or of another class). Cluster sizes and DF counts are
 * exact, with no superfluous row. The frontier and its due index agree, and the
 * counters of patterns and of the site row are right. Every row belongs to a
 * site. Count and list problems in `report`; return an error only if the store
 * cannot be read. Memory: the DF table of one cluster, or three numbers per
 * pattern, at a time.
 */
enum error store_verify(struct txn *txn, struct verify_report *report);

/*
 * Read the pages of every table without the map (store/lmdb_file.h), in
 * the current snapshot of the file, and compare the checksum of every value.
 * Report each damage with its table and page or row. Do not read damaged parts
 * through the map. ERR_IO, ERR_BUSY.
 */
struct store;
enum error store_verify_pages(struct store *store,
			      struct verify_report *report);

/* Set the name of the part that is read from now on. */
void verify_place(struct verify_report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Add a problem to the report. */
void verify_problem(struct verify_report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The parts of store_verify(). Internal to store/. */

/* A site that is being checked. */
struct table_check {
	struct txn *txn;
	struct verify_report *report;
	const struct site_row *site;
};

/* The beginning of each reported line: "site HOST: ". */
#define CHECK_SITE "site %.*s: "
#define CHECK_HOST(check) \
	(int)(check)->site->host.size, (const char *)(check)->site->host.data

/* Check TABLE_PAGES, BODIES, RECORDS and the page counts of the site. */
void verify_page_tables(const struct table_check *check);

/*
 * Check TABLE_DICTIONARIES, and that the dictionaries of SAMPLE_PAGES exist. An
 * unused dictionary is no problem; the daemon deletes it later.
 */
void verify_dictionary_table(const struct table_check *check);

/* Check TABLE_CLUSTERS, MEMBERS, DF. */
void verify_cluster_tables(const struct table_check *check);

/* Check TABLE_SHINGLES, SETS, and that MEMBERS refer to them. */
void verify_set_tables(const struct table_check *check);

/* Check TABLE_PATTERNS against the sums of the rows of TABLE_FRONTIER. */
void verify_pattern_table(const struct table_check *check);

/* Check TABLE_FRONTIER, DUE and the URL counts of the site. */
void verify_frontier_tables(const struct table_check *check);

/* Check TABLE_GUARDS and GUARDED. */
void verify_guard_tables(const struct table_check *check);

/* Check TABLE_QUARANTINE. */
void verify_quarantine_table(const struct table_check *check);

/* Check TABLE_EVENTS, HOOKS, OUTBOX, SILENCES. */
void verify_alert_tables(struct txn *txn, struct verify_report *report);

/* Walks over the first numbers of the keys of a table, ascending. */
struct owners {
	struct txn *txn;
	enum table table;
	uint32_t site; /* only the numbers that follow it; 0 = all keys */
	uint64_t next; /* continue here */
};

/* Find the next number; return false after the last one. One seek. */
bool owners_next(struct owners *owners, uint32_t *number_out);

#endif
