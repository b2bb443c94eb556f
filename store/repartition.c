#include "store/repartition.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/env.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows_event.h"
#include "store/rows_hook.h"
#include "store/rows_site.h"
#include "store/sealed.h"
#include "store/secrets.h"

enum {
	BATCH_BYTES = 4 << 20,
	MAX_KEY_BYTES = 511,
	SITE_SHIFT = 24,
	EVENT_BITS = 9,
};

static const uint32_t max_of_partition = (UINT32_C(1) << SITE_SHIFT) - 1;

struct renumbered {
	uint32_t old;
	uint32_t new;
	unsigned partition;
};

/* A row of the new store in the bytes of the batch: key, then value. */
struct migrated_row {
	size_t at;
	size_t key_size;
	size_t value_size;
};

struct partition_migration {
	struct store *from;
	struct store *to;
	bool with_secrets;
	struct partitions_migration_report *report;
	struct renumbered
		*sites; /* [site_count] in the order of the old numbers */
	size_t site_count;
	size_t site_capacity;
	uint32_t counts[STORE_PARTITIONS]; /* sites of each partition */
	struct migrated_row *rows;         /* [count] rows of one table */
	size_t count;
	size_t capacity;
	struct buffer bytes;
	/* The first key of the next batch of the table. */
	unsigned char next[MAX_KEY_BYTES + 1];
	size_t next_size;
	enum error error; /* the first error in a row of `from` */
};

static int by_old(const void *left, const void *right)
{
	const struct renumbered *a = left;
	const struct renumbered *b = right;

	return (a->old > b->old) - (a->old < b->old);
}

static void migration_add_site(struct partition_migration *work,
			       const struct site_row *row)
{
	struct renumbered site = {
		.old = row->id,
		.partition = store_partition_of_host(work->to, row->host),
	};

	/* only a store with partitions has so large numbers */
	if (row->id >> SITE_SHIFT != 0)
		work->error = ERR_MALFORMED;
	work->sites = mem_grow(work->sites, work->site_count,
			       &work->site_capacity, sizeof(*work->sites));
	work->sites[work->site_count++] = site;
}

static enum error number_sites(struct partition_migration *work)
{
	struct txn txn = txn_begin_read(work->from);
	struct scan scan = scan_begin(&txn, TABLE_SITES, slice_of(""));
	struct site_row row;
	enum error error;

	while (scan_next(&scan))
		if (site_decode(scan.value, &row))
			migration_add_site(work, &row);
		else
			work->error = ERR_CORRUPT;
	scan_end(&scan);
	error = txn_end(&txn);
	if (error != ERR_NONE || work->error != ERR_NONE)
		return error != ERR_NONE ? error : work->error;
	if (work->site_count > 1)
		qsort(work->sites, work->site_count, sizeof(*work->sites),
		      by_old);
	for (size_t i = 0; i < work->site_count; i++) {
		struct renumbered *site = &work->sites[i];

		if (work->counts[site->partition] == max_of_partition)
			return ERR_TOO_LARGE;
		site->new = site->partition << SITE_SHIFT |
			    ++work->counts[site->partition];
	}
	work->report->sites = work->site_count;
	return ERR_NONE;
}

/*
 * Return the new number. If the site does not exist, return 0, which is no
 * site, and set the error.
 */
static uint32_t migration_site_number(struct partition_migration *work,
				      uint32_t old)
{
	const struct renumbered wanted = {.old = old};
	const struct renumbered *site =
		work->site_count == 0
			? NULL
			: bsearch(&wanted, work->sites, work->site_count,
				  sizeof(wanted), by_old);

	if (site == NULL)
		work->error = ERR_CORRUPT;
	return site == NULL ? 0 : site->new;
}

static uint64_t event_number(const struct partition_migration *work,
			     uint64_t old, struct slice host)
{
	unsigned partition = STORE_PARTITIONS; /* the partition of all sites */

	if (host.size > 0)
		partition = store_partition_of_host(work->to, host);
	return old << EVENT_BITS | partition;
}

/* Write one row to the new store. */

