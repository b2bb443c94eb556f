#include "cluster/signature_table.h"

#include "tests/unit/run.h"

static struct signature_table table;

static void begin(void)
{
	signature_table_begin(&table, 0);
}

static void end(void)
{
	signature_table_end(&table);
}

/* The number that undoes a product with `factor`, which is odd. */
static uint64_t inverse(uint64_t factor)
{
	uint64_t result = factor;

	for (int i = 0; i < 6; i++)
		result *= 2 - factor * result;
	return result;
}

/* The shingle for which int_map_mix() gives `mixed`. */
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

enum { COLLISIONS = 3 };

/* Three sets of one key: 1 + 9, 2 + 8, 3 + 7. */
static struct signature collision(uint64_t index, uint64_t *shingles)
{
	return pair(1 + index, 9 - index, shingles);
}

static void check_found(const uint32_t *expected)
{
	uint64_t shingles[2];

	for (uint64_t i = 0; i < COLLISIONS; i++)
		ck_assert_uint_eq(signature_table_find_set(
					  &table, collision(i, shingles)),
				  expected[i]);
	ck_assert_uint_eq(
		signature_table_find_set(&table, pair(4, 6, shingles)),
		NO_TABLE_ROW);
}

FIXTURE(.setup = begin, .teardown = end);

TEST(sets_with_one_key_are_distinguished)
{
	uint64_t shingles[2];
	uint32_t rows[COLLISIONS];

	for (uint64_t i = 0; i < COLLISIONS; i++)
		rows[i] =
			signature_table_add_set(&table, collision(i, shingles));
	ck_assert_uint_eq(table.set_of_key.count, 1);
	check_found(rows);
	signature_table_drop_set(&table, rows[1]); /* the middle one */
	rows[1] = NO_TABLE_ROW;
	check_found(rows);
	signature_table_drop_set(&table, rows[2]); /* the first one */
	rows[2] = NO_TABLE_ROW;
	check_found(rows);
	rows[1] = signature_table_add_set(&table, collision(1, shingles));
	signature_table_drop_set(&table, rows[0]); /* the last one */
	rows[0] = NO_TABLE_ROW;
	check_found(rows);
	signature_table_drop_set(&table, rows[1]);
	ck_assert_uint_eq(table.set_of_key.count, 0);
	ck_assert_uint_eq(table.block_bytes, 0);
}

TEST(a_part_of_a_set_is_another_set)
{
	const uint64_t shingles[] = {4, 8, 15, 16, 23, 42};
	uint32_t all = signature_table_add_set(&table,
					       (struct signature){shingles, 6});
	uint32_t none =
		signature_table_add_set(&table, (struct signature){NULL, 0});

	ck_assert_uint_eq(signature_table_find_set(
				  &table, (struct signature){shingles, 6}),
			  all);
	ck_assert_uint_eq(signature_table_find_set(
				  &table, (struct signature){shingles, 5}),
			  NO_TABLE_ROW);
	ck_assert_uint_eq(
		signature_table_find_set(&table, (struct signature){NULL, 0}),
		none);
	ck_assert_uint_eq(signature_table_units(&table, all).count, 6);
	ck_assert_uint_eq(signature_table_units(&table, none).count, 0);
}

TEST(counts_follow_the_moves)
{
	const uint64_t shingle = 1;
	uint32_t set = signature_table_add_set(&table,
					       (struct signature){&shingle, 1});
	uint32_t component = signature_table_add_component(&table);
	uint32_t old = signature_table_add_page(&table, 70);
	uint32_t young = signature_table_add_page(&table, 60);

	signature_table_name(&table, component, 5);
	signature_table_move_page(&table, young, set);
	signature_table_move_set(&table, set, component);
	signature_table_move_page(&table, old, set);
	ck_assert_uint_eq(table.components[component].page_count, 2);
	ck_assert_uint_eq(signature_table_label(&table, old), 5);
	ck_assert_uint_eq(signature_table_oldest(&table, set), 0);
	signature_table_move_page(&table, old, NO_TABLE_ROW);
	ck_assert_uint_eq(signature_table_label(&table, old), 0);
	ck_assert_uint_eq(signature_table_oldest(&table, set), 1);
	ck_assert_uint_eq(table.components[component].page_count, 1);
	signature_table_scatter(&table);
	ck_assert_uint_eq(signature_table_label(&table, young), 0);
	ck_assert_uint_eq(int_map_get(&table.component_of_label, 5),
			  NO_TABLE_ROW);
	ck_assert_uint_eq(table.component_count, 0);
	ck_assert_uint_gt(signature_table_bytes(&table), 0);
}
