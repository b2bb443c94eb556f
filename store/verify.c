#include "store/verify.h"

#include <assert.h>
#include <inttypes.h>
#include <lmdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "store/journal.h"
#include "store/key.h"
#include "store/lmdb_file.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/txn.h"

/*
 * If `is_started` is false, the next step searches for the first key that is
 * not below the first key.size bytes of `start`. These bytes begin with the
 * prefix.
 */
struct scan scan_begin_at(struct txn *txn, enum table table, struct slice from,
			  size_t prefix_size)
{
	struct scan scan = {
		.txn = txn, .table = table, .prefix_size = prefix_size};

	assert(prefix_size <= from.size);
	if (from.size > sizeof(scan.start)) {
		txn_fail(txn, ERR_MALFORMED);
		return scan;
	}
	scan.cursor = txn_cursor(txn, table);
	if (from.size > 0)
		memcpy(scan.start, from.data, from.size);
	scan.key.size = from.size;
	return scan;
}

struct scan scan_begin(struct txn *txn, enum table table, struct slice prefix)
{
	return scan_begin_at(txn, table, prefix, prefix.size);
}

struct scan scan_site(struct txn *txn, enum table table, uint32_t site)
{
	return scan_begin(txn, table, KEY(key_site(site)));
}

struct scan scan_cluster(struct txn *txn, enum table table, uint32_t site,
			 uint32_t cluster)
{
	return scan_begin(txn, table, KEY(key_cluster(site, cluster)));
}

bool scan_next(struct scan *scan)
{
	MDB_val key = {scan->key.size, scan->start};
	MDB_val value = {0};
	MDB_cursor_op step = MDB_NEXT;
	int rc;

	if (scan->cursor == NULL || scan->txn->error != ERR_NONE)
		return false;
	if (!scan->is_started)
		step = key.mv_size == 0 ? MDB_FIRST : MDB_SET_RANGE;
	assert(scan->is_started || scan->key.size <= sizeof(scan->start));
	rc = mdb_cursor_get(scan->cursor, &key, &value, step);
	if (rc != MDB_SUCCESS && rc != MDB_NOTFOUND)
		txn_check(scan->txn, rc);
	if (rc == MDB_SUCCESS) {
		scan->is_started = true;
		scan->key = (struct slice){key.mv_data, key.mv_size};
		scan->value = (struct slice){0};
		if (scan->key.size >= scan->prefix_size &&
		    memcmp(scan->key.data, scan->start, scan->prefix_size) ==
			    0) {
			if (!scan->is_keys_only)
				scan->value = txn_value(scan->txn, scan->table,
							key, value);
			if (scan->txn->error == ERR_NONE)
				return true;
		}
	}
	scan_end(scan);
	return false;
}

static bool get_current(struct scan *scan, MDB_val *key, MDB_val *value)
{
	int rc;

	assert(scan->is_keys_only && scan->is_started);
	if (scan->cursor == NULL || scan->txn->error != ERR_NONE)
		return false;
	rc = mdb_cursor_get(scan->cursor, key, value, MDB_GET_CURRENT);
	txn_check(scan->txn, rc);
	return rc == MDB_SUCCESS;
}

bool scan_read(struct scan *scan)
{
	MDB_val key;
	MDB_val value;

	if (!get_current(scan, &key, &value))
		return false;
	scan->value = txn_value(scan->txn, scan->table, key, value);
	return scan->value.data != NULL;
}

bool scan_try(struct scan *scan)
{
	MDB_val key;
	MDB_val value;

	if (!get_current(scan, &key, &value))
		return false;
	scan->value =
		checksum_read(table_name(scan->table), scan->key,
			      (struct slice){value.mv_data, value.mv_size});
	return scan->value.data != NULL;
}

/*
 * Continue the scan with a new cursor, which searches for a copy of the deleted
 * key. For a cursor after mdb_cursor_del(), LMDB 0.9 promises only that
 * MDB_NEXT works, and some releases have bugs there at page boundaries.
 */
