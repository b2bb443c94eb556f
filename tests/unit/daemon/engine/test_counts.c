#include "daemon/engine/engine.h"
#include "store/document_frequency.h"
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

static uint32_t get(struct counts *counts, uint32_t cluster, uint64_t fragment)
{
	struct df_reader reader = {.txn = &txn, .site = 3, .cluster = cluster};

	return counts_get(counts, &reader, fragment);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_count_is_the_stored_count_plus_additions)
{
	struct counts counts = {0};
	struct df_delta stored = {.cluster = 1, .delta = 5, .fragment = 7};

	df_apply(&txn, 3, &stored, 1);
	counts_add(&counts, 1, 7, 2);
	counts_add(&counts, 2, 7, 1);
	ck_assert_uint_eq(get(&counts, 1, 7), 7);
	counts_add(&counts, 1, 7, -1);
	ck_assert_uint_eq(get(&counts, 1, 7), 6);
	ck_assert_uint_eq(get(&counts, 2, 7), 1);
	ck_assert_uint_eq(get(&counts, 2, 8), 0);
	ck_assert_uint_eq(df_get(&txn, 3, 1, 7), 5);
	counts_write(&counts, &txn, 3);
	ck_assert_uint_eq(df_get(&txn, 3, 1, 7), 6);
	ck_assert_uint_eq(df_get(&txn, 3, 2, 7), 1);
	ck_assert_uint_eq(counts.used, 0);
	ASSERT_OK(txn.error);
}

TEST(what_was_forgotten_is_not_written)
{
	struct counts counts = {0};

	counts_add(&counts, 1, 7, 2);
	counts_reset(&counts);
	counts_write(&counts, &txn, 3);
	ck_assert_uint_eq(df_get(&txn, 3, 1, 7), 0);
	ASSERT_OK(txn.error);
}

TEST(a_count_below_nothing_fails_the_transaction)
{
	struct counts counts = {0};

	counts_add(&counts, 1, 7, -1);
	counts_write(&counts, &txn, 3);
	ck_assert_int_eq(txn.error, ERR_CORRUPT);
}

/* Fragment 0 is one like any other. */
TEST(many_counts_find_their_places)
{
	enum { FRAGMENTS = 5000, CLUSTERS = 3 };
	struct counts counts = {0};

	for (uint32_t c = 1; c <= CLUSTERS; c++)
		for (uint64_t f = 0; f < FRAGMENTS; f++)
			counts_add(&counts, c, f << 20, (int32_t)c);
	ck_assert_uint_eq(counts.used, (size_t)CLUSTERS * FRAGMENTS);
	counts_write(&counts, &txn, 3);
	for (uint32_t c = 1; c <= CLUSTERS; c++)
		for (uint64_t f = 0; f < FRAGMENTS; f++)
			ck_assert_uint_eq(df_get(&txn, 3, c, f << 20), c);
}
