/*
 * cluster/dictionary.h - the terms: a number of 32 bits for each 64-bit member
 * that some set has. Numbers of terms that no set has any more are used again.
 * Internal to cluster/.
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

enum { DICTIONARY_MAX_TERMS = 1 << 26 };

struct dictionary_row {
	uint64_t member;
	uint32_t set_count;
	uint32_t next; /* free row, where this one is free */
};

struct dictionary {
	struct dictionary_row *rows; /* [row_count] */
	size_t row_capacity;
	uint32_t row_count;
	uint32_t free; /* first free row */
	struct map term_of_member;
	struct list added;   /* terms, since dictionary_forget() */
	struct list dropped; /* the same */
	struct list taken;   /* by dictionary_take() */
	struct list spare;   /* for its sort */
	bool has_twins;      /* two terms were restored for one member */
};

/* `seed` decides where members stand in memory, and nothing else. */
void dictionary_begin(struct dictionary *dictionary, uint64_t seed);
void dictionary_end(struct dictionary *dictionary);

/* Forget which terms were added and dropped. */
void dictionary_forget(struct dictionary *dictionary);

/* The terms [signature.count] of a new set, ascending, valid until the next
 * call. The caller has seen to it that there is room for them. */
const uint32_t *dictionary_take(struct dictionary *dictionary,
				struct signature signature);
bool dictionary_has_room(const struct dictionary *dictionary, size_t count);

/* The set with these terms is gone. */
void dictionary_release(struct dictionary *dictionary, const uint32_t *terms,
			uint32_t count);

/* Opening: first all terms; then dictionary_retake() the terms of each set,
 * false when they are unknown or not ascending; then dictionary_check(), false
 * when a term has no set or two terms have one member. */
enum error dictionary_restore(struct dictionary *dictionary, uint32_t term,
			      uint64_t member);
bool dictionary_retake(struct dictionary *dictionary, const uint32_t *terms,
		       uint32_t count);
bool dictionary_check(struct dictionary *dictionary);

/* Memory, about. */
size_t dictionary_bytes(const struct dictionary *dictionary);

#endif
