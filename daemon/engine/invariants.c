#include "daemon/engine/invariants.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cluster/signature.h"
#include "daemon/engine/commit_guard.h"
#include "daemon/query/query.h"
#include "store/content.h"
#include "store/key.h"
#include "store/record.h"
#include "store/rows.h"
#include "store/sets.h"

/*
 * A distinct signature of a site, with the cluster of the pages that have it.
 */
struct invariants_signature {
	uint32_t set;
	/* cluster of the pages; 0 = no page has the signature */
	uint32_t cluster;
	/*
	 * number of its connected component, found by comparing all pairs; from
	 * 1
	 */
	uint32_t component;
	uint64_t *shingles; /* [count] */
	size_t count;
	struct signature units; /* the shingles with their weights */
};

struct invariants_signature_list {
	struct invariants_signature
		*items; /* [count], at first ascending by signature number */
	size_t count;
	size_t capacity;
	struct arena *arena; /* owns the units; NULL until they are computed */
};

/* A shingle, and the number that stands for it in signatures. */
struct invariants_shingle {
	uint32_t number;
	uint64_t shingle;
};

struct invariants_shingle_list {
	struct invariants_shingle *items; /* [count], ascending by number */
	size_t count;
	size_t capacity;
};

static void free_entries(struct invariants_signature_list *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): freed once */
		free(entries->items[i].shingles);
	free(entries->items);
	if (entries->arena != NULL)
		arena_destroy(entries->arena);
}

static void
invariants_load_shingles(struct txn *txn, const struct site_row *site,
			 struct invariants_shingle_list *shingle_ids)
{
	struct scan scan = scan_site(txn, TABLE_SHINGLES, site->id);

	while (scan_next(&scan)) {
		uint64_t shingle;

		if (!shingle_decode(scan.value, &shingle))
			continue; /* store_verify() reports this damaged row */
		shingle_ids->items = mem_grow(
			shingle_ids->items, shingle_ids->count,
			&shingle_ids->capacity, sizeof(*shingle_ids->items));
		shingle_ids->items[shingle_ids->count++] =
			(struct invariants_shingle){
				key_u32(scan.key, sizeof(uint32_t)), shingle};
	}
	scan_end(&scan);
}

static uint64_t shingle_of(const struct invariants_shingle_list *shingle_ids,
			   uint32_t shingle_id)
{
	size_t at;

	LOWER_BOUND(at, shingle_ids->count,
		    shingle_ids->items[at].number < shingle_id);
	return at < shingle_ids->count &&
			       shingle_ids->items[at].number == shingle_id
		       ? shingle_ids->items[at].shingle
		       : 0;
}

/*
 * Add the signature number `set`, with its shingles from `value`, to the list.
 */
static void add_entry(struct invariants_signature_list *entries,
		      const struct invariants_shingle_list *shingle_ids,
		      uint32_t set, struct slice value)
{
	uint32_t *numbers = mem_alloc(value.size + 1, sizeof(*numbers));
	size_t count = set_decode(value, numbers);
	struct invariants_signature entry = {.set = set, .count = count};

	if (count != SIZE_MAX) {
		entry.shingles = mem_alloc(count + 1, sizeof(uint64_t));
		for (size_t i = 0; i < count; i++)
			entry.shingles[i] = shingle_of(shingle_ids, numbers[i]);
		qsort(entry.shingles, count, sizeof(uint64_t), order_u64);
		entries->items =
			mem_grow(entries->items, entries->count,
				 &entries->capacity, sizeof(*entries->items));
		entries->items[entries->count++] = entry;
	}
	free(numbers);
}

/*
 * Compute the units of the signatures. Return false if the weights are damaged.
 */
static bool weigh_signatures(struct txn *txn, const struct site_row *site,
			     struct invariants_signature_list *entries)
{
	struct shingle_weights weights;

	if (!site_weights_read(txn, site, &weights))
		return false;
	entries->arena = arena_create();
	for (size_t i = 0; i < entries->count; i++) {
		struct invariants_signature *entry = &entries->items[i];

		entry->units = shingle_weights_expand(
			entries->arena, &weights,
			(struct signature){entry->shingles, entry->count});
	}
	shingle_weights_free(&weights);
	return true;
}

