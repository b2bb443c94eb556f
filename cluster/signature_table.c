#include "cluster/signature_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* Values of shingle_row.next: the row is in use; the last free row. */
#define TAKEN  INT_MAP_NONE
#define NO_ROW (INT_MAP_NONE - 1)

enum {
	DIGIT_BITS = 8,
	DIGITS = 1 << DIGIT_BITS,
};

void shingle_dictionary_begin(struct shingle_dictionary *dictionary,
			      uint64_t seed)
{
	*dictionary = (struct shingle_dictionary){.free = NO_ROW};
	dictionary->id_of_shingle.seed = seed;
}

void shingle_dictionary_end(struct shingle_dictionary *dictionary)
{
	free(dictionary->rows);
	int_map_free(&dictionary->id_of_shingle);
	int_list_free(&dictionary->added);
	int_list_free(&dictionary->dropped);
	int_list_free(&dictionary->taken);
	int_list_free(&dictionary->spare);
	int_list_free(&dictionary->units);
	shingle_weights_free(&dictionary->weights);
	for (size_t i = 0; i < UNIT_POOLS; i++)
		int_list_free(&dictionary->pools[i].first_units);
}

void shingle_dictionary_clear_log(struct shingle_dictionary *dictionary)
{
	dictionary->added.count = 0;
	dictionary->dropped.count = 0;
}

bool shingle_dictionary_has_room(const struct shingle_dictionary *dictionary,
				 struct signature signature)
{
	return dictionary->id_of_shingle.count + signature.count <=
		       DICTIONARY_MAX_SHINGLES &&
	       dictionary->unit_rows +
			       shingle_weights_max_units(&dictionary->weights,
							 signature) <=
		       SHINGLE_MAX_UNITS;
}

/* Return the pool of this size. If there is none, begin it. */
static struct unit_pool *pool_of(struct shingle_dictionary *dictionary,
				 uint32_t size)
{
	struct unit_pool *pool = dictionary->pools;

	while (pool->size != size && pool->size != 0)
		pool++;
	assert(pool < dictionary->pools + UNIT_POOLS);
	pool->size = size;
	return pool;
}

/*
 * Assign units to a shingle. If too few units are left, it gets none; only a
 * damaged store can cause this.
 */
static void assign_units(struct shingle_dictionary *dictionary,
			 uint32_t shingle_id)
{
	struct shingle_row *row = &dictionary->rows[shingle_id];
	struct int_list *free_units;

	row->unit_count = shingle_units(&dictionary->weights, row->shingle);
	row->first_unit = shingle_id;
	if (dictionary->weights.heavy_units == 0 || row->unit_count == 0)
		return;
	free_units = &pool_of(dictionary, row->unit_count)->first_units;
	if (free_units->count > 0) {
		row->first_unit = free_units->items[--free_units->count];
	} else if (dictionary->unit_rows + row->unit_count <=
		   SHINGLE_MAX_UNITS) {
		row->first_unit = dictionary->unit_rows;
		dictionary->unit_rows += row->unit_count;
	} else {
		row->unit_count = 0;
	}
}

static void release_units(struct shingle_dictionary *dictionary,
			  const struct shingle_row *row)
{
	if (dictionary->weights.heavy_units > 0 && row->unit_count > 0)
		int_list_push(
			&pool_of(dictionary, row->unit_count)->first_units,
			row->first_unit);
}

void shingle_dictionary_weigh(struct shingle_dictionary *dictionary,
			      const struct shingle_weights *weights)
{
	const struct shingle_weights copy = shingle_weights_copy(weights);

	shingle_weights_free(&dictionary->weights);
	dictionary->weights = copy;
	dictionary->unit_rows = 0;
	for (size_t i = 0; i < UNIT_POOLS; i++) {
		int_list_free(&dictionary->pools[i].first_units);
		dictionary->pools[i].size = 0;
	}
	for (uint32_t i = 0; i < dictionary->row_count; i++)
		if (dictionary->rows[i].next == TAKEN)
			assign_units(dictionary, i);
}

