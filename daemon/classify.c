#include "daemon/classify.h"

#include <stdlib.h>

#include "cluster/signature.h"
#include "store/memory.h"

/* The nearest signature so far: common / larger, compared as fractions. */
struct nearest {
	uint64_t page;
	size_t common;
	size_t larger;
	bool is_found;
};

static void consider(struct nearest *nearest, uint64_t page,
		     struct signature own, struct signature other,
		     unsigned threshold)
{
	size_t larger = own.count > other.count ? own.count : other.count;
	size_t common;

	if (!signature_linked(own, other, threshold))
		return;
	common = signature_common(own, other);
	if (nearest->is_found &&
	    common * nearest->larger <= nearest->common * larger)
		return;
	*nearest =
		(struct nearest){page, common, larger == 0 ? 1 : larger, true};
}

static struct nearest find_nearest(struct txn *txn, const struct site_row *site,
				   struct signature own)
{
	struct key prefix = key_site(site->id);
	struct scan scan =
		scan_begin(txn, TABLE_SIGNATURES, key_slice(&prefix));
	struct nearest nearest = {0};
	uint64_t *members = NULL;
	size_t capacity = 0;

	while (scan_next(&scan)) {
		size_t count = scan.value.size / sizeof(*members);

		while (members == NULL || capacity < count)
			members = mem_grow(members, capacity, &capacity,
					   sizeof(*members));
		/* LMDB aligns values to two bytes only */
		memcpy(members, scan.value.data, count * sizeof(*members));
		consider(&nearest, key_u64(scan.key, sizeof(uint32_t)), own,
			 (struct signature){members, count}, site->threshold);
	}
	scan_end(&scan);
	free(members);
	return nearest;
}

bool classify_page(struct txn *txn, struct slice host, const struct page *page,
		   struct classed *classed_out)
{
	struct page_row row;
	struct nearest nearest;

	if (page->is_truncated || !site_get(txn, host, &classed_out->site) ||
	    classed_out->site.measure >= MEASURE_COUNT)
		return false;
	nearest = find_nearest(
		txn, &classed_out->site,
		signature_compute(page->arena, page,
				  (enum measure)classed_out->site.measure));
	if (!nearest.is_found ||
	    !page_row_get(txn, classed_out->site.id, nearest.page, &row))
		return false;
	classed_out->cluster = row.cluster;
	return row.cluster != 0;
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
