#include <string.h>

#include "store/document_frequency.h"
#include "store/key.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

static struct scratch scratch;
static struct store *store;
static struct txn txn;

static void setup(void)
{
	scratch_make(&scratch);
	store = scratch_store(&scratch);
	txn = txn_begin_write(store);
}

static void teardown(void)
{
	txn_abort(&txn);
	store_close(store);
	scratch_remove(&scratch, NULL);
}

START_TEST(equal_deltas_add_up)
{
	struct df_delta deltas[] = {
		{.cluster = 2, .delta = 1, .fragment = 7},
		{.cluster = 1, .delta = 1, .fragment = 9},
		{.cluster = 1, .delta = 3, .fragment = 7},
		{.cluster = 1, .delta = 1, .fragment = 9},
		{.cluster = 1, .delta = -1, .fragment = 7},
	};

	df_apply(&txn, 1, deltas, 5);
	ck_assert_uint_eq(df_get(&txn, 1, 1, 7), 2);
	ck_assert_uint_eq(df_get(&txn, 1, 1, 9), 2);
	ck_assert_uint_eq(df_get(&txn, 1, 2, 7), 1);
	ck_assert_uint_eq(df_get(&txn, 1, 2, 9), 0);
	ck_assert_uint_eq(df_get(&txn, 2, 1, 7), 0);
	df_apply(&txn, 1, NULL, 0);
	ck_assert_int_eq(txn.error, ERR_NONE);
}
END_TEST

/* Rows in the whole table. */
static size_t count_rows(void)
{
	struct scan scan = scan_begin(&txn, TABLE_DF, slice_of(""));
	size_t count = 0;

	while (scan_next(&scan))
		count++;
	scan_end(&scan);
	return count;
}

START_TEST(a_count_of_nothing_leaves_the_table)
{
	struct df_delta add = {.cluster = 1, .delta = 2, .fragment = 7};
	struct df_delta none[] = {{.cluster = 1, .delta = 5, .fragment = 8},
				  {.cluster = 1, .delta = -5, .fragment = 8}};
	struct df_delta remove = {.cluster = 1, .delta = -2, .fragment = 7};

	df_apply(&txn, 1, &add, 1);
	df_apply(&txn, 1, none, 2);
	ck_assert_uint_eq(count_rows(), 1);
	df_apply(&txn, 1, &remove, 1);
	ck_assert_uint_eq(count_rows(), 0);
	ck_assert_int_eq(txn.error, ERR_NONE);
}
END_TEST

START_TEST(a_count_below_nothing_is_corrupt)
{
	struct df_delta add = {.cluster = 1, .delta = 1, .fragment = 7};
	struct df_delta remove = {.cluster = 1, .delta = -2, .fragment = 7};

	df_apply(&txn, 1, &add, 1);
	df_apply(&txn, 1, &remove, 1);
	ck_assert_int_eq(txn_end(&txn), ERR_CORRUPT);
}
END_TEST

START_TEST(an_absent_count_cannot_fall)
{
	struct df_delta remove = {.cluster = 1, .delta = -1, .fragment = 7};

	df_apply(&txn, 1, &remove, 1);
	ck_assert_int_eq(txn_end(&txn), ERR_CORRUPT);
}
END_TEST

START_TEST(a_count_of_the_wrong_size_is_corrupt)
{
	struct df_delta add = {.cluster = 1, .delta = 1, .fragment = 7};
	struct key key = key_member(1, 1, 7);

	txn_put(&txn, TABLE_DF, key_slice(&key), slice_of("12345"));
	df_apply(&txn, 1, &add, 1);
	ck_assert_int_eq(txn_end(&txn), ERR_CORRUPT);
}
END_TEST

enum { CLUSTERS = 4, FRAGMENTS = 3000, ROUNDS = 60, BATCH = 2000 };

static uint32_t model[CLUSTERS][FRAGMENTS];

/* Deltas of random sign that never take a count below 0. */
static void make_deltas(uint64_t *seed, struct df_delta *deltas, uint64_t odds)
{
	for (size_t i = 0; i < BATCH; i++) {
		uint32_t cluster = (uint32_t)(scratch_random(seed) % CLUSTERS);
		uint64_t fragment = scratch_random(seed) % FRAGMENTS;
		uint32_t *count = &model[cluster][fragment];
		int32_t delta = 1;

		if (*count > 0 && scratch_random(seed) % 8 < odds)
			delta = -(int32_t)(scratch_random(seed) % *count) - 1;
		*count = (uint32_t)((int32_t)*count + delta);
		deltas[i] = (struct df_delta){
			.cluster = cluster,
			.delta = delta,
			/* spread over the whole range of keys */
			.fragment = fragment * 0x9e3779b97f4a7c15};
	}
}

/* Compare all counts; returns how many are above 0. */
static size_t compare(uint32_t cluster)
{
	size_t left = 0;

	for (uint64_t f = 0; f < FRAGMENTS; f++) {
		ck_assert_uint_eq(
			df_get(&txn, 5, cluster, f * 0x9e3779b97f4a7c15),
			model[cluster][f]);
		left += model[cluster][f] > 0;
	}
	return left;
}

START_TEST(the_counts_equal_those_of_a_plain_array)
{
	static struct df_delta deltas[BATCH];
	uint64_t seed = (uint64_t)_i + 77;
	size_t left = 0;

	printf("seed %llu\n", (unsigned long long)seed);
	for (int i = 0; i < ROUNDS; i++) {
		make_deltas(&seed, deltas, i % 20 < 10 ? 2 : 7);
		df_apply(&txn, 5, deltas, BATCH);
	}
	for (uint32_t c = 0; c < CLUSTERS; c++)
		left += compare(c);
	ck_assert_uint_eq(count_rows(), left);
	ck_assert_uint_gt(left, 0);
	ck_assert_uint_lt(left, (size_t)CLUSTERS * FRAGMENTS);
	ck_assert_int_eq(txn.error, ERR_NONE);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("df");
	TCase *tcase = tcase_create("df");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, equal_deltas_add_up);
	tcase_add_test(tcase, a_count_of_nothing_leaves_the_table);
	tcase_add_test(tcase, a_count_below_nothing_is_corrupt);
	tcase_add_test(tcase, an_absent_count_cannot_fall);
	tcase_add_test(tcase, a_count_of_the_wrong_size_is_corrupt);
	tcase_add_loop_test(tcase, the_counts_equal_those_of_a_plain_array, 0,
			    3);
	suite_add_tcase(suite, tcase);
	return suite;
}
