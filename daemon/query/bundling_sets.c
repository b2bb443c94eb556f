#include <stdlib.h>

#include "base/lower_bound.h"
#include "base/memory.h"
#include "base/order.h"
#include "daemon/query/bundling_parts.h"
#include "store/key.h"
#include "store/rows_cluster.h"
#include "store/sets.h"

/* A shingle of the store and its index in the bundle. */
struct numbered_shingle {
	uint64_t shingle;
	uint32_t number; /* in the store */
	uint32_t index;  /* in the bundle, ordered by shingle */
};

struct shingle_list {
	struct numbered_shingle *items; /* [count] */
	size_t count;
	size_t capacity;
};

/* The cluster of the pages with a signature. */
struct signature_cluster {
	uint32_t set;
	uint32_t cluster;
};

struct owner_list {
	struct signature_cluster *items; /* [count], ascending by set */
	size_t count;
	size_t capacity;
};

static int by_shingle(const void *left, const void *right)
{
	const struct numbered_shingle *a = left;
	const struct numbered_shingle *b = right;

	return (a->shingle > b->shingle) - (a->shingle < b->shingle);
}

static int by_number(const void *left, const void *right)
{
	const struct numbered_shingle *a = left;
	const struct numbered_shingle *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

static int by_set(const void *left, const void *right)
{
	const struct signature_cluster *a = left;
	const struct signature_cluster *b = right;

	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	return (a->cluster > b->cluster) - (a->cluster < b->cluster);
}

static void bundle_export_load_shingles(struct bundle_exporter *bundler,
					struct shingle_list *shingle_ids)
{
	struct key prefix = key_site(bundler->site.id);
	struct scan scan =
		scan_begin(bundler->txn, TABLE_SHINGLES, key_slice(&prefix));

	while (scan_next(&scan)) {
		struct numbered_shingle shingle_id = {
			.number = key_u32(scan.key, sizeof(uint32_t))};

		if (!shingle_decode(scan.value, &shingle_id.shingle)) {
			txn_fail(bundler->txn, ERR_CORRUPT);
			break;
		}
		if (shingle_ids->count * sizeof(shingle_id.shingle) >
		    bundler->bundling->max_bytes) {
			txn_fail(bundler->txn, ERR_TOO_LARGE);
			break;
		}
		shingle_ids->items =
			mem_grow(shingle_ids->items, shingle_ids->count,
				 &shingle_ids->capacity, sizeof(shingle_id));
		shingle_ids->items[shingle_ids->count++] = shingle_id;
	}
	scan_end(&scan);
}

/*
 * Number the shingles in ascending order; afterwards sort them by their numbers
 * in the store.
 */
static void put_shingles(struct bundle_exporter *bundler,
			 struct shingle_list *shingle_ids)
{
	uint64_t *shingles =
		mem_alloc(shingle_ids->count + 1, sizeof(*shingles));

	qsort(shingle_ids->items, shingle_ids->count,
	      sizeof(*shingle_ids->items), by_shingle);
	for (size_t i = 0; i < shingle_ids->count; i++) {
		shingles[i] = shingle_ids->items[i].shingle;
		shingle_ids->items[i].index = (uint32_t)i;
	}
	bundle_put_shingles(&bundler->writer, shingles, shingle_ids->count);
	qsort(shingle_ids->items, shingle_ids->count,
	      sizeof(*shingle_ids->items), by_number);
	free(shingles);
}

static void load_owners(struct bundle_exporter *bundler,
			struct owner_list *owners)
{
	struct key prefix = key_site(bundler->site.id);
	struct scan scan =
		scan_begin(bundler->txn, TABLE_MEMBERS, key_slice(&prefix));

	while (scan_next(&scan)) {
		struct signature_cluster owner = {
			.cluster = key_u32(scan.key, sizeof(uint32_t))};
		const struct signature_cluster *last =
			owners->count == 0 ? NULL
					   : &owners->items[owners->count - 1];

		if (!member_decode(scan.value, &owner.set))
			continue;
		if (last != NULL && last->set == owner.set)
			continue;
		owners->items = mem_grow(owners->items, owners->count,
					 &owners->capacity, sizeof(owner));
		owners->items[owners->count++] = owner;
	}
	scan_end(&scan);
	if (owners->count > 1)
		qsort(owners->items, owners->count, sizeof(*owners->items),
		      by_set);
}

/* Return the first cluster that has the signature; 0 if it has no cluster. */
static uint32_t owner_of(const struct owner_list *owners, uint32_t set)
{
	size_t at;

	LOWER_BOUND(at, owners->count, owners->items[at].set < set);
	return at < owners->count && owners->items[at].set == set
		       ? owners->items[at].cluster
		       : 0;
}

/* Write the indexes to `out` [set->count]; false if a shingle is missing. */
static bool bundle_export_translate(const struct shingle_list *shingle_ids,
				    const struct set_scan *set, uint32_t *out)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct numbered_shingle wanted = {
			.number = set->shingle_ids[i]};
		const struct numbered_shingle *shingle_id =
			bsearch(&wanted, shingle_ids->items, shingle_ids->count,
				sizeof(*shingle_ids->items), by_number);

		if (shingle_id == NULL)
			return false;
		out[i] = shingle_id->index;
	}
	if (set->count > 1)
		qsort(out, set->count, sizeof(*out), order_u32);
	return true;
}

static void put_sets(struct bundle_exporter *bundler,
		     const struct shingle_list *shingle_ids,
		     const struct owner_list *owners)
{
	struct set_scan scan = set_scan_begin(bundler->txn, bundler->site.id);
	uint32_t *indices = mem_alloc(shingle_ids->count + 1, sizeof(*indices));

	while (!bundle_exporter_has_failed(bundler) && set_scan_next(&scan)) {
		if (scan.count > shingle_ids->count ||
		    !bundle_export_translate(shingle_ids, &scan, indices))
			txn_fail(bundler->txn, ERR_CORRUPT);
		else
			bundle_put_set(&bundler->writer,
				       owner_of(owners, scan.set), indices,
				       scan.count);
	}
	set_scan_end(&scan);
	free(indices);
}

void bundle_exporter_put_signatures(struct bundle_exporter *bundler)
{
	struct shingle_list shingle_ids = {0};
	struct owner_list owners = {0};

	bundle_export_load_shingles(bundler, &shingle_ids);
	if (bundler->txn->error == ERR_NONE && shingle_ids.count > 0)
		put_shingles(bundler, &shingle_ids);
	load_owners(bundler, &owners);
	put_sets(bundler, &shingle_ids, &owners);
	free(shingle_ids.items);
	free(owners.items);
}