static uint32_t dictionary_add_shingle(struct shingle_dictionary *dictionary,
				       uint64_t shingle)
{
	uint32_t shingle_id = dictionary->free;

	if (shingle_id == NO_ROW) {
		dictionary->rows = mem_grow(
			dictionary->rows, dictionary->row_count,
			&dictionary->row_capacity, sizeof(*dictionary->rows));
		shingle_id = dictionary->row_count++;
	} else {
		dictionary->free = dictionary->rows[shingle_id].next;
	}
	assert(shingle_id < dictionary->row_count);
	dictionary->rows[shingle_id] =
		(struct shingle_row){.shingle = shingle, .next = TAKEN};
	assign_units(dictionary, shingle_id);
	int_map_set(&dictionary->id_of_shingle, shingle, shingle_id);
	int_list_push(&dictionary->added, shingle_id);
	return shingle_id;
}

/*
 * Sort the numbers in `from` by their digit at bit `shift`, and write them to
 * `to`. Stable.
 */
static void sort_by_digit(const uint32_t *from, uint32_t *to, size_t count,
			  unsigned shift)
{
	uint32_t starts[DIGITS + 1] = {0};

	assert(shift < 32);
	for (size_t i = 0; i < count; i++)
		starts[(from[i] >> shift) % DIGITS + 1]++;
	for (size_t i = 0; i < DIGITS; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; i < count; i++)
		to[starts[(from[i] >> shift) % DIGITS]++] = from[i];
}

/*
 * Sort the numbers [count] in `from`, which are below `end`, with a radix sort.
 */
static void sort_numbers(struct shingle_dictionary *dictionary,
			 struct int_list *from, size_t count, uint64_t end)
{
	struct int_list *to = &dictionary->spare;

	int_list_reserve(to, count);
	for (unsigned shift = 0; end > (uint64_t)1 << shift;
	     shift += DIGIT_BITS) {
		struct int_list sorted = *to;

		sort_by_digit(from->items, to->items, count, shift);
		*to = *from;
		*from = sorted;
	}
}

const uint32_t *shingle_dictionary_use(struct shingle_dictionary *dictionary,
				       struct signature signature)
{
	int_list_reserve(&dictionary->taken, signature.count);
	for (size_t i = 0; i < signature.count; i++) {
		uint64_t shingle = signature.shingles[i];
		uint32_t shingle_id =
			int_map_get(&dictionary->id_of_shingle, shingle);

		if (shingle_id == INT_MAP_NONE)
			shingle_id =
				dictionary_add_shingle(dictionary, shingle);
		assert(shingle_id < dictionary->row_count);
		dictionary->rows[shingle_id].set_count++;
		dictionary->taken.items[i] = shingle_id;
	}
	sort_numbers(dictionary, &dictionary->taken, signature.count,
		     dictionary->row_count);
	assert(u32_ascend(dictionary->taken.items, signature.count));
	return dictionary->taken.items;
}

struct int_list shingle_dictionary_units(struct shingle_dictionary *dictionary,
					 const uint32_t *shingle_ids,
					 uint32_t count)
{
	struct int_list *units = &dictionary->units;
	size_t total = 0;

	for (uint32_t i = 0; i < count; i++)
		total += dictionary->rows[shingle_ids[i]].unit_count;
	int_list_reserve(units, total);
	total = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct shingle_row *row =
			&dictionary->rows[shingle_ids[i]];

		for (uint32_t k = 0; k < row->unit_count; k++)
			units->items[total++] = row->first_unit + k;
	}
	sort_numbers(dictionary, units, total, dictionary->unit_rows);
	units->count = (uint32_t)total;
	assert(u32_ascend(units->items, units->count));
	return *units;
}

void shingle_dictionary_release(struct shingle_dictionary *dictionary,
				const uint32_t *shingle_ids, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct shingle_row *row = &dictionary->rows[shingle_ids[i]];

		assert(shingle_ids[i] < dictionary->row_count);
		assert(row->set_count > 0);
		if (--row->set_count > 0)
			continue;
		assert(row->next == TAKEN);
		int_map_remove(&dictionary->id_of_shingle, row->shingle);
		release_units(dictionary, row);
		row->next = dictionary->free;
		dictionary->free = shingle_ids[i];
		int_list_push(&dictionary->dropped, shingle_ids[i]);
	}
}

