#include "cluster/similarity_join.h"

#include "tests/unit/run.h"

static struct signature_table table;
static struct set_group_index groups;

static void begin(void)
{
	signature_table_begin(&table, 0);
	set_group_begin(&groups);
}

static void end(void)
{
	set_group_end(&groups);
	signature_table_end(&table);
}

/* The numbers from `first` on; the shingles are the same numbers, because set
 * after set brings the next ones. */
static uint32_t add_set(uint64_t first, size_t count)
{
	uint64_t members[8];

	for (size_t i = 0; i < count; i++)
		members[i] = first + i;
	return signature_table_add_set(&table,
				       (struct signature){members, count});
}

FIXTURE(.setup = begin, .teardown = end);

TEST(shingle_ids_are_posted_once_for_a_group)
{
	uint32_t a = add_set(0, 4);
	uint32_t b = add_set(2, 4);
	uint32_t group = set_group_create(&groups, &table, a);

	set_group_add(&groups, &table, group, b, 2);
	ck_assert_uint_eq(groups.count, 1);
	ck_assert_uint_eq(groups.posting_count, 6);
	ck_assert_uint_eq(set_group_postings(&groups, 2).count, 1);
	ck_assert_uint_eq(set_group_postings(&groups, 5).items[0], group);
	ck_assert_uint_eq(set_group_postings(&groups, 6).count, 0);
	ck_assert_uint_eq(set_group_postings(&groups, UINT32_MAX).count, 0);
	ck_assert_uint_eq(groups.groups[group].max_outside, 2);
	ck_assert_uint_eq(table.sets[b].slot, 1);
}

TEST(bounds_are_those_of_the_members)
{
	uint32_t a = add_set(0, 4);
	uint32_t b = add_set(1, 3);
	uint32_t c = add_set(0, 6);
	uint32_t group = set_group_create(&groups, &table, a);
	const struct set_group *row;

	set_group_add(&groups, &table, group, b, 3);
	set_group_add(&groups, &table, group, c, 4);
	row = &groups.groups[group];
	ck_assert_uint_eq(row->min_count, 3);
	ck_assert_uint_eq(row->max_count, 6);
	ck_assert_uint_eq(row->max_outside, 2);
	set_group_remove(&groups, &table, c);
	set_group_tighten(&groups, group);
	ck_assert_uint_eq(row->max_count, 4);
	ck_assert_uint_eq(row->max_outside, 0);
	ck_assert_uint_eq(table.sets[c].group, NO_TABLE_ROW);
}

TEST(the_last_one_takes_the_group_along)
{
	uint32_t a = add_set(0, 4);
	uint32_t group = set_group_create(&groups, &table, a);

	set_group_remove(&groups, &table, a);
	ck_assert_uint_eq(groups.count, 0);
	ck_assert_uint_eq(groups.posting_count, 0);
	ck_assert_uint_eq(set_group_postings(&groups, 0).capacity, 0);
	/* The row is used again. */
	ck_assert_uint_eq(set_group_create(&groups, &table, a), group);
}

TEST(shingle_ids_without_members_are_forgotten)
{
	uint32_t a = add_set(0, 2);
	uint32_t b = add_set(2, 2);
	uint32_t c = add_set(4, 2);
	uint32_t group = set_group_create(&groups, &table, a);

	set_group_add(&groups, &table, group, b, 0);
	set_group_add(&groups, &table, group, c, 0);
	set_group_remove(&groups, &table, b);
	ck_assert_uint_eq(groups.posting_count, 6);
	set_group_remove(&groups, &table, c); /* more have left than stay */
	ck_assert_uint_eq(groups.posting_count, 2);
	ck_assert_uint_eq(set_group_postings(&groups, 4).count, 0);
	ck_assert_uint_eq(set_group_postings(&groups, 1).count, 1);
}

TEST(another_member_becomes_the_pivot)
{
	uint32_t a = add_set(0, 4);
	uint32_t b = add_set(1, 4);
	uint32_t c = add_set(2, 4);
	uint32_t group = set_group_create(&groups, &table, a);
	const struct set_group *row = &groups.groups[group];

	set_group_add(&groups, &table, group, b, 3);
	set_group_add(&groups, &table, group, c, 2);
	set_group_change_pivot(&groups, &table, group, 2);
	ck_assert_uint_eq(row->pivot, c);
	ck_assert_uint_eq(row->members[0].set, c);
	ck_assert_uint_eq(row->members[2].set, a);
	set_group_remove(&groups, &table, a);
	ck_assert_uint_eq(row->member_count, 2);
	ck_assert_uint_eq(table.sets[b].slot, 1);
	set_group_clear(&groups, &table);
	ck_assert_uint_eq(table.sets[b].group, NO_TABLE_ROW);
	ck_assert_uint_eq(set_group_bytes(&groups), 0);
}
