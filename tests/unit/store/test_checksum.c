/* Every value has a checksum: a bit that turned over is never read as data. */
#include "store/key.h"

#include <fcntl.h>

#include "store/store.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

static struct scratch scratch;

static void set_up(void)
{
	scratch_make(&scratch);
}

static void tear_down(void)
{
	scratch_remove(&scratch, NULL);
}

FIXTURE(.setup = set_up, .teardown = tear_down);

TEST(each_bit_of_key_value_and_sum_counts)
{
	unsigned char key[8] = "the key";
	unsigned char stored[16 + CHECKSUM_BYTES];
	struct slice whole = {stored, sizeof(stored)};
	struct slice k = {key, sizeof(key)};

	checksum_write("pages", k, slice_of("sixteen bytes..."), stored);
	ck_assert(slice_equal(checksum_read("pages", k, whole),
			      slice_of("sixteen bytes...")));
	ck_assert_ptr_null(checksum_read("bodies", k, whole).data);
	for (size_t bit = 0; bit < sizeof(key) * 8; bit++) {
		key[bit / 8] ^= (unsigned char)(1U << bit % 8);
		ck_assert_ptr_null(checksum_read("pages", k, whole).data);
		key[bit / 8] ^= (unsigned char)(1U << bit % 8);
	}
	for (size_t bit = 0; bit < sizeof(stored) * 8; bit++) {
		stored[bit / 8] ^= (unsigned char)(1U << bit % 8);
		ck_assert_ptr_null(checksum_read("pages", k, whole).data);
		stored[bit / 8] ^= (unsigned char)(1U << bit % 8);
	}
	whole.size = CHECKSUM_BYTES - 1;
	ck_assert_ptr_null(checksum_read("pages", k, whole).data);
}

TEST(a_value_may_be_empty)
{
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_write(store);
	struct slice value;

	txn_put(&txn, TABLE_DUE, slice_of("key"), slice_of(""));
	value = txn_get(&txn, TABLE_DUE, slice_of("key"));
	ck_assert_ptr_nonnull(value.data);
	ck_assert_uint_eq(value.size, 0);
	ASSERT_OK(txn_end(&txn));
	store_close(store);
}

/* Flip a bit of `text` at its position in the file. */
static void damage(const char *text)
{
	const char *name = scratch_path(&scratch, "data.mdb");
	AUTO_BUFFER bytes = {0};
	char *at;

	ASSERT_OK(file_read(name, SIZE_MAX, &bytes));
	for (at = bytes.data;
	     (at = memmem(at, bytes.size - (size_t)(at - bytes.data), text,
			  strlen(text))) != NULL;)
		*at ^= 1;
	ASSERT_OK(file_write(name, buffer_slice(&bytes)));
}

static void put_and_damage(const char *what)
{
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_write(store);

	txn_put(&txn, TABLE_HOSTS, slice_of("a whole key"), slice_of("whole"));
	txn_put(&txn, TABLE_HOSTS, slice_of("the key"), slice_of("the value"));
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	damage(what);
}

TEST(a_damaged_value_is_corrupt_and_nothing_is_written)
{
	struct store *store;
	struct txn txn;

	put_and_damage("the value");
	store = scratch_store(&scratch);
	txn = txn_begin_write(store);
	ck_assert(
		slice_equal(txn_get(&txn, TABLE_HOSTS, slice_of("a whole key")),
			    slice_of("whole")));
	txn_put(&txn, TABLE_HOSTS, slice_of("another"), slice_of("x"));
	ck_assert_ptr_null(
		txn_get(&txn, TABLE_HOSTS, slice_of("the key")).data);
	ck_assert_int_eq(txn_end(&txn), ERR_CORRUPT);
	txn = txn_begin_read(store);
	ck_assert_ptr_null(
		txn_get(&txn, TABLE_HOSTS, slice_of("another")).data);
	ASSERT_OK(txn_end(&txn));
	store_close(store);
}

static enum error scan_all(void)
{
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_read(store);
	struct scan scan = scan_begin(&txn, TABLE_HOSTS, slice_of(""));
	enum error error;

	while (scan_next(&scan))
		;
	scan_end(&scan);
	error = txn_end(&txn);
	store_close(store);
	return error;
}

TEST(a_scan_ends_at_a_damaged_value)
{
	put_and_damage("the value");
	ck_assert_int_eq(scan_all(), ERR_CORRUPT);
}

TEST(a_scan_ends_at_a_damaged_key)
{
	put_and_damage("the key");
	ck_assert_int_eq(scan_all(), ERR_CORRUPT);
}

TEST(what_is_damaged_can_be_deleted)
{
	struct store *store;
	struct txn txn;

	put_and_damage("the value");
	store = scratch_store(&scratch);
	txn = txn_begin_write(store);
	ck_assert_uint_eq(txn_delete_prefix(&txn, TABLE_HOSTS, slice_of("the")),
			  1);
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	ASSERT_OK(scan_all());
}