static bool dictionary_row_is_used(const struct shingle_dictionary *dictionary,
				   uint32_t shingle_id)
{
	return shingle_id < dictionary->row_count &&
	       dictionary->rows[shingle_id].next == TAKEN;
}

enum error shingle_dictionary_restore(struct shingle_dictionary *dictionary,
				      uint32_t shingle_id, uint64_t shingle)
{
	if (shingle_id >= DICTIONARY_MAX_SHINGLES ||
	    dictionary_row_is_used(dictionary, shingle_id))
		return ERR_CORRUPT;
	while (dictionary->row_count <= shingle_id) {
		dictionary->rows = mem_grow(
			dictionary->rows, dictionary->row_count,
			&dictionary->row_capacity, sizeof(*dictionary->rows));
		dictionary->rows[dictionary->row_count++] =
			(struct shingle_row){.next = NO_ROW};
	}
	dictionary->rows[shingle_id] =
		(struct shingle_row){.shingle = shingle, .next = TAKEN};
	assign_units(dictionary, shingle_id);
	if (int_map_get(&dictionary->id_of_shingle, shingle) != INT_MAP_NONE)
		dictionary->has_duplicates = true;
	int_map_set(&dictionary->id_of_shingle, shingle, shingle_id);
	return ERR_NONE;
}

bool shingle_dictionary_reuse(struct shingle_dictionary *dictionary,
			      const uint32_t *shingle_ids, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!dictionary_row_is_used(dictionary, shingle_ids[i]) ||
		    (i > 0 && shingle_ids[i - 1] >= shingle_ids[i]))
			return false;
	}
	for (uint32_t i = 0; i < count; i++)
		dictionary->rows[shingle_ids[i]].set_count++;
	return true;
}

bool shingle_dictionary_check(struct shingle_dictionary *dictionary)
{
	dictionary->free = NO_ROW;
	for (uint32_t i = dictionary->row_count; i > 0; i--) {
		struct shingle_row *row = &dictionary->rows[i - 1];

		if (row->next == TAKEN && row->set_count == 0)
			return false;
		if (row->next == TAKEN)
			continue;
		row->next = dictionary->free;
		dictionary->free = i - 1;
	}
	return !dictionary->has_duplicates;
}

size_t shingle_dictionary_bytes(const struct shingle_dictionary *dictionary)
{
	return dictionary->row_capacity * sizeof(*dictionary->rows) +
	       dictionary->id_of_shingle.capacity *
		       sizeof(struct int_map_slot) +
	       ((size_t)dictionary->added.capacity +
		dictionary->dropped.capacity + dictionary->taken.capacity +
		dictionary->spare.capacity + dictionary->units.capacity) *
		       sizeof(uint32_t) +
	       dictionary->weights.count * (sizeof(uint64_t) + 1);
}

void signature_table_begin(struct signature_table *table, uint64_t seed)
{
	*table = (struct signature_table){
		.page_free = NO_TABLE_ROW,
		.set_free = NO_TABLE_ROW,
		.component_free = NO_TABLE_ROW,
	};
	table->set_of_key.seed = seed;
	shingle_dictionary_begin(&table->dictionary, seed);
}

void signature_table_end(struct signature_table *table)
{
	for (uint32_t i = 0; i < table->set_rows; i++)
		free(table->sets[i].block);
	free(table->pages);
	free(table->sets);
	free(table->components);
	int_map_free(&table->page_of_number);
	int_map_free(&table->set_of_key);
	int_map_free(&table->component_of_label);
	shingle_dictionary_end(&table->dictionary);
}

uint32_t signature_table_add_page(struct signature_table *table, uint64_t page)
{
	uint32_t row = table->page_free;

	assert(int_map_get(&table->page_of_number, page) == INT_MAP_NONE);
	if (row == NO_TABLE_ROW) {
		table->pages =
			mem_grow(table->pages, table->page_rows,
				 &table->page_capacity, sizeof(*table->pages));
		row = table->page_rows++;
	} else {
		table->page_free = table->pages[row].next;
	}
	assert(row < table->page_rows);
	table->pages[row] = (struct signature_table_page){
		.page = page,
		.age = table->next_age++,
		.set = NO_TABLE_ROW,
		.next = NO_TABLE_ROW,
		.previous = NO_TABLE_ROW,
	};
	table->page_count++;
	int_map_set(&table->page_of_number, page, row);
	return row;
}

