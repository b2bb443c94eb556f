#include "daemon/engine/counts.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "store/document_frequency.h"

enum { FIRST_SLOTS = 1024 };

struct counts_entry {
	uint64_t fragment;
	uint32_t cluster; /* 0 = free slot */
	int32_t delta;
	uint32_t stored; /* value in the table, if `is_read` */
	bool is_read;
};

void counts_reset(struct counts *counts)
{
	free(counts->slots);
	*counts = (struct counts){0};
}

/* Return the slot of the count, or a free one for it. */
static struct counts_entry *counts_slot(const struct counts *counts,
					uint32_t cluster, uint64_t fragment)
{
	const size_t mask = counts->slot_count - 1;
	/* a random seed, so that authors of pages cannot make slots collide */
	size_t slot =
		hash_chain(fragment + cluster, (uint64_t)(uintptr_t)counts) &
		mask;

	assert(counts->used < counts->slot_count);
	while (counts->slots[slot].cluster != 0 &&
	       (counts->slots[slot].cluster != cluster ||
		counts->slots[slot].fragment != fragment))
		slot = (slot + 1) & mask;
	return &counts->slots[slot];
}

/* Double the slots when half of them are used. */
static void counts_grow(struct counts *counts)
{
	const struct counts old = *counts;

	if (old.used < old.slot_count / 2)
		return;
	counts->slot_count =
		old.slot_count == 0 ? FIRST_SLOTS : 2 * old.slot_count;
	counts->slots = mem_alloc(counts->slot_count, sizeof(*counts->slots));
	for (size_t i = 0; i < old.slot_count; i++)
		if (old.slots[i].cluster != 0)
			*counts_slot(counts, old.slots[i].cluster,
				     old.slots[i].fragment) = old.slots[i];
	free(old.slots);
}

static struct counts_entry *counts_find(struct counts *counts, uint32_t cluster,
					uint64_t fragment)
{
	struct counts_entry *count;

	assert(cluster != 0);
	counts_grow(counts);
	count = counts_slot(counts, cluster, fragment);
	if (count->cluster == 0) {
		count->cluster = cluster;
		count->fragment = fragment;
		counts->used++;
	}
	return count;
}

void counts_add(struct counts *counts, uint32_t cluster, uint64_t fragment,
		int32_t delta)
{
	counts_find(counts, cluster, fragment)->delta += delta;
}

uint32_t counts_get(struct counts *counts, struct df_reader *reader,
		    uint64_t fragment)
{
	struct counts_entry *count =
		counts_find(counts, reader->cluster, fragment);

	if (!count->is_read)
		count->stored = df_read(reader, fragment);
	count->is_read = true;
	return (uint32_t)((int64_t)count->stored + count->delta);
}

void counts_write(struct counts *counts, struct txn *txn, uint32_t site)
{
	struct df_delta *deltas = mem_alloc(counts->used, sizeof(*deltas));
	size_t changed = 0;

	for (size_t i = 0; i < counts->slot_count; i++) {
		const struct counts_entry *count = &counts->slots[i];

		if (count->delta != 0)
			deltas[changed++] = (struct df_delta){
				.cluster = count->cluster,
				.delta = count->delta,
				.fragment = count->fragment,
			};
	}
	assert(changed <= counts->used);
	df_apply(txn, site, deltas, changed);
	free(deltas);
	counts_reset(counts);
}
