/*
 * base/count_map.h - counts how often each number occurs. Memory depends only
 * on the distinct numbers, and no input makes it slow.
 */
#ifndef BASE_COUNT_MAP_H
#define BASE_COUNT_MAP_H

#include <stddef.h>
#include <stdint.h>

struct count_map_entry {
	uint64_t number;
	uint64_t count;
};

/* Initialise with {0}, free with count_map_free(). */
struct count_map {
	struct count_map_entry *entries; /* [count] */
	size_t count;
	size_t capacity;
};

void count_map_free(struct count_map *tally);

/* Count `number` once. O(log n), amortized. */
void count_map_add(struct count_map *tally, uint64_t number);

/* Sort the entries by number, and merge those with equal numbers. */
void count_map_sort(struct count_map *tally);

#endif
