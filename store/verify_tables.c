#include "store/verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
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

/* Report a problem of the site as "site HOST: ...". */
static void site_problem(const struct table_check *check, const char *format,
			 ...) __attribute__((format(printf, 2, 3)));

static void site_problem(const struct table_check *check, const char *format,
			 ...)
{
	char text[256];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	verify_problem(check->report, CHECK_SITE "%s", CHECK_HOST(check), text);
}

/* Report a problem of a row as "site HOST: ROW KEY: ...". */
static void row_problem(const struct table_check *check, const char *row,
			uint64_t key, const char *what)
{
	site_problem(check, "%s %016" PRIx64 ": %s", row, key, what);
}

static void compare_count(const struct table_check *check, uint64_t found,
			  const char *what, uint32_t counted)
{
	if (found != counted)
		site_problem(check, "has %" PRIu64 " %s, but counts %u", found,
			     what, counted);
}

bool owners_next(struct owners *owners, uint32_t *number_out)
{
	uint32_t next = (uint32_t)owners->next;
	struct key from = owners->site == 0 ? key_small(next)
					    : key_cluster(owners->site, next);
	size_t prefix_size = from.size - sizeof(next);
	struct scan scan;
	bool is_row;

	if (owners->next > UINT32_MAX || owners->txn->error != ERR_NONE)
		return false;
	scan = scan_begin_at(owners->txn, owners->table, key_slice(&from),
			     prefix_size);
	is_row = scan_next(&scan);
	if (is_row) {
		*number_out = key_u32(scan.key, prefix_size);
		owners->next = (uint64_t)*number_out + 1;
	}
	scan_end(&scan);
	return is_row;
}

static bool row_exists(struct txn *txn, enum table table, struct key key)
{
	return txn_get(txn, table, key_slice(&key)).data != NULL;
}

/*
 * Read a row of TABLE_PAGES. A damaged row is ignored here, because
 * verify_page_tables() reports it.
 */
static bool check_read_page(struct txn *txn, uint32_t site, uint64_t page,
			    struct page_row *row_out)
{
	struct slice value =
		txn_get(txn, TABLE_PAGES, KEY(key_page(site, page)));

	return value.data != NULL && page_row_decode(value, row_out);
}

/* Check events, hooks, their outboxes, and silences. */

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

/*
 * Count the rows of a hook in TABLE_OUTBOX or TABLE_REFUSED, and report damaged
 * rows.
 */
static uint64_t check_count_events(struct txn *txn,
				   struct verify_report *report,
				   enum table table, uint32_t hook)
{
	const char *what =
		table == TABLE_OUTBOX ? "queued event" : "refused event";
	struct scan scan = scan_begin(txn, table, KEY(key_small(hook)));
	uint64_t last = store_last_number(txn, "event");
	struct event_row row;
	uint64_t count = 0;

	while (scan_next(&scan)) {
		count++;
		if (scan.key.size != key_outbox(hook, 0).size ||
		    !event_decode_of(table, scan.value, &row))
			verify_problem(report, HOOK "a %s is damaged", hook,
				       what);
		else
			check_number(report, what,
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
		waiting = check_count_events(txn, report, TABLE_OUTBOX, hook);
		check_count_events(txn, report, TABLE_REFUSED, hook);
		if (waiting != row.waiting)
			verify_problem(report,
				       HOOK "%" PRIu32 " events counted, but "
					    "%" PRIu64 " rows",
				       hook, row.waiting, waiting);
	}
	scan_end(&scan);
}

/*
 * Report rows of TABLE_OUTBOX or TABLE_REFUSED whose hook does not exist.
 * `what` names them.
 */
static void check_owning_hooks(struct txn *txn, struct verify_report *report,
			       enum table table, const char *what)
{
	struct owners owners = {.txn = txn, .table = table};
	uint32_t hook;

