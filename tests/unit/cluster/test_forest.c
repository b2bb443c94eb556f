#include "cluster/forest.h"

#include "tests/unit/run.h"

enum { SETS = 4 };

static struct roster roster;
static struct forest forest;
static struct list neighbours;

static void begin(void)
{
	roster_begin(&roster, 0);
	forest_begin(&forest);
	for (uint64_t i = 0; i < SETS; i++)
		roster_add_set(&roster, (struct signature){&i, 1});
}

static void end(void)
{
	list_free(&neighbours);
	forest_end(&forest);
	roster_end(&roster);
}

START_TEST(an_isolated_set_has_no_edge)
{
	forest_link(&forest, &roster, 0, 1);
	forest_link(&forest, &roster, 1, 2);
	forest_link(&forest, &roster, 3, 1);
	forest_isolate(&forest, &roster, 1, &neighbours);
	ck_assert_uint_eq(neighbours.count, 3);
	for (uint32_t i = 0; i < SETS; i++)
		ck_assert_uint_eq(roster.sets[i].first_edge, NOBODY);
	forest_isolate(&forest, &roster, 1, &neighbours);
	ck_assert_uint_eq(neighbours.count, 0);
}
END_TEST

START_TEST(the_other_edges_stay)
{
	forest_link(&forest, &roster, 0, 1);
	forest_link(&forest, &roster, 0, 2);
	forest_link(&forest, &roster, 0, 3);
	forest_isolate(&forest, &roster, 2, &neighbours);
	ck_assert_uint_eq(neighbours.count, 1);
	ck_assert_uint_eq(neighbours.items[0], 0);
	forest_isolate(&forest, &roster, 0, &neighbours);
	ck_assert_uint_eq(neighbours.count, 2);
	ck_assert_uint_eq(neighbours.items[0] + neighbours.items[1], 1 + 3);
}
END_TEST

START_TEST(edges_are_used_again)
{
	for (int i = 0; i < 1000; i++) {
		forest_link(&forest, &roster, 0, 1);
		forest_link(&forest, &roster, 1, 2);
		forest_isolate(&forest, &roster, 1, &neighbours);
	}
	ck_assert_uint_eq(forest.rows, 4);
	forest_link(&forest, &roster, 0, 1);
	forest_clear(&forest, &roster);
	ck_assert_uint_eq(roster.sets[0].first_edge, NOBODY);
	ck_assert_uint_eq(forest.rows, 0);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("forest");
	TCase *tcase = tcase_create("forest");

	tcase_add_checked_fixture(tcase, begin, end);
	tcase_add_test(tcase, an_isolated_set_has_no_edge);
	tcase_add_test(tcase, the_other_edges_stay);
	tcase_add_test(tcase, edges_are_used_again);
	suite_add_tcase(suite, tcase);
	return suite;
}
