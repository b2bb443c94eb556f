/* What a store does after a write that failed. */
#include "store/store.h"

#include "tests/fault/fault.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

enum { MAX_WRITES = 100 };

static struct scratch scratch;
static struct store *store;

static void setup(void)
{
	scratch_make(&scratch);
	ASSERT_OK(
		store_open(&store, scratch.folder, &(struct store_options){0}));
}

static void teardown(void)
{
	store_close(store);
	scratch_remove(&scratch, NULL);
}

static enum error put(const char *key, const char *value)
{
	struct txn txn = txn_begin_write(store);

	txn_put(&txn, TABLE_META, slice_of(key), slice_of(value));
	return txn_end(&txn);
}

static bool has(const char *key, const char *value)
{
	struct txn txn = txn_begin_read(store);
	struct slice found = txn_get(&txn, TABLE_META, slice_of(key));
	bool is_equal = found.size == strlen(value) &&
			memcmp(found.data, value, found.size) == 0;

	txn_abort(&txn);
	return is_equal;
}

/* In a commit with any writes, the writes 1, 2, ... fail one after another. */
static uint32_t fail_all(struct fault *fault, enum fault_kind kind)
{
	uint32_t n;

	ASSERT_OK(put("key", "before"));
	for (n = 1; n < MAX_WRITES; n++) {
		enum error error;

		fault_set(fault, kind, n, n);
		fault_arm(fault);
		error = put("key", "after");
		fault_arm(NULL);
		if (!fault->has_failed)
			break;
		ck_assert(has("key", error == ERR_NONE ? "after" : "before"));
		ASSERT_OK(put("key", "before"));
		ck_assert(has("key", "before"));
	}
	return n - 1;
}

FIXTURE(.timeout_s = 60, .setup = setup, .teardown = teardown);

TEST(a_write_that_fails_undoes_its_transaction_and_no_other)
{
	/* at least the pages, their sync, and the meta page */
	ck_assert_uint_ge(fail_all(fault_create(), FAULT_WRITE), 3);
}

TEST(a_call_that_fails_undoes_its_transaction_and_no_other)
{
	/* begin, put, commit */
	ck_assert_uint_ge(fail_all(fault_create(), FAULT_LMDB), 3);
}

TEST(a_full_disk_is_reported_until_there_is_room)
{
	struct fault *fault = fault_create();

	ASSERT_OK(put("key", "before"));
	fault_set(fault, FAULT_WRITE, 1, UINT32_MAX);
	fault_arm(fault);
	for (int i = 0; i < 10; i++) {
		ck_assert_int_ne(put("key", "after"), ERR_NONE);
		ck_assert(has("key", "before"));
	}
	fault_arm(NULL);
	ASSERT_OK(put("key", "after"));
	ck_assert(has("key", "after"));
}
