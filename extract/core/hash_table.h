/*
 * extract/core/hash_table.h - records by 64-bit key, which is itself a hash:
 * what methods keep that learn from many pages.
 */
#ifndef EXTRACT_CORE_HASH_TABLE_H
#define EXTRACT_CORE_HASH_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct arena;

/*
 * An entry is any struct that begins with `uint64_t key`. Entries stand in the
 * order in which they were added, at most UINT32_MAX / 4 of them.
 */
struct hash_table {
	void *entries; /* [count], of entry_bytes each */
	uint32_t count;
	uint32_t capacity;
	uint32_t *slots; /* [slot_count] index + 1, or 0 */
	uint32_t slot_count;
	size_t entry_bytes;
	struct arena *arena;
	void *spare; /* for keys that find no slot */
};

/* Begin an empty table in `arena`. */
struct hash_table hash_table_make(struct arena *arena, size_t entry_bytes);

/*
 * Make room in an empty table for `count` entries, so that it takes no time and
 * no memory to grow to them.
 */
void hash_table_reserve(struct hash_table *table, uint32_t count);

/*
 * The entry of `key`, added (zeroed but its key) when there is none; it stays
 * where it is until the next one is added. O(1) whatever the keys are: one that
 * collides with too many others gets an entry that is forgotten, and then is
 * not found. In all about 3 * entry_bytes + 16 bytes an entry.
 */
void *hash_table_add(struct hash_table *table, uint64_t key);

/* The entry of `key`, or NULL. O(1). */
void *hash_table_find(const struct hash_table *table, uint64_t key);

/* A copy in `arena`, without the memory that growing has wasted. */
struct hash_table hash_table_copy(struct arena *arena,
				  const struct hash_table *table);

#define NO_ENTRY UINT32_MAX

/*
 * The number of an entry, NO_ENTRY if it was forgotten; and the entry of a
 * number below `count`.
 */
uint32_t hash_table_index(const struct hash_table *table, const void *entry);
void *hash_table_entry(const struct hash_table *table, uint32_t index);

#endif
