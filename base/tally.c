#include "base/tally.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

enum { FIRST_CAPACITY = 1024 };

void tally_free(struct tally *tally)
{
	free(tally->entries);
	*tally = (struct tally){0};
}

static int compare_entries(const void *a, const void *b)
{
	const struct tally_entry *x = a;
	const struct tally_entry *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

void tally_sort(struct tally *tally)
{
	size_t used = 0;

	if (tally->count > 1)
		qsort(tally->entries, tally->count, sizeof(*tally->entries),
		      compare_entries);
	for (size_t i = 0; i < tally->count; i++) {
		struct tally_entry entry = tally->entries[i];

		if (used > 0 && tally->entries[used - 1].number == entry.number)
			tally->entries[used - 1].count += entry.count;
		else
			tally->entries[used++] = entry;
	}
	tally->count = used;
}

/*
 * Make room for one more entry: merge equal entries before enlarging the array.
 */
static void make_room(struct tally *tally)
{
	assert(tally->count == tally->capacity);
	tally_sort(tally);
	if (tally->count <= tally->capacity / 2 && tally->capacity > 0)
		return;
	tally->capacity =
		tally->capacity == 0 ? FIRST_CAPACITY : tally->capacity * 2;
	tally->entries = mem_resize(tally->entries, tally->capacity,
				    sizeof(*tally->entries));
}

void tally_add(struct tally *tally, uint64_t number)
{
	if (tally->count == tally->capacity)
		make_room(tally);
	assert(tally->count < tally->capacity);
	tally->entries[tally->count++] = (struct tally_entry){number, 1};
}
