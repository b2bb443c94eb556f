/*
 * cluster/signature_table.h - the signature table: which set of shingles each
 * page has, and which component each set belongs to. It is the data structure
 * of cluster/linkage.h and makes no decisions.
 */
#ifndef CLUSTER_SIGNATURE_TABLE_H
#define CLUSTER_SIGNATURE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cluster/int_map.h"
#include "cluster/overlap.h"
#include "cluster/shingle_weights.h"
#include "cluster/signature.h"

/*
 * A dictionary: it assigns a 32-bit number to each 64-bit shingle that occurs
 * in a set. Numbers are reused. It also assigns consecutive numbers to the
 * units of each shingle (cluster/shingle_weights.h). Without weights, a shingle
 * has one unit, whose number is that of the shingle.
 */

enum { DICTIONARY_MAX_SHINGLES = 1 << 26 };

struct shingle_row {
	uint64_t shingle;
	uint32_t set_count;
	uint32_t next; /* next free row, if this row is free; otherwise TAKEN */
	uint32_t first_unit;
	uint32_t unit_count;
};

/* The free units of dropped shingles that had `size` units each. */
struct unit_pool {
	uint32_t size;
	struct int_list first_units;
};

/* a size for each level above 0 of normal shingles, and of heavy ones */
enum { UNIT_POOLS = 2 * SHINGLE_MAX_LEVEL };

struct shingle_dictionary {
	struct shingle_row *rows; /* [row_count] */
	size_t row_capacity;
	uint32_t row_count;
	uint32_t free; /* first of the free rows */
	struct int_map id_of_shingle;
	/* shingles added since shingle_dictionary_clear_log() */
	struct int_list added;
	struct int_list dropped; /* shingles dropped since
				    shingle_dictionary_clear_log() */
	struct int_list taken;   /* result of shingle_dictionary_use() */
	struct int_list spare;   /* memory for sorting `taken` */
	struct shingle_weights weights;
	struct unit_pool pools[UNIT_POOLS];
	uint32_t unit_rows;    /* all numbers of units are below this number */
	struct int_list units; /* result of shingle_dictionary_units() */
	bool has_duplicates;   /* one shingle was restored with two numbers */
};

/*
 * Initialise the dictionary. `seed` randomises its hash table; it does not
 * change results.
 */
void shingle_dictionary_begin(struct shingle_dictionary *dictionary,
			      uint64_t seed);
void shingle_dictionary_end(struct shingle_dictionary *dictionary);

/*
 * Replace the weights by a copy of `weights`, and assign other units to all
 * shingles. In the beginning there are no weights.
 */
void shingle_dictionary_weigh(struct shingle_dictionary *dictionary,
			      const struct shingle_weights *weights);

/*
 * Return the units of the shingles [count], which are in use, in ascending
 * order; the result is valid until the next call.
 */
struct int_list shingle_dictionary_units(struct shingle_dictionary *dictionary,
					 const uint32_t *shingle_ids,
					 uint32_t count);

/* Clear the lists of added and dropped shingles. */
void shingle_dictionary_clear_log(struct shingle_dictionary *dictionary);

/*
 * Assign numbers to the shingles of a new set. Return the numbers
 * [signature.count] in ascending order; they are valid until the next call. The
 * caller has called shingle_dictionary_has_room().
 */
const uint32_t *shingle_dictionary_use(struct shingle_dictionary *dictionary,
				       struct signature signature);
bool shingle_dictionary_has_room(const struct shingle_dictionary *dictionary,
				 struct signature signature);

/*
 * Release the shingles of a removed set. A shingle that no other set contains
 * is dropped.
 */
void shingle_dictionary_release(struct shingle_dictionary *dictionary,
				const uint32_t *shingle_ids, uint32_t count);

/*
 * Open a stored dictionary: call shingle_dictionary_restore() for each shingle,
 * then shingle_dictionary_reuse() for each set, then
 * shingle_dictionary_check(). shingle_dictionary_reuse() returns false if a
 * shingle of the set is unknown or the shingles are not ascending.
 * shingle_dictionary_check() returns false if a shingle is in no set or has two
 * numbers.
 */
enum error shingle_dictionary_restore(struct shingle_dictionary *dictionary,
				      uint32_t shingle_id, uint64_t shingle);
bool shingle_dictionary_reuse(struct shingle_dictionary *dictionary,
			      const uint32_t *shingle_ids, uint32_t count);
bool shingle_dictionary_check(struct shingle_dictionary *dictionary);

/* Return the approximate memory in bytes. */
size_t shingle_dictionary_bytes(const struct shingle_dictionary *dictionary);

#define NO_TABLE_ROW INT_MAP_NONE /* no row */

/*
 * Pages, sets and components are rows of arrays and are identified by their row
 * numbers. In a free row, `next` is the number of the next free row.
 */
struct signature_table_page {
	uint64_t page;
	uint64_t age;      /* order of insertion */
	uint32_t set;      /* the page's set; NO_TABLE_ROW: none yet */
	uint32_t next;     /* next page of the same set */
	uint32_t previous; /* previous page of the same set */
};

/*
 * A set of shingles (unique signature), shared by all pages with the same
 * signature.
 */
