#include "store/verify.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/compress.h"
#include "base/count_map.h"
#include "base/hash.h"
#include "base/memory.h"
#include "store/content.h"
#include "store/document_frequency.h"
#include "store/key.h"
#include "store/record.h"
#include "store/rows.h"
#include "store/sets.h"
#include "store/store.h"

/* Check hooks, their outboxes, and silences. */

#define HOOK "hook %" PRIu32 ": "

static void check_number(struct verify_report *report, const char *what,
			 uint64_t number, uint64_t last)
{
	if (number > last)
		verify_problem(report,
			       "%s %" PRIu64
			       ": above the last number, %" PRIu64,
			       what, number, last);
}

/* Count a hook's rows in TABLE_OUTBOX and report damaged ones. */
static uint64_t check_count_outbox(struct txn *txn,
				   struct verify_report *report, uint32_t hook)
{
	struct key prefix = key_small(hook);
	struct scan scan = scan_begin(txn, TABLE_OUTBOX, key_slice(&prefix));
	uint64_t last = store_last_number(txn, "event");
	struct event_row row;
	uint64_t count = 0;

	while (scan_next(&scan)) {
		count++;
		if (scan.key.size != key_outbox(hook, 0).size ||
		    !event_decode(scan.value, &row))
			verify_problem(report, HOOK "a queued event is damaged",
				       hook);
		else
			check_number(report, "queued event",
				     key_u64(scan.key, sizeof(hook)), last);
	}
	scan_end(&scan);
	return count;
}

static void check_hooks(struct txn *txn, struct verify_report *report)
{
	struct scan scan = scan_begin(txn, TABLE_HOOKS, slice_of(""));
	uint64_t last = store_last_number(txn, "hook");
	struct hook_row row;

	while (scan_next(&scan)) {
		uint32_t hook = key_u32(scan.key, 0);
		uint64_t waiting;

		check_number(report, "hook", hook, last);
		if (scan.key.size != sizeof(hook) ||
		    !hook_row_decode(scan.value, &row)) {
			verify_problem(report, HOOK "damaged", hook);
			continue;
		}
		waiting = check_count_outbox(txn, report, hook);
		if (waiting != row.waiting)
			verify_problem(report,
				       HOOK "%" PRIu32 " events counted, but "
					    "%" PRIu64 " rows",
				       hook, row.waiting, waiting);
	}
	scan_end(&scan);
}

/* Report rows of TABLE_OUTBOX whose hook does not exist. One seek per hook. */
static void check_outbox(struct txn *txn, struct verify_report *report)
{
	uint64_t next = 0;

	while (next <= UINT32_MAX && txn->error == ERR_NONE) {
		struct key from = key_small((uint32_t)next);
		struct scan scan =
			scan_begin_at(txn, TABLE_OUTBOX, key_slice(&from), 0);
		bool is_row = scan_next(&scan);
		uint32_t hook = is_row ? key_u32(scan.key, 0) : 0;
		struct key key = key_small(hook);

		scan_end(&scan);
		if (!is_row)
			return;
		if (txn_get(txn, TABLE_HOOKS, key_slice(&key)).data == NULL)
			verify_problem(report,
				       HOOK "has queued events, but does "
					    "not exist",
				       hook);
		next = (uint64_t)hook + 1;
	}
}

static void check_silences(struct txn *txn, struct verify_report *report)
{
	struct scan scan = scan_begin(txn, TABLE_SILENCES, slice_of(""));
	uint64_t last = store_last_number(txn, "silence");
	struct silence_row row;

	while (scan_next(&scan)) {
		uint32_t silence = key_u32(scan.key, 0);

		check_number(report, "silence", silence, last);
		if (scan.key.size != sizeof(silence) ||
		    !silence_row_decode(scan.value, &row))
			verify_problem(report, "silence %" PRIu32 ": damaged",
				       silence);
	}
	scan_end(&scan);
}

