#include "cluster/dictionary.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"

#define TAKEN  INT_MAP_NONE       /* struct shingle_row: not free */
#define NO_ROW (INT_MAP_NONE - 1) /* end of the list of free rows */

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
}

void shingle_dictionary_clear_log(struct shingle_dictionary *dictionary)
{
	dictionary->added.count = 0;
	dictionary->dropped.count = 0;
}

bool shingle_dictionary_has_room(const struct shingle_dictionary *dictionary,
				 size_t count)
{
	return dictionary->id_of_shingle.count + count <=
	       DICTIONARY_MAX_SHINGLES;
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
	dictionary->rows[shingle_id] = (struct shingle_row){shingle, 0, TAKEN};
	int_map_set(&dictionary->id_of_shingle, shingle, shingle_id);
	int_list_push(&dictionary->added, shingle_id);
	return shingle_id;
}

/* Sort by the digit at `shift`, from `from` to `to`; stable. */
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

/* Sort the shingles of the new set with a radix sort. */
static void sort_shingles(struct shingle_dictionary *dictionary, size_t count)
{
	struct int_list *from = &dictionary->taken;
	struct int_list *to = &dictionary->spare;

	int_list_reserve(to, count);
	for (unsigned shift = 0;
	     (uint64_t)dictionary->row_count > (uint64_t)1 << shift;
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
	assert(shingle_dictionary_has_room(dictionary, 0));
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
	sort_shingles(dictionary, signature.count);
	assert(u32_ascend(dictionary->taken.items, signature.count));
	return dictionary->taken.items;
}

static void dictionary_drop_shingle(struct shingle_dictionary *dictionary,
				    uint32_t shingle_id)
{
	assert(dictionary->rows[shingle_id].set_count == 0);
	assert(dictionary->rows[shingle_id].next == TAKEN);
	int_map_remove(&dictionary->id_of_shingle,
		       dictionary->rows[shingle_id].shingle);
	dictionary->rows[shingle_id].next = dictionary->free;
	dictionary->free = shingle_id;
	int_list_push(&dictionary->dropped, shingle_id);
}

void shingle_dictionary_release(struct shingle_dictionary *dictionary,
				const uint32_t *shingle_ids, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		assert(shingle_ids[i] < dictionary->row_count);
		assert(dictionary->rows[shingle_ids[i]].set_count > 0);
		if (--dictionary->rows[shingle_ids[i]].set_count == 0)
			dictionary_drop_shingle(dictionary, shingle_ids[i]);
	}
}

static bool dictionary_row_is_used(const struct shingle_dictionary *dictionary,
				   uint32_t shingle_id)
{
	return shingle_id < dictionary->row_count &&
	       dictionary->rows[shingle_id].next == TAKEN;
}

/* Add rows until the row of `shingle` exists. */
static void dictionary_extend_rows(struct shingle_dictionary *dictionary,
				   uint32_t shingle_id)
{
	assert(shingle_id < DICTIONARY_MAX_SHINGLES);
	while (dictionary->row_count <= shingle_id) {
		dictionary->rows = mem_grow(
			dictionary->rows, dictionary->row_count,
			&dictionary->row_capacity, sizeof(*dictionary->rows));
		dictionary->rows[dictionary->row_count++] =
			(struct shingle_row){.next = NO_ROW};
	}
}

enum error shingle_dictionary_restore(struct shingle_dictionary *dictionary,
				      uint32_t shingle_id, uint64_t shingle)
{
	if (shingle_id >= DICTIONARY_MAX_SHINGLES ||
	    dictionary_row_is_used(dictionary, shingle_id))
		return ERR_CORRUPT;
	dictionary_extend_rows(dictionary, shingle_id);
	dictionary->rows[shingle_id] = (struct shingle_row){shingle, 0, TAKEN};
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
		dictionary->spare.capacity) *
		       sizeof(uint32_t);
}
