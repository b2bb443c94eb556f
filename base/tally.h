/*
 * base/tally.h - counts occurrences of numbers, with memory only for distinct
 * numbers. No input makes it slow.
 */
#ifndef BASE_TALLY_H
#define BASE_TALLY_H

#include <stddef.h>
#include <stdint.h>

struct tally_entry {
	uint64_t number;
	uint64_t count;
};

/* Initialise with {0}, free with tally_free(). */
struct tally {
	struct tally_entry *entries; /* [count] */
	size_t count;
	size_t capacity;
};

void tally_free(struct tally *tally);

/* Count a number. O(log n), amortized. */
void tally_add(struct tally *tally, uint64_t number);

/* Sort the entries and merge equal ones. */
void tally_sort(struct tally *tally);

#endif
