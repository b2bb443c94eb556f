#include "store/txn.h"

#include <endian.h>

#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

static struct scratch scratch;
static struct store *store;

static void setup(void)
{
	scratch_make(&scratch);
	store = scratch_store(&scratch);
}

static void teardown(void)
{
	store_close(store);
	scratch_remove(&scratch, NULL);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_committed_value_is_read_back)
{
	struct txn txn = txn_begin_write(store);
	struct slice value;

	txn_put(&txn, TABLE_HOSTS, slice_of("page"), slice_of("signature"));
	ASSERT_OK(txn_end(&txn));
	ck_assert_ptr_null(txn.mdb);

	txn = txn_begin_read(store);
	value = txn_get(&txn, TABLE_HOSTS, slice_of("page"));
	ck_assert(slice_equal(value, slice_of("signature")));
	ck_assert_ptr_null(txn_get(&txn, TABLE_HOSTS, slice_of("absent")).data);
	ck_assert_ptr_null(txn_get(&txn, TABLE_SITES, slice_of("page")).data);
	ASSERT_OK(txn_end(&txn));
}

TEST(only_a_commit_changes_the_store)
{
	uint64_t commits = store_commits(store);
	struct txn txn = txn_begin_read(store);

	ASSERT_OK(txn_end(&txn));
	txn = txn_begin_write(store);
	txn_put(&txn, TABLE_HOSTS, slice_of("a"), slice_of("b"));
	txn_abort(&txn);
	ck_assert(store_is_same(store, commits));

	txn = txn_begin_write(store);
	txn_put(&txn, TABLE_HOSTS, slice_of("a"), slice_of("b"));
	ck_assert(store_is_same(store, commits));
	ASSERT_OK(txn_end(&txn));
	ck_assert(!store_is_same(store, commits));
	ck_assert(store_is_same(store, store_commits(store)));
	/* a commit was in progress */
	ck_assert(!store_is_same(store, commits + 1));
}

TEST(an_empty_value_is_there)
{
	struct txn txn = txn_begin_write(store);
	struct slice value;

	txn_put(&txn, TABLE_HOSTS, slice_of("page"), (struct slice){NULL, 0});
	value = txn_get(&txn, TABLE_HOSTS, slice_of("page"));
	ck_assert_ptr_nonnull(value.data);
	ck_assert_uint_eq(value.size, 0);
	ASSERT_OK(txn_end(&txn));
}

TEST(one_failed_step_undoes_the_whole_transaction)
{
	struct txn txn = txn_begin_write(store);

	txn_put(&txn, TABLE_HOSTS, slice_of("before"), slice_of("x"));
	txn_put(&txn, TABLE_HOSTS, slice_of(""), slice_of("no key"));
	txn_put(&txn, TABLE_HOSTS, slice_of("after"), slice_of("x"));
	ck_assert_ptr_null(txn_get(&txn, TABLE_HOSTS, slice_of("before")).data);
	ck_assert_int_eq(txn_end(&txn), ERR_MALFORMED);

	txn = txn_begin_read(store);
	ck_assert_ptr_null(txn_get(&txn, TABLE_HOSTS, slice_of("before")).data);
	ASSERT_OK(txn_end(&txn));
}

TEST(the_first_error_is_reported)
{
	struct txn txn = txn_begin_write(store);

	txn_fail(&txn, ERR_NONE);
	txn_fail(&txn, ERR_TIMEOUT);
	txn_fail(&txn, ERR_CORRUPT);
	ck_assert_int_eq(txn_end(&txn), ERR_TIMEOUT);
	ck_assert_int_eq(txn_end(&txn), ERR_TIMEOUT); /* and it has ended */
}

