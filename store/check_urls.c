#include <inttypes.h>

#include "store/check.h"
#include "store/key.h"
#include "store/rows_frontier.h"

#define URL CHECK_SITE "url %016" PRIx64 ": "

static void check_report_url(const struct table_check *check, uint64_t url,
			     const char *what)
{
	verify_problem(check->report, URL "%s", CHECK_HOST(check), url, what);
}

/* Counts over the frontier rows of a site. */
struct url_counts {
	uint64_t of_state[FRONTIER_STATES]; /* without auxiliary URLs */
	uint64_t found;
	uint64_t waiting; /* pending or leased, with auxiliary URLs */
	uint64_t tried;
	uint64_t sitemaps;
	uint64_t all;
};

static bool check_url_is_pending(const struct frontier_row *row)
{
	return row->state == FRONTIER_PENDING || row->state == FRONTIER_LEASED;
}

static void count_url(const struct frontier_row *row, struct url_counts *counts)
{
	counts->waiting += check_url_is_pending(row);
	counts->sitemaps += (row->flags & FRONTIER_IS_SITEMAP) != 0;
	if ((row->flags & FRONTIER_IS_AUXILIARY) != 0)
		return;
	counts->found++;
	counts->of_state[row->state]++;
	counts->tried += (row->flags & FRONTIER_IS_ATTEMPTED) != 0;
}

static void check_url(const struct table_check *check, struct slice key,
		      struct slice value, struct url_counts *counts)
{
	uint64_t url = key_u64(key, 4);
	struct frontier_row row;
	struct key due;

	counts->all++;
	if (key.size != 12 || !frontier_row_decode(value, &row) ||
	    row.state >= FRONTIER_STATES) {
		check_report_url(check, url, "the row is damaged");
		return;
	}
	count_url(&row, counts);
	if (url != page_key_of(row.url))
		check_report_url(check, url, "the row has another URL");
	if (check_url_is_pending(&row) && row.due_ms == 0)
		check_report_url(check, url, "is pending, but never due");
	if (row.state == FRONTIER_SKIPPED && row.due_ms != 0)
		check_report_url(check, url, "is skipped, but due");
	due = key_due(check->site->id, row.due_ms, url);
	if (row.due_ms != 0 &&
	    txn_get(check->txn, TABLE_DUE, key_slice(&due)).data == NULL)
		check_report_url(check, url,
				 "is due, but not in the due index");
}

static void check_due(const struct table_check *check)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_DUE, key_slice(&prefix));
	struct frontier_row row;

	while (scan_next(&scan)) {
		uint64_t due_ms = key_u64(scan.key, 4);
		uint64_t url = key_u64(scan.key, 12);
		struct key key = key_page(check->site->id, url);
		struct slice value =
			txn_get(check->txn, TABLE_FRONTIER, key_slice(&key));

		if (scan.key.size != 20)
			check_report_url(check, url, "the due key is damaged");
		else if (value.data == NULL)
			check_report_url(check, url,
					 "is due, but not in the frontier");
		else if (frontier_row_decode(value, &row) &&
			 row.due_ms != due_ms)
			check_report_url(check, url, "is due at another time");
	}
	scan_end(&scan);
}

static void check_compare_url_count(const struct table_check *check,
				    const char *name, uint64_t found,
				    uint32_t counted)
{
	if (found != counted)
		verify_problem(check->report,
			       CHECK_SITE "has %" PRIu64
					  " %s URLs, but counts %u",
			       CHECK_HOST(check), found, name, counted);
}

void verify_frontier_tables(const struct table_check *check)
{
	const struct site_row *site = check->site;
	struct key prefix = key_site(site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_FRONTIER, key_slice(&prefix));
	struct url_counts counts = {0};
	const uint64_t *of = counts.of_state;

	while (scan_next(&scan))
		check_url(check, scan.key, scan.value, &counts);
	scan_end(&scan);
	check->report->urls += counts.all;
	check_compare_url_count(check, "found", counts.found,
				site->found_count);
	check_compare_url_count(check, "pending", counts.waiting,
				site->pending_count);
	check_compare_url_count(check, "fetched", of[FRONTIER_DONE],
				site->fetched_count);
	check_compare_url_count(check, "failed",
				of[FRONTIER_FAILED] + of[FRONTIER_DENIED],
				site->failed_count);
	check_compare_url_count(check, "skipped", of[FRONTIER_SKIPPED],
				site->skipped_count);
	check_compare_url_count(check, "tried", counts.tried,
				site->tried_count);
	check_compare_url_count(check, "sitemap", counts.sitemaps,
				site->sitemap_count);
	check_due(check);
}
