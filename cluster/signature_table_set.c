/* The sets of cluster/signature_table.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "cluster/signature_table.h"

static uint32_t *shingles_of(const struct signature_table_set *set)
{
	return (uint32_t *)(set->block + set->words);
}

struct shingle_id_set
signature_table_shingles(const struct signature_table *table, uint32_t set)
{
	const struct signature_table_set *row = &table->sets[set];

	assert(set < table->set_rows && row->is_used);
	return (struct shingle_id_set){shingles_of(row), row->count, row->words,
				       row->block};
}

static bool has_shingle(struct signature signature, uint64_t shingle)
{
	const uint64_t *base = signature.shingles;
	size_t count = signature.count;

	assert(count > 0);
	while (count > 1) {
		base += base[count / 2] <= shingle ? count / 2 : 0;
		count -= count / 2;
	}
	return *base == shingle;
}

static bool is_equal(const struct signature_table *table, uint32_t set,
		     struct signature signature)
{
	const struct signature_table_set *row = &table->sets[set];
	const uint32_t *shingle_ids = shingles_of(row);

	assert(row->is_used);
	if (row->count != signature.count)
		return false;
	for (uint32_t i = 0; i < row->count; i++) {
		uint64_t shingle =
			table->dictionary.rows[shingle_ids[i]].shingle;

		if (!has_shingle(signature, shingle))
			return false;
	}
	return true;
}

/*
 * Add a shingle to the key of a set: a sum, so that the order of the shingles
 * does not matter.
 */
static uint64_t add_to_key(const struct signature_table *table, uint64_t key,
			   uint64_t shingle)
{
	return key + int_map_mix(shingle, table->set_of_key.seed);
}

static uint64_t key_of_signature(const struct signature_table *table,
				 struct signature signature)
{
	uint64_t key = 0;

	for (size_t i = 0; i < signature.count; i++)
		key = add_to_key(table, key, signature.shingles[i]);
	return key;
}

uint32_t signature_table_find_set(const struct signature_table *table,
				  struct signature signature)
{
	uint32_t set = int_map_get(&table->set_of_key,
				   key_of_signature(table, signature));

	while (set != NO_TABLE_ROW && !is_equal(table, set, signature))
		set = table->sets[set].collision;
	return set;
}

/* Add a row at the end. */
static uint32_t extend_sets(struct signature_table *table)
{
	table->sets = mem_grow(table->sets, table->set_rows,
			       &table->set_capacity, sizeof(*table->sets));
	table->sets[table->set_rows] = (struct signature_table_set){0};
	return table->set_rows++;
}

/* Set the shingles of the set, and add it to the map of keys. */
static void fill_set(struct signature_table *table, uint32_t set,
		     const uint32_t *shingle_ids, uint32_t count)
{
	uint32_t words = shingle_id_set_words(shingle_ids, count);
	size_t size = words + ((size_t)count + 1) / 2;
	uint64_t *block = mem_resize(NULL, size, sizeof(*block));
	uint64_t key = 0;

	assert(set < table->set_rows && !table->sets[set].is_used);
	assert(u32_ascend(shingle_ids, count));
	shingle_id_set_fill(shingle_ids, count, block, words);
	if (count > 0)
		memcpy(block + words, shingle_ids,
		       count * sizeof(*shingle_ids));
	for (uint32_t i = 0; i < count; i++)
		key = add_to_key(
			table, key,
			table->dictionary.rows[shingle_ids[i]].shingle);
	table->sets[set] = (struct signature_table_set){
		.block = block,
		.key = key,
		.count = count,
		.words = words,
		.is_used = 1,
		.collision = int_map_get(&table->set_of_key, key),
		.first_page = NO_TABLE_ROW,
		.component = NO_TABLE_ROW,
		.next = NO_TABLE_ROW,
		.previous = NO_TABLE_ROW,
		.group = NO_TABLE_ROW,
		.first_edge = NO_TABLE_ROW,
		.subcomponent = NO_TABLE_ROW,
	};
	int_map_set(&table->set_of_key, key, set);
	table->set_count++;
	table->block_bytes += size * sizeof(*block);
}

