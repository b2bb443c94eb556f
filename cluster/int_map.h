/*
 * cluster/int_map.h - a growing array of numbers; and a hash table that maps
 * numbers to indices.
 */
#ifndef CLUSTER_INT_MAP_H
#define CLUSTER_INT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A growing array of numbers. Initialise with {0}; free with int_list_free().
 */
struct int_list {
	uint32_t *items; /* [count] */
	uint32_t count;
	uint32_t capacity;
};

/* Remove all items and free the memory. */
void int_list_free(struct int_list *list);

/* Make sure that the list has memory for `capacity` items in total. */
void int_list_reserve(struct int_list *list, size_t capacity);

void int_list_push(struct int_list *list, uint32_t item);

/*
 * For lists in ascending order. int_list_add_ordered() inserts `item` and
 * returns true, or returns false if the list already contains it.
 * int_list_remove_ordered() removes `item` if the list contains it; it frees
 * memory when the list has become much shorter, and all memory when it is
 * empty.
 */
bool int_list_add_ordered(struct int_list *list, uint32_t item);
void int_list_remove_ordered(struct int_list *list, uint32_t item);

#define INT_MAP_NONE UINT32_MAX

struct int_map_slot {
	uint64_t key;
	uint32_t value; /* INT_MAP_NONE: the slot is free */
};

/*
 * A hash table. Initialise with {0}; set `seed` to a random number if the keys
 * come from outside. Free with int_map_free().
 */
struct int_map {
	struct int_map_slot *slots;
	size_t capacity; /* power of two, or 0 */
	size_t count;
	uint64_t seed; /* makes slots unpredictable; does not change results */
};

/* Remove all keys and free the memory; keep the seed. */
void int_map_free(struct int_map *map);

/* Return the value of `key`, or INT_MAP_NONE. */
uint32_t int_map_get(const struct int_map *map, uint64_t key);

/*
 * Add `key` with `value`, or change its value. `value` must not be
 * INT_MAP_NONE.
 */
void int_map_set(struct int_map *map, uint64_t key, uint32_t value);

/* Remove `key`; do nothing if it is absent. */
void int_map_remove(struct int_map *map, uint64_t key);

/* Hash a number: distribute it evenly over 64 bits. */
static inline uint64_t int_map_mix(uint64_t key, uint64_t seed)
{
	key = (key ^ seed) * 0x9e3779b97f4a7c15;
	key = (key ^ key >> 32) * 0xd6e8feb86659fd93;
	return key ^ key >> 32;
}

#endif
