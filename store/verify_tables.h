/* store/verify_tables.h - the parts of store_verify(). Internal to store/. */
#ifndef STORE_VERIFY_TABLES_H
#define STORE_VERIFY_TABLES_H

#include "store/rows.h"
#include "store/txn.h"
#include "store/verify.h"

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

/* Check TABLE_HOOKS, OUTBOX, SILENCES. */
void verify_alert_tables(struct txn *txn, struct verify_report *report);

/*
 * Decode a row of TABLE_PAGES. Return false if it is damaged;
 * verify_page_tables() reports that.
 */
bool verify_page_row(struct txn *txn, uint32_t site, uint64_t page,
		     struct page_row *row_out);

#endif