struct signature_table_set {
	uint64_t *block; /* owned memory: bits [words], then units [count], then
			    shingles [shingle_count]; without weights, the
			    units are the shingles */
	uint64_t key;    /* key in signature_table.set_of_key */
	uint64_t call; /* the last call of the linkage that stored its labels */
	uint32_t count; /* number of units */
	uint32_t shingle_count;
	uint32_t first_shingle; /* index of the first shingle behind the bits:
				   `count`, or 0 without weights */
	uint32_t words;     /* words of the bitmap, see struct shingle_id_set */
	uint32_t is_used;   /* 0: the row is free */
	uint32_t collision; /* next set with the same key */
	uint32_t page_count;
	uint32_t first_page;
	uint32_t component; /* the set's component; NO_TABLE_ROW: none yet */
	uint32_t next;      /* next set of the same component */
	uint32_t previous;  /* previous set of the same component */
	uint32_t group;     /* group of similarity_join.h; NO_TABLE_ROW: none */
	uint32_t slot;      /* index of the set in the members of the group */
	uint32_t first_edge;   /* first of its edges in the spanning forest */
	uint32_t subcomponent; /* subcomponent of threshold_graph.h;
				  NO_TABLE_ROW: none */
	uint32_t subcomponent_next; /* next set of the same subcomponent */
};

struct signature_table_component {
	uint32_t label; /* 0: no label yet */
	uint32_t first_set;
	uint32_t next;      /* next free row, if this row is free */
	uint32_t set_count; /* 0: the row is free, or the component is new */
	uint32_t page_count;
	bool is_reached;
};

struct signature_table {
	struct shingle_dictionary dictionary;
	struct signature_table_page *pages;
	size_t page_capacity;
	uint32_t page_rows; /* number of rows, in use or free */
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
				      leads to the others */
	struct int_map component_of_label;
	size_t page_count;
	size_t set_count;
	size_t component_count;
	size_t block_bytes; /* total size of the blocks of all sets */
	uint64_t next_age;
};

/*
 * Initialise the table. `seed` randomises the hash tables; it does not change
 * results.
 */
void signature_table_begin(struct signature_table *table, uint64_t seed);
void signature_table_end(struct signature_table *table);

/*
 * Return the row of the set that has this signature, or NO_TABLE_ROW if none
 * exists.
 */
uint32_t signature_table_find_set(const struct signature_table *table,
				  struct signature signature);

/*
 * Add a row and return its number: for a page without a set, a set without
 * pages and component, or a component without sets. Pointers to rows become
 * invalid.
 */
uint32_t signature_table_add_page(struct signature_table *table, uint64_t page);
uint32_t signature_table_add_set(struct signature_table *table,
				 struct signature signature);
uint32_t signature_table_add_component(struct signature_table *table);

/*
 * Free the row of a page that has no set, of a set that has no pages, or of a
 * component that has no sets.
 */
void signature_table_drop_page(struct signature_table *table, uint32_t page);
void signature_table_drop_set(struct signature_table *table, uint32_t set);
void signature_table_drop_component(struct signature_table *table,
				    uint32_t component);

/* Remove all components. Afterwards no set belongs to a component. */
void signature_table_scatter(struct signature_table *table);

/*
 * Move a page to another set, or a set to another component. NO_TABLE_ROW means
 * that it leaves the old one.
 */
void signature_table_move_page(struct signature_table *table, uint32_t page,
			       uint32_t set);
void signature_table_move_set(struct signature_table *table, uint32_t set,
			      uint32_t component);

/*
 * Set the label of a component; 0 = no label. No other component may have the
 * label.
 */
void signature_table_name(struct signature_table *table, uint32_t component,
			  uint32_t label);

/*
 * signature_table_label() returns the label of the component of a page,
 * signature_table_set_label() the label of the component of a set. The result
 * is 0 if there is no component, or it has no label.
 */
uint32_t signature_table_label(const struct signature_table *table,
			       uint32_t page);
uint32_t signature_table_set_label(const struct signature_table *table,
				   uint32_t set);

/*
 * Return the units of a set, which are its shingles if there are no weights;
 * valid until the set is dropped or weighed.
 */
struct shingle_id_set signature_table_units(const struct signature_table *table,
					    uint32_t set);

/* Return the numbers of the shingles of a set, valid as long as its units. */
const uint32_t *signature_table_shingles(const struct signature_table *table,
					 uint32_t set);

/*
 * Replace the weights; afterwards all sets have other units. The caller must
 * have removed all sets from their groups.
 */
void signature_table_weigh(struct signature_table *table,
			   const struct shingle_weights *weights);

/* Return the age of the oldest page of `set`, which must have pages. */
uint64_t signature_table_oldest(const struct signature_table *table,
				uint32_t set);

/*
 * Open a stored table: after restoring the shingles of the dictionary, call
 * signature_table_restore_set() for each set, then signature_table_check().
 * signature_table_restore_set() returns ERR_CORRUPT if the number `set` is in
 * use, or the shingles are unknown or not ascending; signature_table_check()
 * returns it if a set has no page, two sets are equal, or the dictionary is
 * damaged.
 */
enum error signature_table_restore_set(struct signature_table *table,
				       uint32_t set,
				       const uint32_t *shingle_ids,
				       uint32_t count);
enum error signature_table_check(struct signature_table *table);

/* Return the approximate memory in bytes. */
size_t signature_table_bytes(const struct signature_table *table);

#endif
