#include "cluster/roster.h"

#include "tests/unit/run.h"

static struct roster roster;

static void begin(void)
{
	roster_begin(&roster, 0);
}

static void end(void)
{
	roster_end(&roster);
}

/* The number by which a product with `factor`, which is odd, is undone. */
static uint64_t inverse(uint64_t factor)
{
	uint64_t result = factor;

	for (int i = 0; i < 6; i++)
		result *= 2 - factor * result;
	return result;
}

/* The shingle for which map_mix() gives `mixed`. */
static uint64_t unmix(uint64_t mixed)
{
	uint64_t key = mixed ^ mixed >> 32;

	key *= inverse(0xd6e8feb86659fd93);
	key ^= key >> 32;
	return key * inverse(0x9e3779b97f4a7c15);
}

/* The set of the shingles for which the mixed numbers are `a` and `b`. */
static struct signature pair(uint64_t a, uint64_t b, uint64_t *shingles)
{
	uint64_t first = unmix(a);
	uint64_t second = unmix(b);

	shingles[0] = first < second ? first : second;
	shingles[1] = first < second ? second : first;
	return (struct signature){shingles, 2};
}

enum { TWINS = 3 };

/* Three sets of one key: 1 + 9, 2 + 8, 3 + 7. */
static struct signature twin(uint64_t index, uint64_t *shingles)
{
	return pair(1 + index, 9 - index, shingles);
}

static void check_found(const uint32_t *expected)
{
	uint64_t shingles[2];

	for (uint64_t i = 0; i < TWINS; i++)
		ck_assert_uint_eq(roster_find_set(&roster, twin(i, shingles)),
				  expected[i]);
	ck_assert_uint_eq(roster_find_set(&roster, pair(4, 6, shingles)),
			  NOBODY);
}

START_TEST(sets_of_one_key_are_told_apart)
{
	uint64_t shingles[2];
	uint32_t rows[TWINS];

	for (uint64_t i = 0; i < TWINS; i++)
		rows[i] = roster_add_set(&roster, twin(i, shingles));
	ck_assert_uint_eq(roster.set_of_key.count, 1);
	check_found(rows);
	roster_drop_set(&roster, rows[1]); /* the middle one */
	rows[1] = NOBODY;
	check_found(rows);
	roster_drop_set(&roster, rows[2]); /* the first one */
	rows[2] = NOBODY;
	check_found(rows);
	rows[1] = roster_add_set(&roster, twin(1, shingles));
	roster_drop_set(&roster, rows[0]); /* the last one */
	rows[0] = NOBODY;
	check_found(rows);
	roster_drop_set(&roster, rows[1]);
	ck_assert_uint_eq(roster.set_of_key.count, 0);
	ck_assert_uint_eq(roster.block_bytes, 0);
}
END_TEST

START_TEST(a_part_of_a_set_is_another_set)
{
	const uint64_t shingles[] = {4, 8, 15, 16, 23, 42};
	uint32_t all = roster_add_set(&roster, (struct signature){shingles, 6});
	uint32_t none = roster_add_set(&roster, (struct signature){NULL, 0});

	ck_assert_uint_eq(
		roster_find_set(&roster, (struct signature){shingles, 6}), all);
	ck_assert_uint_eq(
		roster_find_set(&roster, (struct signature){shingles, 5}),
		NOBODY);
	ck_assert_uint_eq(roster_find_set(&roster, (struct signature){NULL, 0}),
			  none);
	ck_assert_uint_eq(roster_shingles(&roster, all).count, 6);
	ck_assert_uint_eq(roster_shingles(&roster, none).count, 0);
}
END_TEST

START_TEST(counts_follow_the_moves)
{
	const uint64_t shingle = 1;
	uint32_t set = roster_add_set(&roster, (struct signature){&shingle, 1});
	uint32_t component = roster_add_component(&roster);
	uint32_t old = roster_add_page(&roster, 70);
	uint32_t young = roster_add_page(&roster, 60);

	roster_name(&roster, component, 5);
	roster_move_page(&roster, young, set);
	roster_move_set(&roster, set, component);
	roster_move_page(&roster, old, set);
	ck_assert_uint_eq(roster.components[component].page_count, 2);
	ck_assert_uint_eq(roster_label(&roster, old), 5);
	ck_assert_uint_eq(roster_oldest(&roster, set), 0);
	roster_move_page(&roster, old, NOBODY);
	ck_assert_uint_eq(roster_label(&roster, old), 0);
	ck_assert_uint_eq(roster_oldest(&roster, set), 1);
	ck_assert_uint_eq(roster.components[component].page_count, 1);
	roster_scatter(&roster);
	ck_assert_uint_eq(roster_label(&roster, young), 0);
	ck_assert_uint_eq(roster_find_component(&roster, 5), NOBODY);
	ck_assert_uint_eq(roster.component_count, 0);
	ck_assert_uint_gt(roster_bytes(&roster), 0);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("roster");
	TCase *tcase = tcase_create("roster");

	tcase_add_checked_fixture(tcase, begin, end);
	tcase_add_test(tcase, sets_of_one_key_are_told_apart);
	tcase_add_test(tcase, a_part_of_a_set_is_another_set);
	tcase_add_test(tcase, counts_follow_the_moves);
	suite_add_tcase(suite, tcase);
	return suite;
}
