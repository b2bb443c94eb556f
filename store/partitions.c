#include "store/partitions.h"

#include <assert.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "store/encryption.h"
#include "store/journal.h"
#include "store/key.h"
#include "store/row_codec.h"
#include "store/rows.h"
#include "store/secrets.h"
#include "store/store.h"

/*
 * The layout of numbers. A site's number has its partition in the highest bits.
 * An event's number has its partition in the lowest bits, so that events of
 * several partitions are almost in the order of time.
 */
enum { PARTITIONS_SITE_SHIFT = 24, PARTITIONS_EVENT_BITS = 9, NAME_DIGITS = 3 };

static const uint32_t partitions_max_of_partition =
	(UINT32_C(1) << PARTITIONS_SITE_SHIFT) - 1;

bool store_is_partitioned(const struct store *store)
{
	return store->options.partition_of != NULL;
}

unsigned store_partition_of_host(const struct store *store, struct slice host)
{
	return store_is_partitioned(store) ? store->options.partition_of(host)
					   : 0;
}

unsigned store_partition_of_site(const struct store *store, uint32_t site)
{
	return store_is_partitioned(store) ? site >> PARTITIONS_SITE_SHIFT : 0;
}

unsigned store_partition_of_event(const struct store *store, uint64_t event)
{
	return store_is_partitioned(store)
		       ? (unsigned)(event & ((1U << PARTITIONS_EVENT_BITS) - 1))
		       : 0;
}

/*
 * Return the host in an authority such as "https://host:8080", which is a key
 * of TABLE_HOSTS.
 */
static struct slice authority_host_of(struct slice authority)
{
	const char *text = authority.data;
	const char *end = memmem(text, authority.size, "://", 3);

	if (end == NULL)
		return authority;
	end += 3;
	return (struct slice){end, authority.size - (size_t)(end - text)};
}

void counter_name(char out[COUNTER_NAME_BYTES], const char *stem,
		  unsigned partition)
{
	snprintf(out, COUNTER_NAME_BYTES, "%s.%03u", stem, partition);
}

/*
 * Return whether the key consists of the stem and the number of a partition, as
 * "site.017" does for the stem "site.".
 */
static bool has_stem(struct slice key, const char *stem)
{
	size_t size = strlen(stem);

	return key.size == size + NAME_DIGITS &&
	       memcmp(key.data, stem, size) == 0;
}

bool is_job_hash(struct slice name)
{
	return has_stem(name, "jobhash.");
}

/*
 * Return the partition of a counter. The counters of sites, jobs and events
 * with the number of a partition belong to that partition. The counters of
 * hooks and silences belong to JOURNAL_COMMON. All others belong to the whole
 * store and are raised when rows with higher numbers arrive: return
 * NO_PARTITION.
 */
static unsigned partition_of_counter(struct slice key)
{
	const char *name = key.data;
	unsigned partition = 0;

	if (slice_equal(key, slice_of("hook")) ||
	    slice_equal(key, slice_of("silence")))
		return JOURNAL_COMMON;
	if (!has_stem(key, "site.") && !has_stem(key, "job.") &&
	    !has_stem(key, "jobtime.") && !has_stem(key, "event.") &&
	    !is_job_hash(key))
		return NO_PARTITION;
	for (size_t i = key.size - NAME_DIGITS; i < key.size; i++) {
		if (name[i] < '0' || name[i] > '9')
			return NO_PARTITION;
		partition = 10 * partition + (unsigned)(name[i] - '0');
	}
	return partition < STORE_PARTITIONS ? partition : NO_PARTITION;
}

unsigned store_partition_of_key(const struct store *store, enum table table,
				struct slice key)
{
	assert(store_is_partitioned(store));
	switch (table) {
	case TABLE_META:
		return partition_of_counter(key);
	case TABLE_SITES:
		return store_partition_of_host(store, key);
	case TABLE_HOSTS:
		return store_partition_of_host(store, authority_host_of(key));
	case TABLE_EVENTS:
		return store_partition_of_event(store, key_u64(key, 0));
	case TABLE_OUTBOX:
	case TABLE_REFUSED:
		return store_partition_of_event(store,
						key_u64(key, sizeof(uint32_t)));
	case TABLE_HOOKS:
	case TABLE_SILENCES:
		return JOURNAL_COMMON;
	default:
		return store_partition_of_site(store, key_u32(key, 0));
	}
}

