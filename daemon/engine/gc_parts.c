#include "daemon/engine/gc_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/key.h"

/*
 * LMDB's layout: the overhead of pages and rows, and the size above which a
 * value gets separate pages.
 */
enum { PAGE_BYTES = 4096, PAGE_HEAD = 16, NODE_HEAD = 10, MAX_NODE = 2038 };

bool gc_is_full(const struct gc *gc)
{
	return gc->count >= GC_MAX_ROWS;
}

void gc_add(struct gc *gc, enum table table, struct slice key)
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

bool gc_finder_is_older(const struct gc_finder *finder, uint64_t time_ms,
			uint64_t age_ms)
{
	return age_ms != 0 && time_ms < finder->now_ms &&
	       finder->now_ms - time_ms > age_ms;
}

uint64_t gc_bytes(struct slice key, struct slice value)
{
	uint64_t size = key.size + value.size + NODE_HEAD;

	if (size <= MAX_NODE)
		return size;
	return (value.size + PAGE_HEAD + PAGE_BYTES - 1) / PAGE_BYTES *
	       PAGE_BYTES;
}

uint64_t gc_excess(uint64_t has, uint64_t limit)
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

void gc_oldest_sort(struct gc_oldest *oldest)
{
	if (oldest->count > 1)
		qsort(oldest->items, oldest->count, sizeof(*oldest->items),
		      by_time);
	if (oldest->count > GC_MAX_ROWS)
		oldest->count = GC_MAX_ROWS;
}

void gc_oldest_add(struct gc_oldest *oldest,
		   const struct gc_candidate *candidate)
{
	oldest->items = mem_grow(oldest->items, oldest->count,
				 &oldest->capacity, sizeof(*oldest->items));
	oldest->items[oldest->count++] = *candidate;
	if (oldest->count >= 2 * (size_t)GC_MAX_ROWS)
		gc_oldest_sort(oldest);
}

void gc_oldest_delete(struct gc_oldest *oldest, uint64_t count, uint64_t bytes,
		      struct gc *gc)
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
