#include "daemon/engine/gc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "base/memory.h"
#include "daemon/engine/commit.h"
#include "daemon/engine/sites.h"
#include "daemon/query/stored_site.h"
#include "extract/core/extractor.h"
#include "store/content.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows.h"

/* A row that may be deleted. */
struct gc_candidate {
	uint64_t time_ms;
	uint64_t bytes; /* approximate size of the row, from gc_bytes() */
	struct gc_row row;
};

/*
 * The candidates with the earliest times, limited to the number that one run
 * can delete.
 */
struct gc_oldest {
	/*
	 * [count], at most 2 * GC_MAX_ROWS; the caller frees them with free()
	 */
	struct gc_candidate *items;
	size_t count;
	size_t capacity;
};

/* Number and size of the bodies that a run has read. */
struct gc_counters {
	uint64_t count;
	uint64_t bytes;
};

struct gc_finder {
	const struct retention_limits *limits;
	uint64_t now_ms;
	struct gc *gc;
};

/*
 * Figures of LMDB's file format: the sizes of a page, of its header and of a
 * row's header, and the row size above which a value gets separate pages.
 */
enum { PAGE_BYTES = 4096, PAGE_HEAD = 16, NODE_HEAD = 10, MAX_NODE = 2038 };

/* Return whether this run has found as many rows as it may delete. */
static bool gc_is_full(const struct gc *gc)
{
	return gc->count >= GC_MAX_ROWS;
}

/* Add a row to delete, unless the run has found enough rows. */
static void gc_add(struct gc *gc, enum table table, struct slice key)
{
	struct gc_row row = {.table = table};

	if (gc_is_full(gc) || key.size > sizeof(row.key.bytes))
		return;
	memcpy(row.key.bytes, key.data, key.size);
	row.key.size = key.size;
	gc->rows =
		mem_grow(gc->rows, gc->count, &gc->capacity, sizeof(*gc->rows));
	gc->rows[gc->count++] = row;
}

/*
 * Return whether `time_ms` is more than `age_ms` ago. If `age_ms` is 0, there
 * is no limit: return false.
 */
static bool gc_finder_is_older(const struct gc_finder *finder, uint64_t time_ms,
			       uint64_t age_ms)
{
	return age_ms != 0 && time_ms < finder->now_ms &&
	       finder->now_ms - time_ms > age_ms;
}

/* Return the approximate size of a row in LMDB, in bytes. */
static uint64_t gc_bytes(struct slice key, size_t value_bytes)
{
	uint64_t size = key.size + value_bytes + NODE_HEAD;

	if (size <= MAX_NODE)
		return size;
	return (value_bytes + PAGE_HEAD + PAGE_BYTES - 1) / PAGE_BYTES *
	       PAGE_BYTES;
}

/* Return by how much `has` exceeds the limit. A limit of 0 means no limit. */
static uint64_t gc_excess(uint64_t has, uint64_t limit)
{
	return limit != 0 && has > limit ? has - limit : 0;
}

static int by_time(const void *left, const void *right)
{
	const struct gc_candidate *a = left;
	const struct gc_candidate *b = right;

	if (a->time_ms != b->time_ms)
		return a->time_ms < b->time_ms ? -1 : 1;
	return memcmp(a->row.key.bytes, b->row.key.bytes,
		      sizeof(a->row.key.bytes));
}

/* Sort the candidates by time, and keep only the GC_MAX_ROWS oldest ones. */
static void gc_oldest_sort(struct gc_oldest *oldest)
{
	if (oldest->count > 1)
		qsort(oldest->items, oldest->count, sizeof(*oldest->items),
		      by_time);
	if (oldest->count > GC_MAX_ROWS)
		oldest->count = GC_MAX_ROWS;
}

/*
 * Add a candidate. Only the oldest candidates are kept, so the memory is
 * bounded. O(n log n) for n candidates.
 */