void store_set_owned(struct store *store, unsigned partition, bool is_own)
{
	assert(partition < JOURNAL_PARTITIONS);
	if (atomic_exchange(&store->owns[partition], is_own) != is_own)
		site_feeds_reset(&store->feeds);
}

bool store_owns(const struct store *store, unsigned partition)
{
	return !store_is_partitioned(store) ||
	       (partition < JOURNAL_PARTITIONS &&
		atomic_load(&store->owns[partition]));
}

bool store_owns_site(const struct store *store, uint32_t site)
{
	return store_owns(store, store_partition_of_site(store, site));
}

bool store_owns_event(const struct store *store, uint64_t event)
{
	return store_owns(store, store_partition_of_event(store, event));
}

uint32_t store_next_site(struct txn *txn, struct slice host)
{
	char name[COUNTER_NAME_BYTES];
	unsigned partition;
	uint64_t number;

	if (!store_is_partitioned(txn->store))
		return (uint32_t)store_next_number(txn, "site");
	partition = store_partition_of_host(txn->store, host);
	counter_name(name, "site", partition);
	number = store_next_number(txn, name);
	if (number > partitions_max_of_partition) {
		txn_fail(txn, ERR_TOO_LARGE);
		return 0;
	}
	return (uint32_t)(partition << PARTITIONS_SITE_SHIFT | number);
}

void store_leave_partitions(struct txn *txn)
{
	uint64_t last = 0;

	for (unsigned i = 0; i < STORE_PARTITIONS; i++) {
		char name[COUNTER_NAME_BYTES];
		uint64_t number;

		counter_name(name, "site", i);
		number = store_last_number(txn, name);
		if (number > 0)
			last = (uint64_t)i << PARTITIONS_SITE_SHIFT | number;
	}
	store_raise_number(txn, "site", last);
}

bool store_has_unpartitioned_sites(struct txn *txn)
{
	struct scan scan;
	bool has_sites;

	if (store_last_number(txn, "site") == 0)
		return false;
	scan = scan_begin(txn, TABLE_SITES, slice_of(""));
	scan.is_keys_only = true;
	has_sites = scan_next(&scan);
	scan_end(&scan);
	return has_sites;
}

uint64_t store_last_event(struct txn *txn, uint32_t site)
{
	char name[COUNTER_NAME_BYTES];

	if (!store_is_partitioned(txn->store))
		return store_last_number(txn, "event");
	counter_name(name, "event", store_partition_of_site(txn->store, site));
	return store_last_number(txn, name);
}

uint64_t store_next_event(struct txn *txn, struct slice host)
{
	unsigned partition = JOURNAL_COMMON;
	char name[COUNTER_NAME_BYTES];
	uint64_t number;

	if (!store_is_partitioned(txn->store))
		return store_next_number(txn, "event");
	if (host.size > 0)
		partition = store_partition_of_host(txn->store, host);
	number = store_last_number(txn, "event");
	number = ((number >> PARTITIONS_EVENT_BITS) + 1)
			 << PARTITIONS_EVENT_BITS |
		 partition;
	store_set_number(txn, "event", number);
	if (partition < STORE_PARTITIONS) {
		counter_name(name, "event", partition);
		store_set_number(txn, name, number);
	}
	return txn->error == ERR_NONE ? number : 0;
}

enum { BATCH_BYTES = 4 << 20, MAX_KEY_BYTES = 511 };

struct renumbered {
	/* old number of the site; must be the first field, for order_u32() */
	uint32_t old;
	uint32_t new;
	unsigned partition;
};