uint32_t signature_table_add_set(struct signature_table *table,
				 struct signature signature)
{
	uint32_t set = table->set_free;
	const uint32_t *shingle_ids =
		shingle_dictionary_use(&table->dictionary, signature);

	if (set == NO_TABLE_ROW)
		set = extend_sets(table);
	else
		table->set_free = table->sets[set].next;
	assert(set < table->set_rows);
	fill_set(table, set, shingle_ids, (uint32_t)signature.count);
	return set;
}

/* Remove the set from the map of keys. */
static void hide_set(struct signature_table *table, uint32_t set)
{
	const struct signature_table_set *row = &table->sets[set];
	uint32_t collision = int_map_get(&table->set_of_key, row->key);

	assert(collision != NO_TABLE_ROW);
	if (collision != set) {
		while (table->sets[collision].collision != set)
			collision = table->sets[collision].collision;
		table->sets[collision].collision = row->collision;
	} else if (row->collision != NO_TABLE_ROW) {
		int_map_set(&table->set_of_key, row->key, row->collision);
	} else {
		int_map_remove(&table->set_of_key, row->key);
	}
}

void signature_table_drop_set(struct signature_table *table, uint32_t set)
{
	struct signature_table_set *row = &table->sets[set];

	assert(row->page_count == 0);
	assert(set < table->set_rows && row->is_used);
	assert(row->group == NO_TABLE_ROW && row->first_edge == NO_TABLE_ROW);
	signature_table_move_set(table, set, NO_TABLE_ROW);
	hide_set(table, set);
	shingle_dictionary_release(&table->dictionary, shingles_of(row),
				   row->count);
	table->block_bytes -= (row->words + ((size_t)row->count + 1) / 2) *
			      sizeof(*row->block);
	assert(row->first_page == NO_TABLE_ROW);
	free(row->block);
	*row = (struct signature_table_set){.next = table->set_free};
	table->set_free = set;
	assert(table->set_count > 0);
	table->set_count--;
}

enum error signature_table_restore_set(struct signature_table *table,
				       uint32_t set,
				       const uint32_t *shingle_ids,
				       uint32_t count)
{
	if (set < table->set_rows && table->sets[set].is_used)
		return ERR_CORRUPT;
	if (!shingle_dictionary_reuse(&table->dictionary, shingle_ids, count))
		return ERR_CORRUPT;
	while (table->set_rows <= set)
		extend_sets(table);
	fill_set(table, set, shingle_ids, count);
	return ERR_NONE;
}

static bool has_equal_collision(const struct signature_table *table,
				uint32_t set)
{
	struct shingle_id_set shingle_ids =
		signature_table_shingles(table, set);

	for (uint32_t i = table->sets[set].collision; i != NO_TABLE_ROW;
	     i = table->sets[i].collision) {
		struct shingle_id_set other =
			signature_table_shingles(table, i);

		if (shingle_ids.count == other.count &&
		    (shingle_ids.count == 0 ||
		     memcmp(shingle_ids.shingle_ids, other.shingle_ids,
			    shingle_ids.count *
				    sizeof(*shingle_ids.shingle_ids)) == 0))
			return true;
	}
	return false;
}

enum error signature_table_check(struct signature_table *table)
{
	if (!shingle_dictionary_check(&table->dictionary))
		return ERR_CORRUPT;
	table->set_free = NO_TABLE_ROW;
	for (uint32_t i = table->set_rows; i > 0; i--) {
		struct signature_table_set *row = &table->sets[i - 1];

		if (!row->is_used) {
			row->next = table->set_free;
			table->set_free = i - 1;
		} else if (row->page_count == 0 ||
			   has_equal_collision(table, i - 1)) {
			return ERR_CORRUPT;
		}
	}
	return ERR_NONE;
}
