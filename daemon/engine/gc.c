#include "daemon/engine/gc.h"

#include <stdlib.h>

#include "daemon/engine/gc_parts.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows_event.h"
#include "store/rows_template.h"

/*
 * Delete a version that exceeds a limit; otherwise make it a candidate if there
 * are too many bytes.
 */
static void look_at_version(struct gc_finder *finder, struct scan *scan,
			    const struct version_row *row, uint32_t newest,
			    struct gc_oldest *oldest)
{
	const struct retention_limit *limit = &finder->limits->versions;
	uint32_t number = key_u32(scan->key, 2 * sizeof(uint32_t));
	struct gc_candidate candidate = {
		.time_ms = row->last_ms,
		.bytes = gc_bytes(scan->key, scan->value),
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

		looked.bytes += gc_bytes(scan.key, scan.value);
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

/* Return how many of the oldest events exceed the limits of count and bytes. */
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
