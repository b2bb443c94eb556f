#include "cluster/map.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

enum { FIRST_CAPACITY = 16 };

/*
 * Return the preferred slot of `key`. Keys are hashed, because page numbers are
 * not random.
 */
static size_t map_preferred_slot(const struct int_map *map, uint64_t key)
{
	assert(map->capacity > 0 && (map->capacity & (map->capacity - 1)) == 0);
	return (size_t)int_map_mix(key, map->seed) & (map->capacity - 1);
}

/* Return the slot of `key`, or the free slot for it. */
static size_t map_find_slot(const struct int_map *map, uint64_t key)
{
	size_t at = map_preferred_slot(map, key);

	assert(map->count < map->capacity);
	while (map->slots[at].value != INT_MAP_NONE &&
	       map->slots[at].key != key)
		at = (at + 1) & (map->capacity - 1);
	return at;
}

void int_map_free(struct int_map *map)
{
	free(map->slots);
	*map = (struct int_map){.seed = map->seed};
}

uint32_t int_map_get(const struct int_map *map, uint64_t key)
{
	if (map->capacity == 0)
		return INT_MAP_NONE;
	return map->slots[map_find_slot(map, key)].value;
}

static void map_resize(struct int_map *map, size_t capacity)
{
	struct int_map old = *map;

	assert(capacity > map->count && (capacity & (capacity - 1)) == 0);
	map->slots = mem_alloc(capacity, sizeof(*map->slots));
	map->capacity = capacity;
	for (size_t i = 0; i < capacity; i++)
		map->slots[i].value = INT_MAP_NONE;
	for (size_t i = 0; i < old.capacity; i++) {
		if (old.slots[i].value != INT_MAP_NONE)
			map->slots[map_find_slot(map, old.slots[i].key)] =
				old.slots[i];
	}
	free(old.slots);
}

void int_map_set(struct int_map *map, uint64_t key, uint32_t value)
{
	struct int_map_slot *slot;

	assert(value != INT_MAP_NONE);
	if (map->capacity == 0)
		map_resize(map, FIRST_CAPACITY);
	else if (map->count >= map->capacity / 4 * 3)
		map_resize(map, map->capacity * 2);
	slot = &map->slots[map_find_slot(map, key)];
	map->count += slot->value == INT_MAP_NONE;
	*slot = (struct int_map_slot){key, value};
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

void int_map_remove(struct int_map *map, uint64_t key)
{
	size_t at;
	size_t vacant;

	if (int_map_get(map, key) == INT_MAP_NONE)
		return;
	at = vacant = map_find_slot(map, key);
	assert(map->count > 0);
	map->count--;
	/*
	 * Move following entries back, so that no search ends too early at the
	 * free slot.
	 */
	for (;;) {
		map->slots[vacant].value = INT_MAP_NONE;
		do {
			at = (at + 1) & (map->capacity - 1);
			if (map->slots[at].value == INT_MAP_NONE)
				return;
		} while (is_between(map_preferred_slot(map, map->slots[at].key),
				    vacant, at));
		map->slots[vacant] = map->slots[at];
		vacant = at;
	}
}