static void migration_put(struct partition_migration *work, struct slice key,
			  struct slice value)
{
	struct migrated_row row = {work->bytes.size, key.size, value.size};

	work->rows = mem_grow(work->rows, work->count, &work->capacity,
			      sizeof(*work->rows));
	work->rows[work->count++] = row;
	buffer_append_slice(&work->bytes, key);
	buffer_append_slice(&work->bytes, value);
}

/*
 * Write an event. Its number is in the key at `offset`, its host in the value.
 */
static void put_event(struct partition_migration *work, struct slice key,
		      struct slice value, size_t offset)
{
	unsigned char changed[MAX_KEY_BYTES];
	struct event_row row;
	uint64_t number;

	if (key.size != offset + sizeof(number) || !event_decode(value, &row)) {
		work->error = ERR_CORRUPT;
		return;
	}
	number = htobe64(event_number(work, key_u64(key, offset), row.host));
	memcpy(changed, key.data, offset);
	memcpy(changed + offset, &number, sizeof(number));
	migration_put(work, (struct slice){changed, key.size}, value);
}

static void put_of_site(struct partition_migration *work, struct slice key,
			struct slice value)
{
	unsigned char changed[MAX_KEY_BYTES];
	uint32_t number = htobe32(migration_site_number(work, key_u32(key, 0)));

	if (key.size < sizeof(number)) {
		work->error = ERR_CORRUPT;
		return;
	}
	memcpy(changed, key.data, key.size);
	memcpy(changed, &number, sizeof(number));
	migration_put(work, (struct slice){changed, key.size}, value);
}

static void migration_put_site(struct partition_migration *work,
			       struct slice key, struct slice value)
{
	struct buffer changed;
	struct site_row row;

	if (!site_decode(value, &row)) {
		work->error = ERR_CORRUPT;
		return;
	}
	row.id = migration_site_number(work, row.id);
	changed = site_encode(&row);
	migration_put(work, key, buffer_slice(&changed));
	buffer_free(&changed);
}

static void migration_put_row(struct partition_migration *work,
			      enum table table, struct slice key,
			      struct slice value)
{
	switch (table) {
	case TABLE_SITES:
		migration_put_site(work, key, value);
		break;
	case TABLE_EVENTS:
		work->report->events++;
		put_event(work, key, value, 0);
		break;
	case TABLE_OUTBOX:
		put_event(work, key, value, sizeof(uint32_t));
		break;
	case TABLE_HOOKS:
	case TABLE_HOSTS:
	case TABLE_SILENCES: /* handled by migration_write_row() */
		migration_put(work, key, value);
		break;
	default:
		put_of_site(work, key, value);
		break;
	}
}

/* Read the next rows of the table; no row means the end. */
static enum error migration_fill_batch(struct partition_migration *work,
				       enum table table)
{
	struct txn txn = txn_begin_read(work->from);
	struct scan scan = scan_begin_at(
		&txn, table, (struct slice){work->next, work->next_size}, 0);

	work->count = 0;
	buffer_clear(&work->bytes);
	while (work->bytes.size < BATCH_BYTES && work->error == ERR_NONE &&
	       scan_next(&scan)) {
		migration_put_row(work, table, scan.key, scan.value);
		/* the first key after this one */
		memcpy(work->next, scan.key.data, scan.key.size);
		work->next[scan.key.size] = 0;
		work->next_size = scan.key.size + 1;
	}
	scan_end(&scan);
	work->report->rows += work->count;
	return txn_end(&txn);
}

static void copy_secret(struct partition_migration *work, struct slice sealed)
{
	static const struct secret_id none = {{0}};
	struct buffer text = {0};
	struct secret_id id;

	if (sealed.size < sizeof(id))
		return;
	memcpy(&id, sealed.data, sizeof(id));
	if (memcmp(&id, &none, sizeof(id)) == 0)
		return;
	work->report->secrets++;
	if (work->with_secrets && secret_text_read(work->from, sealed, &text)) {
		secrets_put(work->to->secrets, &id, buffer_slice(&text));
		work->report->secrets_copied++;
	}
	if (text.data != NULL)
		explicit_bzero(text.data, text.size);
	buffer_free(&text);
}