void verify_alert_tables(struct txn *txn, struct verify_report *report)
{
	check_hooks(txn, report);
	check_outbox(txn, report);
	check_silences(txn, report);
}

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

static bool check_dictionary_is_intact(const struct table_check *check,
				       enum table table, uint32_t dictionary)
{
	struct buffer bytes = {0};
	enum error error = content_dictionary(
		check->txn, table, check->site->id, dictionary, &bytes);

	buffer_free(&bytes);
	return error == ERR_NONE;
}

/* Check that the dictionaries of the records of sample pages exist. */
static void check_sample_pages(const struct table_check *check)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_SAMPLE_PAGES, key_slice(&prefix));
	struct sample_page_row row;
	uint32_t dictionary;

	while (scan_next(&scan)) {
		struct key key;

		if (!sample_page_row_decode(scan.value, &row) ||
		    !content_is_packed(row.record, &dictionary) ||
		    dictionary == 0)
			continue;
		key = key_cluster(check->site->id, dictionary);
		if (txn_get(check->txn, TABLE_DICTIONARIES, key_slice(&key))
			    .data == NULL)
			verify_problem(check->report,
				       CHECK_SITE "a sample page needs "
						  "dictionary %u, which does "
						  "not exist",
				       CHECK_HOST(check), dictionary);
	}
	scan_end(&scan);
}

void verify_dictionary_table(const struct table_check *check)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_DICTIONARIES, key_slice(&prefix));
	uint64_t last = store_last_number(check->txn, "dictionary");

	while (scan_next(&scan)) {
		uint32_t number = key_u32(scan.key, sizeof(uint32_t));

		if (scan.key.size != 2 * sizeof(uint32_t) ||
		    !check_dictionary_is_intact(check, TABLE_BODIES, number) ||
		    !check_dictionary_is_intact(check, TABLE_RECORDS, number))
			verify_problem(check->report,
				       CHECK_SITE "dictionary %u is damaged",
				       CHECK_HOST(check), number);
		else if (number == 0 || number > last)
			verify_problem(check->report,
				       CHECK_SITE
				       "dictionary %u: above the last "
				       "number, %llu",
				       CHECK_HOST(check), number,
				       (unsigned long long)last);
	}
	scan_end(&scan);
	check_sample_pages(check);
}

#define GUARD "guard %.*s %u: "

static void check_report_guard(const struct table_check *check, uint32_t guard,
			       const char *what)
{
	verify_problem(check->report, GUARD "%s", CHECK_HOST(check), guard,
		       what);
}

static void check_report_guard_page(const struct table_check *check,
				    uint32_t guard, uint64_t page,
				    const char *what)
{
	verify_problem(check->report, GUARD "page %016" PRIx64 " %s",
		       CHECK_HOST(check), guard, page, what);
}

/* Check the rows of a guard's pages, and the counts against their sums. */
static void check_rows(const struct table_check *check, uint32_t guard,
		       const struct guard_row *row)
{
	struct key prefix = key_cluster(check->site->id, guard);
	struct scan scan =
		scan_begin(check->txn, TABLE_GUARDED, key_slice(&prefix));
	struct guarded_row guarded;
	struct page_row page_row;
	uint32_t checked = 0;

	while (scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, 8);

		checked++;
		if (scan.key.size != 16 ||
		    !guarded_row_decode(scan.value, &guarded)) {
			check_report_guard_page(check, guard, page,
						"is damaged");
			continue;
		}
		if (page_key_of(guarded.url) != page)
			check_report_guard_page(check, guard, page,
						"has another URL");
		else if (!verify_page_row(check->txn, check->site->id, page,
					  &page_row) ||
			 page_row.redirect.size > 0)
			check_report_guard_page(check, guard, page,
						"is no page of the site");
	}
	scan_end(&scan);
	if (checked != row->checked)
		verify_problem(check->report,
			       GUARD "has %u pages, but counts %u",
			       CHECK_HOST(check), guard, checked, row->checked);
}