static void
invariants_load_signatures(struct txn *txn, const struct site_row *site,
			   struct invariants_signature_list *entries)
{
	struct scan scan = scan_site(txn, TABLE_SETS, site->id);
	struct invariants_shingle_list shingle_ids = {0};

	invariants_load_shingles(txn, site, &shingle_ids);
	while (scan_next(&scan))
		add_entry(entries, &shingle_ids,
			  key_u32(scan.key, sizeof(uint32_t)), scan.value);
	scan_end(&scan);
	free(shingle_ids.items);
}

static struct invariants_signature *
invariants_find_signature(const struct invariants_signature_list *entries,
			  uint32_t set)
{
	size_t at;

	LOWER_BOUND(at, entries->count, entries->items[at].set < set);
	return at < entries->count && entries->items[at].set == set
		       ? &entries->items[at]
		       : NULL;
}

/*
 * Check that the page's record has the signature that is stored for the page.
 */
static void invariants_check_record(const struct table_check *check,
				    uint64_t page,
				    const struct invariants_signature *entry)
{
	unsigned measure = check->site->options.measure % MEASURE_COUNT;
	unsigned slot = signature_slot(measure);
	struct buffer bytes = {0};
	struct record record;
	bool is_same = false;
	enum error error = content_record(check->txn, check->site->id, page,
					  &bytes, &record);

	if (error == ERR_NOT_FOUND)
		return; /* store_verify() reports the missing record */
	if (error == ERR_NONE)
		is_same = record.signature_counts[slot] == entry->count &&
			  (entry->count == 0 ||
			   memcmp(record.signatures[slot], entry->shingles,
				  entry->count * sizeof(uint64_t)) == 0);
	if (!is_same)
		verify_problem(check->report,
			       CHECK_SITE "page %016llx: its %s signature "
					  "differs from its record",
			       CHECK_HOST(check), (unsigned long long)page,
			       measure_name(measure));
	buffer_free(&bytes);
}

/*
 * Check a row of the member table: the page must have the same cluster as the
 * other pages with its signature.
 */
static void check_shingle(const struct table_check *check,
			  const struct scan *scan,
			  struct invariants_signature_list *entries)
{
	uint32_t cluster = key_u32(scan->key, sizeof(uint32_t));
	uint64_t page = key_u64(scan->key, 2 * sizeof(uint32_t));
	struct invariants_signature *entry;
	uint32_t set;

	if (!member_decode(scan->value, &set))
		return; /* store_verify() reports this damaged row */
	entry = invariants_find_signature(entries, set);
	if (entry == NULL)
		return;
	if (entry->cluster == 0)
		entry->cluster = cluster;
	if (entry->cluster != cluster)
		verify_problem(check->report,
			       CHECK_SITE "pages with the same signature are "
					  "in clusters %u and %u",
			       CHECK_HOST(check), entry->cluster, cluster);
	invariants_check_record(check, page, entry);
}

static void load_entries(struct txn *txn, const struct site_row *site,
			 struct invariants_signature_list *entries,
			 struct verify_report *report)
{
	const struct table_check check = {txn, report, site};
	struct scan scan;
	size_t kept = 0;

	invariants_load_signatures(txn, site, entries);
	scan = scan_site(txn, TABLE_MEMBERS, site->id);
	while (scan_next(&scan))
		check_shingle(&check, &scan, entries);
	scan_end(&scan);
	for (size_t i = 0; i < entries->count; i++)
		if (entries->items[i].cluster != 0)
			entries->items[kept++] = entries->items[i];
		else
			free(entries->items[i].shingles);
	entries->count = kept;
	if (weigh_signatures(txn, site, entries))
		return;
	verify_problem(report, CHECK_SITE "table %s: its row is damaged",
		       CHECK_HOST(&check), table_name(TABLE_WEIGHTS));
	/* without weights nobody knows the clusters */
	free_entries(entries);
	*entries = (struct invariants_signature_list){0};
}

