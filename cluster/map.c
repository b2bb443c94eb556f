#include "cluster/map.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

enum { FIRST_CAPACITY = 16 };

/*
 * Return the preferred slot of `key`. Keys are hashed, because page numbers are
 * not random.
 */
static size_t home(const struct map *map, uint64_t key)
{
	assert(map->capacity > 0 && (map->capacity & (map->capacity - 1)) == 0);
	return (size_t)map_mix(key, map->seed) & (map->capacity - 1);
}

/* Return the slot of `key`, or the free slot for it. */
static size_t find(const struct map *map, uint64_t key)
{
	size_t at = home(map, key);

	assert(map->count < map->capacity);
	while (map->slots[at].value != MAP_NONE && map->slots[at].key != key)
		at = (at + 1) & (map->capacity - 1);
	return at;
}

void map_free(struct map *map)
{
	free(map->slots);
	*map = (struct map){.seed = map->seed};
}

uint32_t map_get(const struct map *map, uint64_t key)
{
	if (map->capacity == 0)
		return MAP_NONE;
	return map->slots[find(map, key)].value;
}

static void resize(struct map *map, size_t capacity)
{
	struct map old = *map;

	assert(capacity > map->count && (capacity & (capacity - 1)) == 0);
	map->slots = mem_alloc(capacity, sizeof(*map->slots));
	map->capacity = capacity;
	for (size_t i = 0; i < capacity; i++)
		map->slots[i].value = MAP_NONE;
	for (size_t i = 0; i < old.capacity; i++) {
		if (old.slots[i].value != MAP_NONE)
			map->slots[find(map, old.slots[i].key)] = old.slots[i];
	}
	free(old.slots);
}

void map_set(struct map *map, uint64_t key, uint32_t value)
{
	struct map_slot *slot;

	assert(value != MAP_NONE);
	if (map->capacity == 0)
		resize(map, FIRST_CAPACITY);
	else if (map->count >= map->capacity / 4 * 3)
		resize(map, map->capacity * 2);
	slot = &map->slots[find(map, key)];
	map->count += slot->value == MAP_NONE;
	*slot = (struct map_slot){key, value};
	assert(map->count < map->capacity);
}

/*
 * Return whether `home` is in the cyclic range (free, at], so that its entry
 * may stay.
 */
static int is_between(size_t home, size_t free, size_t at)
{
	return free <= at ? home > free && home <= at
			  : home > free || home <= at;
}

void map_remove(struct map *map, uint64_t key)
{
	size_t at;
	size_t vacant;

	if (map_get(map, key) == MAP_NONE)
		return;
	at = vacant = find(map, key);
	assert(map->count > 0);
	map->count--;
	/*
	 * Move following entries back, so that no search ends too early at the
	 * free slot.
	 */
	for (;;) {
		map->slots[vacant].value = MAP_NONE;
		do {
			at = (at + 1) & (map->capacity - 1);
			if (map->slots[at].value == MAP_NONE)
				return;
		} while (is_between(home(map, map->slots[at].key), vacant, at));
		map->slots[vacant] = map->slots[at];
		vacant = at;
	}
}