static void gc_oldest_add(struct gc_oldest *oldest,
			  const struct gc_candidate *candidate)
{
	oldest->items = mem_grow(oldest->items, oldest->count,
				 &oldest->capacity, sizeof(*oldest->items));
	oldest->items[oldest->count++] = *candidate;
	if (oldest->count >= 2 * (size_t)GC_MAX_ROWS)
		gc_oldest_sort(oldest);
}

/*
 * Choose the `count` oldest candidates for deletion, and then more of them
 * until `bytes` are freed.
 */
static void gc_oldest_delete(struct gc_oldest *oldest, uint64_t count,
			     uint64_t bytes, struct gc *gc)
{
	uint64_t freed = 0;

	gc_oldest_sort(oldest);
	for (size_t i = 0; i < oldest->count && (i < count || freed < bytes);
	     i++) {
		const struct gc_row *row = &oldest->items[i].row;

		gc_add(gc, row->table, key_slice(&row->key));
		freed += oldest->items[i].bytes;
	}
}

/*
 * Choose a version for deletion if it exceeds the limits of age or count.
 * Otherwise make it a candidate for the size limit. Never choose the newest
 * version.
 */
static void look_at_version(struct gc_finder *finder, struct scan *scan,
			    const struct version_row *row, uint32_t newest,
			    struct gc_oldest *oldest)
{
	const struct retention_limit *limit = &finder->limits->versions;
	uint32_t number = key_u32(scan->key, 2 * sizeof(uint32_t));
	struct gc_candidate candidate = {
		.time_ms = row->last_ms,
		.bytes = gc_bytes(scan->key, scan->value.size),
		.row = {.table = TABLE_VERSIONS},
	};

	if (number >= newest)
		return;
	if (gc_finder_is_older(finder, row->last_ms, limit->age_ms) ||
	    (limit->count != 0 && newest - number >= limit->count)) {
		gc_add(finder->gc, TABLE_VERSIONS, scan->key);
		return;
	}
	candidate.row.key =
		key_version(key_u32(scan->key, 0),
			    key_u32(scan->key, sizeof(uint32_t)), number);
	gc_oldest_add(oldest, &candidate);
}

static enum error gc_find_versions(struct gc_finder *finder,
				   struct store *store)
{
	struct txn txn = txn_begin_read(store);
	struct scan scan = scan_begin(&txn, TABLE_VERSIONS, slice_of(""));
	size_t before = finder->gc->count;
	struct gc_oldest oldest = {0};
	struct gc_counters looked = {0};
	struct template_row template;
	struct version_row row;

	while (!gc_is_full(finder->gc) && scan_next(&scan)) {
		uint32_t site = key_u32(scan.key, 0);
		uint32_t cluster = key_u32(scan.key, sizeof(uint32_t));

		looked.bytes += gc_bytes(scan.key, scan.value.size);
		if (template_row_get(&txn, site, cluster, &template) &&
		    version_row_decode(scan.value, &row))
			look_at_version(finder, &scan, &row, template.version,
					&oldest);
	}
	scan_end(&scan);
	if (finder->gc->count == before)
		gc_oldest_delete(
			&oldest, 0,
			gc_excess(looked.bytes, finder->limits->versions.bytes),
			finder->gc);
	free(oldest.items);
	return txn_end(&txn);
}

/*
 * Return how many of the oldest events must be deleted to comply with the
 * limits of count and bytes.
 */
static uint64_t events_over(const struct retention_limit *limit,
			    struct table_usage usage)
{
	uint64_t by_count = gc_excess(usage.rows, limit->count);
	uint64_t by_bytes = 0;

	if (usage.rows > 0) {
		uint64_t mean = (usage.bytes + usage.rows - 1) / usage.rows;

		by_bytes = (gc_excess(usage.bytes, limit->bytes) + mean - 1) /
			   (mean == 0 ? 1 : mean);
	}
	return by_count > by_bytes ? by_count : by_bytes;
}

