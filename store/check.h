/* store/check.h - the parts of store_verify(). Private to this folder. */
#ifndef STORE_CHECK_H
#define STORE_CHECK_H

#include "store/rows_page.h"
#include "store/rows_site.h"
#include "store/txn.h"
#include "store/verify.h"

/* One site under check. */
struct check {
	struct txn *txn;
	struct verify_report *report;
	const struct site_row *site;
};

/* The beginning of every problem's line: "site HOST: ". */
#define CHECK_SITE "site %.*s: "
#define CHECK_HOST(check) \
	(int)(check)->site->host.size, (const char *)(check)->site->host.data

/* TABLE_PAGES, BODIES, RECORDS and the site's counts of pages. */
void check_pages(const struct check *check);

/* TABLE_DICTIONARIES, and that SAMPLE_PAGES have theirs. One that no page needs
 * is no problem: it goes later. */
void check_dictionaries(const struct check *check);

/* TABLE_CLUSTERS, MEMBERS, DF. */
void check_clusters(const struct check *check);

/* TABLE_SHINGLES, SETS, and that MEMBERS refer to them. */
void check_sets(const struct check *check);

/* TABLE_PATTERNS and what the rows of TABLE_FRONTIER add up to in them. */
void check_patterns(const struct check *check);

/* TABLE_FRONTIER, DUE and the site's counts of URLs. */
void check_urls(const struct check *check);

/* TABLE_GUARDS and GUARDED. */
void check_guards(const struct check *check);

/* TABLE_POISON. */
void check_poison(const struct check *check);

/* TABLE_HOOKS, OUTBOX, SILENCES. */
void check_alerts(struct txn *txn, struct verify_report *report);

/*
 * Decode a row of TABLE_PAGES. False when it is damaged, which check_pages()
 * reports.
 */
bool check_page_row(struct txn *txn, uint32_t site, uint64_t page,
		    struct page_row *row_out);

#endif
