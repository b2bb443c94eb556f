#include "store/recover.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "store/content.h"
#include "store/key.h"
#include "store/lmdb_file.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/verify.h"

enum { MAX_TOLD = 1000, BATCH_BYTES = 4 << 20 };

/* A range of the numbers of sites that have lost rows. */
struct site_range {
	uint32_t first;
	uint32_t last;
};

struct ranges {
	struct site_range *items;
	size_t count;
	size_t capacity;
};

struct found_site {
	/* number of the site; must be the first field, for order_u32() */
	uint32_t id;
	bool is_saved;
	char *loss; /* line for the report, used if the site is not recovered */
};

struct recovery {
	struct recovery_report *report;
	/* sites that have lost rows other than bodies */
	struct ranges hurt;
	struct ranges bodies; /* sites that have lost bodies */
	/* [site_count]; ascending by id from the second pass on */
	struct found_site *sites;
	size_t site_count;
	size_t site_capacity;
	size_t told;
	bool has_checksums;
	/* there are rows of sites that are not recovered */
	bool has_remains;
	struct store *store; /* store that gets the rows */
	struct txn txn;
	size_t bytes; /* size of the rows in the current transaction */
};

__attribute__((format(printf, 2, 3))) static void
recovery_add_line(struct recovery *salvage, const char *format, ...)
{
	char line[4096];
	va_list list;

	if (salvage->told++ >= MAX_TOLD)
		return;
	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	buffer_append_text(&salvage->report->text, line);
	buffer_append_byte(&salvage->report->text, '\n');
}

/*
 * Return the table with this name; TABLE_COUNT if the store has no such table.
 */
static enum table table_of(const char *name)
{
	enum table table = TABLE_META;

	while (table < TABLE_COUNT && strcmp(table_name(table), name) != 0)
		table++;
	return table;
}

static bool is_of_sites(enum table table)
{
	static const enum table owned[] = TABLES_OF_SITES;

	for (size_t i = 0; i < sizeof(owned) / sizeof(*owned); i++)
		if (owned[i] == table)
			return true;
	return false;
}

static void add_range(struct ranges *ranges, struct site_range range)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->items[i].first <= range.first &&
		    ranges->items[i].last >= range.last)
			return;
	ranges->items = mem_grow(ranges->items, ranges->count,
				 &ranges->capacity, sizeof(*ranges->items));
	ranges->items[ranges->count++] = range;
}

static bool site_ranges_have(const struct ranges *ranges, uint32_t site)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (site >= ranges->items[i].first &&
		    site <= ranges->items[i].last)
			return true;
	return false;
}

/* Record that the rows from key `low` to key `high` of the table are lost. */
static void recovery_note_loss(struct recovery *salvage, const char *name,
			       struct slice low, struct slice high)
{
	enum table table = table_of(name);
	struct site_range range = {key_u32(low, 0), high.size == 0
							    ? UINT32_MAX
							    : key_u32(high, 0)};

	/*
	 * an unknown table, or the list of tables: every site may have lost
	 * rows
	 */
	if (table == TABLE_COUNT)
		range = (struct site_range){0, UINT32_MAX};
	else if (!is_of_sites(table))
		return;
	add_range(table == TABLE_BODIES || table == TABLE_BODY_PIECES
			  ? &salvage->bodies
			  : &salvage->hurt,
		  range);
}

static void recovery_note_damage(void *context,
				 const struct lmdb_damage *damage)
{
	struct recovery *salvage = context;

	if (strcmp(damage->table, "free") == 0)
		return; /* only free pages are damaged: no row is lost */
	recovery_add_line(salvage, "table %s, page %" PRIu64 ": %s",
			  damage->table, damage->page, damage->what);
	recovery_note_loss(salvage, damage->table, damage->low, damage->high);
}

static void note_site(struct recovery *salvage, struct slice value)
{
	struct buffer line = {0};
	struct site_row row;

	if (!site_decode(value, &row))
		return;
	buffer_printf(&line, "site %.*s: damaged; it was watched from %.*s",
		      (int)row.host.size, (const char *)row.host.data,
		      (int)row.seed.size, (const char *)row.seed.data);
	salvage->sites =
		mem_grow(salvage->sites, salvage->site_count,
			 &salvage->site_capacity, sizeof(*salvage->sites));
	salvage->sites[salvage->site_count++] = (struct found_site){
		.id = row.id, .loss = mem_copy_text(line.data, line.size)};
	buffer_free(&line);
}

