#include <inttypes.h>

#include "base/tally.h"
#include "store/check.h"
#include "store/content.h"
#include "store/document_frequency.h"
#include "store/key.h"
#include "store/record.h"
#include "store/rows_cluster.h"
#include "store/store.h"

#define CLUSTER "cluster %.*s/%u: "

/*
 * Count the fragments of a page of the cluster. verify_page_tables() reports
 * damaged records; here they cause wrong counts.
 */
static void check_count_fragments(const struct table_check *check,
				  uint64_t page, struct count_map *tally)
{
	struct buffer bytes = {0};
	struct record record;

	if (content_record(check->txn, check->site->id, page, &bytes,
			   &record) == ERR_NONE)
		for (uint32_t i = 0; i < record.fragment_count; i++)
			count_map_add(tally, record.fragments[i].hash);
	buffer_free(&bytes);
}

/* Return the number of members of the cluster. */
static uint64_t count_members(const struct table_check *check, uint32_t cluster,
			      struct count_map *tally)
{
	struct key prefix = key_cluster(check->site->id, cluster);
	struct scan scan =
		scan_begin(check->txn, TABLE_MEMBERS, key_slice(&prefix));
	struct page_row row;
	uint64_t count = 0;

	while (scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, 8);

		count++;
		if (scan.key.size != 16 ||
		    !verify_page_row(check->txn, check->site->id, page, &row))
			verify_problem(check->report,
				       CLUSTER "its page %016" PRIx64
					       " does not exist",
				       CHECK_HOST(check), cluster, page);
		else if (row.cluster != cluster)
			verify_problem(check->report,
				       CLUSTER "its page %016" PRIx64
					       " names cluster %u",
				       CHECK_HOST(check), cluster, page,
				       row.cluster);
		check_count_fragments(check, page, tally);
	}
	scan_end(&scan);
	return count;
}

static void check_report_count(const struct table_check *check,
			       uint32_t cluster, uint64_t fragment,
			       uint64_t counted, uint64_t pages)
{
	if (counted != pages)
		verify_problem(
			check->report,
			CLUSTER "fragment %016" PRIx64 " is counted %" PRIu64
				" times, but on %" PRIu64 " pages",
			CHECK_HOST(check), cluster, fragment, counted, pages);
}

static void check_report_cluster_damage(const struct table_check *check,
					uint32_t cluster, uint64_t fragment)
{
	verify_problem(check->report,
		       CLUSTER "the counts of the block of fragment %016" PRIx64
			       " are damaged",
		       CHECK_HOST(check), cluster, fragment);
}

/* Compare the two lists of counts, both ascending by fragment, in one pass. */
static void check_counts(const struct table_check *check, uint32_t cluster,
			 const struct count_map *tally)
{
	struct df_scan scan =
		df_scan_begin(check->txn, check->site->id, cluster);
	const struct count_map_entry *seen = tally->entries;
	uint64_t above = 0; /* last fragment of the previous block */
	size_t next = 0;

	while (df_scan_next(&scan)) {
		uint64_t fragment = scan.now.fragment;
		uint64_t pages = 0;

		if (scan.now.pages == 0 || fragment < above) {
			check_report_cluster_damage(check, cluster, fragment);
			continue;
		}
		above = fragment + 1;
		check->report->df_counts++;
		for (; next < tally->count && seen[next].number < fragment;
		     next++)
			check_report_count(check, cluster, seen[next].number, 0,
					   seen[next].count);
		if (next < tally->count && seen[next].number == fragment)
			pages = seen[next++].count;
		check_report_count(check, cluster, fragment, scan.now.pages,
				   pages);
	}
	df_scan_end(&scan);
	for (; next < tally->count; next++)
		check_report_count(check, cluster, seen[next].number, 0,
				   seen[next].count);
}

static void check_cluster(const struct table_check *check, struct slice key,
			  struct slice value)
{
	uint32_t cluster = key_u32(key, 4);
	struct cluster_row row;
	struct count_map tally = {0};
	uint64_t members = count_members(check, cluster, &tally);

	check->report->clusters++;
	if (key.size != 8 || !cluster_row_decode(value, &row))
		verify_problem(check->report, CLUSTER "the row is damaged",
			       CHECK_HOST(check), cluster);
	else if (members == 0 || row.page_count != members)
		verify_problem(check->report,
			       CLUSTER "has %" PRIu64 " pages, but counts %u",
			       CHECK_HOST(check), cluster, members,
			       row.page_count);
	if (cluster == 0 || cluster >= check->site->next_cluster)
		verify_problem(
			check->report, CLUSTER "the next number would be %u",
			CHECK_HOST(check), cluster, check->site->next_cluster);
	count_map_sort(&tally);
	check_counts(check, cluster, &tally);
	count_map_free(&tally);
}

/* Report rows of clusters that do not exist. One seek per cluster. */
static void check_cluster_owners(const struct table_check *check,
				 enum table table)
{
	uint64_t next = 0;

	while (next <= UINT32_MAX && check->txn->error == ERR_NONE) {
		struct key from = key_cluster(check->site->id, (uint32_t)next);
		struct scan scan =
			scan_begin_at(check->txn, table, key_slice(&from), 4);
		bool is_row = scan_next(&scan);
		uint32_t cluster = is_row ? key_u32(scan.key, 4) : 0;
		struct key key = key_cluster(check->site->id, cluster);

		scan_end(&scan);
		if (!is_row)
			return;
		if (txn_get(check->txn, TABLE_CLUSTERS, key_slice(&key)).data ==
		    NULL)
			verify_problem(check->report,
				       CLUSTER "does not exist, but is in "
					       "table %s",
				       CHECK_HOST(check), cluster,
				       table_name(table));
		next = (uint64_t)cluster + 1;
	}
}

void verify_cluster_tables(const struct table_check *check)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_CLUSTERS, key_slice(&prefix));

	while (scan_next(&scan))
		check_cluster(check, scan.key, scan.value);
	scan_end(&scan);
	check_cluster_owners(check, TABLE_MEMBERS);
	check_cluster_owners(check, TABLE_DF);
}
