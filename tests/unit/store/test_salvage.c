/* Recovery of rows with numbers above the counters. */
#include "store/recover.h"

#include "store/rows.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

enum { HIGH_HOOK = 4000000000U };

static struct scratch scratch;

static void set_up(void)
{
	scratch_make(&scratch);
}

static void tear_down(void)
{
	static const char *const inner[] = {"new", NULL};

	scratch_remove(&scratch, inner);
}

static struct recovery_report salvage_it(void)
{
	struct recovery_report report;

	ASSERT_OK(store_recover_intact(
		scratch.folder, scratch_path(&scratch, "new"), NULL, &report));
	ck_assert_uint_eq(report.text.size, 0);
	buffer_free(&report.text);
	return report;
}

static struct store *open_new(void)
{
	struct store_options options = {.is_temporary = true};
	struct store *store = NULL;

	ASSERT_OK(store_open(&store, scratch_path(&scratch, "new"), &options));
	return store;
}

static void put_site(struct txn *txn, uint32_t id, const char *host)
{
	const struct site_row row = {
		.id = id,
		.host = slice_of(host),
		.seed = slice_of("http://a.test/"),
	};

	site_put(txn, &row);
}

FIXTURE(.setup = set_up, .teardown = tear_down);

/* The rows of sites are in the order of their hosts, not of their numbers. */
TEST(sites_are_found_by_their_numbers)
{
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_write(store);
	struct recovery_report report;
	struct site_row row;

	put_site(&txn, 9, "a.test");
	put_site(&txn, 2, "b.test");
	put_site(&txn, 5, "c.test");
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	report = salvage_it();
	ck_assert_uint_eq(report.sites, 3);
	ck_assert_uint_eq(report.damaged, 0);
	store = open_new();
	txn = txn_begin_read(store);
	ck_assert(site_get(&txn, slice_of("a.test"), &row) && row.id == 9);
	ck_assert(site_get(&txn, slice_of("b.test"), &row) && row.id == 2);
	ck_assert(site_get(&txn, slice_of("c.test"), &row) && row.id == 5);
	ck_assert_uint_eq(store_last_number(&txn, "site"), 9);
	txn_abort(&txn);
	store_close(store);
}

/* Its number does not cause a search for all lower ones. */
TEST(hooks_may_have_any_number)
{
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_write(store);
	const struct hook_row hook = {.target = slice_of("http://a.test/"),
				      .waiting = 7};
	struct hook_row row;

	hook_row_put(&txn, 3, &hook);
	hook_row_put(&txn, HIGH_HOOK, &hook);
	hook_row_put(&txn, UINT32_MAX, &hook);
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	ck_assert_uint_ge(salvage_it().rows, 3);
	store = open_new();
	txn = txn_begin_read(store);
	ck_assert(hook_row_get(&txn, 3, &row) && row.waiting == 0);
	ck_assert(hook_row_get(&txn, HIGH_HOOK, &row) && row.waiting == 0);
	ck_assert(hook_row_get(&txn, UINT32_MAX, &row) && row.waiting == 0);
	ck_assert_uint_eq(store_last_number(&txn, "hook"), UINT32_MAX);
	txn_abort(&txn);
	store_close(store);
}
