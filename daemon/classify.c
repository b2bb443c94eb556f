#include "daemon/classify.h"

#include <stdlib.h>

#include "cluster/signature.h"
#include "store/memory.h"
#include "store/sets.h"

enum {
	REACH_FACTOR = 2,
	MAX_REACH = 500, /* permille; beyond it pages have little in common */
};

/*
 * How far from a page of a cluster a new one may be to be called one of it. In
 * the cluster itself the links are no longer than the threshold; a page that
 * was never visited lacks the visited ones that would link it.
 */
static unsigned reach_of(const struct site_row *site)
{
	unsigned reach = site->threshold * REACH_FACTOR;

	if (reach > MAX_REACH)
		reach = MAX_REACH;
	return reach > site->threshold ? reach : site->threshold;
}

/* The nearest set so far: common / larger, compared as fractions. */
struct nearest {
	uint32_t set;
	size_t common;
	size_t larger;
	bool is_found;
};

static void consider(struct nearest *nearest, uint32_t set, size_t larger,
		     size_t common)
{
	if (nearest->is_found &&
	    common * nearest->larger <= nearest->common * larger)
		return;
	*nearest =
		(struct nearest){set, common, larger == 0 ? 1 : larger, true};
}

static bool has_member(struct signature signature, uint64_t member)
{
	size_t low = 0;
	size_t high = signature.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (signature.members[middle] < member)
			low = middle + 1;
		else
			high = middle;
	}
	return low < signature.count && signature.members[low] == member;
}

/* The terms of the site that stand for members of `own`, ascending. */
static uint32_t *load_terms(struct txn *txn, uint32_t site,
			    struct signature own, size_t *count_out)
{
	struct key prefix = key_site(site);
	struct scan scan = scan_begin(txn, TABLE_TERMS, key_slice(&prefix));
	uint32_t *terms = mem_alloc(own.count + 1, sizeof(*terms));

	*count_out = 0;
	while (scan_next(&scan) && *count_out < own.count) {
		uint64_t member;

		if (term_decode(scan.value, &member) && has_member(own, member))
			terms[(*count_out)++] =
				key_u32(scan.key, sizeof(uint32_t));
	}
	scan_end(&scan);
	return terms;
}

static size_t count_common(const uint32_t *a, size_t a_count, const uint32_t *b,
			   size_t b_count)
{
	size_t common = 0;
	size_t i = 0;
	size_t j = 0;

	while (i < a_count && j < b_count) {
		uint32_t left = a[i];
		uint32_t right = b[j];

		common += left == right;
		i += left <= right;
		j += right <= left;
	}
	return common;
}

static struct nearest find_nearest(struct txn *txn, const struct site_row *site,
				   struct signature own)
{
	struct set_scan scan = set_scan_begin(txn, site->id);
	struct nearest nearest = {0};
	unsigned reach = reach_of(site);
	size_t count;
	uint32_t *terms = load_terms(txn, site->id, own, &count);

	while (set_scan_next(&scan)) {
		size_t larger = scan.count > own.count ? scan.count : own.count;
		size_t common =
			count_common(terms, count, scan.terms, scan.count);

		if (signature_height(larger, common) <= reach)
			consider(&nearest, scan.set, larger, common);
	}
	set_scan_end(&scan);
	free(terms);
	return nearest;
}

/* The cluster of the pages that have the set; 0 when there is none. */
static uint32_t find_cluster(struct txn *txn, const struct site_row *site,
			     uint32_t set)
{
	struct key prefix = key_site(site->id);
	struct scan scan = scan_begin(txn, TABLE_MEMBERS, key_slice(&prefix));
	uint32_t cluster = 0;
	uint32_t other;

	while (cluster == 0 && scan_next(&scan))
		if (member_decode(scan.value, &other) && other == set)
			cluster = key_u32(scan.key, sizeof(uint32_t));
	scan_end(&scan);
	return cluster;
}

bool classify_page(struct txn *txn, const struct url *url,
		   const struct page *page, struct classed *classed_out)
{
	struct signature_rule rule = {.path = slice_of(url->text + url->path)};
	struct nearest nearest;

	if (page->is_truncated ||
	    !site_get(txn, slice_of(url->host), &classed_out->site) ||
	    classed_out->site.measure >= MEASURE_COUNT)
		return false;
	rule.measure = (enum measure)classed_out->site.measure;
	rule.width = classed_out->site.width;
	nearest = find_nearest(txn, &classed_out->site,
			       signature_compute(page->arena, page, rule));
	classed_out->cluster =
		nearest.is_found
			? find_cluster(txn, &classed_out->site, nearest.set)
			: 0;
	return classed_out->cluster != 0;
}

void *classify_load_member(struct txn *txn, const struct classed *classed,
			   const struct url *url, struct record *record_out)
{
	uint64_t page = page_key_of(slice_of(url->text));
	struct key key = key_page(classed->site.id, page);
	struct page_row row;
	struct slice value;
	void *copy;

	if (!page_row_get(txn, classed->site.id, page, &row) ||
	    row.cluster != classed->cluster)
		return NULL;
	value = txn_get(txn, TABLE_RECORDS, key_slice(&key));
	if (value.data == NULL)
		return NULL;
	copy = record_copy(value);
	if (record_open((struct slice){copy, value.size}, record_out) ==
	    ERR_NONE)
		return copy;
	free(copy);
	return NULL;
}

bool classify_has_fragment(const struct record *record, uint64_t fragment)
{
	uint32_t low = 0;
	uint32_t high = record->fragment_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (record->fragments[middle].hash < fragment)
			low = middle + 1;
		else
			high = middle;
	}
	return low < record->fragment_count &&
	       record->fragments[low].hash == fragment;
}