/* In the first pass, check every row. */
static bool recovery_check_row(void *context, const char *table,
			       struct slice key, struct slice stored)
{
	struct recovery *salvage = context;
	struct slice value = checksum_read(table, key, stored);
	struct key_text text;

	if (value.data == NULL) {
		recovery_add_line(salvage,
				  "table %s, row %s: its checksum is wrong",
				  table, key_text(key, &text));
		recovery_note_loss(salvage, table, key, key);
		return true;
	}
	salvage->has_checksums = true;
	if (table_of(table) == TABLE_SITES)
		note_site(salvage, value);
	return true;
}

static void ignore_damage(void *context, const struct lmdb_damage *damage)
{
	(void)context;
	(void)damage;
}

/* After the first pass, decide which sites are complete. */
static void recovery_decide_sites(struct recovery *salvage)
{
	for (size_t i = 0; i < salvage->site_count; i++)
		salvage->sites[i].is_saved =
			!site_ranges_have(&salvage->hurt, salvage->sites[i].id);
	if (salvage->site_count > 1)
		qsort(salvage->sites, salvage->site_count,
		      sizeof(*salvage->sites), order_u32);
}

static bool is_saved(const struct recovery *salvage, uint32_t id)
{
	const struct found_site *site =
		salvage->site_count == 0
			? NULL
			: bsearch(&id, salvage->sites, salvage->site_count,
				  sizeof(*site), order_u32);

	return site != NULL && site->is_saved;
}

static bool recovery_row_is_intact(const struct recovery *salvage,
				   enum table table, struct slice key,
				   struct slice value)
{
	struct site_row row;

	if (table == TABLE_SITES)
		return site_decode(value, &row) && is_saved(salvage, row.id);
	return table != TABLE_COUNT &&
	       (!is_of_sites(table) || is_saved(salvage, key_u32(key, 0)));
}

/*
 * Write a row to the new store. The rows of a table must come in ascending
 * order. Return false on a failure.
 */
static bool recovery_put_row(struct recovery *salvage, enum table table,
			     struct slice key, struct slice value)
{
	txn_put(&salvage->txn, table, key, value);
	salvage->bytes += key.size + value.size;
	if (salvage->bytes >= BATCH_BYTES) {
		salvage->bytes = 0;
		if (txn_end(&salvage->txn) != ERR_NONE)
			return false;
		salvage->txn = txn_begin_write(salvage->store);
	}
	return salvage->txn.error == ERR_NONE;
}

/* In the second pass, copy a row of a complete site. */
static bool copy_row(void *context, const char *name, struct slice key,
		     struct slice stored)
{
	struct recovery *salvage = context;
	enum table table = table_of(name);
	struct slice value = checksum_read(name, key, stored);

	if (value.data == NULL)
		return true;
	if (!recovery_row_is_intact(salvage, table, key, value)) {
		salvage->has_remains = true;
		return true;
	}
	salvage->report->rows++;
	return recovery_put_row(salvage, table, key, value);
}

/*
 * Return whether the row belongs to a site that is not recovered, and helps to
 * build this site again.
 */
static bool is_remains(const struct recovery *salvage, enum table table,
		       struct slice key, struct slice value)
{
	struct site_row row;

	switch (table) {
	case TABLE_SITES:
		return site_decode(value, &row) && !is_saved(salvage, row.id);
	case TABLE_PAGES:
	case TABLE_BODIES:
	case TABLE_BODY_PIECES:
	case TABLE_DICTIONARIES:
	case TABLE_FRONTIER:
	case TABLE_GUARDS:
	case TABLE_FIELDS:
	case TABLE_FIELD_VALUES:
		return !is_saved(salvage, key_u32(key, 0));
	default:
		return false;
	}
}

/* In the third pass, copy rows for which is_remains() is true. */
static bool copy_remains(void *context, const char *name, struct slice key,
			 struct slice stored)
{
	struct recovery *salvage = context;
	enum table table = table_of(name);
	struct slice value = checksum_read(name, key, stored);

	return value.data == NULL || !is_remains(salvage, table, key, value) ||
	       recovery_put_row(salvage, table, key, value);
}

