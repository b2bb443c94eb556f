/*
 * store/verify.h - check that the tables agree (promise 2 of the manual).
 * Everything that tables derive from the records is computed again and
 * compared. Only the partition of the pages into clusters is checked elsewhere,
 * in daemon/engine/invariants.h, because that requires clustering.
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
	/* number of (cluster, fragment) pairs that were compared */
	uint64_t df_counts;
	uint64_t urls; /* number of frontier rows */
	uint64_t problems;
	struct buffer text; /* one line for each problem, at most 100 lines */
	/*
	 * [VERIFY_PLACE_BYTES], the name of the part that is being read, for a
	 * process that watches this one; or NULL
	 */
	char *place;
};

enum { VERIFY_PLACE_BYTES = 128 };

/*
 * Check every site in the snapshot of `txn`. A page must have a record; a body
 * that decompresses to its content hash, unless its row states that the body
 * has expired; a signature; and one member row of an existing cluster, or none
 * if the page is truncated or of another class. The sizes of clusters and the
 * document frequencies must be exact, without superfluous rows. The frontier
 * and TABLE_DUE must agree, and the counters in the rows of patterns and sites
 * must be right. Every row must belong to a site. Problems are counted and
 * listed in `report`; an error is returned only if the store cannot be read.
 * The memory holds the document frequencies of one cluster at a time, or three
 * numbers for each pattern.
 */
enum error store_verify(struct txn *txn, struct verify_report *report);

/*
 * Read the pages of all tables in the current snapshot of the file without a
 * memory map (store/lmdb_file.h), and compare the checksum of every value.
 * Report each damage with its table and page or row. Damaged parts are not read
 * through the memory map. ERR_IO, ERR_BUSY.
 */
struct store;
enum error store_verify_pages(struct store *store,
			      struct verify_report *report);

/* Set report->place, the name of the part that is read from now on. */
void verify_place(struct verify_report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Add a problem to the report. */
void verify_problem(struct verify_report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The parts of store_verify(), one for each group of tables. Internal to
 * store/.
 */

/* A site that is being checked. */
struct table_check {
	struct txn *txn;
	struct verify_report *report;
	const struct site_row *site;
};

/* The begin of each line about a site: "site HOST: ". */
#define CHECK_SITE "site %.*s: "
#define CHECK_HOST(check) \
	(int)(check)->site->host.size, (const char *)(check)->site->host.data

/*
 * Check TABLE_PAGES, BODIES and RECORDS, and the page counts in the site's row.
 */
void verify_page_tables(const struct table_check *check);

/*
 * Check TABLE_DICTIONARIES, and that the dictionaries exist that rows of
 * SAMPLE_PAGES need. An unused dictionary is not a problem, because the daemon
 * deletes it later.
 */
void verify_dictionary_table(const struct table_check *check);

/* Check TABLE_CLUSTERS, MEMBERS and DF. */
void verify_cluster_tables(const struct table_check *check);

/*
 * Check TABLE_SHINGLES and SETS, and that rows of MEMBERS refer to existing
 * sets.
 */
void verify_set_tables(const struct table_check *check);

/* Compare the counts in TABLE_PATTERNS with the rows of TABLE_FRONTIER. */
void verify_pattern_table(const struct table_check *check);

/* Check TABLE_FRONTIER and DUE, and the URL counts in the site's row. */
void verify_frontier_tables(const struct table_check *check);

/* Check TABLE_GUARDS and GUARDED. */
void verify_guard_tables(const struct table_check *check);
void verify_incidents(const struct table_check *check);
void verify_screenshots(const struct table_check *check);
void verify_comments(const struct table_check *check);
void verify_site_days(const struct table_check *check);
void verify_text_changes(const struct table_check *check);
void verify_fields(const struct table_check *check);
void verify_field_values(const struct table_check *check);
void verify_renders(const struct table_check *check);
void verify_cookies(const struct table_check *check);
void verify_waiting(const struct table_check *check);

/* Check TABLE_QUARANTINE. */
void verify_quarantine_table(const struct table_check *check);

/* Check TABLE_EVENTS, HOOKS, OUTBOX, REFUSED and SILENCES. */
void verify_alert_tables(struct txn *txn, struct verify_report *report);

/*
 * A walk over the first numbers of the keys in a table, ascending; each number
 * is visited once.
 */
struct owners {
	struct txn *txn;
	enum table table;
	/*
	 * if not 0, visit the second numbers of keys that begin with this site
	 */
	uint32_t site;
	uint64_t next; /* the lowest number to visit next */
};

/*
 * Find the next number. Return false after the last one. This takes one search
 * in the table.
 */
bool owners_next(struct owners *owners, uint32_t *number_out);

#endif
