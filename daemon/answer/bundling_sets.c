#include <stdlib.h>

#include "daemon/answer/bundling_parts.h"
#include "store/key.h"
#include "store/memory.h"
#include "store/rows_cluster.h"
#include "store/sets.h"

/* A term of the store, and which one it is in the bundle. */
struct term {
	uint64_t member;
	uint32_t number; /* in the store */
	uint32_t index;  /* in the bundle: by member */
};

struct term_list {
	struct term *items; /* [count] */
	size_t count;
	size_t capacity;
};

/* Which cluster the pages with a set are in. */
struct owner {
	uint32_t set;
	uint32_t cluster;
};

struct owner_list {
	struct owner *items; /* [count], ascending by set */
	size_t count;
	size_t capacity;
};

static int by_member(const void *left, const void *right)
{
	const struct term *a = left;
	const struct term *b = right;

	return (a->member > b->member) - (a->member < b->member);
}

static int by_number(const void *left, const void *right)
{
	const struct term *a = left;
	const struct term *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

static int by_set(const void *left, const void *right)
{
	const struct owner *a = left;
	const struct owner *b = right;

	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	return (a->cluster > b->cluster) - (a->cluster < b->cluster);
}

static int by_value(const void *left, const void *right)
{
	const uint32_t *a = left;
	const uint32_t *b = right;

	return (*a > *b) - (*a < *b);
}

static void load_terms(struct bundler *bundler, struct term_list *terms)
{
	struct key prefix = key_site(bundler->site.id);
	struct scan scan =
		scan_begin(bundler->txn, TABLE_TERMS, key_slice(&prefix));

	while (scan_next(&scan)) {
		struct term term = {
			.number = key_u32(scan.key, sizeof(uint32_t))};

		if (!term_decode(scan.value, &term.member)) {
			txn_fail(bundler->txn, ERR_CORRUPT);
			break;
		}
		if (terms->count * sizeof(term.member) >
		    bundler->bundling->max_bytes) {
			txn_fail(bundler->txn, ERR_TOO_LARGE);
			break;
		}
		terms->items = mem_grow(terms->items, terms->count,
					&terms->capacity, sizeof(term));
		terms->items[terms->count++] = term;
	}
	scan_end(&scan);
}

/* Number the terms anew, and leave them ascending by their old numbers. */
static void put_terms(struct bundler *bundler, struct term_list *terms)
{
	uint64_t *members = mem_alloc(terms->count + 1, sizeof(*members));

	qsort(terms->items, terms->count, sizeof(*terms->items), by_member);
	for (size_t i = 0; i < terms->count; i++) {
		members[i] = terms->items[i].member;
		terms->items[i].index = (uint32_t)i;
	}
	bundle_put_terms(&bundler->writer, members, terms->count);
	qsort(terms->items, terms->count, sizeof(*terms->items), by_number);
	free(members);
}

static void load_owners(struct bundler *bundler, struct owner_list *owners)
{
	struct key prefix = key_site(bundler->site.id);
	struct scan scan =
		scan_begin(bundler->txn, TABLE_MEMBERS, key_slice(&prefix));

	while (scan_next(&scan)) {
		struct owner owner = {
			.cluster = key_u32(scan.key, sizeof(uint32_t))};
		const struct owner *last =
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

/* The first cluster that has the set; 0: none. */
static uint32_t owner_of(const struct owner_list *owners, uint32_t set)
{
	size_t low = 0;
	size_t high = owners->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (owners->items[middle].set < set)
			low = middle + 1;
		else
			high = middle;
	}
	return low < owners->count && owners->items[low].set == set
		       ? owners->items[low].cluster
		       : 0;
}

/* To `out` [set->count]; false: a term is missing. */
static bool translate(const struct term_list *terms, const struct set_scan *set,
		      uint32_t *out)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct term wanted = {.number = set->terms[i]};
		const struct term *term =
			bsearch(&wanted, terms->items, terms->count,
				sizeof(*terms->items), by_number);

		if (term == NULL)
			return false;
		out[i] = term->index;
	}
	if (set->count > 1)
		qsort(out, set->count, sizeof(*out), by_value);
	return true;
}

static void put_sets(struct bundler *bundler, const struct term_list *terms,
		     const struct owner_list *owners)
{
	struct set_scan scan = set_scan_begin(bundler->txn, bundler->site.id);
	uint32_t *indices = mem_alloc(terms->count + 1, sizeof(*indices));

	while (!bundler_has_failed(bundler) && set_scan_next(&scan)) {
		if (scan.count > terms->count ||
		    !translate(terms, &scan, indices))
			txn_fail(bundler->txn, ERR_CORRUPT);
		else
			bundle_put_set(&bundler->writer,
				       owner_of(owners, scan.set), indices,
				       scan.count);
	}
	set_scan_end(&scan);
	free(indices);
}

void bundler_put_sets(struct bundler *bundler)
{
	struct term_list terms = {0};
	struct owner_list owners = {0};

	load_terms(bundler, &terms);
	if (bundler->txn->error == ERR_NONE && terms.count > 0)
		put_terms(bundler, &terms);
	load_owners(bundler, &owners);
	put_sets(bundler, &terms, &owners);
	free(terms.items);
	free(owners.items);
}