/* Delete the pieces of bodies that are lost. */
static void recovery_delete_pieces(struct txn *txn, uint32_t site)
{
	struct scan scan = scan_site(txn, TABLE_BODY_PIECES, site);

	while (scan_next(&scan))
		if (!content_piece_has_head(txn, TABLE_BODY_PIECES, scan.key))
			scan_delete(&scan);
	scan_end(&scan);
}

/* Mark the pages of the site whose body is lost as pages without a body. */
static void recovery_repair_pages(struct recovery *salvage, uint32_t site)
{
	struct txn *txn = &salvage->txn;
	struct scan scan = scan_site(txn, TABLE_PAGES, site);
	struct page_row row;
	uint64_t *pages = NULL;
	struct buffer joined = {0};
	size_t count = 0;
	size_t capacity = 0;

	while (scan_next(&scan)) {
		if (!page_row_decode(scan.value, &row) ||
		    row.redirect.size > 0 ||
		    (row.flags & PAGE_ROW_HAS_NO_BODY) != 0 ||
		    content_get(txn, TABLE_BODIES, scan.key, &joined).size > 0)
			continue;
		pages = mem_grow(pages, count, &capacity, sizeof(*pages));
		pages[count++] = key_u64(scan.key, sizeof(site));
	}
	scan_end(&scan);
	buffer_free(&joined);
	for (size_t i = 0; i < count; i++)
		if (page_row_get(txn, site, pages[i], &row)) {
			content_delete(txn, TABLE_BODIES,
				       KEY(key_page(site, pages[i])));
			row.flags |= PAGE_ROW_HAS_NO_BODY;
			page_row_put(txn, site, pages[i], &row);
		}
	recovery_delete_pieces(txn, site);
	salvage->report->bodies_lost += count;
	free(pages);
}

static void recovery_repair_sites(struct recovery *salvage)
{
	for (size_t i = 0; i < salvage->site_count; i++) {
		const struct found_site *site = &salvage->sites[i];

		if (!site->is_saved) {
			salvage->report->damaged++;
			recovery_add_line(salvage, "%s", site->loss);
			continue;
		}
		salvage->report->sites++;
		if (site_ranges_have(&salvage->bodies, site->id))
			recovery_repair_pages(salvage, site->id);
	}
}

/*
 * Set the hook's number of queued events to the number of its rows in the
 * outbox.
 */
static void recovery_repair_hook(struct txn *txn, uint32_t hook)
{
	struct key key = key_small(hook);
	struct scan scan = scan_begin(txn, TABLE_OUTBOX, key_slice(&key));
	struct hook_row row;
	uint32_t waiting = 0;

	while (scan_next(&scan))
		waiting++;
	scan_end(&scan);
	if (!hook_row_get(txn, hook, &row)) {
		hook_delete_events(txn, key_slice(&key));
	} else if (row.waiting != waiting) {
		row.waiting = waiting;
		hook_row_put(txn, hook, &row);
	}
}

/*
 * Repair the counts of all hooks, and delete the queued events of lost hooks.
 */
static void recovery_repair_hooks(struct txn *txn)
{
	static const enum table tables[] = {TABLE_HOOKS, TABLE_OUTBOX,
					    TABLE_REFUSED};
	uint32_t hook;

	for (size_t i = 0; i < 3; i++) {
		struct owners owners = {.txn = txn, .table = tables[i]};

		while (owners_next(&owners, &hook))
			recovery_repair_hook(txn, hook);
	}
}

/*
 * Return the highest number in the keys of the table. The number begins at byte
 * `offset` of the key.
 */
static uint64_t table_highest_number(struct txn *txn, enum table table,
				     size_t offset, bool is_long)
{
	struct scan scan = scan_begin(txn, table, slice_of(""));
	uint64_t number = 0;

	scan.is_keys_only = true;
	while (scan_next(&scan)) {
		uint64_t one = is_long ? key_u64(scan.key, offset)
				       : key_u32(scan.key, offset);

		if (one > number)
			number = one;
	}
	scan_end(&scan);
	return number;
}

/*
 * Raise the counters, so that no number is used again even if its row is lost.
 */
