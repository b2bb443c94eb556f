#include "extract/core/hash_table.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"

enum {
	FIRST_CAPACITY = 32,
	/* A power of two; at least half of the slots stay free. */
	SLOTS_PER_ENTRY = 2,
	/*
	 * Twice the longest probe run of a million random keys at a load of one
	 * half: only keys that were made to collide need more probes.
	 */
	MAX_PROBES = 128,
};

struct hash_table hash_table_make(struct arena *arena, size_t entry_bytes)
{
	assert(entry_bytes >= sizeof(uint64_t));
	return (struct hash_table){
		.entry_bytes = entry_bytes,
		.arena = arena,
		.spare = arena_alloc(arena, 1, entry_bytes),
	};
}

void *hash_table_entry(const struct hash_table *table, uint32_t index)
{
	assert(index < table->capacity);
	return (char *)table->entries + index * table->entry_bytes;
}

uint32_t hash_table_index(const struct hash_table *table, const void *entry)
{
	if (entry == table->spare)
		return NO_ENTRY;
	assert((const char *)entry >= (const char *)table->entries);
	return (uint32_t)((size_t)((const char *)entry -
				   (const char *)table->entries) /
			  table->entry_bytes);
}

static uint64_t hash_table_key(const struct hash_table *table, uint32_t index)
{
	uint64_t key;

	memcpy(&key, hash_table_entry(table, index), sizeof(key));
	return key;
}

/*
 * Return the slot of `key`, or the free slot for it; NULL if MAX_PROBES slots
 * hold other keys.
 */
static uint32_t *hash_table_slot(const struct hash_table *table, uint64_t key)
{
	uint32_t mask = table->slot_count - 1;
	uint32_t at = (uint32_t)(key >> 32 ^ key);

	assert(table->slot_count > 0 && (mask & table->slot_count) == 0);
	for (uint32_t i = 0; i < MAX_PROBES && i < table->slot_count; i++) {
		uint32_t *slot = &table->slots[(at + i) & mask];

		assert(*slot <= table->count);
		if (*slot == 0 || hash_table_key(table, *slot - 1) == key)
			return slot;
	}
	return NULL;
}

/*
 * Make new slots. An entry that gets no slot within MAX_PROBES is dropped: no
 * search finds it again.
 */
static void fill_slots(struct hash_table *table)
{
	table->slot_count = table->capacity * SLOTS_PER_ENTRY;
	table->slots = ARENA_NEW(table->arena, uint32_t, table->slot_count);
	for (uint32_t i = 0; i < table->count; i++) {
		uint32_t *slot =
			hash_table_slot(table, hash_table_key(table, i));

		if (slot != NULL)
			*slot = i + 1;
	}
}

void hash_table_reserve(struct hash_table *table, uint32_t count)
{
	assert(table->count == 0 && table->capacity == 0);
	assert(count <= UINT32_MAX / 4);
	table->capacity = FIRST_CAPACITY;
	while (table->capacity < count)
		table->capacity *= 2;
	table->entries =
		arena_alloc(table->arena, table->capacity, table->entry_bytes);
	fill_slots(table);
}

static void hash_table_grow(struct hash_table *table)
{
	void *entries;

	assert(table->count == table->capacity);
	table->capacity =
		table->capacity == 0 ? FIRST_CAPACITY : table->capacity * 2;
	entries =
		arena_alloc(table->arena, table->capacity, table->entry_bytes);
	if (table->count > 0)
		memcpy(entries, table->entries,
		       table->count * table->entry_bytes);
	table->entries = entries;
	fill_slots(table);
}

void *hash_table_add(struct hash_table *table, uint64_t key)
{
	uint32_t *slot =
		table->capacity == 0 ? NULL : hash_table_slot(table, key);
	void *entry;

	if (slot != NULL && *slot != 0)
		return hash_table_entry(table, *slot - 1);
	if (table->count == table->capacity) {
		hash_table_grow(table);
		slot = hash_table_slot(table, key);
	}
	if (slot == NULL) {
		entry = table->spare;
		memset(entry, 0, table->entry_bytes);
	} else {
		entry = hash_table_entry(table, table->count);
		assert(table->count < table->capacity && *slot == 0);
		*slot = ++table->count;
	}
	memcpy(entry, &key, sizeof(key));
	return entry;
}

void *hash_table_find(const struct hash_table *table, uint64_t key)
{
	uint32_t *slot = table->count == 0 ? NULL : hash_table_slot(table, key);

	return slot == NULL || *slot == 0 ? NULL
					  : hash_table_entry(table, *slot - 1);
}

struct hash_table hash_table_copy(struct arena *arena,
				  const struct hash_table *table)
{
	struct hash_table copy = *table;

	copy.arena = arena;
	copy.spare = arena_alloc(arena, 1, table->entry_bytes);
	copy.entries = arena_alloc(arena, table->capacity, table->entry_bytes);
	copy.slots = ARENA_NEW(arena, uint32_t, table->slot_count);
	if (table->count > 0) {
		memcpy(copy.entries, table->entries,
		       table->count * table->entry_bytes);
		memcpy(copy.slots, table->slots,
		       table->slot_count * sizeof(*copy.slots));
	}
	return copy;
}