static void check_guard(const struct table_check *check, struct slice key,
			struct slice value, uint64_t last)
{
	uint32_t guard = key_u32(key, 4);
	struct guard_row row;

	if (key.size != 8 || !guard_row_decode(value, &row) ||
	    row.state >= GUARD_STATES || row.recent_count > GUARD_RECENT ||
	    row.minimum > row.maximum || row.selector.size == 0) {
		check_report_guard(check, guard, "the row is damaged");
		return;
	}
	if (guard == 0 || guard > last)
		check_report_guard(check, guard,
				   "the number was never assigned");
	check_rows(check, guard, &row);
}

/*
 * Report rows of TABLE_GUARDED whose guard does not exist. One seek per guard.
 */
static void check_guard_owners(const struct table_check *check)
{
	uint64_t next = 0;

	while (next <= UINT32_MAX && check->txn->error == ERR_NONE) {
		struct key from = key_cluster(check->site->id, (uint32_t)next);
		struct scan scan = scan_begin_at(check->txn, TABLE_GUARDED,
						 key_slice(&from), 4);
		bool is_row = scan_next(&scan);
		uint32_t guard = is_row ? key_u32(scan.key, 4) : 0;
		struct key key = key_cluster(check->site->id, guard);

		scan_end(&scan);
		if (!is_row)
			return;
		if (txn_get(check->txn, TABLE_GUARDS, key_slice(&key)).data ==
		    NULL)
			check_report_guard(check, guard,
					   "does not exist, but has pages");
		next = (uint64_t)guard + 1;
	}
}

void verify_guard_tables(const struct table_check *check)
{
	struct key prefix = key_site(check->site->id);
	uint64_t last = store_last_number(check->txn, "guard");
	struct scan scan =
		scan_begin(check->txn, TABLE_GUARDS, key_slice(&prefix));

	while (scan_next(&scan))
		check_guard(check, scan.key, scan.value, last);
	scan_end(&scan);
	check_guard_owners(check);
}

#define PAGE CHECK_SITE "page %016" PRIx64 ": "

bool verify_page_row(struct txn *txn, uint32_t site, uint64_t page,
		     struct page_row *row_out)
{
	struct key key = key_page(site, page);
	struct slice value = txn_get(txn, TABLE_PAGES, key_slice(&key));

	return value.data != NULL && page_row_decode(value, row_out);
}

static void check_report_page(const struct table_check *check, uint64_t page,
			      const char *what)
{
	verify_problem(check->report, PAGE "%s", CHECK_HOST(check), page, what);
}

/* Return whether the value needs a missing dictionary, and report it. */
static bool lacks_dictionary(const struct table_check *check, uint64_t page,
			     const char *what, struct slice value)
{
	uint32_t dictionary;
	struct key key;

	if (!content_is_packed(value, &dictionary) || dictionary == 0)
		return false;
	key = key_cluster(check->site->id, dictionary);
	if (txn_get(check->txn, TABLE_DICTIONARIES, key_slice(&key)).data !=
	    NULL)
		return false;
	verify_problem(check->report,
		       PAGE "the %s needs dictionary %u, which does not exist",
		       CHECK_HOST(check), page, what, dictionary);
	return true;
}

static void check_page_record(const struct table_check *check, uint64_t page,
			      const struct page_row *row, struct slice value)
{
	struct buffer bytes = {0};
	struct record record;

	if (value.data == NULL) {
		check_report_page(check, page, "has no record");
		return;
	}
	if (lacks_dictionary(check, page, "record", value))
		return;
	if (content_record_open(check->txn, check->site->id, value, &bytes,
				&record) != ERR_NONE)
		check_report_page(check, page, "the record is damaged");
	else if (record.content_hash != row->content_hash)
		check_report_page(check, page,
				  "the record belongs to other content");
	else if ((record.flags & RECORD_IS_TRUNCATED) != 0 &&
		 (row->flags & PAGE_ROW_IS_TRUNCATED) == 0)
		check_report_page(check, page,
				  "the record is truncated, the row is not");
	buffer_free(&bytes);
}

