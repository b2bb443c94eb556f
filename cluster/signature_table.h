/*
 * cluster/signature_table.h - the signature table: the set of each page, and
 * the component of each set. It stores the rows and counts of linkage.h and
 * decides nothing.
 */
#ifndef CLUSTER_SIGNATURE_TABLE_H
#define CLUSTER_SIGNATURE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cluster/int_map.h"
#include "cluster/overlap.h"
#include "cluster/signature.h"

/* Assigns reusable numbers of 32 bits to the 64-bit shingles of all sets. */

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
	struct int_list added;   /* since shingle_dictionary_clear_log() */
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
 * For opening a stored dictionary: restore all shingles; call
 * shingle_dictionary_reuse() for each set (false if shingles are unknown or not
 * ascending); then shingle_dictionary_check() (false if a shingle is in no set
 * or has two numbers).
 */
enum error shingle_dictionary_restore(struct shingle_dictionary *dictionary,
				      uint32_t shingle_id, uint64_t shingle);
bool shingle_dictionary_reuse(struct shingle_dictionary *dictionary,
			      const uint32_t *shingle_ids, uint32_t count);
bool shingle_dictionary_check(struct shingle_dictionary *dictionary);

/* Return the approximate memory in bytes. */
size_t shingle_dictionary_bytes(const struct shingle_dictionary *dictionary);

#define NO_TABLE_ROW INT_MAP_NONE /* no row */

/* Rows are numbered; `next` links the free rows. */
struct signature_table_page {
	uint64_t page;
	uint64_t age;      /* order of insertion */
	uint32_t set;      /* NO_TABLE_ROW: in no set */
	uint32_t next;     /* next page of the same set */
	uint32_t previous; /* previous page of the same set */
};

/*
 * A set of shingles (unique signature), shared by all pages with the same
 * signature.
 */
struct signature_table_set {
	uint64_t *block;    /* owned: bits [words], then shingles [count] */
	uint64_t key;       /* key in signature_table.set_of_key */
	uint64_t call;      /* the last call that stored it */
	uint32_t count;     /* number of shingles */
	uint32_t words;     /* see struct shingle_id_set */
	uint32_t is_used;   /* 0: the row is free */
	uint32_t collision; /* next set of the same key */
	uint32_t page_count;
	uint32_t first_page;
	uint32_t component;         /* NO_TABLE_ROW: in no component */
	uint32_t next;              /* set of the same component */
	uint32_t previous;          /* previous set of the same component */
	uint32_t group;             /* NO_TABLE_ROW: in no group */
	uint32_t slot;              /* index in the group */
	uint32_t first_edge;        /* of the spanning forest */
	uint32_t subcomponent;      /* NO_TABLE_ROW: in none */
	uint32_t subcomponent_next; /* next set of the same one */
};

struct signature_table_component {
	uint32_t label; /* 0: no label yet */
	uint32_t first_set;
	uint32_t next;      /* next free component */
	uint32_t set_count; /* 0: the row is free or new */
	uint32_t page_count;
	bool is_reached;
};

struct signature_table {
	struct shingle_dictionary dictionary;
	struct signature_table_page *pages;
	size_t page_capacity;
	uint32_t page_rows; /* number of rows, in use or free again */
	uint32_t page_free;
	struct signature_table_set *sets;
	size_t set_capacity;
	uint32_t set_rows;
	uint32_t set_free;
	struct signature_table_component *components;
	size_t component_capacity;
	uint32_t component_rows;
	uint32_t component_free;
	struct int_map page_of_number;
	struct int_map set_of_key; /* the first set of each key; `collision`
				  links the others */
	struct int_map component_of_label;
	size_t page_count;
	size_t set_count;
	size_t component_count;
	size_t block_bytes; /* bytes of the blocks of all sets */
	uint64_t next_age;
};

/* Initialise. `seed` randomises the hash tables; it does not change results. */
void signature_table_begin(struct signature_table *table, uint64_t seed);
void signature_table_end(struct signature_table *table);

/* Return a row, or NO_TABLE_ROW. */
uint32_t signature_table_find_set(const struct signature_table *table,
				  struct signature signature);

/*
 * Add a page in no set, a set in no component, a component without sets.
 * Pointers to rows become invalid.
 */
uint32_t signature_table_add_page(struct signature_table *table, uint64_t page);
uint32_t signature_table_add_set(struct signature_table *table,
				 struct signature signature);
uint32_t signature_table_add_component(struct signature_table *table);

/*
 * Free the row of a page in no set, a set without pages, a component without
 * sets.
 */
void signature_table_drop_page(struct signature_table *table, uint32_t page);
void signature_table_drop_set(struct signature_table *table, uint32_t set);
void signature_table_drop_component(struct signature_table *table,
				    uint32_t component);

/* Remove all components; their sets are in none. */
void signature_table_scatter(struct signature_table *table);

/* Move a page into a set, or a set into a component; NO_TABLE_ROW: into none.
 */
void signature_table_move_page(struct signature_table *table, uint32_t page,
			       uint32_t set);
void signature_table_move_set(struct signature_table *table, uint32_t set,
			      uint32_t component);

/* Set the label of a component; no other component has it. 0 = no label. */
void signature_table_name(struct signature_table *table, uint32_t component,
			  uint32_t label);

/*
 * Return the label of a page or set; 0 if it is in no component, or in one
 * without a label.
 */
uint32_t signature_table_label(const struct signature_table *table,
			       uint32_t page);
uint32_t signature_table_set_label(const struct signature_table *table,
				   uint32_t set);

/* Return the shingles of a set, valid as long as the set exists. */
struct shingle_id_set
signature_table_shingles(const struct signature_table *table, uint32_t set);

/* Return the age of the oldest page of `set`, which has pages. */
uint64_t signature_table_oldest(const struct signature_table *table,
				uint32_t set);

/*
 * For opening a stored table: after the shingles of the dictionary, restore the
 * sets with their numbers; then call signature_table_check(). ERR_CORRUPT if
 * the number is used, or the shingles are not ascending or unknown; at the end,
 * if a set has no page, two sets are equal, or the dictionary is wrong.
 */
enum error signature_table_restore_set(struct signature_table *table,
				       uint32_t set,
				       const uint32_t *shingle_ids,
				       uint32_t count);
enum error signature_table_check(struct signature_table *table);

/* Return the approximate memory in bytes. */
size_t signature_table_bytes(const struct signature_table *table);

#endif
