#include "daemon/runtime/quota.h"

#include "tests/unit/run.h"

/* How many places the owner gets, one by one. */
static size_t fill(struct quota *quota, uint64_t owner)
{
	size_t count = 0;

	while (quota_acquire(quota, owner, 1) == QUOTA_ACQUIRED)
		count++;
	return count;
}

struct row {
	size_t max;
	size_t first;
	size_t second;
	size_t third;
};

/* Each user takes its share; then one is the only user again. */
static void check_row(const struct row *row)
{
	struct quota quota = {.max = row->max};

	ck_assert_uint_eq(fill(&quota, 1), row->first);
	ck_assert_uint_eq(fill(&quota, 2), row->second);
	ck_assert_uint_eq(fill(&quota, 3), row->third);
	quota_release(&quota, 3, row->third);
	quota_release(&quota, 1, row->first);
	quota_release(&quota, 2, row->second);
	ck_assert_uint_eq(quota.count, 0);
	ck_assert_uint_eq(fill(&quota, 2), row->first);
	quota_release(&quota, 2, row->first);
	quota_free(&quota);
}

TEST(who_is_alone_gets_half_and_others_find_room)
{
	static const struct row rows[] = {{1, 1, 0, 0},
					  {2, 1, 1, 0},
					  {3, 2, 1, 0},
					  {4, 2, 1, 1},
					  {64, 32, 16, 8}};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		check_row(&rows[i]);
}

TEST(some_places_are_reserved)
{
	struct quota quota = {.max = 4, .reserved = 1};

	ck_assert_uint_eq(fill(&quota, 1), 2);
	ck_assert_int_eq(quota_check(&quota, 1, 1), QUOTA_SHARED);
	ck_assert_uint_eq(fill(&quota, 2), 1);
	ck_assert_int_eq(quota_acquire(&quota, 3, 1), QUOTA_FULL);
	ck_assert_uint_eq(fill(&quota, QUOTA_UNLIMITED), 1);
	ck_assert_int_eq(quota_check(&quota, QUOTA_UNLIMITED, 1), QUOTA_FULL);
	quota_release(&quota, 1, 2);
	ck_assert_uint_eq(fill(&quota, QUOTA_UNLIMITED), 2);
	ck_assert_int_eq(quota_acquire(&quota, 3, 1), QUOTA_FULL);
	quota_release(&quota, 2, 1);
	quota_release(&quota, QUOTA_UNLIMITED, 3);
	quota_free(&quota);
}

TEST(a_place_is_as_large_as_is_said)
{
	struct quota quota = {.max = 100};

	ck_assert_int_eq(quota_acquire(&quota, 1, 101), QUOTA_FULL);
	ck_assert_int_eq(quota_acquire(&quota, 1, 0), QUOTA_ACQUIRED);
	ck_assert_int_eq(quota_acquire(&quota, 1, 30), QUOTA_ACQUIRED);
	ck_assert_int_eq(quota_acquire(&quota, 1, 21), QUOTA_SHARED);
	ck_assert_int_eq(quota_acquire(&quota, 1, 20), QUOTA_ACQUIRED);
	ck_assert_int_eq(quota_acquire(&quota, 2, 50), QUOTA_ACQUIRED);
	ck_assert_int_eq(quota_acquire(&quota, 1, 0), QUOTA_ACQUIRED);
	quota_add(&quota, 3, 10);
	ck_assert_int_eq(quota_acquire(&quota, 3, 0), QUOTA_ACQUIRED);
	ck_assert_int_eq(quota_check(&quota, 4, 1), QUOTA_FULL);
	quota_release(&quota, 3, 10);
	ck_assert_int_eq(quota_acquire(&quota, 3, 1), QUOTA_FULL);
	quota_release(&quota, 1, 50);
	quota_release(&quota, 2, 50);
	quota_free(&quota);
}