uint32_t signature_table_add_component(struct signature_table *table)
{
	uint32_t row = table->component_free;

	if (row == NO_TABLE_ROW) {
		table->components = mem_grow(
			table->components, table->component_rows,
			&table->component_capacity, sizeof(*table->components));
		row = table->component_rows++;
	} else {
		table->component_free = table->components[row].next;
	}
	assert(row < table->component_rows);
	table->components[row] = (struct signature_table_component){
		.first_set = NO_TABLE_ROW,
		.next = NO_TABLE_ROW,
	};
	table->component_count++;
	return row;
}

void signature_table_drop_page(struct signature_table *table, uint32_t page)
{
	assert(table->pages[page].set == NO_TABLE_ROW);
	assert(page < table->page_rows && table->page_count > 0);
	int_map_remove(&table->page_of_number, table->pages[page].page);
	table->pages[page].next = table->page_free;
	table->page_free = page;
	table->page_count--;
}

void signature_table_drop_component(struct signature_table *table,
				    uint32_t component)
{
	assert(table->components[component].set_count == 0);
	assert(component < table->component_rows);
	assert(table->component_count > 0);
	assert(table->components[component].page_count == 0);
	assert(table->components[component].first_set == NO_TABLE_ROW);
	signature_table_name(table, component, 0);
	table->components[component].next = table->component_free;
	table->component_free = component;
	table->component_count--;
}

void signature_table_scatter(struct signature_table *table)
{
	for (uint32_t i = 0; i < table->set_rows; i++) {
		struct signature_table_set *set = &table->sets[i];

		if (!set->is_used)
			continue;
		set->component = NO_TABLE_ROW;
		set->next = NO_TABLE_ROW;
		set->previous = NO_TABLE_ROW;
	}
	table->component_rows = 0;
	table->component_free = NO_TABLE_ROW;
	table->component_count = 0;
	int_map_free(&table->component_of_label);
}

static void leave_set(struct signature_table *table,
		      struct signature_table_page *page)
{
	struct signature_table_set *set = &table->sets[page->set];

	if (page->previous == NO_TABLE_ROW)
		set->first_page = page->next;
	else
		table->pages[page->previous].next = page->next;
	if (page->next != NO_TABLE_ROW)
		table->pages[page->next].previous = page->previous;
	assert(set->page_count > 0);
	set->page_count--;
	if (set->component != NO_TABLE_ROW)
		table->components[set->component].page_count--;
}

void signature_table_move_page(struct signature_table *table, uint32_t page,
			       uint32_t set)
{
	struct signature_table_page *row = &table->pages[page];
	struct signature_table_set *into;

	assert(page < table->page_rows);
	if (row->set != NO_TABLE_ROW)
		leave_set(table, row);
	row->set = set;
	row->previous = NO_TABLE_ROW;
	row->next = NO_TABLE_ROW;
	if (set == NO_TABLE_ROW)
		return;
	assert(set < table->set_rows && table->sets[set].is_used);
	into = &table->sets[set];
	row->next = into->first_page;
	if (row->next != NO_TABLE_ROW)
		table->pages[row->next].previous = page;
	into->first_page = page;
	into->page_count++;
	if (into->component != NO_TABLE_ROW)
		table->components[into->component].page_count++;
}

static void leave_component(struct signature_table *table,
			    struct signature_table_set *set)
{
	struct signature_table_component *component =
		&table->components[set->component];

	if (set->previous == NO_TABLE_ROW)
		component->first_set = set->next;
	else
		table->sets[set->previous].next = set->next;
	if (set->next != NO_TABLE_ROW)
		table->sets[set->next].previous = set->previous;
	assert(component->set_count > 0);
	assert(component->page_count >= set->page_count);
	component->set_count--;
	component->page_count -= set->page_count;
}