TEST(a_key_may_have_511_bytes_and_no_more)
{
	char key[512];
	struct txn txn = txn_begin_write(store);

	memset(key, 'k', sizeof(key));
	txn_put(&txn, TABLE_HOSTS, (struct slice){key, 511}, slice_of("x"));
	ASSERT_OK(txn.error);
	ck_assert_ptr_null(
		txn_get(&txn, TABLE_HOSTS, (struct slice){key, 512}).data);
	ck_assert_ptr_null(txn_get(&txn, TABLE_HOSTS, slice_of("")).data);
	txn_delete(&txn, TABLE_HOSTS, (struct slice){key, 512});
	ASSERT_OK(txn.error);
	txn_put(&txn, TABLE_HOSTS, (struct slice){key, 512}, slice_of("x"));
	ck_assert_int_eq(txn_end(&txn), ERR_MALFORMED);
}

TEST(an_aborted_writer_leaves_no_trace)
{
	struct txn txn = txn_begin_write(store);

	txn_put(&txn, TABLE_HOSTS, slice_of("page"), slice_of("x"));
	txn_abort(&txn);
	txn_abort(&txn);

	txn = txn_begin_read(store);
	ck_assert_ptr_null(txn_get(&txn, TABLE_HOSTS, slice_of("page")).data);
	ASSERT_OK(txn_end(&txn));
}

TEST(a_reader_cannot_write)
{
	struct txn txn = txn_begin_read(store);

	txn_put(&txn, TABLE_HOSTS, slice_of("page"), slice_of("x"));
	ck_assert_int_eq(txn_end(&txn), ERR_IO);
}

TEST(an_absent_key_is_deleted_without_complaint)
{
	struct txn txn = txn_begin_write(store);

	txn_put(&txn, TABLE_HOSTS, slice_of("page"), slice_of("x"));
	txn_delete(&txn, TABLE_HOSTS, slice_of("page"));
	txn_delete(&txn, TABLE_HOSTS, slice_of("page"));
	ck_assert_ptr_null(txn_get(&txn, TABLE_HOSTS, slice_of("page")).data);
	ASSERT_OK(txn_end(&txn));
}

/* a, ab, abc, b: what begins with ab is ab and abc. */
static void put_letters(struct txn *txn)
{
	static const char *const keys[] = {"abc", "b", "a", "ab"};

	for (size_t i = 0; i < 4; i++)
		txn_put(txn, TABLE_HOSTS, slice_of(keys[i]), slice_of(keys[i]));
}

TEST(a_scan_visits_the_keys_of_its_prefix_in_order)
{
	struct txn txn = txn_begin_write(store);
	struct scan scan;

	put_letters(&txn);
	scan = scan_begin(&txn, TABLE_HOSTS, slice_of("ab"));
	ck_assert(scan_next(&scan));
	ck_assert(slice_equal(scan.key, slice_of("ab")));
	ck_assert(slice_equal(scan.value, slice_of("ab")));
	ck_assert(scan_next(&scan));
	ck_assert(slice_equal(scan.key, slice_of("abc")));
	ck_assert(!scan_next(&scan));
	ck_assert(!scan_next(&scan));
	scan_end(&scan);
	ASSERT_OK(txn_end(&txn));
}

TEST(an_empty_prefix_scans_the_whole_table)
{
	struct txn txn = txn_begin_write(store);
	struct scan scan = scan_begin(&txn, TABLE_HOSTS, slice_of(""));
	size_t count = 0;

	ck_assert(!scan_next(&scan));
	scan_end(&scan);
	put_letters(&txn);
	scan = scan_begin(&txn, TABLE_HOSTS, slice_of(""));
	while (scan_next(&scan))
		count++;
	scan_end(&scan);
	ck_assert_uint_eq(count, 4);
	ASSERT_OK(txn_end(&txn));
}

TEST(a_scan_may_begin_in_the_middle)
{
	struct txn txn = txn_begin_write(store);
	struct scan scan;

	put_letters(&txn);
	scan = scan_begin_at(&txn, TABLE_HOSTS, slice_of("aba"), 1);
	ck_assert(scan_next(&scan));
	ck_assert(slice_equal(scan.key, slice_of("abc")));
	ck_assert(!scan_next(&scan)); /* b does not begin with a */
	scan_end(&scan);
	ASSERT_OK(txn_end(&txn));
}

