/*
 * cluster/dictionary.h - assigns numbers of 32 bits to the 64-bit shingles of
 * all sets, so that sets are compact. Numbers that no set uses any longer are
 * reused. Internal to cluster/.
 */
#ifndef CLUSTER_DICTIONARY_H
#define CLUSTER_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cluster/list.h"
#include "cluster/map.h"
#include "cluster/signature.h"

enum { DICTIONARY_MAX_SHINGLES = 1 << 26 };

struct dictionary_row {
	uint64_t shingle;
	uint32_t set_count;
	uint32_t next; /* next free row, if this row is free */
};

struct dictionary {
	struct dictionary_row *rows; /* [row_count] */
	size_t row_capacity;
	uint32_t row_count;
	uint32_t free; /* first free row */
	struct map id_of_shingle;
	struct list added;   /* shingles added since dictionary_forget() */
	struct list dropped; /* shingles dropped since then */
	struct list taken;   /* result of dictionary_take() */
	struct list spare;   /* scratch memory of its sort */
	bool has_duplicates; /* one shingle was restored with two numbers */
};

/* Initialise. `seed` randomises the hash table; it does not change results. */
void dictionary_begin(struct dictionary *dictionary, uint64_t seed);
void dictionary_end(struct dictionary *dictionary);

/* Clear the lists of added and dropped shingles. */
void dictionary_forget(struct dictionary *dictionary);

/*
 * Return the shingles [signature.count] of a new set, ascending, valid until
 * the next call. The caller has checked that there is room for them.
 */
const uint32_t *dictionary_take(struct dictionary *dictionary,
				struct signature signature);
bool dictionary_has_room(const struct dictionary *dictionary, size_t count);

/* Release the shingles of a removed set. */
void dictionary_release(struct dictionary *dictionary,
			const uint32_t *shingle_ids, uint32_t count);

/*
 * For opening a stored dictionary. First restore all shingles. Then call
 * dictionary_retake() for each set; it returns false if shingles are unknown or
 * not ascending. Then call dictionary_check(); it returns false if a shingle is
 * in no set or has two numbers.
 */
enum error dictionary_restore(struct dictionary *dictionary,
			      uint32_t shingle_id, uint64_t shingle);
bool dictionary_retake(struct dictionary *dictionary,
		       const uint32_t *shingle_ids, uint32_t count);
bool dictionary_check(struct dictionary *dictionary);

/* Return the approximate memory in bytes. */
size_t dictionary_bytes(const struct dictionary *dictionary);

#endif