void signature_table_move_set(struct signature_table *table, uint32_t set,
			      uint32_t component)
{
	struct signature_table_set *row = &table->sets[set];
	struct signature_table_component *into;

	assert(set < table->set_rows && row->is_used);
	if (row->component != NO_TABLE_ROW)
		leave_component(table, row);
	row->component = component;
	row->previous = NO_TABLE_ROW;
	row->next = NO_TABLE_ROW;
	if (component == NO_TABLE_ROW)
		return;
	assert(component < table->component_rows);
	into = &table->components[component];
	row->next = into->first_set;
	if (row->next != NO_TABLE_ROW)
		table->sets[row->next].previous = set;
	into->first_set = set;
	into->set_count++;
	into->page_count += row->page_count;
}

void signature_table_name(struct signature_table *table, uint32_t component,
			  uint32_t label)
{
	struct signature_table_component *row = &table->components[component];

	assert(component < table->component_rows);
	if (row->label != 0)
		int_map_remove(&table->component_of_label, row->label);
	row->label = label;
	if (label != 0)
		int_map_set(&table->component_of_label, label, component);
}

uint32_t signature_table_set_label(const struct signature_table *table,
				   uint32_t set)
{
	uint32_t component =
		set == NO_TABLE_ROW ? NO_TABLE_ROW : table->sets[set].component;

	assert(set == NO_TABLE_ROW || set < table->set_rows);
	return component == NO_TABLE_ROW ? 0
					 : table->components[component].label;
}

uint32_t signature_table_label(const struct signature_table *table,
			       uint32_t page)
{
	assert(page < table->page_rows);
	return signature_table_set_label(table, table->pages[page].set);
}

uint64_t signature_table_oldest(const struct signature_table *table,
				uint32_t set)
{
	uint64_t oldest = UINT64_MAX;

	assert(set < table->set_rows);
	assert(table->sets[set].page_count > 0);
	for (uint32_t i = table->sets[set].first_page; i != NO_TABLE_ROW;
	     i = table->pages[i].next) {
		if (table->pages[i].age < oldest)
			oldest = table->pages[i].age;
	}
	return oldest;
}

size_t signature_table_bytes(const struct signature_table *table)
{
	return shingle_dictionary_bytes(&table->dictionary) +
	       table->block_bytes +
	       table->page_capacity * sizeof(*table->pages) +
	       table->set_capacity * sizeof(*table->sets) +
	       table->component_capacity * sizeof(*table->components) +
	       (table->page_of_number.capacity + table->set_of_key.capacity +
		table->component_of_label.capacity) *
		       sizeof(struct int_map_slot);
}

static bool is_weighted(const struct signature_table *table)
{
	return table->dictionary.weights.heavy_units > 0;
}

static uint32_t *units_of(const struct signature_table_set *set)
{
	return (uint32_t *)(set->block + set->words);
}

struct shingle_id_set signature_table_units(const struct signature_table *table,
					    uint32_t set)
{
	const struct signature_table_set *row = &table->sets[set];

	assert(set < table->set_rows && row->is_used);
	return (struct shingle_id_set){units_of(row), row->count, row->words,
				       row->block};
}

const uint32_t *signature_table_shingles(const struct signature_table *table,
					 uint32_t set)
{
	const struct signature_table_set *row = &table->sets[set];

	assert(set < table->set_rows && row->is_used);
	return units_of(row) + row->first_shingle;
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
	const uint32_t *shingle_ids = signature_table_shingles(table, set);

	assert(row->is_used);
	if (row->shingle_count != signature.count)
		return false;
	for (uint32_t i = 0; i < row->shingle_count; i++) {
		uint64_t shingle =
			table->dictionary.rows[shingle_ids[i]].shingle;

		if (!has_shingle(signature, shingle))
			return false;
	}
	return true;
}

/*
 * Return the key of a set with one more shingle. The key is a sum, so it does
 * not depend on the order of the shingles.
 */
static uint64_t add_to_key(const struct signature_table *table, uint64_t key,
			   uint64_t shingle)
{
	return key + int_map_mix(shingle, table->set_of_key.seed);
}

uint32_t signature_table_find_set(const struct signature_table *table,
				  struct signature signature)
{
	uint64_t key = 0;
	uint32_t set;