static void check_body(const struct table_check *check, uint64_t page,
		       const struct page_row *row, struct slice value)
{
	struct buffer body = {0};

	if ((row->flags & PAGE_ROW_HAS_NO_BODY) != 0) {
		if (value.data != NULL)
			check_report_page(check, page,
					  "has a body, but its row states that "
					  "it has none");
		return;
	}
	if (value.data == NULL)
		check_report_page(check, page, "has no body");
	else if (lacks_dictionary(check, page, "body", value))
		return;
	else if (content_unpack(
			 check->txn,
			 (struct content_source){TABLE_BODIES, check->site->id},
			 value, row->body_bytes, &body) != ERR_NONE ||
		 body.size != row->body_bytes)
		check_report_page(check, page,
				  "the body does not decompress to its size");
	else if (hash64(body.data, body.size, 0) != row->content_hash)
		check_report_page(check, page, "the body has a wrong hash");
	buffer_free(&body);
}

static void check_membership(const struct table_check *check, uint64_t page,
			     const struct page_row *row)
{
	uint32_t site = check->site->id;
	struct key member = key_member(site, row->cluster, page);
	struct key cluster = key_cluster(site, row->cluster);

	if ((row->flags & PAGE_ROW_IS_TRUNCATED) != 0 || row->page_class != 0) {
		if (row->cluster != 0)
			check_report_page(check, page,
					  "is truncated or no page, but in a "
					  "cluster");
		return;
	}
	if (row->cluster == 0)
		check_report_page(check, page, "is in no cluster");
	else if (txn_get(check->txn, TABLE_CLUSTERS, key_slice(&cluster))
			 .data == NULL)
		check_report_page(check, page, "its cluster does not exist");
	if (row->cluster != 0 &&
	    txn_get(check->txn, TABLE_MEMBERS, key_slice(&member)).data == NULL)
		check_report_page(check, page, "is no member of its cluster");
}

static void check_page(const struct table_check *check, struct slice key,
		       const struct page_row *row)
{
	uint64_t page = key_u64(key, 4);

	check_page_record(check, page, row,
			  txn_get(check->txn, TABLE_RECORDS, key));
	check_body(check, page, row, txn_get(check->txn, TABLE_BODIES, key));
	check_membership(check, page, row);
}

/* Report rows of `table` without a page; a redirect is no page. */
static void check_owned(const struct table_check *check, enum table table)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan = scan_begin(check->txn, table, key_slice(&prefix));
	struct page_row row;

	while (scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, 4);

		if (scan.key.size == 12 &&
		    verify_page_row(check->txn, check->site->id, page, &row) &&
		    row.redirect.size == 0)
			continue;
		verify_problem(check->report,
			       PAGE "does not exist, but is in table %s",
			       CHECK_HOST(check), page, table_name(table));
	}
	scan_end(&scan);
}

/* The number of rows with a body or record, in total and by page class. */
struct page_counts {
	uint64_t of_class[SITE_CLASSES];
	uint64_t all;
};

static void check_compare_page_counts(const struct table_check *check,
				      const struct page_counts *counts)
{
	check->report->pages += counts->all;
	if (counts->all != check->site->page_count)
		verify_problem(check->report,
			       CHECK_SITE "has %" PRIu64
					  " pages, but counts %u",
			       CHECK_HOST(check), counts->all,
			       check->site->page_count);
	for (size_t i = 0; i < SITE_CLASSES; i++)
		if (counts->of_class[i] != check->site->class_counts[i])
			verify_problem(check->report,
				       CHECK_SITE "has %" PRIu64
						  " pages of class %zu, but "
						  "counts %u",
				       CHECK_HOST(check), counts->of_class[i],
				       i, check->site->class_counts[i]);
}

