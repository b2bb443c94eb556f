/* Find the bodies of pages over the limits. */
#include "daemon/engine/gc_parts.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "daemon/engine/site_list.h"
#include "daemon/query/stored_page.h"
#include "extract/core/extractor.h"
#include "store/key.h"
#include "store/rows_page.h"

/* Pages of a site whose bodies are never deleted, ascending. */
struct gc_preserved_pages {
	uint64_t *keys; /* [count] */
	size_t count;
	size_t capacity;
};

static void gc_preserve_page(struct gc_preserved_pages *kept, uint64_t key)
{
	kept->keys = mem_grow(kept->keys, kept->count, &kept->capacity,
			      sizeof(*kept->keys));
	kept->keys[kept->count++] = key;
}

static void keep_sample_pages(struct txn *txn, uint32_t site,
			      struct gc_preserved_pages *kept)
{
	struct key prefix = key_site(site);
	struct scan scan =
		scan_begin(txn, TABLE_SAMPLE_PAGES, key_slice(&prefix));

	while (scan_next(&scan))
		gc_preserve_page(kept, key_u64(scan.key, 2 * sizeof(uint32_t)));
	scan_end(&scan);
}

static void keep_samples(struct txn *txn, uint32_t site,
			 struct gc_preserved_pages *kept)
{
	struct key prefix = key_site(site);
	struct scan scan = scan_begin(txn, TABLE_CLUSTERS, key_slice(&prefix));
	uint64_t keys[MAX_SAMPLE_PAGES];

	while (scan_next(&scan)) {
		const struct stored_pages pages = {
			.txn = txn,
			.site = site,
			.cluster = key_u32(scan.key, sizeof(uint32_t)),
		};
		uint32_t count =
			stored_pages_find(&pages, MAX_SAMPLE_PAGES, keys);

		for (uint32_t i = 0; i < count; i++)
			gc_preserve_page(kept, keys[i]);
	}
	scan_end(&scan);
}

static struct gc_preserved_pages gc_find_preserved(struct txn *txn,
						   uint32_t site)
{
	struct gc_preserved_pages kept = {0};

	keep_sample_pages(txn, site, &kept);
	keep_samples(txn, site, &kept);
	if (kept.count > 1)
		qsort(kept.keys, kept.count, sizeof(*kept.keys), order_u64);
	return kept;
}

static bool gc_page_is_preserved(const struct gc_preserved_pages *kept,
				 uint64_t key)
{
	return kept->count > 0 &&
	       bsearch(&key, kept->keys, kept->count, sizeof(*kept->keys),
		       order_u64) != NULL;
}

/* Make the deletable bodies of a site candidates; count all bodies. */
static void consider_bodies(struct txn *txn, uint32_t site,
			    struct gc_oldest *oldest,
			    struct gc_counters *looked)
{
	struct gc_preserved_pages kept = gc_find_preserved(txn, site);
	struct key prefix = key_site(site);
	struct scan scan = scan_begin(txn, TABLE_BODIES, key_slice(&prefix));
	struct page_row row;

	while (scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, sizeof(uint32_t));
		struct gc_candidate candidate = {
			.bytes = gc_bytes(scan.key, scan.value),
			.row = {TABLE_BODIES, key_page(site, page)},
		};

		looked->count++;
		looked->bytes += candidate.bytes;
		if (gc_page_is_preserved(&kept, page) ||
		    !page_row_get(txn, site, page, &row))
			continue;
		candidate.time_ms = row.fetched_ms;
		gc_oldest_add(oldest, &candidate);
	}
	scan_end(&scan);
	free(kept.keys);
}

/* Return how many of the candidates exceed the age. */
static uint64_t count_older(const struct gc_finder *finder,
			    struct gc_oldest *oldest, uint64_t age_ms)
{
	uint64_t count = 0;

	gc_oldest_sort(oldest);
	while (count < oldest->count &&
	       gc_finder_is_older(finder, oldest->items[count].time_ms, age_ms))
		count++;
	return count;
}

/* Find bodies over the age limit and over the site's count limit. */
static void find_in_site(struct gc_finder *finder, struct txn *txn,
			 uint32_t site)
{
	const struct retention_limit *limit = &finder->limits->bodies;
	struct gc_oldest oldest = {0};
	struct gc_counters looked = {0};
	uint64_t over;
	uint64_t older;

	consider_bodies(txn, site, &oldest, &looked);
	over = gc_excess(looked.count, limit->count);
	older = count_older(finder, &oldest, limit->age_ms);
	gc_oldest_delete(&oldest, over > older ? over : older, 0, finder->gc);
	free(oldest.items);
}

/*
 * Walk all sites: find the bodies over the limits of each site, or with
 * `oldest` the oldest bodies of all sites, and count them.
 */
static enum error look_at_sites(struct gc_finder *finder, struct store *store,
				struct gc_oldest *oldest,
				struct gc_counters *looked)
{
	struct stored_site_list sites = {0};
	enum error error = stored_site_list_read(store, &sites);

	for (size_t i = 0;
	     i < sites.count && error == ERR_NONE && !gc_is_full(finder->gc);
	     i++) {
		struct txn txn = txn_begin_read(store);

		if (txn.error == ERR_NONE && oldest != NULL)
			consider_bodies(&txn, sites.items[i].site, oldest,
					looked);
		else if (txn.error == ERR_NONE)
			find_in_site(finder, &txn, sites.items[i].site);
		error = txn_end(&txn);
	}
	stored_site_list_free(&sites);
	return error;
}

static enum error read_usage(struct store *store, enum table table,
			     struct table_usage *usage_out)
{
	struct txn txn = txn_begin_read(store);

	*usage_out = txn_usage(&txn, table);
	return txn_end(&txn);
}

/*
 * Find bodies of each site over its limits, then the oldest of all sites if
 * there are too many bytes. The bytes are a lower bound: pages of the map may
 * be half empty.
 */
enum error gc_find_bodies(struct gc_finder *finder, struct store *store)
{
	const struct retention_limit *limit = &finder->limits->bodies;
	size_t before = finder->gc->count;
	struct gc_oldest oldest = {0};
	struct gc_counters looked = {0};
	struct table_usage usage;
	enum error error = read_usage(store, TABLE_BODIES, &usage);

	if (error == ERR_NONE && (limit->age_ms != 0 || limit->count != 0))
		error = look_at_sites(finder, store, NULL, NULL);
	if (error != ERR_NONE || finder->gc->count > before ||
	    gc_excess(usage.bytes, limit->bytes) == 0)
		return error;
	error = look_at_sites(finder, store, &oldest, &looked);
	gc_oldest_delete(&oldest, 0, gc_excess(looked.bytes, limit->bytes),
			 finder->gc);
	free(oldest.items);
	return error;
}
