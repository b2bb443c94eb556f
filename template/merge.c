#include "template/merge.h"

#include <assert.h>

#include "base/arena.h"
#include "cluster/signature.h"
#include "template/version.h"

static const enum measure measure_of[] = {
	[ITEMS_CPC] = MEASURE_CPC,
	[ITEMS_CP] = MEASURE_CP,
};

/* The position in one list. */
struct merge_cursor {
	const struct record *record;
	uint32_t index; /* of the record */
	uint32_t at;
	uint32_t count;
};

/* The cursors that are not at their end: a heap, least hash first. */
struct hash_merge {
	struct merge_cursor *heap; /* [count] */
	uint32_t count;
	enum items items;
};

static uint64_t hash_at(const struct hash_merge *merge,
			const struct merge_cursor *cursor)
{
	const struct record *record = cursor->record;

	assert(cursor->at < cursor->count);
	if (merge->items == ITEMS_FRAGMENTS)
		return record->fragments[cursor->at].hash;
	return record->signatures[measure_of[merge->items]][cursor->at];
}

static uint32_t item_count(const struct record *record, enum items items)
{
	if (items == ITEMS_FRAGMENTS)
		return record->fragment_count;
	return record->signature_counts[measure_of[items]];
}

static bool merge_cursor_is_before(const struct hash_merge *merge,
				   uint32_t left, uint32_t right)
{
	return hash_at(merge, &merge->heap[left]) <
	       hash_at(merge, &merge->heap[right]);
}

static void merge_sift_down(struct hash_merge *merge, uint32_t at)
{
	assert(at < merge->count);
	for (;;) {
		struct merge_cursor cursor = merge->heap[at];
		uint32_t least = at;

		for (uint32_t child = 2 * at + 1;
		     child <= 2 * at + 2 && child < merge->count; child++)
			if (merge_cursor_is_before(merge, child, least))
				least = child;
		if (least == at)
			return;
		merge->heap[at] = merge->heap[least];
		merge->heap[least] = cursor;
		at = least;
	}
}

struct hash_merge *merge_begin(struct arena *arena,
			       const struct record *records, uint32_t count,
			       enum items items)
{
	struct hash_merge *merge = ARENA_NEW(arena, struct hash_merge, 1);

	merge->heap = ARENA_NEW(arena, struct merge_cursor, count);
	merge->items = items;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t size = item_count(&records[i], items);

		if (size > 0)
			merge->heap[merge->count++] =
				(struct merge_cursor){&records[i], i, 0, size};
	}
	for (uint32_t i = merge->count / 2; i > 0; i--)
		merge_sift_down(merge, i - 1);
	assert(merge->count <= count);
	return merge;
}

/* Move the first cursor to its next item. */
static void merge_advance(struct hash_merge *merge)
{
	struct merge_cursor *first = merge->heap;

	assert(merge->count > 0);
	if (++first->at == first->count)
		*first = merge->heap[--merge->count];
	if (merge->count > 1)
		merge_sift_down(merge, 0);
}

bool merge_next(struct hash_merge *merge, struct shared_item *shared_out)
{
	if (merge->count == 0)
		return false;
	*shared_out = (struct shared_item){.hash = hash_at(merge, merge->heap)};
	while (merge->count > 0 &&
	       hash_at(merge, merge->heap) == shared_out->hash) {
		if (merge->heap->index < 64)
			shared_out->holders |= (uint64_t)1
					       << merge->heap->index;
		shared_out->count++;
		merge_advance(merge);
	}
	return true;
}

bool is_stable(uint32_t count, uint32_t records)
{
	assert(count <= records);
	return (uint64_t)count * 1000 > (uint64_t)records * VERSION_STABLE;
}

uint32_t stable_count(struct arena *arena, const struct record *records,
		      uint32_t count, enum items items)
{
	struct hash_merge *merge = merge_begin(arena, records, count, items);
	struct shared_item shared;
	uint32_t stable = 0;

	while (merge_next(merge, &shared))
		stable += is_stable(shared.count, count);
	return stable;
}

enum items stable_paths(struct arena *arena, const struct record *records,
			uint32_t count)
{
	uint64_t with = stable_count(arena, records, count, ITEMS_CPC);
	uint32_t without = stable_count(arena, records, count, ITEMS_CP);

	return 2 * with >= without ? ITEMS_CPC : ITEMS_CP;
}