static void check_page_table_row(const struct table_check *check,
				 struct slice key, const struct page_row *row,
				 struct page_counts *counts)
{
	uint64_t page = key_u64(key, 4);

	if (page != page_key_of(row->url))
		check_report_page(check, page,
				  "the row has another page's URL");
	if (row->redirect.size > 0) {
		if (row->cluster != 0)
			check_report_page(check, page,
					  "is a redirect, but in a cluster");
		return;
	}
	counts->all++;
	if (row->page_class < SITE_CLASSES)
		counts->of_class[row->page_class]++;
	else
		check_report_page(check, page,
				  "is of a class that does not exist");
	check_page(check, key, row);
}

void verify_page_tables(const struct table_check *check)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_PAGES, key_slice(&prefix));
	struct page_counts counts = {0};
	struct page_row row;

	while (scan_next(&scan)) {
		if (scan.key.size == 12 && page_row_decode(scan.value, &row))
			check_page_table_row(check, scan.key, &row, &counts);
		else
			check_report_page(check, key_u64(scan.key, 4),
					  "the row is damaged");
	}
	scan_end(&scan);
	check_compare_page_counts(check, &counts);
	check_owned(check, TABLE_BODIES);
	check_owned(check, TABLE_RECORDS);
}

#define PATTERN CHECK_SITE "pattern %016" PRIx64 ": "

static void check_report_pattern(const struct table_check *check,
				 uint64_t pattern, const char *what)
{
	verify_problem(check->report, PATTERN "%s", CHECK_HOST(check), pattern,
		       what);
}

/* The number of frontier rows of each pattern, fine or coarse. */
struct pattern_counts {
	struct count_map found;
	struct count_map tried;
	struct count_map learned;
};

static void count_row(struct pattern_counts *counts, uint64_t pattern,
		      uint32_t flags)
{
	count_map_add(&counts->found, pattern);
	if ((flags & FRONTIER_IS_ATTEMPTED) != 0)
		count_map_add(&counts->tried, pattern);
	if ((flags & FRONTIER_IS_COUNTED) != 0)
		count_map_add(&counts->learned, pattern);
}

static void count_rows(const struct table_check *check,
		       struct pattern_counts *counts)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_FRONTIER, key_slice(&prefix));
	struct frontier_row row;

	while (scan_next(&scan)) {
		if (!frontier_row_decode(scan.value, &row) ||
		    (row.flags & FRONTIER_IS_AUXILIARY) != 0)
			continue;
		count_row(counts, row.pattern, row.flags);
		count_row(counts, row.coarse, row.flags);
	}
	scan_end(&scan);
	count_map_sort(&counts->found);
	count_map_sort(&counts->tried);
	count_map_sort(&counts->learned);
}

static uint64_t count_of(const struct count_map *tally, uint64_t number)
{
	size_t at;

	LOWER_BOUND(at, tally->count, tally->entries[at].number < number);
	return at < tally->count && tally->entries[at].number == number
		       ? tally->entries[at].count
		       : 0;
}

static void check_compare_pattern(const struct table_check *check,
				  uint64_t pattern, const char *name,
				  uint64_t found, uint32_t counted)
{
	if (found != counted)
		verify_problem(check->report,
			       PATTERN "has %" PRIu64 " %s URLs, but counts %u",
			       CHECK_HOST(check), pattern, found, name,
			       counted);
}

static void check_pattern(const struct table_check *check, uint64_t pattern,
			  const struct pattern_row *row,
			  const struct pattern_counts *counts)
{
	check_compare_pattern(check, pattern, "found",
			      count_of(&counts->found, pattern), row->found);
	check_compare_pattern(check, pattern, "tried",
			      count_of(&counts->tried, pattern), row->tried);
	check_compare_pattern(check, pattern, "learned",
			      count_of(&counts->learned, pattern),
			      row->learned);
	if (row->found == 0)
		check_report_pattern(check, pattern, "has no URL");
	if (row->quiet > row->learned)
		check_report_pattern(check, pattern,
				     "has more quiet pages than pages");
}

