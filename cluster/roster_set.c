/* The sets of cluster/roster.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/roster.h"
#include "store/memory.h"

static uint32_t *shingles_of(const struct roster_set *set)
{
	return (uint32_t *)(set->block + set->words);
}

struct shingle_set roster_shingles(const struct roster *roster, uint32_t set)
{
	const struct roster_set *row = &roster->sets[set];

	return (struct shingle_set){shingles_of(row), row->count, row->words,
				    row->block};
}

static bool has_shingle(struct signature signature, uint64_t shingle)
{
	const uint64_t *base = signature.shingles;
	size_t count = signature.count;

	while (count > 1) {
		base += base[count / 2] <= shingle ? count / 2 : 0;
		count -= count / 2;
	}
	return *base == shingle;
}

static bool is_equal(const struct roster *roster, uint32_t set,
		     struct signature signature)
{
	const struct roster_set *row = &roster->sets[set];
	const uint32_t *shingle_ids = shingles_of(row);

	if (row->count != signature.count)
		return false;
	for (uint32_t i = 0; i < row->count; i++) {
		uint64_t shingle =
			roster->dictionary.rows[shingle_ids[i]].shingle;

		if (!has_shingle(signature, shingle))
			return false;
	}
	return true;
}

/* The key of a set, whatever the order in which it is taken together. */
static uint64_t add_to_key(const struct roster *roster, uint64_t key,
			   uint64_t shingle)
{
	return key + map_mix(shingle, roster->set_of_key.seed);
}

static uint64_t key_of_signature(const struct roster *roster,
				 struct signature signature)
{
	uint64_t key = 0;

	for (size_t i = 0; i < signature.count; i++)
		key = add_to_key(roster, key, signature.shingles[i]);
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

/* Give `row` the shingles, and find it by its key. */
static void fill_set(struct roster *roster, uint32_t set,
		     const uint32_t *shingle_ids, uint32_t count)
{
	uint32_t words = shingle_set_words(shingle_ids, count);
	size_t size = words + ((size_t)count + 1) / 2;
	uint64_t *block = mem_resize(NULL, size, sizeof(*block));
	uint64_t key = 0;

	shingle_set_fill(shingle_ids, count, block, words);
	if (count > 0)
		memcpy(block + words, shingle_ids,
		       count * sizeof(*shingle_ids));
	for (uint32_t i = 0; i < count; i++)
		key = add_to_key(
			roster, key,
			roster->dictionary.rows[shingle_ids[i]].shingle);
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
	const uint32_t *shingle_ids =
		dictionary_take(&roster->dictionary, signature);

	if (set == NOBODY)
		set = extend_sets(roster);
	else
		roster->set_free = roster->sets[set].next;
	fill_set(roster, set, shingle_ids, (uint32_t)signature.count);
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
	dictionary_release(&roster->dictionary, shingles_of(row), row->count);
	roster->block_bytes -= (row->words + ((size_t)row->count + 1) / 2) *
			       sizeof(*row->block);
	free(row->block);
	*row = (struct roster_set){.next = roster->set_free};
	roster->set_free = set;
	roster->set_count--;
}

enum error roster_restore_set(struct roster *roster, uint32_t set,
			      const uint32_t *shingle_ids, uint32_t count)
{
	if (set < roster->set_rows && roster->sets[set].is_used)
		return ERR_CORRUPT;
	if (!dictionary_retake(&roster->dictionary, shingle_ids, count))
		return ERR_CORRUPT;
	while (roster->set_rows <= set)
		extend_sets(roster);
	fill_set(roster, set, shingle_ids, count);
	return ERR_NONE;
}

static bool has_equal_twin(const struct roster *roster, uint32_t set)
{
	struct shingle_set shingle_ids = roster_shingles(roster, set);

	for (uint32_t i = roster->sets[set].twin; i != NOBODY;
	     i = roster->sets[i].twin) {
		struct shingle_set other = roster_shingles(roster, i);

		if (shingle_ids.count == other.count &&
		    (shingle_ids.count == 0 ||
		     memcmp(shingle_ids.shingle_ids, other.shingle_ids,
			    shingle_ids.count *
				    sizeof(*shingle_ids.shingle_ids)) == 0))
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
