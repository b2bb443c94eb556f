#include "store/site_feed.h"

#include <string.h>

#include "store/rows.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

static struct scratch scratch;
static struct store *store;
static struct site_feed *feed;
static struct host_list list;

static void setup(void)
{
	scratch_make(&scratch);
	store = scratch_store(&scratch);
	feed = site_feed_create(store);
	list = (struct host_list){0};
	ck_assert(!site_feed_take(feed, &list));
}

static void teardown(void)
{
	host_list_free(&list);
	site_feed_destroy(feed);
	store_close(store);
	scratch_remove(&scratch, NULL);
}

FIXTURE(.setup = setup, .teardown = teardown);

static void put(struct txn *txn, const char *host)
{
	txn_put(txn, TABLE_SITES, slice_of(host), slice_of("row"));
}

/* Write the rows of "b", "a" and "b" in one transaction. */
static struct txn begin_with_sites(void)
{
	struct txn txn = txn_begin_write(store);

	put(&txn, "b");
	put(&txn, "a");
	put(&txn, "b");
	return txn;
}

TEST(a_feed_has_each_changed_site_once)
{
	struct txn txn = begin_with_sites();

	ASSERT_OK(txn_end(&txn));
	txn = txn_begin_write(store);
	put(&txn, "a");
	txn_put(&txn, TABLE_HOSTS, slice_of("c"), slice_of("no site"));
	ASSERT_OK(txn_end(&txn));
	ck_assert(site_feed_take(feed, &list));
	host_list_sort(&list);
	ck_assert_uint_eq(list.count, 2);
	ck_assert_str_eq(list.hosts[0], "a");
	ck_assert_str_eq(list.hosts[1], "b");
	host_list_free(&list);
	ck_assert(site_feed_take(feed, &list));
	host_list_sort(&list);
	ck_assert_uint_eq(list.count, 0);
}

TEST(a_feed_has_nothing_of_a_transaction_that_was_undone)
{
	struct txn txn = begin_with_sites();

	txn_abort(&txn);
	txn = txn_begin_write(store);
	put(&txn, "c");
	ASSERT_OK(txn_end(&txn));
	ck_assert(site_feed_take(feed, &list));
	host_list_sort(&list);
	ck_assert_uint_eq(list.count, 1);
	ck_assert_str_eq(list.hosts[0], "c");
}

TEST(after_the_end_of_a_site_all_sites_are_read)
{
	struct txn txn = begin_with_sites();
	struct scan scan;

	ASSERT_OK(txn_end(&txn));
	txn = txn_begin_write(store);
	txn_delete(&txn, TABLE_SITES, slice_of("a"));
	ASSERT_OK(txn_end(&txn));
	ck_assert(!site_feed_take(feed, &list));
	ck_assert(site_feed_take(feed, &list));
	txn = txn_begin_write(store);
	scan = scan_begin(&txn, TABLE_SITES, slice_of(""));
	ck_assert(scan_next(&scan));
	scan_delete(&scan);
	scan_end(&scan);
	ASSERT_OK(txn_end(&txn));
	ck_assert(!site_feed_take(feed, &list));
	ck_assert_uint_eq(list.count, 0);
}

TEST(a_feed_that_nobody_reads_stays_small)
{
	struct txn txn = txn_begin_write(store);
	char host[256];

	memset(host, 'a', sizeof(host));
	host[sizeof(host) - 1] = '\0';
	for (unsigned i = 0; i < 5000; i++)
		put(&txn, host);
	ASSERT_OK(txn_end(&txn));
	ck_assert(!site_feed_take(feed, &list));
	ck_assert_uint_eq(list.text.size, 0);
}

TEST(each_feed_has_its_own_changes)
{
	struct site_feed *second = site_feed_create(store);
	struct txn txn = begin_with_sites();

	ASSERT_OK(txn_end(&txn));
	ck_assert(!site_feed_take(second, &list));
	ck_assert(site_feed_take(second, &list));
	ck_assert_uint_eq(list.count, 0);
	site_feed_destroy(second);
	ck_assert(site_feed_take(feed, &list));
	ck_assert_uint_eq(list.count, 3);
	site_feed_reset(feed);
	ck_assert(!site_feed_take(feed, &list));
}