	while (owners_next(&owners, &hook))
		if (!row_exists(txn, TABLE_HOOKS, key_small(hook)))
			verify_problem(report,
				       HOOK "has %s events, but does not exist",
				       hook, what);
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

static void check_events(struct txn *txn, struct verify_report *report)
{
	struct scan scan = scan_begin(txn, TABLE_EVENTS, slice_of(""));
	uint64_t last = store_last_number(txn, "event");
	struct event_row row;

	while (scan_next(&scan)) {
		uint64_t number = key_u64(scan.key, 0);

		if (scan.key.size != sizeof(number) ||
		    !event_decode(scan.value, &row))
			verify_problem(report, "event %" PRIu64 ": damaged",
				       number);
		else
			check_number(report, "event", number, last);
	}
	scan_end(&scan);
}

void verify_alert_tables(struct txn *txn, struct verify_report *report)
{
	check_events(txn, report);
	check_hooks(txn, report);
	check_owning_hooks(txn, report, TABLE_OUTBOX, "queued");
	check_owning_hooks(txn, report, TABLE_REFUSED, "refused");
	check_silences(txn, report);
}

#define CLUSTER "cluster %.*s/%u: "

/*
 * Count the fragments of a page of the cluster. A damaged record results in
 * wrong counts here; verify_page_tables() reports the record.
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

/*
 * Return the number of pages of the cluster in TABLE_MEMBERS. Count their
 * fragments in *tally.
 */
static uint64_t count_members(const struct table_check *check, uint32_t cluster,
			      struct count_map *tally)
{
	struct scan scan = scan_cluster(check->txn, TABLE_MEMBERS,
					check->site->id, cluster);
	struct page_row row;
	uint64_t count = 0;

	while (scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, 8);

		count++;
		if (scan.key.size != 16 ||
		    !check_read_page(check->txn, check->site->id, page, &row))
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

/*
 * Compare the counted fragments with TABLE_DF in one pass. Both are ascending
 * by fragment.
 */
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
			verify_problem(check->report,
				       CLUSTER "the counts of the block of "
					       "fragment %016" PRIx64
					       " are damaged",
				       CHECK_HOST(check), cluster, fragment);
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

/* Report rows of `table` whose cluster does not exist. */
static void check_cluster_owners(const struct table_check *check,
				 enum table table)
{
	struct owners owners = {check->txn, table, check->site->id, 0};
	uint32_t cluster;