/*
 * A row for the new store. Its key and then its value are in work->bytes from
 * `at` on.
 */
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
	struct renumbered *sites; /* [site_count], ascending by old number */
	size_t site_count;
	size_t site_capacity;
	/* number of sites of each partition */
	uint32_t counts[STORE_PARTITIONS];
	/* [count], rows of one table that one transaction writes */
	struct migrated_row *rows;
	size_t count;
	size_t capacity;
	struct buffer bytes;
	/* The key at which the next rows of the table begin. */
	unsigned char next[MAX_KEY_BYTES + 1];
	size_t next_size;
	enum error error; /* the first error in the rows of `from` */
};

static void migration_add_site(struct partition_migration *work,
			       const struct site_row *row)
{
	struct renumbered site = {
		.old = row->id,
		.partition = store_partition_of_host(work->to, row->host),
	};

	/* a number this high occurs only in a store with partitions */
	if (row->id >> PARTITIONS_SITE_SHIFT != 0)
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
		      order_u32);
	for (size_t i = 0; i < work->site_count; i++) {
		struct renumbered *site = &work->sites[i];

		if (work->counts[site->partition] ==
		    partitions_max_of_partition)
			return ERR_TOO_LARGE;
		site->new = site->partition << PARTITIONS_SITE_SHIFT |
			    ++work->counts[site->partition];
	}
	work->report->sites = work->site_count;
	return ERR_NONE;
}

/*
 * Return the new number of a site. If the site does not exist, set the error
 * and return 0, which is never the number of a site.
 */
static uint32_t migration_site_number(struct partition_migration *work,
				      uint32_t old)
{
	const struct renumbered *site =
		work->site_count == 0
			? NULL
			: bsearch(&old, work->sites, work->site_count,
				  sizeof(*site), order_u32);

	if (site == NULL)
		work->error = ERR_CORRUPT;
	return site == NULL ? 0 : site->new;
}

static uint64_t event_number(const struct partition_migration *work,
			     uint64_t old, struct slice host)
{
	/* an event without a host concerns all sites */
	unsigned partition = STORE_PARTITIONS;

	if (host.size > 0)
		partition = store_partition_of_host(work->to, host);
	return old << PARTITIONS_EVENT_BITS | partition;
}

/* Add a row to the rows that the new store gets. */

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
 * Add an event, or a queued or refused event of a hook. The number of the event
 * is the end of the key, its host is in the value.
 */
static void put_event(struct partition_migration *work, enum table table,
		      struct slice key, struct slice value)
{
	size_t offset = table == TABLE_EVENTS ? 0 : sizeof(uint32_t);
	unsigned char changed[MAX_KEY_BYTES];
	struct event_row row;
	uint64_t number;

	if (key.size != offset + sizeof(number) ||
	    !event_decode_of(table, value, &row)) {
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
		put_event(work, table, key, value);
		break;
	case TABLE_OUTBOX:
	case TABLE_REFUSED:
		put_event(work, table, key, value);
		break;
	case TABLE_HOOKS:
	case TABLE_HOSTS:
	case TABLE_SILENCES: /* migration_write_row() handles these */
		migration_put(work, key, value);
		break;
	default:
		put_of_site(work, key, value);
		break;
	}
}

/*
 * Read the next rows of the table and convert them. No rows mean that the end
 * of the table is reached.
 */
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
		/* the lowest key above this one */
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
	buffer_wipe(&text);
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
	struct cookies_row cookies;

	if (table == TABLE_SITES && site_decode(value, &site)) {
		copy_secret(work, site.options.headers);
		copy_secret(work, site.options.proxy);
	} else if (table == TABLE_HOOKS && hook_row_decode(value, &hook)) {
		copy_secret(work, hook.target);
		copy_secret(work, hook.secret);
	} else if (table == TABLE_COOKIES &&
		   cookies_row_decode(value, &cookies)) {
		copy_secret(work, cookies.lines);
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
		store_raise_number(&txn, names[i], numbers[i]);
	for (unsigned i = 0; i < STORE_PARTITIONS; i++) {
		counter_name(name, "site", i);
		store_raise_number(&txn, name, work->counts[i]);
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
