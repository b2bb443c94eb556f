/*
 * cluster/map.h - a hash table from numbers to indices. Internal to cluster/.
 */
#ifndef CLUSTER_MAP_H
#define CLUSTER_MAP_H

#include <stddef.h>
#include <stdint.h>

#define INT_MAP_NONE UINT32_MAX

struct int_map_slot {
	uint64_t key;
	uint32_t value; /* INT_MAP_NONE: the slot is free */
};

/*
 * Initialise with {0}, and with a random seed if the keys come from outside;
 * free with int_map_free().
 */
struct int_map {
	struct int_map_slot *slots;
	size_t capacity; /* power of two, or 0 */
	size_t count;
	uint64_t seed; /* randomises the slots; does not change results */
};

/* Remove all keys and free the memory; keep the seed. */
void int_map_free(struct int_map *map);

/* Return the value of `key`, or INT_MAP_NONE. */
uint32_t int_map_get(const struct int_map *map, uint64_t key);

/* Add `key`, or change its value; `value` must not be INT_MAP_NONE. */
void int_map_set(struct int_map *map, uint64_t key, uint32_t value);

/* Remove `key`; do nothing if it is absent. */
void int_map_remove(struct int_map *map, uint64_t key);

/* Spread a number over 64 bits. */
static inline uint64_t int_map_mix(uint64_t key, uint64_t seed)
{
	key = (key ^ seed) * 0x9e3779b97f4a7c15;
	key = (key ^ key >> 32) * 0xd6e8feb86659fd93;
	return key ^ key >> 32;
}

#endif
