#include "store/sets.h"

#include "store/key.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

enum { SITE = 3 };

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

static struct slice set_at(uint32_t set)
{
	struct key key = key_cluster(SITE, set);

	return txn_get(&txn, TABLE_SETS, key_slice(&key));
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_set_comes_back_as_it_was)
{
	const uint32_t shingle_ids[] = {
		0, 1, 127, 128, 16600, 2097151, 1 << 30, UINT32_MAX - 1};
	uint32_t back[64];
	struct slice value;

	set_put(&txn, SITE, 7, shingle_ids, 8);
	value = set_at(7);
	/* differences less one: 0 0 125 0 16471 2080550 ... */
	ck_assert_uint_eq(value.size, 1 + 1 + 1 + 1 + 3 + 3 + 5 + 5);
	ck_assert_uint_eq(set_decode(value, back), 8);
	ck_assert_mem_eq(back, shingle_ids, sizeof(shingle_ids));
}

TEST(an_empty_set_is_a_row)
{
	set_put(&txn, SITE, 7, NULL, 0);
	ck_assert_ptr_nonnull(set_at(7).data);
	ck_assert_uint_eq(set_decode(set_at(7), NULL), 0);
	set_delete(&txn, SITE, 7);
	ck_assert_ptr_null(set_at(7).data);
}

static const char *const damaged[] = {
	"\x80",                     /* does not end */
	"\x01\xff",                 /* the second does not */
	"\xff\xff\xff\xff\xff\x01", /* six bytes */
	"\xff\xff\xff\xff\x0f",     /* UINT32_MAX is no shingle */
	"\xfe\xff\xff\xff\x0f\x01", /* and nothing is over it */
};

TEST_ROWS(damaged_sets_are_refused, damaged)
{
	uint32_t shingle_ids[8];

	ck_assert_uint_eq(set_decode(slice_of(damaged[_i]), shingle_ids),
			  SIZE_MAX);
}

TEST(a_scan_sees_the_sets_of_one_site)
{
	const uint32_t shingle_ids[] = {5, 6, 9};
	struct set_scan scan;

	set_put(&txn, SITE, 1, shingle_ids, 2);
	set_put(&txn, SITE, 4, shingle_ids, 3);
	set_put(&txn, SITE + 1, 2, shingle_ids, 1);
	scan = set_scan_begin(&txn, SITE);
	ck_assert(set_scan_next(&scan));
	ck_assert_uint_eq(scan.set, 1);
	ck_assert_uint_eq(scan.count, 2);
	ck_assert(set_scan_next(&scan));
	ck_assert_uint_eq(scan.set, 4);
	ck_assert_uint_eq(scan.count, 3);
	ck_assert_uint_eq(scan.shingle_ids[2], 9);
	ck_assert(!set_scan_next(&scan));
	set_scan_end(&scan);
	ASSERT_OK(txn.error);
}

TEST(a_scan_over_damage_fails_the_transaction)
{
	struct key key = key_cluster(SITE, 0);
	struct set_scan scan;

	txn_put(&txn, TABLE_SETS, key_slice(&key), slice_of("\x80"));
	scan = set_scan_begin(&txn, SITE);
	ck_assert(!set_scan_next(&scan));
	set_scan_end(&scan);
	ck_assert_int_eq(txn.error, ERR_CORRUPT);
}

TEST(shingle_ids_come_and_go)
{
	struct key key = key_cluster(SITE, 2);
	uint64_t shingle = 0;

	shingle_put(&txn, SITE, 2, UINT64_C(0x123456789abcdef0));
	ck_assert(shingle_decode(txn_get(&txn, TABLE_SHINGLES, key_slice(&key)),
				 &shingle));
	ck_assert_uint_eq(shingle, UINT64_C(0x123456789abcdef0));
	shingle_delete(&txn, SITE, 2);
	ck_assert_ptr_null(txn_get(&txn, TABLE_SHINGLES, key_slice(&key)).data);
	ck_assert(!shingle_decode(slice_of("seven b"), &shingle));
}