	while (owners_next(&owners, &cluster))
		if (!row_exists(check->txn, TABLE_CLUSTERS,
				key_cluster(check->site->id, cluster)))
			verify_problem(check->report,
				       CLUSTER "does not exist, but is in "
					       "table %s",
				       CHECK_HOST(check), cluster,
				       table_name(table));
}

void verify_cluster_tables(const struct table_check *check)
{
	struct scan scan =
		scan_site(check->txn, TABLE_CLUSTERS, check->site->id);

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

/* Check that the dictionaries exist that records of sample pages need. */
static void check_sample_pages(const struct table_check *check)
{
	struct scan scan =
		scan_site(check->txn, TABLE_SAMPLE_PAGES, check->site->id);
	struct sample_page_row row;
	uint32_t dictionary;

	while (scan_next(&scan)) {
		if (!sample_page_row_decode(scan.value, &row) ||
		    !content_is_packed(row.record, &dictionary) ||
		    dictionary == 0)
			continue;
		if (!row_exists(check->txn, TABLE_DICTIONARIES,
				key_cluster(check->site->id, dictionary)))
			site_problem(check,
				     "a sample page needs "
				     "dictionary %u, which does "
				     "not exist",
				     dictionary);
	}
	scan_end(&scan);
}

void verify_dictionary_table(const struct table_check *check)
{
	struct scan scan =
		scan_site(check->txn, TABLE_DICTIONARIES, check->site->id);
	uint64_t last = store_last_number(check->txn, "dictionary");

	while (scan_next(&scan)) {
		uint32_t number = key_u32(scan.key, sizeof(uint32_t));

		if (scan.key.size != 2 * sizeof(uint32_t) ||
		    !check_dictionary_is_intact(check, TABLE_BODIES, number) ||
		    !check_dictionary_is_intact(check, TABLE_RECORDS, number))
			site_problem(check, "dictionary %u is damaged", number);
		else if (number == 0 || number > last)
			site_problem(check,
				     "dictionary %u: above the last "
				     "number, %llu",
				     number, (unsigned long long)last);
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

/*
 * Check the rows of a guard's pages, and compare the counts in the guard's row
 * with these.
 */
static void check_rows(const struct table_check *check, uint32_t guard,
		       const struct guard_row *row)
{
	struct scan scan =
		scan_cluster(check->txn, TABLE_GUARDED, check->site->id, guard);
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
		else if (!check_read_page(check->txn, check->site->id, page,
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
	    row.minimum > row.maximum ||
	    (row.selector.size == 0 && row.language != GUARD_TEXT)) {
		check_report_guard(check, guard, "the row is damaged");
		return;
	}
	if (guard == 0 || guard > last)
		check_report_guard(check, guard,
				   "the number was never assigned");
	check_rows(check, guard, &row);
}

/* Report rows of TABLE_GUARDED whose guard does not exist. */
static void check_guard_owners(const struct table_check *check)
{
	struct owners owners = {check->txn, TABLE_GUARDED, check->site->id, 0};
	uint32_t guard;

	while (owners_next(&owners, &guard))
		if (!row_exists(check->txn, TABLE_GUARDS,
				key_cluster(check->site->id, guard)))
			check_report_guard(check, guard,
					   "does not exist, but has pages");
}

void verify_guard_tables(const struct table_check *check)
{
	uint64_t last = store_last_number(check->txn, "guard");
	struct scan scan = scan_site(check->txn, TABLE_GUARDS, check->site->id);

	while (scan_next(&scan))
		check_guard(check, scan.key, scan.value, last);
	scan_end(&scan);
	check_guard_owners(check);
}

void verify_incidents(const struct table_check *check)
{
	struct scan scan =
		scan_site(check->txn, TABLE_INCIDENTS, check->site->id);
	struct incident_row row;

	while (scan_next(&scan)) {
		uint64_t incident = key_u64(scan.key, sizeof(uint32_t));

		if (!incident_row_decode(scan.value, &row) ||
		    row.state >= INCIDENT_STATES ||
		    (row.state == INCIDENT_ENDED) != (row.end_ms != 0))
			row_problem(check, "incident", incident, "is damaged");
	}
	scan_end(&scan);
}

static void verify_page_screenshots(const struct table_check *check)
{
	struct scan scan =
		scan_site(check->txn, TABLE_SCREENSHOTS, check->site->id);
	struct screenshot_row row;
	struct page_row page;

	while (scan_next(&scan)) {
		uint64_t key = key_u64(scan.key, sizeof(uint32_t));

		if (!screenshot_row_decode(scan.value, &row) ||
		    (row.taken_ms != 0) != (row.picture.size != 0) ||
		    (row.before_ms != 0) != (row.before.size != 0))
			row_problem(check, "screenshot of page", key,
				    "is damaged");
		else if (!check_read_page(check->txn, check->site->id, key,
					  &page))
			row_problem(check, "screenshot of page", key,
				    "has no page");
	}
	scan_end(&scan);
}

void verify_text_changes(const struct table_check *check)
{
	struct scan scan =
		scan_site(check->txn, TABLE_TEXT_CHANGES, check->site->id);
	struct text_change_row row;
	struct page_row page;

	while (scan_next(&scan)) {
		uint64_t key = key_u64(scan.key, sizeof(uint32_t));

		if (!text_change_row_decode(scan.value, &row) ||
		    row.quiet > TEXT_CHANGE_QUIET ||
		    (row.changed_ms != 0) != (row.change.size != 0))
			row_problem(check, "text change of page", key,
				    "is damaged");
		else if (!check_read_page(check->txn, check->site->id, key,
					  &page) ||
			 page.redirect.size > 0)
			row_problem(check, "text change of page", key,
				    "has no page");
	}
	scan_end(&scan);
}

void verify_screenshots(const struct table_check *check)
{
	struct scan scan = scan_site(check->txn, TABLE_INCIDENT_SCREENSHOTS,
				     check->site->id);
	struct incident_screenshots_row row;
	struct incident_row owner;

	verify_page_screenshots(check);
	while (scan_next(&scan)) {
		uint64_t incident = key_u64(scan.key, sizeof(uint32_t));

		if (!incident_screenshots_row_decode(scan.value, &row) ||
		    row.before.size == 0 || row.after.size == 0)
			row_problem(check, "screenshots of incident", incident,
				    "are damaged");
		else if (!incident_row_get(check->txn, check->site->id,
					   incident, &owner))
			row_problem(check, "screenshots of incident", incident,
				    "have no incident");
	}
	scan_end(&scan);
}

void verify_comments(const struct table_check *check)
{
	struct scan scan =
		scan_site(check->txn, TABLE_INCIDENT_COMMENTS, check->site->id);
	struct incident_comments_row row;
	struct incident_row owner;

	while (scan_next(&scan)) {
		uint64_t incident = key_u64(scan.key, sizeof(uint32_t));

		if (!incident_comments_row_decode(scan.value, &row) ||
		    row.list.size == 0)
			row_problem(check, "comments of incident", incident,
				    "are damaged");
		else if (!incident_row_get(check->txn, check->site->id,
					   incident, &owner))
			row_problem(check, "comments of incident", incident,
				    "have no incident");
	}
	scan_end(&scan);
}

void verify_site_days(const struct table_check *check)
{
	struct scan scan =
		scan_site(check->txn, TABLE_SITE_DAYS, check->site->id);
	struct site_days_row row;

	while (scan_next(&scan))
		if (!site_days_row_decode(scan.value, &row))
			site_problem(check,
				     "the counts of its days are damaged");
	scan_end(&scan);
}

void verify_fields(const struct table_check *check)
{
	struct scan scan = scan_site(check->txn, TABLE_FIELDS, check->site->id);
	struct fields_row row;

	while (scan_next(&scan))
		if (!fields_row_decode(scan.value, &row) || row.sets.size == 0)
			site_problem(check,
				     "the fields of template %u are damaged",
				     key_u32(scan.key, sizeof(uint32_t)));
	scan_end(&scan);
}

void verify_field_values(const struct table_check *check)
{
	struct scan scan =
		scan_site(check->txn, TABLE_FIELD_VALUES, check->site->id);
	struct field_values_row row;

	while (scan_next(&scan))
		if (!field_values_row_decode(scan.value, &row) ||
		    row.record.size == 0 ||
		    (row.pending_ms != 0) != (row.latest.size != 0))
			row_problem(check, "field values of page",
				    key_u64(scan.key, 2 * sizeof(uint32_t)),
				    "are damaged");
	scan_end(&scan);
}

void verify_renders(const struct table_check *check)
{
	struct scan scan =
		scan_site(check->txn, TABLE_RENDERS, check->site->id);
	struct render_row row;

	while (scan_next(&scan))
		if (!render_row_decode(scan.value, &row) ||
		    row.decision >= RENDER_DECISIONS ||
		    (row.decision != RENDER_UNKNOWN) != (row.decided_ms != 0))
			site_problem(check,
				     "the decision to render template %u is "
				     "damaged",
				     key_u32(scan.key, sizeof(uint32_t)));
	scan_end(&scan);
}

/* Return what is wrong with a row of TABLE_WAITING; NULL if nothing is. */
static const char *waiting_problem(const struct table_check *check,
				   struct slice key,
				   const struct waiting_row *row)
{
	struct buffer bytes = {0};
	struct page_row page;
	struct record record;
	bool is_intact = row->kind != WAITING_PAGE;

	if (row->kind >= WAITING_KINDS || key.size != 12)
		return "the waiting visit is damaged";
	if (page_key_of(row->url) != key_u64(key, sizeof(uint32_t)))
		return "the waiting visit has another URL";
	if (!check_read_page(check->txn, check->site->id,
			     key_u64(key, sizeof(uint32_t)), &page) ||
	    page.redirect.size > 0)
		return "a visit waits, but there is no page";
	if (!is_intact) { /* a record must be aligned */
		buffer_append_slice(&bytes, row->record);
		is_intact =
			record_open(buffer_slice(&bytes), &record) == ERR_NONE;
		buffer_free(&bytes);
	}
	return is_intact ? NULL : "the record of the waiting visit is damaged";
}

void verify_waiting(const struct table_check *check)
{
	struct scan scan =
		scan_site(check->txn, TABLE_WAITING, check->site->id);
	struct health_row health;
	struct waiting_row row;
	uint64_t bytes = 0;
	uint64_t count = 0;

	while (scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, sizeof(uint32_t));
		bool is_row = waiting_row_decode(scan.value, &row);
		const char *problem =
			is_row ? waiting_problem(check, scan.key, &row)
			       : "the waiting visit is damaged";

		count++;
		bytes += is_row ? waiting_row_bytes(&row) : 0;
		if (problem != NULL)
			row_problem(check, "page", page, problem);
	}
	scan_end(&scan);
	health_row_get(check->txn, check->site->id, &health);
	if (health.state >= SITE_STATES)
		site_problem(check, "the row of its health is damaged");
	compare_count(check, count, "waiting visits", health.waiting_count);
	if (bytes != health.waiting_bytes)
		site_problem(check,
			     "its waiting visits have %" PRIu64
			     " bytes, but it counts %" PRIu64,
			     bytes, health.waiting_bytes);
}

/*
 * Return whether the value needs a dictionary that is missing, and report this.
 */
static bool lacks_dictionary(const struct table_check *check, uint64_t page,
			     const char *what, struct slice value)
{
	uint32_t dictionary;

	if (!content_is_packed(value, &dictionary) || dictionary == 0 ||
	    row_exists(check->txn, TABLE_DICTIONARIES,
		       key_cluster(check->site->id, dictionary)))
		return false;
	site_problem(check,
		     "page %016" PRIx64
		     ": the %s needs dictionary %u, which does not exist",
		     page, what, dictionary);
	return true;
}

static void check_page_record(const struct table_check *check, uint64_t page,
			      const struct page_row *row, struct slice value)
{
	struct buffer bytes = {0};
	struct record record;

	if (value.data == NULL) {
		row_problem(check, "page", page, "has no record");
		return;
	}
	if (lacks_dictionary(check, page, "record", value))
		return;
	if (content_record_open(check->txn, check->site->id, value, &bytes,
				&record) != ERR_NONE)
		row_problem(check, "page", page, "the record is damaged");
	else if (record.content_hash != row->content_hash)
		row_problem(check, "page", page,
			    "the record belongs to other content");
	else if ((record.flags & RECORD_IS_TRUNCATED) != 0 &&
		 (row->flags & PAGE_ROW_IS_TRUNCATED) == 0)
		row_problem(check, "page", page,
			    "the record is truncated, the row is not");
	buffer_free(&bytes);
}

static void check_body(const struct table_check *check, uint64_t page,
		       const struct page_row *row, struct slice value)
{
	struct buffer body = {0};

	if ((row->flags & PAGE_ROW_HAS_NO_BODY) != 0) {
		if (value.data != NULL)
			row_problem(check, "page", page,
				    "has a body, but its row states that "
				    "it has none");
		return;
	}
	if (value.data == NULL)
		row_problem(check, "page", page, "has no body");
	else if (lacks_dictionary(check, page, "body", value))
		return;
	else if (content_unpack(
			 check->txn,
			 (struct content_source){TABLE_BODIES, check->site->id},
			 value, row->body_bytes, &body) != ERR_NONE ||
		 body.size != row->body_bytes)
		row_problem(check, "page", page,
			    "the body does not decompress to its size");
	else if (hash64(body.data, body.size, 0) != row->content_hash)
		row_problem(check, "page", page, "the body has a wrong hash");
	buffer_free(&body);
}

static void check_membership(const struct table_check *check, uint64_t page,
			     const struct page_row *row)
{
	uint32_t site = check->site->id;

	if ((row->flags & PAGE_ROW_IS_TRUNCATED) != 0 || row->page_class != 0) {
		if (row->cluster != 0)
			row_problem(check, "page", page,
				    "is truncated or no page, but in a "
				    "cluster");
		return;
	}
	if (row->cluster == 0)
		row_problem(check, "page", page, "is in no cluster");
	else if (!row_exists(check->txn, TABLE_CLUSTERS,
			     key_cluster(site, row->cluster)))
		row_problem(check, "page", page, "its cluster does not exist");
	if (row->cluster != 0 &&
	    !row_exists(check->txn, TABLE_MEMBERS,
			key_member(site, row->cluster, page)))
		row_problem(check, "page", page, "is no member of its cluster");
}

/*
 * Report rows of `table` whose page does not exist. A redirect is not a page.
 */
static void check_owned(const struct table_check *check, enum table table)
{
	struct scan scan = scan_site(check->txn, table, check->site->id);
	struct page_row row;

	while (scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, 4);

		if (scan.key.size == 12 &&
		    check_read_page(check->txn, check->site->id, page, &row) &&
		    row.redirect.size == 0)
			continue;
		site_problem(check,
			     "page %016" PRIx64
			     ": does not exist, but is in table %s",
			     page, table_name(table));
	}
	scan_end(&scan);
}

/*
 * The numbers of rows with a body or a record: of each page class, and of all.
 */
struct page_counts {
	uint64_t of_class[SITE_CLASSES];
	uint64_t all;
};

static void check_compare_page_counts(const struct table_check *check,
				      const struct page_counts *counts)
{
	check->report->pages += counts->all;
	compare_count(check, counts->all, "pages", check->site->page_count);
	for (size_t i = 0; i < SITE_CLASSES; i++) {
		char what[32];

		snprintf(what, sizeof(what), "pages of class %zu", i);
		compare_count(check, counts->of_class[i], what,
			      check->site->class_counts[i]);
	}
}

/* Report pieces that belong to no body or record. */
static void check_pieces(const struct table_check *check, enum table pieces)
{
	struct scan scan = scan_site(check->txn, pieces, check->site->id);

	while (scan_next(&scan))
		if (!content_piece_has_head(check->txn, pieces, scan.key))
			site_problem(check,
				     "page %016" PRIx64
				     ": has an unused row in table %s",
				     key_u64(scan.key, 4), table_name(pieces));
	scan_end(&scan);
}

static void check_page_table_row(const struct table_check *check,
				 struct slice key, const struct page_row *row,
				 struct page_counts *counts)
{
	uint64_t page = key_u64(key, 4);
	struct buffer joined = {0};

	if (page != page_key_of(row->url))
		row_problem(check, "page", page,
			    "the row has another page's URL");
	if (row->redirect.size > 0) {
		if (row->cluster != 0)
			row_problem(check, "page", page,
				    "is a redirect, but in a cluster");
		return;
	}
	counts->all++;
	if (row->page_class < SITE_CLASSES)
		counts->of_class[row->page_class]++;
	else
		row_problem(check, "page", page,
			    "is of a class that does not exist");
	check_page_record(check, page, row,
			  content_get(check->txn, TABLE_RECORDS, key, &joined));
	check_body(check, page, row,
		   content_get(check->txn, TABLE_BODIES, key, &joined));
	buffer_free(&joined);
	check_membership(check, page, row);
}

void verify_page_tables(const struct table_check *check)
{
	struct scan scan = scan_site(check->txn, TABLE_PAGES, check->site->id);
	struct page_counts counts = {0};
	struct page_row row;

	while (scan_next(&scan)) {
		if (scan.key.size == 12 && page_row_decode(scan.value, &row))
			check_page_table_row(check, scan.key, &row, &counts);
		else
			row_problem(check, "page", key_u64(scan.key, 4),
				    "the row is damaged");
	}
	scan_end(&scan);
	check_compare_page_counts(check, &counts);
	check_owned(check, TABLE_BODIES);
	check_owned(check, TABLE_RECORDS);
	check_pieces(check, TABLE_BODY_PIECES);
	check_pieces(check, TABLE_RECORD_PIECES);
}

/*
 * The numbers of frontier rows that have a pattern, for each fine or coarse
 * pattern.
 */
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
	struct scan scan =
		scan_site(check->txn, TABLE_FRONTIER, check->site->id);
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
		site_problem(check,
			     "pattern %016" PRIx64 ": has %" PRIu64
			     " %s URLs, but counts %u",
			     pattern, found, name, counted);
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
		row_problem(check, "pattern", pattern, "has no URL");
	if (row->quiet > row->learned)
		row_problem(check, "pattern", pattern,
			    "has more quiet pages than pages");
}

/* Report patterns that frontier rows have but TABLE_PATTERNS does not. */
static void check_missing(const struct table_check *check,
			  const struct pattern_counts *counts)
{
	for (size_t i = 0; i < counts->found.count; i++) {
		uint64_t pattern = counts->found.entries[i].number;

		if (!row_exists(check->txn, TABLE_PATTERNS,
				key_page(check->site->id, pattern)))
			row_problem(check, "pattern", pattern,
				    "has URLs, but no row");
	}
}

void verify_pattern_table(const struct table_check *check)
{
	struct pattern_counts counts = {0};
	struct scan scan;
	struct pattern_row row;
	uint64_t coarse = 0;

	count_rows(check, &counts);
	scan = scan_site(check->txn, TABLE_PATTERNS, check->site->id);
	while (scan_next(&scan)) {
		uint64_t pattern = key_u64(scan.key, 4);

		if (scan.key.size != 12 ||
		    !pattern_row_decode(scan.value, &row)) {
			row_problem(check, "pattern", pattern,
				    "the row is damaged");
			continue;
		}
		coarse += (row.flags & PATTERN_IS_COARSE) != 0;
		check_pattern(check, pattern, &row, &counts);
	}
	scan_end(&scan);
	check_missing(check, &counts);
	compare_count(check, coarse, "coarse patterns",
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
	struct scan scan =
		scan_site(check->txn, TABLE_QUARANTINE, check->site->id);
	struct quarantine_row row;

	while (scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, sizeof(uint32_t));
		const char *wrong = "is damaged";

		if (scan.key.size == 12 &&
		    quarantine_row_decode(scan.value, &row))
			wrong = wrong_in(&row, page);
		if (wrong != NULL)
			site_problem(check,
				     "the quarantined page %016" PRIx64 " %s",
				     page, wrong);
	}
	scan_end(&scan);
}

/*
 * A row: its number, the hash of its value, which must be unique among the rows
 * of its table, and whether another table refers to it.
 */
struct numbered {
	/* hash of the value; must be the first field, for order_u64() */
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

/*
 * Mark the row with this number as used. Return false if there is no such row.
 */
static bool numbers_mark_used(struct numbers *numbers, uint32_t number)
{
	size_t at;

	LOWER_BOUND(at, numbers->count, numbers->items[at].number < number);
	if (at == numbers->count || numbers->items[at].number != number)
		return false;
	numbers->items[at].is_used = true;
	return true;
}

/*
 * Check that another table refers to each row, and that no two rows have the
 * same value. This changes the order of numbers->items.
 */
static void check_numbers(const struct table_check *check, enum table table,
			  struct numbers *numbers)
{
	struct numbered *items = numbers->items;

	for (size_t i = 0; i < numbers->count; i++)
		if (!items[i].is_used)
			site_problem(check, "table %s: %u is not used",
				     table_name(table), items[i].number);
	if (numbers->count > 1)
		qsort(items, numbers->count, sizeof(*items), order_u64);
	for (size_t i = 1; i < numbers->count; i++)
		if (items[i - 1].content == items[i].content)
			site_problem(check, "table %s: %u and %u are the same",
				     table_name(table), items[i - 1].number,
				     items[i].number);
}

static void check_load_shingles(const struct table_check *check,
				struct numbers *shingle_ids)
{
	struct scan scan =
		scan_site(check->txn, TABLE_SHINGLES, check->site->id);

	while (scan_next(&scan)) {
		uint64_t shingle = 0;

		if (scan.key.size != 8 || !shingle_decode(scan.value, &shingle))
			site_problem(check, "table %s: %u is damaged",
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
		site_problem(check, "table %s: %u is damaged",
			     table_name(TABLE_SETS), set);
	numbers_add(sets, set, hash64(value.data, value.size, 0));
	free(shingles);
}

static void use_sets(const struct table_check *check, struct numbers *sets)
{
	struct scan scan =
		scan_site(check->txn, TABLE_MEMBERS, check->site->id);

	while (scan_next(&scan)) {
		uint32_t set;

		if (!member_decode(scan.value, &set) ||
		    !numbers_mark_used(sets, set))
			site_problem(check,
				     "page %016" PRIx64
				     ": its signature is missing",
				     key_u64(scan.key, 8));
	}
	scan_end(&scan);
}

void verify_set_tables(const struct table_check *check)
{
	struct numbers shingle_ids = {0};
	struct numbers sets = {0};
	struct scan scan = scan_site(check->txn, TABLE_SETS, check->site->id);

	check_load_shingles(check, &shingle_ids);
	while (scan_next(&scan))
		check_add_set(check, scan.key, scan.value, &shingle_ids, &sets);
	scan_end(&scan);
	use_sets(check, &sets);
	check_numbers(check, TABLE_SHINGLES, &shingle_ids);
	check_numbers(check, TABLE_SETS, &sets);
	free(shingle_ids.items);
	free(sets.items);
}

/* The counts of the frontier rows of a site. */
struct url_counts {
	/* number of rows in each state, without auxiliary URLs */
	uint64_t of_state[FRONTIER_STATES];
	uint64_t found;
	/* number of pending or leased rows, with auxiliary URLs */
	uint64_t waiting;
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

	counts->all++;
	if (key.size != 12 || !frontier_row_decode(value, &row) ||
	    row.state >= FRONTIER_STATES) {
		row_problem(check, "url", url, "the row is damaged");
		return;
	}
	count_url(&row, counts);
	if (url != page_key_of(row.url))
		row_problem(check, "url", url, "the row has another URL");
	if (check_url_is_pending(&row) && row.due_ms == 0)
		row_problem(check, "url", url, "is pending, but never due");
	if (row.state == FRONTIER_SKIPPED && row.due_ms != 0)
		row_problem(check, "url", url, "is skipped, but due");
	if (row.due_ms != 0 &&
	    !row_exists(check->txn, TABLE_DUE,
			key_due(check->site->id, row.due_ms, url)))
		row_problem(check, "url", url,
			    "is due, but not in the due index");
}

static void check_due(const struct table_check *check)
{
	struct scan scan = scan_site(check->txn, TABLE_DUE, check->site->id);
	struct frontier_row row;

	while (scan_next(&scan)) {
		uint64_t due_ms = key_u64(scan.key, 4);
		uint64_t url = key_u64(scan.key, 12);
		struct key key = key_page(check->site->id, url);
		struct slice value =
			txn_get(check->txn, TABLE_FRONTIER, key_slice(&key));

		if (scan.key.size != 20)
			row_problem(check, "url", url,
				    "the due key is damaged");
		else if (value.data == NULL)
			row_problem(check, "url", url,
				    "is due, but not in the frontier");
		else if (frontier_row_decode(value, &row) &&
			 row.due_ms != due_ms)
			row_problem(check, "url", url,
				    "is due at another time");
	}
	scan_end(&scan);
}

void verify_frontier_tables(const struct table_check *check)
{
	const struct site_row *site = check->site;
	struct scan scan = scan_site(check->txn, TABLE_FRONTIER, site->id);
	struct url_counts counts = {0};
	const uint64_t *of = counts.of_state;

	while (scan_next(&scan))
		check_url(check, scan.key, scan.value, &counts);
	scan_end(&scan);
	check->report->urls += counts.all;
	compare_count(check, counts.found, "found URLs", site->found_count);
	compare_count(check, counts.waiting, "pending URLs",
		      site->pending_count);
	compare_count(check, of[FRONTIER_DONE], "fetched URLs",
		      site->fetched_count);
	compare_count(check, of[FRONTIER_FAILED] + of[FRONTIER_DENIED],
		      "failed URLs", site->failed_count);
	compare_count(check, of[FRONTIER_SKIPPED], "skipped URLs",
		      site->skipped_count);
	compare_count(check, counts.tried, "tried URLs", site->tried_count);
	compare_count(check, counts.sitemaps, "sitemap URLs",
		      site->sitemap_count);
	check_due(check);
}

void verify_cookies(const struct table_check *check)
{
	struct scan scan =
		scan_site(check->txn, TABLE_COOKIES, check->site->id);
	struct cookies_row row;

	while (scan_next(&scan)) {
		uint32_t scheme = key_u32(scan.key, sizeof(uint32_t));

		if (scheme > 1 || !cookies_row_decode(scan.value, &row))
			row_problem(check, "cookies", scheme, "is damaged");
	}
	scan_end(&scan);
}