TEST(a_scan_of_a_failed_transaction_is_empty)
{
	struct txn txn = txn_begin_write(store);
	struct scan scan;

	put_letters(&txn);
	scan = scan_begin(&txn, TABLE_HOSTS, slice_of(""));
	ck_assert(scan_next(&scan));
	txn_fail(&txn, ERR_STOPPED);
	ck_assert(!scan_next(&scan));
	scan_delete(&scan);
	scan_end(&scan);
	ck_assert_int_eq(txn_end(&txn), ERR_STOPPED);
}

enum { ROWS = 20000 };

/* Values of 0 to 63 bytes, so that pages are cut at uneven places. */
static void put_numbers(struct txn *txn)
{
	char value[64] = {0};

	for (uint64_t i = 0; i < ROWS; i++) {
		uint64_t key = htobe64(i * 0x9e3779b97f4a7c15);

		txn_put(txn, TABLE_EVENTS, (struct slice){&key, sizeof(key)},
			(struct slice){value, i % 64});
	}
	ASSERT_OK(txn->error);
}

/* All keys of the table. */
static size_t read_keys(struct txn *txn, uint64_t *keys)
{
	struct scan scan = scan_begin(txn, TABLE_EVENTS, slice_of(""));
	size_t count = 0;

	for (; count < ROWS && scan_next(&scan); count++)
		memcpy(&keys[count], scan.key.data, sizeof(keys[count]));
	ck_assert(count == ROWS || !scan_next(&scan));
	scan_end(&scan);
	return count;
}

/* Visit `keys`, and nothing else; delete some, and keep the others. */
static size_t delete_some(struct txn *txn, const uint64_t *keys, uint64_t *kept,
			  uint64_t seed, uint64_t odds)
{
	struct scan scan = scan_begin(txn, TABLE_EVENTS, slice_of(""));
	size_t visited = 0;
	size_t left = 0;

	for (; scan_next(&scan); visited++) {
		if (memcmp(scan.key.data, &keys[visited], 8) != 0)
			break;
		if (scratch_random(&seed) % 64 < odds)
			scan_delete(&scan);
		else
			kept[left++] = keys[visited];
	}
	scan_end(&scan);
	ck_assert_uint_eq(visited, ROWS);
	return left;
}

TEST_LOOP(a_scan_continues_after_a_deleted_row, 0, 6)
{
	static const uint64_t odds[] = {1, 16, 32, 48, 63, 64};
	static uint64_t keys[ROWS + 1]; /* one more than a right scan visits */
	static uint64_t kept[ROWS];
	struct txn txn = txn_begin_write(store);
	size_t left;

	put_numbers(&txn);
	ck_assert_uint_eq(read_keys(&txn, keys), ROWS);
	printf("seed %d\n", _i + 1);
	left = delete_some(&txn, keys, kept, (uint64_t)_i + 1, odds[_i]);
	ck_assert_uint_eq(read_keys(&txn, keys), left);
	ck_assert_int_eq(memcmp(keys, kept, left * sizeof(*keys)), 0);
	txn_abort(&txn);
}

TEST(a_deleted_prefix_leaves_its_neighbours)
{
	struct txn txn = txn_begin_write(store);

	put_letters(&txn);
	ck_assert_uint_eq(txn_delete_prefix(&txn, TABLE_HOSTS, slice_of("ab")),
			  2);
	ck_assert_uint_eq(txn_delete_prefix(&txn, TABLE_HOSTS, slice_of("ab")),
			  0);
	ck_assert_ptr_nonnull(txn_get(&txn, TABLE_HOSTS, slice_of("a")).data);
	ck_assert_ptr_nonnull(txn_get(&txn, TABLE_HOSTS, slice_of("b")).data);
	put_numbers(&txn);
	ck_assert_uint_eq(txn_delete_prefix(&txn, TABLE_EVENTS, slice_of("")),
			  ROWS);
	ASSERT_OK(txn_end(&txn));
}
