/*
 * base/count_map.h - counts occurrences of numbers, with memory only for
 * distinct numbers. No input makes it slow.
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

/* Count a number. O(log n), amortized. */
void count_map_add(struct count_map *tally, uint64_t number);

/* Sort the entries and merge equal ones. */
void count_map_sort(struct count_map *tally);

#endif