void scan_delete(struct scan *scan)
{
	if (scan->cursor == NULL || scan->txn->error != ERR_NONE)
		return;
	assert(scan->is_started);
	assert(scan->key.size <= sizeof(scan->start));
	memcpy(scan->start, scan->key.data, scan->key.size);
	if (scan->txn->journal != NULL)
		journal_note(scan->txn->journal, scan->txn->store, scan->table,
			     (struct slice){scan->start, scan->key.size});
	if (scan->table == TABLE_SITES)
		site_feeds_note_any(&scan->txn->store->feeds);
	txn_check(scan->txn, mdb_cursor_del(scan->cursor, 0));
	mdb_cursor_close(scan->cursor);
	scan->cursor = txn_cursor(scan->txn, scan->table);
	scan->is_started = false;
	scan->key.data = NULL;
	scan->value = (struct slice){0};
}

void scan_end(struct scan *scan)
{
	if (scan->cursor != NULL)
		mdb_cursor_close(scan->cursor);
	scan->cursor = NULL;
	scan->key = (struct slice){0};
	scan->value = (struct slice){0};
}

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

/* The numbers of all sites, [count]; sorted after the last one was added. */
struct verify_sites {
	uint32_t *ids;
	size_t count;
	size_t capacity;
};

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
	verify_incidents(&check);
	verify_screenshots(&check);
	verify_comments(&check);
	verify_site_days(&check);
	verify_text_changes(&check);
	verify_fields(&check);
	verify_field_values(&check);
	verify_renders(&check);
	verify_cookies(&check);
	verify_waiting(&check);
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

/* Report rows of sites that do not exist. */
static void verify_site_owners(struct txn *txn, struct verify_report *report,
			       const struct verify_sites *sites,
			       enum table table)
{
	struct owners owners = {.txn = txn, .table = table};
	uint32_t id;

	verify_place(report, "table %s", table_name(table));
	while (owners_next(&owners, &id))
		if (sites->count == 0 || bsearch(&id, sites->ids, sites->count,
						 sizeof(id), order_u32) == NULL)
			verify_problem(report,
				       "table %s: rows of site %u, which does "
				       "not exist",
				       table_name(table), id);
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
	verify_alert_tables(txn, report);
	check_hosts(txn, report);
	free(sites.ids);
	return txn->error;
}

static void verify_note_damage(void *context, const struct lmdb_damage *damage)
{
	verify_problem(context, "table %s, page %" PRIu64 ": %s", damage->table,
		       damage->page, damage->what);
}

static bool verify_check_row(void *context, const char *table, struct slice key,
			     struct slice value)
{
	struct key_text text;

	verify_place(context, "table %s", table);
	if (checksum_read(table, key, value).data == NULL)
		verify_problem(context,
			       "table %s, row %s: its checksum is wrong", table,
			       key_text(key, &text));
	return true;
}

/*
 * Check the pages of the file. The caller has an open read transaction, so that
 * LMDB does not reuse the pages of this snapshot.
 */
static enum error verify_file(const char *folder, struct verify_report *report)
{
	const struct lmdb_visitor visitor = {.damage = verify_note_damage,
					     .row = verify_check_row,
					     .context = report};
	char name[MAX_PATH_BYTES];
	struct buffer why = {0};
	struct lmdb_file data;
	enum error error;

	if (!folder_name(name, folder, FOLDER_DATA))
		return ERR_IO;
	error = lmdb_file_open(&data, name, &why);
	if (error == ERR_NONE)
		error = lmdb_file_walk(&data, &visitor);
	else if (error == ERR_CORRUPT)
		verify_problem(report, "%s", why.data);
	lmdb_file_close(&data);
	buffer_free(&why);
	return error == ERR_CORRUPT ? ERR_NONE : error;
}

enum error store_verify_pages(struct store *store, struct verify_report *report)
{
	struct txn txn = txn_begin_read(store);
	enum error error = txn.error;

	if (error == ERR_NONE)
		error = verify_file(store->path, report);
	txn_abort(&txn);
	return error;
}
