#include "cluster/dictionary.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"

#define TAKEN  MAP_NONE       /* struct dictionary_row: not free */
#define NO_ROW (MAP_NONE - 1) /* end of the list of free rows */

enum {
	DIGIT_BITS = 8,
	DIGITS = 1 << DIGIT_BITS,
};

void dictionary_begin(struct dictionary *dictionary, uint64_t seed)
{
	*dictionary = (struct dictionary){.free = NO_ROW};
	dictionary->id_of_shingle.seed = seed;
}

void dictionary_end(struct dictionary *dictionary)
{
	free(dictionary->rows);
	map_free(&dictionary->id_of_shingle);
	list_free(&dictionary->added);
	list_free(&dictionary->dropped);
	list_free(&dictionary->taken);
	list_free(&dictionary->spare);
}

void dictionary_forget(struct dictionary *dictionary)
{
	dictionary->added.count = 0;
	dictionary->dropped.count = 0;
}

bool dictionary_has_room(const struct dictionary *dictionary, size_t count)
{
	return dictionary->id_of_shingle.count + count <=
	       DICTIONARY_MAX_SHINGLES;
}

static uint32_t add(struct dictionary *dictionary, uint64_t shingle)
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
		(struct dictionary_row){shingle, 0, TAKEN};
	map_set(&dictionary->id_of_shingle, shingle, shingle_id);
	list_push(&dictionary->added, shingle_id);
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
static void sort_shingles(struct dictionary *dictionary, size_t count)
{
	struct list *from = &dictionary->taken;
	struct list *to = &dictionary->spare;

	list_reserve(to, count);
	for (unsigned shift = 0;
	     (uint64_t)dictionary->row_count > (uint64_t)1 << shift;
	     shift += DIGIT_BITS) {
		struct list sorted = *to;

		sort_by_digit(from->items, to->items, count, shift);
		*to = *from;
		*from = sorted;
	}
}

const uint32_t *dictionary_take(struct dictionary *dictionary,
				struct signature signature)
{
	assert(dictionary_has_room(dictionary, 0));
	list_reserve(&dictionary->taken, signature.count);
	for (size_t i = 0; i < signature.count; i++) {
		uint64_t shingle = signature.shingles[i];
		uint32_t shingle_id =
			map_get(&dictionary->id_of_shingle, shingle);

		if (shingle_id == MAP_NONE)
			shingle_id = add(dictionary, shingle);
		assert(shingle_id < dictionary->row_count);
		dictionary->rows[shingle_id].set_count++;
		dictionary->taken.items[i] = shingle_id;
	}
	sort_shingles(dictionary, signature.count);
	assert(u32_ascend(dictionary->taken.items, signature.count));
	return dictionary->taken.items;
}

static void drop(struct dictionary *dictionary, uint32_t shingle_id)
{
	assert(dictionary->rows[shingle_id].set_count == 0);
	assert(dictionary->rows[shingle_id].next == TAKEN);
	map_remove(&dictionary->id_of_shingle,
		   dictionary->rows[shingle_id].shingle);
	dictionary->rows[shingle_id].next = dictionary->free;
	dictionary->free = shingle_id;
	list_push(&dictionary->dropped, shingle_id);
}

void dictionary_release(struct dictionary *dictionary,
			const uint32_t *shingle_ids, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		assert(shingle_ids[i] < dictionary->row_count);
		assert(dictionary->rows[shingle_ids[i]].set_count > 0);
		if (--dictionary->rows[shingle_ids[i]].set_count == 0)
			drop(dictionary, shingle_ids[i]);
	}
}

static bool is_taken(const struct dictionary *dictionary, uint32_t shingle_id)
{
	return shingle_id < dictionary->row_count &&
	       dictionary->rows[shingle_id].next == TAKEN;
}

/* Add rows until the row of `shingle` exists. */
static void extend(struct dictionary *dictionary, uint32_t shingle_id)
{
	assert(shingle_id < DICTIONARY_MAX_SHINGLES);
	while (dictionary->row_count <= shingle_id) {
		dictionary->rows = mem_grow(
			dictionary->rows, dictionary->row_count,
			&dictionary->row_capacity, sizeof(*dictionary->rows));
		dictionary->rows[dictionary->row_count++] =
			(struct dictionary_row){.next = NO_ROW};
	}
}

enum error dictionary_restore(struct dictionary *dictionary,
			      uint32_t shingle_id, uint64_t shingle)
{
	if (shingle_id >= DICTIONARY_MAX_SHINGLES ||
	    is_taken(dictionary, shingle_id))
		return ERR_CORRUPT;
	extend(dictionary, shingle_id);
	dictionary->rows[shingle_id] =
		(struct dictionary_row){shingle, 0, TAKEN};
	if (map_get(&dictionary->id_of_shingle, shingle) != MAP_NONE)
		dictionary->has_duplicates = true;
	map_set(&dictionary->id_of_shingle, shingle, shingle_id);
	return ERR_NONE;
}

bool dictionary_retake(struct dictionary *dictionary,
		       const uint32_t *shingle_ids, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!is_taken(dictionary, shingle_ids[i]) ||
		    (i > 0 && shingle_ids[i - 1] >= shingle_ids[i]))
			return false;
	}
	for (uint32_t i = 0; i < count; i++)
		dictionary->rows[shingle_ids[i]].set_count++;
	return true;
}

bool dictionary_check(struct dictionary *dictionary)
{
	dictionary->free = NO_ROW;
	for (uint32_t i = dictionary->row_count; i > 0; i--) {
		struct dictionary_row *row = &dictionary->rows[i - 1];

		if (row->next == TAKEN && row->set_count == 0)
			return false;
		if (row->next == TAKEN)
			continue;
		row->next = dictionary->free;
		dictionary->free = i - 1;
	}
	return !dictionary->has_duplicates;
}

size_t dictionary_bytes(const struct dictionary *dictionary)
{
	return dictionary->row_capacity * sizeof(*dictionary->rows) +
	       dictionary->id_of_shingle.capacity * sizeof(struct map_slot) +
	       ((size_t)dictionary->added.capacity +
		dictionary->dropped.capacity + dictionary->taken.capacity +
		dictionary->spare.capacity) *
		       sizeof(uint32_t);
}
