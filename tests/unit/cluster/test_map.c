#include "cluster/int_map.h"

#include "tests/unit/random.h"
#include "tests/unit/run.h"

TEST(an_empty_map_holds_nothing)
{
	struct int_map map = {0};

	ck_assert_uint_eq(int_map_get(&map, 0), INT_MAP_NONE);
	int_map_remove(&map, 0);
	ck_assert_uint_eq(map.count, 0);
	int_map_free(&map);
}

TEST(any_key_may_be_set_changed_and_removed)
{
	struct int_map map = {0};

	int_map_set(&map, 0, 5);
	int_map_set(&map, UINT64_MAX, 6);
	int_map_set(&map, 0, 0);
	ck_assert_uint_eq(map.count, 2);
	ck_assert_uint_eq(int_map_get(&map, 0), 0);
	ck_assert_uint_eq(int_map_get(&map, UINT64_MAX), 6);
	int_map_remove(&map, 0);
	ck_assert_uint_eq(int_map_get(&map, 0), INT_MAP_NONE);
	ck_assert_uint_eq(map.count, 1);
	int_map_free(&map);
}

/* Few keys and many removals: runs of slots begin, join, wrap and break. */
TEST(random_changes_agree_with_an_array)
{
	enum { KEYS = 300 };
	uint32_t expected[KEYS];
	struct int_map map = {0};
	size_t count = 0;
	random_begin(20240918);
	for (size_t i = 0; i < KEYS; i++)
		expected[i] = INT_MAP_NONE;
	for (uint32_t i = 0; i < 60000; i++) {
		size_t key = random_below(KEYS);

		count -= expected[key] != INT_MAP_NONE;
		if (random_below(2) == 0) {
			int_map_set(&map, key, i);
			expected[key] = i;
			count++;
		} else {
			int_map_remove(&map, key);
			expected[key] = INT_MAP_NONE;
		}
		ck_assert_uint_eq(map.count, count);
		key = random_below(KEYS);
		ck_assert_uint_eq(int_map_get(&map, key), expected[key]);
	}
	for (size_t i = 0; i < KEYS; i++)
		ck_assert_uint_eq(int_map_get(&map, i), expected[i]);
	int_map_free(&map);
}
