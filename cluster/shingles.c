#include "cluster/shingles.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash_sort.h"
#include "base/order.h"

void shingles_begin(struct shingle_builder *shingles, struct arena *arena)
{
	memset(shingles, 0, sizeof(*shingles));
	shingles->arena = arena;
	shingles->recent[0] = 1; /* slot 0 must not look as if it contained the
				    hash 0; 1 belongs to another slot */
}

static void shingles_grow(struct shingle_builder *shingles)
{
	size_t capacity =
		shingles->capacity == 0 ? 256 : shingles->capacity * 2;
	uint64_t *items = ARENA_ROOM(shingles->arena, uint64_t, capacity);

	assert(shingles->count == shingles->capacity);
	if (shingles->count > 0)
		memcpy(items, shingles->items,
		       shingles->count * sizeof(*items));
	shingles->items = items;
	shingles->capacity = capacity;
}

void shingles_add(struct shingle_builder *shingles, uint64_t shingle)
{
	uint64_t *recent = &shingles->recent[shingle % SHINGLES_RECENT];

	if (*recent == shingle)
		return;
	*recent = shingle;
	if (shingles->count == shingles->capacity)
		shingles_grow(shingles);
	assert(shingles->count < shingles->capacity);
	shingles->items[shingles->count++] = shingle;
}

size_t shingles_settle(struct shingle_builder *shingles)
{
	uint64_t *items = shingles->items;
	size_t count = 0;

	if (shingles->count == 0)
		return 0;
	hash_sort(shingles->arena, items, shingles->count);
	for (size_t i = 0; i < shingles->count; i++) {
		if (count == 0 || items[count - 1] != items[i])
			items[count++] = items[i];
	}
	assert(count <= shingles->count && u64_ascend(items, count));
	shingles->count = count;
	return count;
}

struct signature shingles_end(struct shingle_builder *shingles)
{
	size_t count = shingles_settle(shingles);

	return (struct signature){shingles->items, count};
}
