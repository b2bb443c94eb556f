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

struct shingle_row {
	uint64_t shingle;
	uint32_t set_count;
	uint32_t next; /* next free row, if this row is free */
};

struct shingle_dictionary {
	struct shingle_row *rows; /* [row_count] */
	size_t row_capacity;
	uint32_t row_count;
	uint32_t free; /* first free row */
	struct int_map id_of_shingle;
	struct int_list
		added; /* shingles added since shingle_dictionary_clear_log() */
	struct int_list dropped; /* shingles dropped since then */
	struct int_list taken;   /* result of shingle_dictionary_use() */
	struct int_list spare;   /* scratch memory of its sort */
	bool has_duplicates;     /* one shingle was restored with two numbers */
};

/* Initialise. `seed` randomises the hash table; it does not change results. */
void shingle_dictionary_begin(struct shingle_dictionary *dictionary,
			      uint64_t seed);
void shingle_dictionary_end(struct shingle_dictionary *dictionary);

/* Clear the lists of added and dropped shingles. */
void shingle_dictionary_clear_log(struct shingle_dictionary *dictionary);

/*
 * Return the shingles [signature.count] of a new set, ascending, valid until
 * the next call. The caller has checked that there is room for them.
 */
const uint32_t *shingle_dictionary_use(struct shingle_dictionary *dictionary,
				       struct signature signature);
bool shingle_dictionary_has_room(const struct shingle_dictionary *dictionary,
				 size_t count);

/* Release the shingles of a removed set. */
void shingle_dictionary_release(struct shingle_dictionary *dictionary,
				const uint32_t *shingle_ids, uint32_t count);

/*
 * For opening a stored dictionary. First restore all shingles. Then call
 * shingle_dictionary_reuse() for each set; it returns false if shingles are
 * unknown or not ascending. Then call shingle_dictionary_check(); it returns
 * false if a shingle is in no set or has two numbers.
 */
enum error shingle_dictionary_restore(struct shingle_dictionary *dictionary,
				      uint32_t shingle_id, uint64_t shingle);
bool shingle_dictionary_reuse(struct shingle_dictionary *dictionary,
			      const uint32_t *shingle_ids, uint32_t count);
bool shingle_dictionary_check(struct shingle_dictionary *dictionary);

/* Return the approximate memory in bytes. */
size_t shingle_dictionary_bytes(const struct shingle_dictionary *dictionary);

#endif
