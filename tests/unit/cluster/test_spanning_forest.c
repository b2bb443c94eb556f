#include "cluster/threshold_graph.h"

#include "tests/unit/run.h"

enum { SETS = 4 };

static struct signature_table table;
static struct spanning_forest forest;
static struct int_list neighbours;

static void begin(void)
{
	signature_table_begin(&table, 0);
	spanning_forest_begin(&forest);
	for (uint64_t i = 0; i < SETS; i++)
		signature_table_add_set(&table, (struct signature){&i, 1});
}

static void end(void)
{
	int_list_free(&neighbours);
	spanning_forest_end(&forest);
	signature_table_end(&table);
}

FIXTURE(.setup = begin, .teardown = end);

TEST(an_isolated_set_has_no_edge)
{
	spanning_forest_link(&forest, &table, 0, 1);
	spanning_forest_link(&forest, &table, 1, 2);
	spanning_forest_link(&forest, &table, 3, 1);
	spanning_forest_isolate(&forest, &table, 1, &neighbours);
	ck_assert_uint_eq(neighbours.count, 3);
	for (uint32_t i = 0; i < SETS; i++)
		ck_assert_uint_eq(table.sets[i].first_edge, NO_TABLE_ROW);
	spanning_forest_isolate(&forest, &table, 1, &neighbours);
	ck_assert_uint_eq(neighbours.count, 0);
}

TEST(the_other_edges_stay)
{
	spanning_forest_link(&forest, &table, 0, 1);
	spanning_forest_link(&forest, &table, 0, 2);
	spanning_forest_link(&forest, &table, 0, 3);
	spanning_forest_isolate(&forest, &table, 2, &neighbours);
	ck_assert_uint_eq(neighbours.count, 1);
	ck_assert_uint_eq(neighbours.items[0], 0);
	spanning_forest_isolate(&forest, &table, 0, &neighbours);
	ck_assert_uint_eq(neighbours.count, 2);
	ck_assert_uint_eq(neighbours.items[0] + neighbours.items[1], 1 + 3);
}

TEST(edges_are_used_again)
{
	for (int i = 0; i < 1000; i++) {
		spanning_forest_link(&forest, &table, 0, 1);
		spanning_forest_link(&forest, &table, 1, 2);
		spanning_forest_isolate(&forest, &table, 1, &neighbours);
	}
	ck_assert_uint_eq(forest.rows, 4);
	spanning_forest_link(&forest, &table, 0, 1);
	spanning_forest_clear(&forest, &table);
	ck_assert_uint_eq(table.sets[0].first_edge, NO_TABLE_ROW);
	ck_assert_uint_eq(forest.rows, 0);
}