static enum error gc_find_events(struct gc_finder *finder, struct store *store)
{
	const struct retention_limit *limit = &finder->limits->events;
	struct txn txn = txn_begin_read(store);
	struct scan scan = scan_begin(&txn, TABLE_EVENTS, slice_of(""));
	uint64_t over = events_over(limit, txn_usage(&txn, TABLE_EVENTS));
	struct event_row row;

	for (uint64_t i = 0; !gc_is_full(finder->gc) && scan_next(&scan); i++) {
		if (i >= over &&
		    !(event_decode(scan.value, &row) &&
		      gc_finder_is_older(finder, row.time_ms, limit->age_ms)))
			break;
		if (store_owns_event(store, key_u64(scan.key, 0)))
			gc_add(finder->gc, TABLE_EVENTS, scan.key);
	}
	scan_end(&scan);
	return txn_end(&txn);
}

/* Functions that find stored bodies of pages over the limits. */

/* The pages of a site whose bodies are never deleted, ascending by key. */
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

/*
 * Find the stored sample pages of the site, and the pages that would be chosen
 * as samples now.
 */
static struct gc_preserved_pages gc_find_preserved(struct txn *txn,
						   uint32_t site)
{
	struct gc_preserved_pages kept = {0};
	struct scan scan = scan_site(txn, TABLE_SAMPLE_PAGES, site);
	uint64_t keys[MAX_SAMPLE_PAGES];

	while (scan_next(&scan))
		gc_preserve_page(&kept,
				 key_u64(scan.key, 2 * sizeof(uint32_t)));
	scan_end(&scan);
	scan = scan_site(txn, TABLE_CLUSTERS, site);
	while (scan_next(&scan)) {
		const struct stored_pages pages = {
			.txn = txn,
			.site = site,
			.cluster = key_u32(scan.key, sizeof(uint32_t)),
		};
		uint32_t count = stored_pages_find(&pages, MAX_SAMPLE_PAGES,
						   UINT64_MAX, keys);

		for (uint32_t i = 0; i < count; i++)
			gc_preserve_page(&kept, keys[i]);
	}
	scan_end(&scan);
	if (kept.count > 1)
		qsort(kept.keys, kept.count, sizeof(*kept.keys), order_u64);
	return kept;
}

/*
 * Add the bodies of a site that may be deleted to the candidates. Count all its
 * bodies in *looked.
 */
static void consider_bodies(struct txn *txn, uint32_t site,
			    struct gc_oldest *oldest,
			    struct gc_counters *looked)
{
	struct gc_preserved_pages kept = gc_find_preserved(txn, site);
	struct scan scan = scan_site(txn, TABLE_BODIES, site);
	struct page_row row;

	while (scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, sizeof(uint32_t));
		struct gc_candidate candidate = {
			.bytes = gc_bytes(scan.key, content_size(scan.value)),
			.row = {TABLE_BODIES, key_page(site, page)},
		};
		size_t at;

		looked->count++;
		looked->bytes += candidate.bytes;
		LOWER_BOUND(at, kept.count, kept.keys[at] < page);
		if ((at < kept.count && kept.keys[at] == page) ||
		    !page_row_get(txn, site, page, &row))
			continue;
		candidate.time_ms = row.fetched_ms;
		gc_oldest_add(oldest, &candidate);
	}
	scan_end(&scan);
	free(kept.keys);
}

/* Return how many of the candidates are older than `age_ms`. */
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

/*
 * Choose bodies of the site for deletion that exceed the age limit or the limit
 * of bodies per site.
 */
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
 * Walk over all sites. If `oldest` is NULL, choose the bodies over the limits
 * of each site for deletion. Otherwise collect the oldest bodies of all sites
 * in `oldest`, and count all bodies in *looked.
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

/*
 * First choose the bodies of each site that exceed the limits of age and count.
 * If this finds nothing and all bodies together exceed the size limit, choose
 * the oldest bodies of all sites. The size is a lower bound, because pages of
 * the database may be half empty.
 */
