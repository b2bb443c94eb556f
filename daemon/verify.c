#include "daemon/verify.h"

#include <stdlib.h>

#include "cluster/signature.h"
#include "store/hash.h"
#include "store/memory.h"
#include "store/record.h"
#include "store/rows.h"

/* A distinct signature of a site and the cluster that its pages are in. */
struct entry {
	uint64_t hash;
	uint64_t *members; /* [count] */
	size_t count;
	uint32_t cluster;
	uint32_t component; /* by brute force, from 1 */
};

struct entries {
	struct entry *items; /* [count], ascending by hash once sorted */
	size_t count;
	size_t capacity;
};

static void free_entries(struct entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		free(entries->items[i].members);
	free(entries->items);
}

static bool is_same_set(const struct entry *entry, struct slice bytes)
{
	return entry->count * sizeof(*entry->members) == bytes.size &&
	       (bytes.size == 0 ||
		memcmp(entry->members, bytes.data, bytes.size) == 0);
}

static void add_entry(struct entries *entries, struct slice bytes,
		      uint32_t cluster)
{
	struct entry entry = {
		.hash = hash64(bytes.data, bytes.size, 0),
		.count = bytes.size / sizeof(uint64_t),
		.cluster = cluster,
	};

	entry.members = (uint64_t *)mem_copy_text(bytes.data, bytes.size);
	entries->items = mem_grow(entries->items, entries->count,
				  &entries->capacity, sizeof(*entries->items));
	entries->items[entries->count++] = entry;
}

static int by_hash(const void *left, const void *right)
{
	const struct entry *a = left;
	const struct entry *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->cluster > b->cluster) - (a->cluster < b->cluster);
}

/* The signature in the record of the page must be the stored one. */
static void check_record(struct txn *txn, const struct site_row *site,
			 struct slice key, struct slice stored,
			 struct verify_report *report)
{
	struct slice value = txn_get(txn, TABLE_RECORDS, key);
	unsigned measure = site->measure % MEASURE_COUNT;
	struct record record;
	void *copy;
	bool is_same = false;

	if (value.data == NULL)
		return; /* store_verify() has said so */
	copy = record_copy(value);
	value.data = copy;
	if (record_open(value, &record) == ERR_NONE)
		is_same = slice_equal(
			stored,
			(struct slice){record.signatures[measure],
				       record.signature_counts[measure] *
					       sizeof(uint64_t)});
	if (!is_same)
		verify_problem(report,
			       "site %.*s: page %016llx: its %s "
			       "signature is not that of its record",
			       (int)site->host.size,
			       (const char *)site->host.data,
			       (unsigned long long)key_u64(key, 4),
			       measure_name(measure));
	free(copy);
}

static void load_entries(struct txn *txn, const struct site_row *site,
			 struct entries *entries, struct verify_report *report)
{
	struct key prefix = key_site(site->id);
	struct scan scan =
		scan_begin(txn, TABLE_SIGNATURES, key_slice(&prefix));

	while (scan_next(&scan)) {
		struct page_row row;

		check_record(txn, site, scan.key, scan.value, report);
		if (page_row_get(txn, site->id, key_u64(scan.key, 4), &row))
			add_entry(entries, scan.value, row.cluster);
	}
	scan_end(&scan);
	if (entries->count > 1)
		qsort(entries->items, entries->count, sizeof(*entries->items),
		      by_hash);
}

/* Keep one of each; equal signatures must be in one cluster. */
static void drop_equal(struct entries *entries, const struct site_row *site,
		       struct verify_report *report)
{
	size_t kept = 0;

	for (size_t i = 0; i < entries->count; i++) {
		struct entry *entry = &entries->items[i];
		struct entry *last =
			kept == 0 ? NULL : &entries->items[kept - 1];
		struct slice bytes = {entry->members,
				      entry->count * sizeof(uint64_t)};

		if (last == NULL || !is_same_set(last, bytes)) {
			entries->items[kept++] = *entry;
			continue;
		}
		if (last->cluster != entry->cluster)
			verify_problem(report,
				       "site %.*s: pages with the same "
				       "signature are in clusters %u and %u",
				       (int)site->host.size,
				       (const char *)site->host.data,
				       last->cluster, entry->cluster);
		free(entry->members);
	}
	entries->count = kept;
}

static struct signature signature_of(const struct entry *entry)
{
	return (struct signature){entry->members, entry->count};
}

