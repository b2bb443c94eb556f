#include "store/verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "store/check.h"
#include "store/key.h"
#include "store/rows_event.h"
#include "store/rows_frontier.h"
#include "store/store.h"

enum { MAX_TOLD = 100, MAX_LINE_BYTES = 512 };

void verify_problem(struct verify_report *report, const char *format, ...)
{
	char line[MAX_LINE_BYTES];
	va_list list;

	report->problems++;
	if (report->problems > MAX_TOLD)
		return;
	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	for (char *c = line; *c != '\0';
	     c++) /* damaged rows may contain any bytes */
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	buffer_append_text(&report->text, line);
	buffer_append_byte(&report->text, '\n');
}

void verify_place(struct verify_report *report, const char *format, ...)
{
	va_list list;

	if (report->place == NULL)
		return;
	va_start(list, format);
	vsnprintf(report->place, VERIFY_PLACE_BYTES, format, list);
	va_end(list);
}

/* The numbers of all sites, sorted at the end. */
struct verify_sites {
	uint32_t *ids;
	size_t count;
	size_t capacity;
};

static bool is_site(const struct verify_sites *sites, uint32_t id)
{
	return sites->count > 0 &&
	       bsearch(&id, sites->ids, sites->count, sizeof(*sites->ids),
		       order_u32) != NULL;
}

static void check_site(struct txn *txn, struct verify_report *report,
		       struct slice host, const struct site_row *row)
{
	struct table_check check = {txn, report, row};

	if (!slice_equal(host, row->host))
		verify_problem(report,
			       CHECK_SITE "is stored under the key %.*s",
			       CHECK_HOST(&check), (int)host.size,
			       (const char *)host.data);
	verify_place(report, "site %.*s", CHECK_HOST(&check));
	verify_dictionary_table(&check);
	verify_page_tables(&check);
	verify_cluster_tables(&check);
	verify_set_tables(&check);
	verify_frontier_tables(&check);
	verify_pattern_table(&check);
	verify_guard_tables(&check);
	verify_quarantine_table(&check);
}

static void check_sites(struct txn *txn, struct verify_report *report,
			struct verify_sites *sites)
{
	struct scan scan = scan_begin(txn, TABLE_SITES, slice_of(""));
	struct site_row row;

	while (scan_next(&scan)) {
		if (!site_decode(scan.value, &row)) {
			verify_problem(report, "site %.*s: the row is damaged",
				       (int)scan.key.size,
				       (const char *)scan.key.data);
			continue;
		}
		report->sites++;
		sites->ids = mem_grow(sites->ids, sites->count,
				      &sites->capacity, sizeof(*sites->ids));
		sites->ids[sites->count++] = row.id;
		check_site(txn, report, scan.key, &row);
	}
	scan_end(&scan);
	if (sites->count > 1)
		qsort(sites->ids, sites->count, sizeof(*sites->ids), order_u32);
	for (size_t i = 1; i < sites->count; i++)
		if (sites->ids[i - 1] == sites->ids[i])
			verify_problem(report, "two sites have the number %u",
				       sites->ids[i]);
}

/* Report rows of sites that do not exist. One seek per number. */
static void verify_site_owners(struct txn *txn, struct verify_report *report,
			       const struct verify_sites *sites,
			       enum table table)
{
	uint64_t next = 0;

	verify_place(report, "table %s", table_name(table));
	while (next <= UINT32_MAX && txn->error == ERR_NONE) {
		struct key from = key_site((uint32_t)next);
		struct scan scan =
			scan_begin_at(txn, table, key_slice(&from), 0);
		uint32_t id = 0;
		bool is_row = scan_next(&scan);

		if (is_row)
			id = key_u32(scan.key, 0);
		scan_end(&scan);
		if (!is_row)
			return;
		if (!is_site(sites, id))
			verify_problem(report,
				       "table %s: rows of site %u, which does "
				       "not exist",
				       table_name(table), id);
		next = (uint64_t)id + 1;
	}
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
			verify_problem(report, "event %llu: damaged",
				       (unsigned long long)number);
		else if (number > last)
			verify_problem(
				report,
				"event %llu: above the last number, %llu",
				(unsigned long long)number,
				(unsigned long long)last);
	}
	scan_end(&scan);
}

static void check_hosts(struct txn *txn, struct verify_report *report)
{
	struct scan scan = scan_begin(txn, TABLE_HOSTS, slice_of(""));
	struct host_row row;

	while (scan_next(&scan))
		if (!host_row_decode(scan.value, &row))
			verify_problem(report, "host %.*s: the row is damaged",
				       (int)scan.key.size,
				       (const char *)scan.key.data);
	scan_end(&scan);
}

enum error store_verify(struct txn *txn, struct verify_report *report)
{
	static const enum table owned[] = TABLES_OF_SITES;
	struct verify_sites sites = {0};

	check_sites(txn, report, &sites);
	for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++)
		verify_site_owners(txn, report, &sites, owned[i]);
	check_events(txn, report);
	verify_alert_tables(txn, report);
	check_hosts(txn, report);
	free(sites.ids);
	return txn->error;
}
