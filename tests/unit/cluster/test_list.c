#include "cluster/int_map.h"

#include "tests/unit/random.h"
#include "tests/unit/run.h"

TEST(items_keep_the_order_of_the_pushes)
{
	struct int_list list = {0};

	for (uint32_t i = 0; i < 100; i++)
		int_list_push(&list, 100 - i);
	ck_assert_uint_eq(list.count, 100);
	ck_assert_uint_eq(list.items[0], 100);
	ck_assert_uint_eq(list.items[99], 1);
	int_list_free(&list);
	ck_assert_uint_eq(list.count, 0);
	int_list_reserve(&list, 0);
	ck_assert_ptr_null(list.items);
}

TEST(an_ordered_list_holds_an_item_once)
{
	struct int_list list = {0};

	ck_assert(int_list_add_ordered(&list, 7));
	ck_assert(int_list_add_ordered(&list, UINT32_MAX));
	ck_assert(int_list_add_ordered(&list, 0));
	ck_assert(!int_list_add_ordered(&list, 7));
	ck_assert(!int_list_add_ordered(&list, UINT32_MAX));
	ck_assert_uint_eq(list.count, 3);
	int_list_remove_ordered(&list, 8);
	ck_assert_uint_eq(list.count, 3);
	int_list_remove_ordered(&list, 7);
	ck_assert_uint_eq(list.items[0], 0);
	ck_assert_uint_eq(list.items[1], UINT32_MAX);
	int_list_free(&list);
}

TEST(what_an_ordered_list_loses_gives_memory_back)
{
	struct int_list list = {0};

	for (uint32_t i = 0; i < 1000; i++)
		int_list_add_ordered(&list, i);
	for (uint32_t i = 0; i < 990; i++)
		int_list_remove_ordered(&list, i);
	ck_assert_uint_lt(list.capacity, 50);
	for (uint32_t i = 990; i < 1000; i++)
		int_list_remove_ordered(&list, i);
	ck_assert_uint_eq(list.capacity, 0);
	int_list_remove_ordered(&list, 1);
}

TEST(random_changes_agree_with_an_array)
{
	enum { ITEMS = 200 };
	bool expected[ITEMS] = {false};
	struct int_list list = {0};

	random_begin(20261122);
	for (int i = 0; i < 20000; i++) {
		uint32_t item = random_below(ITEMS);
		uint32_t at = 0;

		if (random_below(2) == 0) {
			if (int_list_add_ordered(&list, item) == expected[item])
				ck_abort_msg("%u", item);
			expected[item] = true;
		} else {
			int_list_remove_ordered(&list, item);
			expected[item] = false;
		}
		for (uint32_t j = 0; j < ITEMS; j++) {
			if (expected[j] &&
			    (at >= list.count || list.items[at++] != j))
				ck_abort_msg("%u", j);
		}
		if (at != list.count)
			ck_abort_msg("%u items", list.count);
	}
	int_list_free(&list);
}