/* Flood every component of the threshold graph, by all pairs. */
static void find_components(struct entries *entries, unsigned threshold)
{
	size_t *stack = mem_alloc(entries->count, sizeof(*stack));
	uint32_t component = 0;

	for (size_t i = 0; i < entries->count; i++) {
		size_t depth = 0;

		if (entries->items[i].component != 0)
			continue;
		entries->items[i].component = ++component;
		stack[depth++] = i;
		while (depth > 0) {
			const struct entry *from =
				&entries->items[stack[--depth]];

			for (size_t k = 0; k < entries->count; k++) {
				struct entry *to = &entries->items[k];

				if (to->component != 0 ||
				    !signature_linked(signature_of(from),
						      signature_of(to),
						      threshold))
					continue;
				to->component = component;
				stack[depth++] = k;
			}
		}
	}
	free(stack);
}

static int by_cluster(const void *left, const void *right)
{
	const struct entry *a = left;
	const struct entry *b = right;

	if (a->cluster != b->cluster)
		return a->cluster < b->cluster ? -1 : 1;
	return (a->component > b->component) - (a->component < b->component);
}

static int by_component(const void *left, const void *right)
{
	const struct entry *a = left;
	const struct entry *b = right;

	if (a->component != b->component)
		return a->component < b->component ? -1 : 1;
	return (a->cluster > b->cluster) - (a->cluster < b->cluster);
}

/* One cluster a component, and one component a cluster. */
static void compare_partitions(struct entries *entries,
			       const struct site_row *site,
			       struct verify_report *report)
{
	if (entries->count < 2)
		return;
	qsort(entries->items, entries->count, sizeof(*entries->items),
	      by_cluster);
	for (size_t i = 1; i < entries->count; i++)
		if (entries->items[i].cluster ==
			    entries->items[i - 1].cluster &&
		    entries->items[i].component !=
			    entries->items[i - 1].component)
			verify_problem(report,
				       "site %.*s: cluster %u is not connected",
				       (int)site->host.size,
				       (const char *)site->host.data,
				       entries->items[i].cluster);
	qsort(entries->items, entries->count, sizeof(*entries->items),
	      by_component);
	for (size_t i = 1; i < entries->count; i++)
		if (entries->items[i].component ==
			    entries->items[i - 1].component &&
		    entries->items[i].cluster != entries->items[i - 1].cluster)
			verify_problem(report,
				       "site %.*s: clusters %u and %u are "
				       "within the threshold of each other",
				       (int)site->host.size,
				       (const char *)site->host.data,
				       entries->items[i - 1].cluster,
				       entries->items[i].cluster);
}

/* Sites by name: each is looked at in a snapshot of its own. */
struct names {
	char **items; /* [count] */
	size_t count;
	size_t capacity;
};

static void list_sites(struct txn *txn, struct names *names)
{
	struct scan scan =
		scan_begin(txn, TABLE_SITES, (struct slice){NULL, 0});

	while (scan_next(&scan)) {
		names->items = mem_grow(names->items, names->count,
					&names->capacity, sizeof(char *));
		names->items[names->count++] =
			mem_copy_text(scan.key.data, scan.key.size);
	}
	scan_end(&scan);
}

/*
 * All pairs are compared after the transaction: that may take long, and a
 * reader must not keep the map from growing.
 */
static enum error verify_site(struct store *store, const char *host,
			      struct verify_report *report)
{
	struct txn txn = txn_begin_read(store);
	struct entries entries = {0};
	struct site_row site;
	bool is_there = site_get(&txn, slice_of(host), &site);
	enum error error;

	if (is_there)
		load_entries(&txn, &site, &entries, report);
	site.host = slice_of(host);
	error = txn_end(&txn);
	if (is_there && error == ERR_NONE) {
		drop_equal(&entries, &site, report);
		find_components(&entries, site.threshold);
		compare_partitions(&entries, &site, report);
	}
	free_entries(&entries);
	return error;
}

enum error verify(struct store *store, struct verify_report *report_out)
{
	struct txn txn = txn_begin_read(store);
	struct names names = {0};
	enum error error;

	*report_out = (struct verify_report){0};
	store_verify(&txn, report_out);
	list_sites(&txn, &names);
	error = txn_end(&txn);
	for (size_t i = 0; i < names.count; i++) {
		if (error == ERR_NONE)
			error = verify_site(store, names.items[i], report_out);
		free(names.items[i]);
	}
	free(names.items);
	return error;
}
