/*
 * cluster/dictionary.h - numbers of 32 bits for the 64-bit shingles of all
 * sets, so that sets are compact. Numbers that no set uses any more are used
 * again. Internal to cluster/.
 */
#ifndef CLUSTER_DICTIONARY_H
#define CLUSTER_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/list.h"
#include "cluster/map.h"
#include "cluster/signature.h"
#include "store/error.h"

enum { DICTIONARY_MAX_SHINGLES = 1 << 26 };

struct dictionary_row {
	uint64_t shingle;
	uint32_t set_count;
	uint32_t next; /* free row, where this one is free */
};

struct dictionary {
	struct dictionary_row *rows; /* [row_count] */
	size_t row_capacity;
	uint32_t row_count;
	uint32_t free; /* first free row */
	struct map id_of_shingle;
	struct list added;   /* shingles, since dictionary_forget() */
	struct list dropped; /* the same */
	struct list taken;   /* by dictionary_take() */
	struct list spare;   /* for its sort */
	bool has_duplicates; /* two numbers were restored for the same shingle
			      */
};

/* `seed` randomises the hash table; it changes no result. */
void dictionary_begin(struct dictionary *dictionary, uint64_t seed);
void dictionary_end(struct dictionary *dictionary);

/* Forget which shingles were added and dropped. */
void dictionary_forget(struct dictionary *dictionary);

/*
 * The shingles [signature.count] of a new set, ascending, valid until the next
 * call. The caller has checked that there is room for them.
 */
const uint32_t *dictionary_take(struct dictionary *dictionary,
				struct signature signature);
bool dictionary_has_room(const struct dictionary *dictionary, size_t count);

/* Release the shingles of a set that was removed. */
void dictionary_release(struct dictionary *dictionary,
			const uint32_t *shingle_ids, uint32_t count);

/*
 * Opening a stored dictionary: first restore all shingles; then
 * dictionary_retake() the shingles of each set, false when they are unknown or
 * not ascending; then dictionary_check(), false when a shingle is in no set or
 * two shingles are the same shingle.
 */
enum error dictionary_restore(struct dictionary *dictionary,
			      uint32_t shingle_id, uint64_t shingle);
bool dictionary_retake(struct dictionary *dictionary,
		       const uint32_t *shingle_ids, uint32_t count);
bool dictionary_check(struct dictionary *dictionary);

/* Approximate memory, in bytes. */
size_t dictionary_bytes(const struct dictionary *dictionary);

#endif
