#include "cluster/dictionary.h"

#include <stdlib.h>

#include "store/memory.h"

#define TAKEN  MAP_NONE       /* struct dictionary_row: not free */
#define NO_ROW (MAP_NONE - 1) /* the end of the free ones */

enum {
	DIGIT_BITS = 8,
	DIGITS = 1 << DIGIT_BITS,
};

void dictionary_begin(struct dictionary *dictionary, uint64_t seed)
{
	*dictionary = (struct dictionary){.free = NO_ROW};
	dictionary->term_of_member.seed = seed;
}

void dictionary_end(struct dictionary *dictionary)
{
	free(dictionary->rows);
	map_free(&dictionary->term_of_member);
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
	return dictionary->term_of_member.count + count <= DICTIONARY_MAX_TERMS;
}

static uint32_t add(struct dictionary *dictionary, uint64_t member)
{
	uint32_t term = dictionary->free;

	if (term == NO_ROW) {
		dictionary->rows = mem_grow(
			dictionary->rows, dictionary->row_count,
			&dictionary->row_capacity, sizeof(*dictionary->rows));
		term = dictionary->row_count++;
	} else {
		dictionary->free = dictionary->rows[term].next;
	}
	dictionary->rows[term] = (struct dictionary_row){member, 0, TAKEN};
	map_set(&dictionary->term_of_member, member, term);
	list_push(&dictionary->added, term);
	return term;
}

/* By the digit at `shift`, from `from` to `to`; terms with equal digits stay in
 * their order. */
static void sort_by_digit(const uint32_t *from, uint32_t *to, size_t count,
			  unsigned shift)
{
	uint32_t starts[DIGITS + 1] = {0};

	for (size_t i = 0; i < count; i++)
		starts[(from[i] >> shift) % DIGITS + 1]++;
	for (size_t i = 0; i < DIGITS; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; i < count; i++)
		to[starts[(from[i] >> shift) % DIGITS]++] = from[i];
}

/* Radix sort of the terms taken. */
static void sort_terms(struct dictionary *dictionary, size_t count)
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
	list_reserve(&dictionary->taken, signature.count);
	for (size_t i = 0; i < signature.count; i++) {
		uint64_t member = signature.members[i];
		uint32_t term = map_get(&dictionary->term_of_member, member);

		if (term == MAP_NONE)
			term = add(dictionary, member);
		dictionary->rows[term].set_count++;
		dictionary->taken.items[i] = term;
	}
	sort_terms(dictionary, signature.count);
	return dictionary->taken.items;
}

static void drop(struct dictionary *dictionary, uint32_t term)
{
	map_remove(&dictionary->term_of_member, dictionary->rows[term].member);
	dictionary->rows[term].next = dictionary->free;
	dictionary->free = term;
	list_push(&dictionary->dropped, term);
}

void dictionary_release(struct dictionary *dictionary, const uint32_t *terms,
			uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (--dictionary->rows[terms[i]].set_count == 0)
			drop(dictionary, terms[i]);
	}
}

static bool is_taken(const struct dictionary *dictionary, uint32_t term)
{
	return term < dictionary->row_count &&
	       dictionary->rows[term].next == TAKEN;
}

/* So that there is a row `term`. */
static void extend(struct dictionary *dictionary, uint32_t term)
{
	while (dictionary->row_count <= term) {
		dictionary->rows = mem_grow(
			dictionary->rows, dictionary->row_count,
			&dictionary->row_capacity, sizeof(*dictionary->rows));
		dictionary->rows[dictionary->row_count++] =
			(struct dictionary_row){.next = NO_ROW};
	}
}

enum error dictionary_restore(struct dictionary *dictionary, uint32_t term,
			      uint64_t member)
{
	if (term >= DICTIONARY_MAX_TERMS || is_taken(dictionary, term))
		return ERR_CORRUPT;
	extend(dictionary, term);
	dictionary->rows[term] = (struct dictionary_row){member, 0, TAKEN};
	if (map_get(&dictionary->term_of_member, member) != MAP_NONE)
		dictionary->has_twins = true;
	map_set(&dictionary->term_of_member, member, term);
	return ERR_NONE;
}

bool dictionary_retake(struct dictionary *dictionary, const uint32_t *terms,
		       uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!is_taken(dictionary, terms[i]) ||
		    (i > 0 && terms[i - 1] >= terms[i]))
			return false;
	}
	for (uint32_t i = 0; i < count; i++)
		dictionary->rows[terms[i]].set_count++;
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
	return !dictionary->has_twins;
}

size_t dictionary_bytes(const struct dictionary *dictionary)
{
	return dictionary->row_capacity * sizeof(*dictionary->rows) +
	       dictionary->term_of_member.capacity * sizeof(struct map_slot) +
	       ((size_t)dictionary->added.capacity +
		dictionary->dropped.capacity + dictionary->taken.capacity +
		dictionary->spare.capacity) *
		       sizeof(uint32_t);
}