	for (size_t i = 0; i < signature.count; i++)
		key = add_to_key(table, key, signature.shingles[i]);
	set = int_map_get(&table->set_of_key, key);
	while (set != NO_TABLE_ROW && !is_equal(table, set, signature))
		set = table->sets[set].collision;
	return set;
}

/* Add a row at the end of the sets and return its number. */
static uint32_t extend_sets(struct signature_table *table)
{
	table->sets = mem_grow(table->sets, table->set_rows,
			       &table->set_capacity, sizeof(*table->sets));
	table->sets[table->set_rows] = (struct signature_table_set){0};
	return table->set_rows++;
}

/* Return the number of words in the block of a set. */
static size_t block_size(const struct signature_table_set *set)
{
	size_t numbers = (size_t)set->first_shingle + set->shingle_count;

	return set->words + (numbers + 1) / 2;
}

/*
 * Store the shingles [count] and their units in a block for the set, which has
 * none.
 */
static void fill_block(struct signature_table *table,
		       struct signature_table_set *set,
		       const uint32_t *shingle_ids, uint32_t count)
{
	const uint32_t *units = shingle_ids;

	assert(u32_ascend(shingle_ids, count));
	set->shingle_count = count;
	set->count = count;
	set->first_shingle = 0;
	if (is_weighted(table)) {
		struct int_list list = shingle_dictionary_units(
			&table->dictionary, shingle_ids, count);

		units = list.items;
		set->count = list.count;
		set->first_shingle = list.count;
	}
	set->words = shingle_id_set_words(units, set->count);
	set->block = mem_resize(NULL, block_size(set), sizeof(*set->block));
	shingle_id_set_fill(units, set->count, set->block, set->words);
	if (set->count > 0)
		memcpy(units_of(set), units, set->count * sizeof(*units));
	if (count > 0)
		memcpy(units_of(set) + set->first_shingle, shingle_ids,
		       count * sizeof(*shingle_ids));
	table->block_bytes += block_size(set) * sizeof(*set->block);
}

static void free_block(struct signature_table *table,
		       struct signature_table_set *set)
{
	table->block_bytes -= block_size(set) * sizeof(*set->block);
	free(set->block);
	set->block = NULL;
}

void signature_table_weigh(struct signature_table *table,
			   const struct shingle_weights *weights)
{
	struct int_list ids = {0};

	shingle_dictionary_weigh(&table->dictionary, weights);
	for (uint32_t i = 0; i < table->set_rows; i++) {
		struct signature_table_set *set = &table->sets[i];

		if (!set->is_used)
			continue;
		assert(set->group == NO_TABLE_ROW);
		int_list_reserve(&ids, set->shingle_count);
		if (set->shingle_count > 0)
			memcpy(ids.items, signature_table_shingles(table, i),
			       set->shingle_count * sizeof(*ids.items));
		free_block(table, set);
		fill_block(table, set, ids.items, set->shingle_count);
	}
	int_list_free(&ids);
}

/*
 * Store the shingles of the set in its row, and add the set to the map of keys.
 */
static void fill_set(struct signature_table *table, uint32_t set,
		     const uint32_t *shingle_ids, uint32_t count)
{
	struct signature_table_set *row = &table->sets[set];
	uint64_t key = 0;

	assert(set < table->set_rows && !row->is_used);
	for (uint32_t i = 0; i < count; i++)
		key = add_to_key(
			table, key,
			table->dictionary.rows[shingle_ids[i]].shingle);
	*row = (struct signature_table_set){
		.key = key,
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
	fill_block(table, row, shingle_ids, count);
	int_map_set(&table->set_of_key, key, set);
	table->set_count++;
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
	shingle_dictionary_release(&table->dictionary,
				   signature_table_shingles(table, set),
				   row->shingle_count);
	assert(row->first_page == NO_TABLE_ROW);
	free_block(table, row);
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
	const uint32_t *shingle_ids = signature_table_shingles(table, set);
	size_t count = table->sets[set].shingle_count;

	for (uint32_t i = table->sets[set].collision; i != NO_TABLE_ROW;
	     i = table->sets[i].collision)
		if (table->sets[i].shingle_count == count &&
		    (count == 0 ||
		     memcmp(shingle_ids, signature_table_shingles(table, i),
			    count * sizeof(*shingle_ids)) == 0))
			return true;
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