static void recovery_repair_rest(struct recovery *salvage)
{
	struct txn *txn = &salvage->txn;
	uint64_t hooks = table_highest_number(txn, TABLE_HOOKS, 0, false);
	uint64_t sites = 0;

	recovery_repair_hooks(txn);
	for (size_t i = 0; i < salvage->site_count; i++)
		if (salvage->sites[i].id > sites)
			sites = salvage->sites[i].id;
	store_raise_number(txn, "site", sites);
	store_raise_number(txn, "hook", hooks);
	store_raise_number(txn, "silence",
			   table_highest_number(txn, TABLE_SILENCES, 0, false));
	store_raise_number(txn, "event",
			   table_highest_number(txn, TABLE_EVENTS, 0, true));
	store_raise_number(txn, "guard",
			   table_highest_number(txn, TABLE_GUARDS, 4, false));
	store_raise_number(
		txn, "dictionary",
		table_highest_number(txn, TABLE_DICTIONARIES, 4, false));
}

static enum error recovery_write_intact(struct recovery *salvage,
					const struct lmdb_file *data,
					const char *to)
{
	const struct lmdb_visitor copy = {ignore_damage, copy_row, salvage};
	const size_t room = (size_t)64 << 20;
	const struct store_options options = {
		.max_map_bytes = ((size_t)data->bytes * 2 + room) * 2};
	enum error error = store_open(&salvage->store, to, &options);

	if (error != ERR_NONE)
		return error;
	salvage->txn = txn_begin_write(salvage->store);
	error = lmdb_file_walk(data, &copy);
	if (error == ERR_NONE) {
		recovery_repair_sites(salvage);
		recovery_repair_rest(salvage);
	}
	if (error == ERR_STOPPED)
		error = salvage->txn.error;
	if (error != ERR_NONE)
		txn_fail(&salvage->txn, error);
	error = txn_end(&salvage->txn);
	store_close(salvage->store);
	salvage->store = NULL;
	/* this logs missing secrets */
	if (error == ERR_NONE)
		error = store_open(&salvage->store, to, &options);
	store_close(salvage->store);
	return error;
}

static enum error write_remains(struct recovery *salvage,
				const struct lmdb_file *data,
				struct store *remains)
{
	const struct lmdb_visitor copy = {ignore_damage, copy_remains, salvage};
	enum error error;

	salvage->store = remains;
	salvage->bytes = 0;
	salvage->txn = txn_begin_write(remains);
	error = lmdb_file_walk(data, &copy);
	if (error == ERR_STOPPED)
		error = salvage->txn.error;
	if (error != ERR_NONE)
		txn_fail(&salvage->txn, error);
	return txn_end(&salvage->txn);
}

static enum error salvage_file(struct recovery *salvage, const char *name,
			       const char *to, struct store *remains)
{
	const struct lmdb_visitor look = {recovery_note_damage,
					  recovery_check_row, salvage};
	struct buffer why = {0};
	struct lmdb_file data;
	enum error error = lmdb_file_open(&data, name, &why);

	if (error == ERR_CORRUPT) {
		recovery_add_line(salvage, "%s", why.data);
		if (data.has_meta)
			error = ERR_NONE;
	}
	if (error == ERR_NONE)
		error = lmdb_file_walk(&data, &look);
	if (error == ERR_NONE && !salvage->has_checksums)
		error = ERR_CORRUPT;
	recovery_decide_sites(salvage);
	if (error == ERR_NONE)
		error = recovery_write_intact(salvage, &data, to);
	if (error == ERR_NONE && remains != NULL && salvage->has_remains)
		error = write_remains(salvage, &data, remains);
	lmdb_file_close(&data);
	buffer_free(&why);
	return error;
}

enum error store_recover_intact(const char *from, const char *to,
				struct store *remains,
				struct recovery_report *report_out)
{
	struct recovery salvage = {.report = report_out};
	char name[MAX_PATH_BYTES];
	char there[MAX_PATH_BYTES];
	int lock = -1;
	enum error error = ERR_NONE;

	*report_out = (struct recovery_report){0};
	if (!folder_name(name, from, FOLDER_DATA) ||
	    !folder_name(there, to, FOLDER_DATA))
		return ERR_IO;
	if (access(there, F_OK) == 0)
		return ERR_ADDRESS_FORBIDDEN;
	if (access(name, F_OK) != 0)
		return ERR_NOT_FOUND;
	error = folder_lock(from, &lock);
	if (error == ERR_BUSY)
		return error;
	error = salvage_file(&salvage, name, to, remains);
	if (lock >= 0)
		close(lock);
	for (size_t i = 0; i < salvage.site_count; i++)
		free(salvage.sites[i].loss);
	free(salvage.sites);
	free(salvage.hurt.items);
	free(salvage.bodies.items);
	return error;
}