static void migration_write_row(struct partition_migration *work,
				struct txn *txn, enum table table,
				const struct migrated_row *row)
{
	struct slice key = {work->bytes.data + row->at, row->key_size};
	struct slice value = {work->bytes.data + row->at + row->key_size,
			      row->value_size};
	struct silence_row silence;
	struct site_row site;
	struct hook_row hook;

	if (table == TABLE_SITES && site_decode(value, &site)) {
		copy_secret(work, site.options.headers);
		copy_secret(work, site.options.proxy);
	} else if (table == TABLE_HOOKS && hook_row_decode(value, &hook)) {
		copy_secret(work, hook.target);
		copy_secret(work, hook.secret);
	}
	if (table != TABLE_SILENCES) {
		txn_put(txn, table, key, value);
	} else if (silence_row_decode(value, &silence)) {
		silence.event = event_number(work, silence.event, silence.host);
		silence_row_put(txn, key_u32(key, 0), &silence);
	} else {
		txn_fail(txn, ERR_CORRUPT);
	}
}

static enum error move_table(struct partition_migration *work, enum table table)
{
	enum error error = ERR_NONE;

	work->next_size = 0;
	while (error == ERR_NONE) {
		struct txn txn;

		error = migration_fill_batch(work, table);
		if (error == ERR_NONE)
			error = work->error;
		if (error != ERR_NONE || work->count == 0)
			break;
		txn = txn_begin_write(work->to);
		for (size_t i = 0; i < work->count; i++)
			migration_write_row(work, &txn, table, &work->rows[i]);
		error = txn_end(&txn);
	}
	return error;
}

static void put_counter(struct txn *txn, const char *name, uint64_t number)
{
	if (number > 0)
		txn_put(txn, TABLE_META, slice_of(name),
			(struct slice){&number, sizeof(number)});
}

/* Copy the counters, so that no number is reused. */
static enum error put_counters(struct partition_migration *work)
{
	static const char *const names[] = {"event", "guard", "dictionary",
					    "hook", "silence"};
	enum { NAMES = sizeof(names) / sizeof(names[0]) };
	char name[COUNTER_NAME_BYTES];
	uint64_t numbers[NAMES];
	struct txn txn = txn_begin_read(work->from);
	enum error error;

	for (size_t i = 0; i < NAMES; i++)
		numbers[i] = store_last_number(&txn, names[i]);
	error = txn_end(&txn);
	if (error != ERR_NONE)
		return error;
	numbers[0] = event_number(work, numbers[0], slice_of(""));
	txn = txn_begin_write(work->to);
	for (size_t i = 0; i < NAMES; i++)
		put_counter(&txn, names[i], numbers[i]);
	for (unsigned i = 0; i < STORE_PARTITIONS; i++) {
		site_counter_name(i, name);
		put_counter(&txn, name, work->counts[i]);
	}
	return txn_end(&txn);
}

static enum error migration_check_target(struct store *to)
{
	struct txn txn = txn_begin_read(to);
	uint64_t sites = txn_usage(&txn, TABLE_SITES).rows;
	enum error error = txn_end(&txn);

	return error == ERR_NONE && sites > 0 ? ERR_ADDRESS_FORBIDDEN : error;
}

enum error partitions_migrate(struct store *from, struct store *to,
			      bool with_secrets,
			      struct partitions_migration_report *report_out)
{
	struct partition_migration work = {.from = from,
					   .to = to,
					   .with_secrets = with_secrets,
					   .report = report_out};
	enum error error = migration_check_target(to);

	assert(store_is_partitioned(to) && !store_is_partitioned(from));
	*report_out = (struct partitions_migration_report){0};
	if (error == ERR_NONE)
		error = number_sites(&work);
	for (enum table table = TABLE_META + 1;
	     table < TABLE_COUNT && error == ERR_NONE; table++)
		error = move_table(&work, table);
	if (error == ERR_NONE)
		error = put_counters(&work);
	free(work.sites);
	free(work.rows);
	buffer_free(&work.bytes);
	return error;
}
