#include "store/partitions.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "store/env.h"
#include "store/journal.h"
#include "store/key.h"
#include "store/row.h"

/*
 * The layout of numbers. The partition is in the highest bits of a site's
 * number, but in the lowest bits of an event's, so that the events of several
 * partitions are almost in the order of time.
 */
enum { SITE_SHIFT = 24, EVENT_BITS = 9, NAME_DIGITS = 3 };

static const uint32_t max_of_partition = (UINT32_C(1) << SITE_SHIFT) - 1;

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
	return store_is_partitioned(store) ? site >> SITE_SHIFT : 0;
}

unsigned store_partition_of_event(const struct store *store, uint64_t event)
{
	return store_is_partitioned(store)
		       ? (unsigned)(event & ((1U << EVENT_BITS) - 1))
		       : 0;
}

/*
 * Return the host of an authority such as "https://host:8080", from
 * TABLE_HOSTS.
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

void site_counter_name(unsigned partition, char out[COUNTER_NAME_BYTES])
{
	snprintf(out, COUNTER_NAME_BYTES, "site.%03u", partition);
}

void job_counter_name(unsigned partition, char out[COUNTER_NAME_BYTES])
{
	snprintf(out, COUNTER_NAME_BYTES, "job.%03u", partition);
}

void job_time_counter_name(unsigned partition, char out[COUNTER_NAME_BYTES])
{
	snprintf(out, COUNTER_NAME_BYTES, "jobtime.%03u", partition);
}

void job_hash_name(unsigned partition, char out[COUNTER_NAME_BYTES])
{
	snprintf(out, COUNTER_NAME_BYTES, "jobhash.%03u", partition);
}

static void event_counter_name(unsigned partition, char out[COUNTER_NAME_BYTES])
{
	snprintf(out, COUNTER_NAME_BYTES, "event.%03u", partition);
}

/*
 * Return whether the key is a stem and a partition: "site.017" has the stem
 * "site.".
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
 * Return the partition of a counter. Counters of sites, jobs and events belong
 * to their partition, counters of hooks and silences to JOURNAL_COMMON; all
 * others belong to the store, and new rows raise them.
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
	atomic_store(&store->owns[partition], is_own);
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
	site_counter_name(partition, name);
	number = store_next_number(txn, name);
	if (number > max_of_partition) {
		txn_fail(txn, ERR_TOO_LARGE);
		return 0;
	}
	return (uint32_t)(partition << SITE_SHIFT | number);
}

void store_leave_partitions(struct txn *txn)
{
	uint64_t last = 0;

	for (unsigned i = 0; i < STORE_PARTITIONS; i++) {
		char name[COUNTER_NAME_BYTES];
		uint64_t number;

		site_counter_name(i, name);
		number = store_last_number(txn, name);
		if (number > 0)
			last = (uint64_t)i << SITE_SHIFT | number;
	}
	if (store_last_number(txn, "site") < last)
		txn_put(txn, TABLE_META, slice_of("site"),
			(struct slice){&last, sizeof(last)});
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
	event_counter_name(store_partition_of_site(txn->store, site), name);
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
	number = ((number >> EVENT_BITS) + 1) << EVENT_BITS | partition;
	txn_put(txn, TABLE_META, slice_of("event"),
		(struct slice){&number, sizeof(number)});
	if (partition < STORE_PARTITIONS) {
		event_counter_name(partition, name);
		txn_put(txn, TABLE_META, slice_of(name),
			(struct slice){&number, sizeof(number)});
	}
	return txn->error == ERR_NONE ? number : 0;
}
