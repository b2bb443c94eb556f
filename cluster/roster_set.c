/* The sets of cluster/roster.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/roster.h"
#include "store/memory.h"

static uint32_t *terms_of(const struct roster_set *set)
{
	return (uint32_t *)(set->block + set->words);
}

struct termset roster_terms(const struct roster *roster, uint32_t set)
{
	const struct roster_set *row = &roster->sets[set];

	return (struct termset){terms_of(row), row->count, row->words,
				row->block};
}

static bool has_member(struct signature signature, uint64_t member)
{
	const uint64_t *base = signature.members;
	size_t count = signature.count;

	while (count > 1) {
		base += base[count / 2] <= member ? count / 2 : 0;
		count -= count / 2;
	}
	return *base == member;
}

static bool is_equal(const struct roster *roster, uint32_t set,
		     struct signature signature)
{
	const struct roster_set *row = &roster->sets[set];
	const uint32_t *terms = terms_of(row);

	if (row->count != signature.count)
		return false;
	for (uint32_t i = 0; i < row->count; i++) {
		uint64_t member = roster->dictionary.rows[terms[i]].member;

		if (!has_member(signature, member))
			return false;
	}
	return true;
}

/* The key of a set, whatever the order in which it is taken together. */
static uint64_t add_to_key(const struct roster *roster, uint64_t key,
			   uint64_t member)
{
	return key + map_mix(member, roster->set_of_key.seed);
}

static uint64_t key_of_signature(const struct roster *roster,
				 struct signature signature)
{
	uint64_t key = 0;

	for (size_t i = 0; i < signature.count; i++)
		key = add_to_key(roster, key, signature.members[i]);
	return key;
}

uint32_t roster_find_set(const struct roster *roster,
			 struct signature signature)
{
	uint32_t set = map_get(&roster->set_of_key,
			       key_of_signature(roster, signature));

	while (set != NOBODY && !is_equal(roster, set, signature))
		set = roster->sets[set].twin;
	return set;
}

/* One more row at the end. */
static uint32_t extend_sets(struct roster *roster)
{
	roster->sets = mem_grow(roster->sets, roster->set_rows,
				&roster->set_capacity, sizeof(*roster->sets));
	roster->sets[roster->set_rows] = (struct roster_set){0};
	return roster->set_rows++;
}

/* Give `row` the terms, and find it by its key. */
static void fill_set(struct roster *roster, uint32_t set, const uint32_t *terms,
		     uint32_t count)
{
	uint32_t words = termset_words(terms, count);
	size_t size = words + ((size_t)count + 1) / 2;
	uint64_t *block = mem_resize(NULL, size, sizeof(*block));
	uint64_t key = 0;

	termset_fill(terms, count, block, words);
	if (count > 0)
		memcpy(block + words, terms, count * sizeof(*terms));
	for (uint32_t i = 0; i < count; i++)
		key = add_to_key(roster, key,
				 roster->dictionary.rows[terms[i]].member);
	roster->sets[set] = (struct roster_set){
		.block = block,
		.key = key,
		.count = count,
		.words = words,
		.is_used = 1,
		.twin = map_get(&roster->set_of_key, key),
		.first_page = NOBODY,
		.component = NOBODY,
		.next = NOBODY,
		.previous = NOBODY,
		.group = NOBODY,
		.first_edge = NOBODY,
		.part = NOBODY,
	};
	map_set(&roster->set_of_key, key, set);
	roster->set_count++;
	roster->block_bytes += size * sizeof(*block);
}

uint32_t roster_add_set(struct roster *roster, struct signature signature)
{
	uint32_t set = roster->set_free;
	const uint32_t *terms = dictionary_take(&roster->dictionary, signature);

	if (set == NOBODY)
		set = extend_sets(roster);
	else
		roster->set_free = roster->sets[set].next;
	fill_set(roster, set, terms, (uint32_t)signature.count);
	return set;
}

/* So that it is not found by its key any more. */
static void hide_set(struct roster *roster, uint32_t set)
{
	const struct roster_set *row = &roster->sets[set];
	uint32_t twin = map_get(&roster->set_of_key, row->key);

	if (twin != set) {
		while (roster->sets[twin].twin != set)
			twin = roster->sets[twin].twin;
		roster->sets[twin].twin = row->twin;
	} else if (row->twin != NOBODY) {
		map_set(&roster->set_of_key, row->key, row->twin);
	} else {
		map_remove(&roster->set_of_key, row->key);
	}
}

void roster_drop_set(struct roster *roster, uint32_t set)
{
	struct roster_set *row = &roster->sets[set];

	assert(row->page_count == 0);
	roster_move_set(roster, set, NOBODY);
	hide_set(roster, set);
	dictionary_release(&roster->dictionary, terms_of(row), row->count);
	roster->block_bytes -= (row->words + ((size_t)row->count + 1) / 2) *
			       sizeof(*row->block);
	free(row->block);
	*row = (struct roster_set){.next = roster->set_free};
	roster->set_free = set;
	roster->set_count--;
}

enum error roster_restore_set(struct roster *roster, uint32_t set,
			      const uint32_t *terms, uint32_t count)
{
	if (set < roster->set_rows && roster->sets[set].is_used)
		return ERR_CORRUPT;
	if (!dictionary_retake(&roster->dictionary, terms, count))
		return ERR_CORRUPT;
	while (roster->set_rows <= set)
		extend_sets(roster);
	fill_set(roster, set, terms, count);
	return ERR_NONE;
}

static bool has_equal_twin(const struct roster *roster, uint32_t set)
{
	struct termset terms = roster_terms(roster, set);

	for (uint32_t i = roster->sets[set].twin; i != NOBODY;
	     i = roster->sets[i].twin) {
		struct termset other = roster_terms(roster, i);

		if (terms.count == other.count &&
		    (terms.count == 0 ||
		     memcmp(terms.terms, other.terms,
			    terms.count * sizeof(*terms.terms)) == 0))
			return true;
	}
	return false;
}

enum error roster_check(struct roster *roster)
{
	if (!dictionary_check(&roster->dictionary))
		return ERR_CORRUPT;
	roster->set_free = NOBODY;
	for (uint32_t i = roster->set_rows; i > 0; i--) {
		struct roster_set *row = &roster->sets[i - 1];

		if (!row->is_used) {
			row->next = roster->set_free;
			roster->set_free = i - 1;
		} else if (row->page_count == 0 ||
			   has_equal_twin(roster, i - 1)) {
			return ERR_CORRUPT;
		}
	}
	return ERR_NONE;
}