/*
 * Find the connected components of the threshold graph by comparing all pairs
 * of signatures.
 */
static void find_components(struct invariants_signature_list *entries,
			    unsigned threshold)
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
			const struct invariants_signature *from =
				&entries->items[stack[--depth]];

			for (size_t k = 0; k < entries->count; k++) {
				struct invariants_signature *to =
					&entries->items[k];

				if (to->component != 0 ||
				    !signature_linked(from->units, to->units,
						      threshold))
					continue;
				to->component = component;
				stack[depth++] = k;
			}
		}
	}
	free(stack);
}

/*
 * Check that two signatures are in the same cluster if and only if they are in
 * the same component.
 */
static void compare_partitions(const struct invariants_signature_list *entries,
			       const struct table_check *check)
{
	uint64_t *pairs = mem_alloc(entries->count + 1, sizeof(*pairs));

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < entries->count; i++) {
			uint64_t cluster = entries->items[i].cluster;
			uint64_t component = entries->items[i].component;

			pairs[i] = pass == 0 ? cluster << 32 | component
					     : component << 32 | cluster;
		}
		qsort(pairs, entries->count, sizeof(*pairs), order_u64);
		for (size_t i = 1; i < entries->count; i++) {
			if (pairs[i] >> 32 != pairs[i - 1] >> 32 ||
			    pairs[i] == pairs[i - 1])
				continue;
			if (pass == 0)
				verify_problem(check->report,
					       CHECK_SITE "cluster %u is not "
							  "connected",
					       CHECK_HOST(check),
					       (unsigned)(pairs[i] >> 32));
			else
				verify_problem(check->report,
					       CHECK_SITE
					       "clusters %u and %u are "
					       "within the threshold of "
					       "each other",
					       CHECK_HOST(check),
					       (unsigned)pairs[i - 1],
					       (unsigned)pairs[i]);
		}
	}
	free(pairs);
}

/* The names of all sites. Each site is then read in a separate transaction. */
struct invariants_site_names {
	char **items; /* [count] */
	size_t count;
	size_t capacity;
};

static void invariants_list_sites(struct txn *txn,
				  struct invariants_site_names *names)
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
 * Verify a site. The pairs of signatures are compared after the end of the read
 * transaction: the comparison may take long, and meanwhile LMDB could not reuse
 * the pages that a reader sees.
 */
static enum error verify_site(struct store *store, const char *host,
			      struct verify_report *report)
{
	struct txn txn = txn_begin_read(store);
	struct invariants_signature_list entries = {0};
	struct site_row site;
	bool is_there = site_get(&txn, slice_of(host), &site);
	enum error error;

	verify_place(report, "site %s", host);
	if (is_there) {
		invariants_verify_guards(&txn, &site, report);
		load_entries(&txn, &site, &entries, report);
	}
	site.host = slice_of(host);
	error = txn_end(&txn);
	if (is_there && error == ERR_NONE) {
		find_components(&entries, site.options.threshold);
		compare_partitions(&entries,
				   &(struct table_check){NULL, report, &site});
	}
	free_entries(&entries);
	return error;
}

/* `place` is not const, because code that reads the report writes to it. */
/* NOLINTNEXTLINE(readability-non-const-parameter) */
enum error invariants_verify(struct store *store, char *place,
			     struct verify_report *report_out)
{
	struct txn txn;
	struct invariants_site_names names = {0};
	enum error error;

	*report_out = (struct verify_report){.place = place};
	error = store_verify_pages(store, report_out);
	if (error != ERR_NONE || report_out->problems > 0)
		return error;
	txn = txn_begin_read(store);
	store_verify(&txn, report_out);
	invariants_list_sites(&txn, &names);
	error = txn_end(&txn);
	for (size_t i = 0; i < names.count; i++) {
		if (error == ERR_NONE)
			error = verify_site(store, names.items[i], report_out);
		free(names.items[i]);
	}
	free(names.items);
	return error;
}