/* Report the patterns of frontier rows that have no row in TABLE_PATTERNS. */
static void check_missing(const struct table_check *check,
			  const struct pattern_counts *counts)
{
	for (size_t i = 0; i < counts->found.count; i++) {
		uint64_t pattern = counts->found.entries[i].number;
		struct key key = key_page(check->site->id, pattern);

		if (txn_get(check->txn, TABLE_PATTERNS, key_slice(&key)).data ==
		    NULL)
			check_report_pattern(check, pattern,
					     "has URLs, but no row");
	}
}

void verify_pattern_table(const struct table_check *check)
{
	struct key prefix = key_site(check->site->id);
	struct pattern_counts counts = {0};
	struct scan scan;
	struct pattern_row row;
	uint64_t coarse = 0;

	count_rows(check, &counts);
	scan = scan_begin(check->txn, TABLE_PATTERNS, key_slice(&prefix));
	while (scan_next(&scan)) {
		uint64_t pattern = key_u64(scan.key, 4);

		if (scan.key.size != 12 ||
		    !pattern_row_decode(scan.value, &row)) {
			check_report_pattern(check, pattern,
					     "the row is damaged");
			continue;
		}
		coarse += (row.flags & PATTERN_IS_COARSE) != 0;
		check_pattern(check, pattern, &row, &counts);
	}
	scan_end(&scan);
	check_missing(check, &counts);
	if (coarse != check->site->coarse_count)
		verify_problem(check->report,
			       CHECK_SITE "has %" PRIu64
					  " coarse patterns, but counts %u",
			       CHECK_HOST(check), coarse,
			       check->site->coarse_count);
	count_map_free(&counts.found);
	count_map_free(&counts.tried);
	count_map_free(&counts.learned);
}

static const char *wrong_in(const struct quarantine_row *row, uint64_t page)
{
	struct buffer body = {0};
	const char *wrong = NULL;

	if (page_key_of(row->url) != page)
		wrong = "has another URL";
	else if (decompress_slice(row->body, (size_t)row->body_bytes, &body) !=
			 ERR_NONE ||
		 body.size != row->body_bytes ||
		 hash64(body.data, body.size, 0) != row->content_hash)
		wrong = "has a damaged body";
	buffer_free(&body);
	return wrong;
}

void verify_quarantine_table(const struct table_check *check)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_QUARANTINE, key_slice(&prefix));
	struct quarantine_row row;

	while (scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, sizeof(uint32_t));
		const char *wrong = "is damaged";

		if (scan.key.size == 12 &&
		    quarantine_row_decode(scan.value, &row))
			wrong = wrong_in(&row, page);
		if (wrong != NULL)
			verify_problem(check->report,
				       CHECK_SITE
				       "the quarantined page %016" PRIx64 " %s",
				       CHECK_HOST(check), page, wrong);
	}
	scan_end(&scan);
}

#define SETS CHECK_SITE "table %s: "

/*
 * The number of a row, the hash of its value, which must be unique among the
 * rows, and whether another table refers to the row.
 */
struct numbered {
	uint64_t content;
	uint32_t number;
	bool is_used;
};

struct numbers {
	struct numbered *items; /* [count], ascending by number */
	size_t count;
	size_t capacity;
};

static void numbers_add(struct numbers *numbers, uint32_t number,
			uint64_t content)
{
	numbers->items = mem_grow(numbers->items, numbers->count,
				  &numbers->capacity, sizeof(*numbers->items));
	numbers->items[numbers->count++] =
		(struct numbered){.content = content, .number = number};
}

