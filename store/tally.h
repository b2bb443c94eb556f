/*
 * store/tally.h - counts of numbers, with memory for the distinct numbers only.
 * No input makes it slow.
 */
#ifndef STORE_TALLY_H
#define STORE_TALLY_H

#include <stddef.h>
#include <stdint.h>

struct tally_entry {
	uint64_t number;
	uint64_t count;
};

/* Begin with {0}, end with tally_free(). */
struct tally {
	struct tally_entry *entries; /* [count] */
	size_t count;
	size_t capacity;
};

void tally_free(struct tally *tally);

/* O(log n), spread over many calls. */
void tally_add(struct tally *tally, uint64_t number);

/* Sort the entries and merge equal ones. */
void tally_sort(struct tally *tally);

#endif
