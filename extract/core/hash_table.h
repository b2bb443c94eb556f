/*
 * extract/core/hash_table.h - records by a 64-bit key, which is itself a hash.
 * Methods use it for counts over many pages.
 */
#ifndef EXTRACT_CORE_HASH_TABLE_H
#define EXTRACT_CORE_HASH_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct arena;

/*
 * An entry is any struct that begins with `uint64_t key`. Entries are in the
 * order in which they were added; at most UINT32_MAX / 4 entries.
 */
struct hash_table {
	void *entries; /* [count], of entry_bytes each */
	uint32_t count;
	uint32_t capacity;
	uint32_t *slots; /* [slot_count] index + 1, or 0 */
	uint32_t slot_count;
	size_t entry_bytes;
	struct arena *arena;
	void *spare; /* shared by all keys that get no slot */
};

/* Return an empty table in `arena`. */
struct hash_table hash_table_make(struct arena *arena, size_t entry_bytes);

/*
 * Allocate an empty table for `count` entries, so that it need not grow up to
 * that size.
 */
void hash_table_reserve(struct hash_table *table, uint32_t count);

/*
 * Return the entry of `key`; add it (zeroed except its key) if it is missing.
 * The pointer is valid until the next entry is added. O(1) for any keys: a key
 * that collides with too many others gets a temporary entry, which no search
 * finds. About 3 * entry_bytes + 16 bytes an entry in total.
 */
void *hash_table_add(struct hash_table *table, uint64_t key);

/* Return the entry of `key`, or NULL. O(1). */
void *hash_table_find(const struct hash_table *table, uint64_t key);

/* Return a copy in `arena` without the memory that growing wasted. */
struct hash_table hash_table_copy(struct arena *arena,
				  const struct hash_table *table);

#define NO_ENTRY UINT32_MAX

/*
 * Convert an entry to its number (NO_ENTRY if it was dropped), and a number
 * below `count` to its entry.
 */
uint32_t hash_table_index(const struct hash_table *table, const void *entry);
void *hash_table_entry(const struct hash_table *table, uint32_t index);

#endif