/* Mark the number as used; return false if there is no such row. */
static bool numbers_mark_used(struct numbers *numbers, uint32_t number)
{
	size_t at;

	LOWER_BOUND(at, numbers->count, numbers->items[at].number < number);
	if (at == numbers->count || numbers->items[at].number != number)
		return false;
	numbers->items[at].is_used = true;
	return true;
}

static int by_content(const void *left, const void *right)
{
	const struct numbered *a = left;
	const struct numbered *b = right;

	return (a->content > b->content) - (a->content < b->content);
}

/*
 * Check that another table refers to each row and that values are unique.
 * Reorders the numbers.
 */
static void check_numbers(const struct table_check *check, enum table table,
			  struct numbers *numbers)
{
	struct numbered *items = numbers->items;

	for (size_t i = 0; i < numbers->count; i++)
		if (!items[i].is_used)
			verify_problem(check->report, SETS "%u is not used",
				       CHECK_HOST(check), table_name(table),
				       items[i].number);
	if (numbers->count > 1)
		qsort(items, numbers->count, sizeof(*items), by_content);
	for (size_t i = 1; i < numbers->count; i++)
		if (items[i - 1].content == items[i].content)
			verify_problem(check->report,
				       SETS "%u and %u are the same",
				       CHECK_HOST(check), table_name(table),
				       items[i - 1].number, items[i].number);
}

static void check_load_shingles(const struct table_check *check,
				struct numbers *shingle_ids)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_SHINGLES, key_slice(&prefix));

	while (scan_next(&scan)) {
		uint64_t shingle = 0;

		if (scan.key.size != 8 || !shingle_decode(scan.value, &shingle))
			verify_problem(check->report, SETS "%u is damaged",
				       CHECK_HOST(check),
				       table_name(TABLE_SHINGLES),
				       key_u32(scan.key, 4));
		else
			numbers_add(shingle_ids, key_u32(scan.key, 4), shingle);
	}
	scan_end(&scan);
}

static void check_add_set(const struct table_check *check, struct slice key,
			  struct slice value, struct numbers *shingle_ids,
			  struct numbers *sets)
{
	uint32_t *shingles = mem_alloc(value.size + 1, sizeof(*shingles));
	uint32_t set = key_u32(key, 4);
	size_t count = key.size == 8 ? set_decode(value, shingles) : SIZE_MAX;
	bool is_sound = count != SIZE_MAX;

	for (size_t i = 0; is_sound && i < count; i++)
		is_sound = numbers_mark_used(shingle_ids, shingles[i]);
	if (!is_sound)
		verify_problem(check->report, SETS "%u is damaged",
			       CHECK_HOST(check), table_name(TABLE_SETS), set);
	numbers_add(sets, set, hash64(value.data, value.size, 0));
	free(shingles);
}

static void check_load_sets(const struct table_check *check,
			    struct numbers *shingle_ids, struct numbers *sets)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_SETS, key_slice(&prefix));

	while (scan_next(&scan))
		check_add_set(check, scan.key, scan.value, shingle_ids, sets);
	scan_end(&scan);
}

static void use_sets(const struct table_check *check, struct numbers *sets)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_MEMBERS, key_slice(&prefix));

	while (scan_next(&scan)) {
		uint32_t set;

		if (!member_decode(scan.value, &set) ||
		    !numbers_mark_used(sets, set))
			verify_problem(check->report,
				       CHECK_SITE "page %016" PRIx64
						  ": its signature is missing",
				       CHECK_HOST(check), key_u64(scan.key, 8));
	}
	scan_end(&scan);
}

void verify_set_tables(const struct table_check *check)
{
	struct numbers shingle_ids = {0};
	struct numbers sets = {0};

	check_load_shingles(check, &shingle_ids);
	check_load_sets(check, &shingle_ids, &sets);
	use_sets(check, &sets);
	check_numbers(check, TABLE_SHINGLES, &shingle_ids);
	check_numbers(check, TABLE_SETS, &sets);
	free(shingle_ids.items);
	free(sets.items);
}

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