static enum error gc_find_bodies(struct gc_finder *finder, struct store *store)
{
	const struct retention_limit *limit = &finder->limits->bodies;
	size_t before = finder->gc->count;
	struct gc_oldest oldest = {0};
	struct gc_counters looked = {0};
	struct txn txn = txn_begin_read(store);
	uint64_t bytes = txn_usage(&txn, TABLE_BODIES).bytes +
			 txn_usage(&txn, TABLE_BODY_PIECES).bytes;
	enum error error = txn_end(&txn);

	if (error == ERR_NONE && (limit->age_ms != 0 || limit->count != 0))
		error = look_at_sites(finder, store, NULL, NULL);
	if (error != ERR_NONE || finder->gc->count > before ||
	    gc_excess(bytes, limit->bytes) == 0)
		return error;
	error = look_at_sites(finder, store, &oldest, &looked);
	gc_oldest_delete(&oldest, 0, gc_excess(looked.bytes, limit->bytes),
			 finder->gc);
	free(oldest.items);
	return error;
}

enum error gc_find(struct store *store, const struct retention_limits *limits,
		   uint64_t now_ms, struct gc *gc_out)
{
	struct gc_finder finder = {limits, now_ms, gc_out};
	enum error error;

	*gc_out = (struct gc){0};
	error = gc_find_events(&finder, store);
	if (error == ERR_NONE)
		error = gc_find_versions(&finder, store);
	if (error == ERR_NONE)
		error = gc_find_bodies(&finder, store);
	return error;
}

/*
 * The commit of a garbage collection: it deletes rows over the limits of
 * daemon/config/config.h.
 */

/*
 * Delete only the body of a page. If a client requests the page later, it is
 * fetched without an If-None-Match header, so that its body is stored again
 * (see engine.c).
 */
static bool drop_body(struct commit *batch, struct slice key)
{
	uint32_t site = key_u32(key, 0);
	uint64_t page = key_u64(key, sizeof(uint32_t));
	struct sample_page_row sample;
	struct page_row row;

	if (txn_get(batch->txn, TABLE_BODIES, key).data == NULL ||
	    !page_row_get(batch->txn, site, page, &row) ||
	    sample_page_row_get(batch->txn, site, row.cluster, page, &sample))
		return false;
	row.flags |= PAGE_ROW_HAS_NO_BODY;
	page_row_put(batch->txn, site, page, &row);
	content_delete(batch->txn, TABLE_BODIES, key);
	return true;
}

static bool drop_version(struct commit *batch, struct slice key)
{
	struct template_row row;

	if (!template_row_get(batch->txn, key_u32(key, 0),
			      key_u32(key, sizeof(uint32_t)), &row) ||
	    key_u32(key, 2 * sizeof(uint32_t)) >= row.version)
		return false;
	txn_delete(batch->txn, TABLE_VERSIONS, key);
	return true;
}

static bool commit_gc_delete_row(struct commit *batch, const struct gc_row *row)
{
	struct slice key = key_slice(&row->key);

	if (!store_owns(batch->txn->store,
			row->table == TABLE_EVENTS
				? store_partition_of_event(batch->txn->store,
							   key_u64(key, 0))
				: store_partition_of_site(batch->txn->store,
							  key_u32(key, 0))))
		return false;
	switch (row->table) {
	case TABLE_BODIES:
		return drop_body(batch, key);
	case TABLE_VERSIONS:
		return drop_version(batch, key);
	case TABLE_EVENTS:
		txn_delete(batch->txn, TABLE_EVENTS, key);
		return true;
	default:
		return false;
	}
}

enum error commit_gc_rows(struct commit *batch, struct change *change)
{
	struct gc_change *gc = &change->gc;

	gc->collected = 0;
	for (size_t i = 0; i < gc->count; i++)
		gc->collected += commit_gc_delete_row(batch, &gc->rows[i]);
	return ERR_NONE;
}
