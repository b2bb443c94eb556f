#include "base/hash.h"
#include "extract/core/numeric.h"
#include "tests/unit/run.h"

struct entry {
	uint64_t key;
	uint32_t count;
};

static void assert_entry(const struct hash_table *table, uint32_t index,
			 uint32_t count)
{
	const struct entry *entry =
		hash_table_find(table, hash_chain(index, 0));

	ck_assert_ptr_nonnull(entry);
	ck_assert_uint_eq(entry->count, count);
	ck_assert_uint_eq(hash_table_index(table, entry), index);
	ck_assert_ptr_eq(hash_table_entry(table, index), entry);
}

TEST(counts_are_found_again)
{
	AUTO_ARENA *arena = arena_create();
	struct hash_table table = hash_table_make(arena, sizeof(struct entry));

	ck_assert_ptr_null(hash_table_find(&table, 0));
	for (uint64_t i = 0; i < 100000; i++) {
		struct entry *one =
			hash_table_add(&table, hash_chain(i % 1000, 0));

		one->count++;
	}
	ck_assert_uint_eq(table.count, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		assert_entry(&table, i, 100);
	ck_assert_ptr_null(hash_table_find(&table, hash_chain(1000, 0)));
}

TEST(reserved_room_is_not_left_before_it_is_full)
{
	AUTO_ARENA *arena = arena_create();
	struct hash_table table = hash_table_make(arena, sizeof(struct entry));
	const void *first;

	hash_table_reserve(&table, 100);
	ck_assert_ptr_null(hash_table_find(&table, hash_chain(0, 0)));
	first = hash_table_add(&table, hash_chain(0, 0));
	for (uint64_t i = 1; i < 100; i++)
		hash_table_add(&table, hash_chain(i, 0));
	ck_assert_ptr_eq(hash_table_find(&table, hash_chain(0, 0)), first);
	for (uint64_t i = 100; i < 1000; i++)
		hash_table_add(&table, hash_chain(i, 0));
	for (uint32_t i = 0; i < 1000; i++)
		assert_entry(&table, i, 0);
}

TEST(the_key_0_is_one_as_well)
{
	AUTO_ARENA *arena = arena_create();
	struct hash_table table = hash_table_make(arena, sizeof(struct entry));

	((struct entry *)hash_table_add(&table, 0))->count = 7;
	ck_assert_uint_eq(((struct entry *)hash_table_add(&table, 0))->count,
			  7);
	ck_assert_uint_eq(table.count, 1);
}

TEST(a_copy_stands_alone)
{
	AUTO_ARENA *first = arena_create();
	AUTO_ARENA *second = arena_create();
	struct hash_table table = hash_table_make(first, sizeof(struct entry));
	struct hash_table copy;

	for (uint64_t i = 0; i < 100; i++)
		((struct entry *)hash_table_add(&table, hash_chain(i, 0)))
			->count = (uint32_t)i;
	copy = hash_table_copy(second, &table);
	ck_assert_uint_eq(copy.count, 100);
	for (uint64_t i = 0; i < 100; i++)
		ck_assert_uint_eq(((struct entry *)hash_table_find(
					   &copy, hash_chain(i, 0)))
					  ->count,
				  i);
	hash_table_add(&copy, 1);
	ck_assert_uint_eq(copy.count, 101);
}

TEST(an_empty_copy_is_empty)
{
	AUTO_ARENA *arena = arena_create();
	struct hash_table table = hash_table_make(arena, sizeof(struct entry));
	struct hash_table copy = hash_table_copy(arena, &table);

	ck_assert_ptr_null(hash_table_find(&copy, 1));
}

/* Keys that want the same slot: the halves of a key cancel each other out. */
TEST(keys_made_to_collide_are_forgotten_and_cost_nothing)
{
	AUTO_ARENA *arena = arena_create();
	struct hash_table table = hash_table_make(arena, sizeof(struct entry));
	uint32_t forgotten = 0;

	for (uint64_t i = 1; i <= 200000; i++) {
		struct entry *entry = hash_table_add(&table, i << 32 | i);

		ck_assert_uint_eq(entry->key, i << 32 | i);
		ck_assert_uint_eq(entry->count, 0);
		entry->count = 1;
		forgotten += hash_table_index(&table, entry) == NO_ENTRY;
	}
	ck_assert_uint_eq(table.count + forgotten, 200000);
	ck_assert_uint_le(table.count, 128);
	ck_assert_ptr_null(
		hash_table_find(&table, UINT64_C(200000) << 32 | 200000));
	ck_assert_ptr_nonnull(hash_table_find(&table, UINT64_C(1) << 32 | 1));
}
