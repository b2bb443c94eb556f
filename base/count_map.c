#include "base/count_map.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

enum { FIRST_CAPACITY = 1024 };

void count_map_free(struct count_map *tally)
{
	free(tally->entries);
	*tally = (struct count_map){0};
}

void count_map_sort(struct count_map *tally)
{
	size_t used = 0;

	if (tally->count > 1)
		qsort(tally->entries, tally->count, sizeof(*tally->entries),
		      order_u64);
	for (size_t i = 0; i < tally->count; i++) {
		struct count_map_entry entry = tally->entries[i];

		if (used > 0 && tally->entries[used - 1].number == entry.number)
			tally->entries[used - 1].count += entry.count;
		else
			tally->entries[used++] = entry;
	}
	tally->count = used;
}

/*
 * Make room for one more entry: first merge entries with equal numbers; enlarge
 * the array only if more than half of it is still in use.
 */
static void count_map_make_room(struct count_map *tally)
{
	assert(tally->count == tally->capacity);
	count_map_sort(tally);
	if (tally->count <= tally->capacity / 2 && tally->capacity > 0)
		return;
	tally->capacity =
		tally->capacity == 0 ? FIRST_CAPACITY : tally->capacity * 2;
	tally->entries = mem_resize(tally->entries, tally->capacity,
				    sizeof(*tally->entries));
}

void count_map_add(struct count_map *tally, uint64_t number)
{
	if (tally->count == tally->capacity)
		count_map_make_room(tally);
	assert(tally->count < tally->capacity);
	tally->entries[tally->count++] = (struct count_map_entry){number, 1};
}
