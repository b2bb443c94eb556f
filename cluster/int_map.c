#include "cluster/int_map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

enum { LIST_FIRST_CAPACITY = 4 };

void int_list_free(struct int_list *list)
{
	free(list->items);
	*list = (struct int_list){0};
}

static void list_resize(struct int_list *list, size_t capacity)
{
	assert(capacity >= list->count);
	list->items = mem_resize(list->items, capacity, sizeof(*list->items));
	list->capacity = (uint32_t)capacity;
}

void int_list_reserve(struct int_list *list, size_t capacity)
{
	size_t enough =
		list->capacity == 0 ? LIST_FIRST_CAPACITY : list->capacity;

	if (capacity <= list->capacity)
		return;
	while (enough < capacity)
		enough *= 2;
	list_resize(list, enough);
	assert(list->capacity >= capacity);
}

void int_list_push(struct int_list *list, uint32_t item)
{
	if (list->count == list->capacity)
		int_list_reserve(list, (size_t)list->count + 1);
	assert(list->count < list->capacity);
	list->items[list->count++] = item;
}

/*
 * Return the index of the first item that is at least `item`; list->count if
 * none exists.
 */
static uint32_t lower_bound(const struct int_list *list, uint32_t item)
{
	size_t at;

	if (list->count > 0 && list->items[list->count - 1] < item)
		return list->count; /* the usual case */
	LOWER_BOUND(at, list->count, list->items[at] < item);
	return (uint32_t)at;
}

bool int_list_add_ordered(struct int_list *list, uint32_t item)
{
	uint32_t at = lower_bound(list, item);

	if (at < list->count && list->items[at] == item)
		return false;
	int_list_reserve(list, (size_t)list->count + 1);
	assert(at <= list->count);
	assert(at == list->count || list->items[at] > item);
	assert(at == 0 || list->items[at - 1] < item);
	memmove(list->items + at + 1, list->items + at,
		(list->count - at) * sizeof(*list->items));
	list->items[at] = item;
	list->count++;
	return true;
}

void int_list_remove_ordered(struct int_list *list, uint32_t item)
{
	uint32_t at = lower_bound(list, item);

	if (at == list->count || list->items[at] != item)
		return;
	assert(at < list->count);
	list->count--;
	memmove(list->items + at, list->items + at + 1,
		(list->count - at) * sizeof(*list->items));
	if (list->count == 0)
		int_list_free(list);
	else if (list->count <= list->capacity / 4)
		list_resize(list, list->capacity / 2);
}

enum { MAP_FIRST_CAPACITY = 16 };

/*
 * Return the slot at which the search for `key` begins. The key is hashed
 * because page numbers are not random.
 */
static size_t map_preferred_slot(const struct int_map *map, uint64_t key)
{
	assert(map->capacity > 0 && (map->capacity & (map->capacity - 1)) == 0);
	return (size_t)int_map_mix(key, map->seed) & (map->capacity - 1);
}

/*
 * Return the slot that contains `key`. If the map does not contain it, return
 * the free slot for it.
 */
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
		map_resize(map, MAP_FIRST_CAPACITY);
	else if (map->count >= map->capacity / 4 * 3)
		map_resize(map, map->capacity * 2);
	slot = &map->slots[map_find_slot(map, key)];
	map->count += slot->value == INT_MAP_NONE;
	*slot = (struct int_map_slot){key, value};
	assert(map->count < map->capacity);
}

void int_map_remove(struct int_map *map, uint64_t key)
{
	size_t at;
	size_t home;
	size_t vacant;

	if (int_map_get(map, key) == INT_MAP_NONE)
		return;
	at = vacant = map_find_slot(map, key);
	assert(map->count > 0);
	map->count--;
	/*
	 * Move the entries after the free slot back, because a search would
	 * otherwise stop at the free slot, before their keys.
	 */
	for (;;) {
		map->slots[vacant].value = INT_MAP_NONE;
		do {
			at = (at + 1) & (map->capacity - 1);
			if (map->slots[at].value == INT_MAP_NONE)
				return;
			home = map_preferred_slot(map, map->slots[at].key);
			/*
			 * an entry may stay if its search begins after `vacant`
			 */
		} while (vacant <= at ? home > vacant && home <= at
				      : home > vacant || home <= at);
		map->slots[vacant] = map->slots[at];
		vacant = at;
	}
}
