#include "daemon/engine.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/rows.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

enum { URLS = 60 };

static struct world world;

static void setup(void)
{
	world_open(&world, 0);
	world_add_site(&world, "a.test");
}

static void teardown(void)
{
	world_close(&world);
}

static void page_url(char *url, size_t size, unsigned number)
{
	snprintf(url, size, "http://a.test/page/%u", number);
}

static void put(unsigned number, unsigned kind, unsigned seed)
{
	struct buffer html = {0};
	char url[64];

	page_url(url, sizeof(url), number);
	world_page(&html, kind, seed);
	ck_assert_int_eq(world_put(&world, url, buffer_slice(&html)), ERR_NONE);
	buffer_free(&html);
}

static uint32_t cluster_of(unsigned number)
{
	struct txn txn = txn_begin_read(world.store);
	struct page_row row = {0};
	struct site_row site;
	char url[64];

	page_url(url, sizeof(url), number);
	ck_assert(site_get(&txn, slice_of("a.test"), &site));
	page_row_get(&txn, site.id, page_key_of(slice_of(url)), &row);
	txn_abort(&txn);
	return row.cluster;
}

static uint64_t rows_of(enum table table)
{
	struct store_usage usage;

	ck_assert_int_eq(store_usage(world.store, &usage), ERR_NONE);
	return usage.rows[table];
}

START_TEST(pages_of_one_template_are_one_cluster)
{
	for (unsigned i = 0; i < 12; i++)
		put(i, i % 3, i);
	for (unsigned i = 3; i < 12; i++)
		ck_assert_uint_eq(cluster_of(i), cluster_of(i % 3));
	ck_assert_uint_ne(cluster_of(0), cluster_of(1));
	ck_assert_uint_ne(cluster_of(0), cluster_of(2));
	ck_assert_uint_ne(cluster_of(1), cluster_of(2));
	ck_assert_uint_eq(world_problems(&world), 0);
}
END_TEST

START_TEST(a_page_that_changes_its_template_changes_its_cluster)
{
	for (unsigned i = 0; i < 8; i++)
		put(i, i % 2, i);
	put(0, 1, 100);
	ck_assert_uint_eq(cluster_of(0), cluster_of(1));
	ck_assert_uint_eq(world_problems(&world), 0);
}
END_TEST

START_TEST(a_page_that_is_gone_leaves_nothing_behind)
{
	put(0, 0, 0);
	world_remove(&world, "http://a.test/page/0");
	ck_assert_uint_eq(rows_of(TABLE_PAGES), 0);
	ck_assert_uint_eq(rows_of(TABLE_DF), 0);
	ck_assert_uint_eq(rows_of(TABLE_CLUSTERS), 0);
	ck_assert_uint_eq(rows_of(TABLE_MEMBERS), 0);
	ck_assert_uint_eq(rows_of(TABLE_BODIES), 0);
	ck_assert_uint_eq(world_problems(&world), 0);
}
END_TEST

static void commit(enum change_kind kind)
{
	struct change change = {.kind = kind};
	struct url url;

	url_parse(&url, slice_of("http://a.test/"), NULL);
	change.url = &url;
	engine_commit(world.engine, &change, 1, 1, NULL);
	ck_assert_int_eq(change.error, ERR_NONE);
}

START_TEST(a_deleted_site_leaves_nothing_but_events)
{
	for (unsigned i = 0; i < 8; i++)
		put(i, i % 2, i);
	commit(CHANGE_HOST);
	ck_assert_uint_eq(rows_of(TABLE_HOSTS), 1);
	commit(CHANGE_SITE_DELETE);
	for (unsigned table = 0; table < TABLE_COUNT; table++)
		if (table != TABLE_META && table != TABLE_EVENTS)
			ck_assert_uint_eq(rows_of((enum table)table), 0);
	ck_assert_uint_eq(world_problems(&world), 0);
}
END_TEST

/* One random step: a page comes, changes, changes its template, or goes. */
static void random_step(uint64_t *state)
{
	unsigned number = world_random(state) % URLS;
	char url[64];

	page_url(url, sizeof(url), number);
	if (world_random(state) % 5 == 0)
		world_remove(&world, url);
	else
		put(number, world_random(state) % 4, world_random(state) % 7);
}

/* Laws 1 and 2: verify() recounts, and clusters by brute force. */
START_TEST(counts_and_clusters_are_exact_after_any_history)
{
	uint64_t state = (uint64_t)_i + 1;

	printf("seed %d\n", _i + 1);
	for (int round = 0; round < 6; round++) {
		for (int step = 0; step < 40; step++)
			random_step(&state);
		if (round % 2 == 1)
			world_reopen(&world);
		ck_assert_uint_eq(world_problems(&world), 0);
	}
}
END_TEST

/* Law 1: the partition is the same for every order of arrival. */
START_TEST(the_order_of_arrival_does_not_matter)
{
	uint32_t forward[URLS];

	for (unsigned i = 0; i < URLS; i++)
		put(i, i % 4, i * 7);
	for (unsigned i = 0; i < URLS; i++)
		forward[i] = cluster_of(i);
	teardown();
	setup();
	for (unsigned i = URLS; i-- > 0;)
		put(i, i % 4, i * 7);
	for (unsigned i = 0; i < URLS; i++)
		for (unsigned k = 0; k < i; k++)
			ck_assert_int_eq(forward[i] == forward[k],
					 cluster_of(i) == cluster_of(k));
}
END_TEST

/* Law 3: what does not fit leaves no trace, and what was there stays. */
START_TEST(a_full_store_refuses_a_page_and_keeps_the_rest)
{
	unsigned stored = 0;
	enum error error = ERR_NONE;

	teardown();
	world_open(&world, 2 << 20);
	world_add_site(&world, "a.test");
	while (error == ERR_NONE && stored < 100000) {
		struct buffer html = {0};
		char url[64];
		uint64_t state = stored;

		page_url(url, sizeof(url), stored);
		world_page(&html, 0, stored);
		for (int i = 0; i < 2000; i++)
			buffer_printf(&html, "<p>%08x", world_random(&state));
		error = world_put(&world, url, buffer_slice(&html));
		stored += error == ERR_NONE;
		buffer_free(&html);
	}
	ck_assert_int_eq(error, ERR_STORE_FULL);
	ck_assert_uint_gt(stored, 0);
	ck_assert_uint_eq(rows_of(TABLE_PAGES), stored);
	ck_assert_uint_eq(world_problems(&world), 0);
}
END_TEST

START_TEST(a_truncated_page_is_kept_but_never_learnt_from)
{
	struct buffer html = {0};

	for (int i = 0; i < 2000; i++)
		buffer_append_text(&html, "<div>");
	buffer_append_text(&html, "deep");
	ck_assert_int_eq(
		world_put(&world, "http://a.test/page/0", buffer_slice(&html)),
		ERR_NONE);
	buffer_free(&html);
	ck_assert_uint_eq(cluster_of(0), 0);
	ck_assert_uint_eq(rows_of(TABLE_PAGES), 1);
	ck_assert_uint_eq(rows_of(TABLE_DF), 0);
	ck_assert_uint_eq(rows_of(TABLE_SIGNATURES), 0);
	ck_assert_uint_eq(world_problems(&world), 0);
}
END_TEST

START_TEST(a_page_of_an_unknown_site_is_refused_alone)
{
	struct buffer html = {0};

	world_page(&html, 0, 0);
	ck_assert_int_eq(
		world_put(&world, "http://other.test/", buffer_slice(&html)),
		ERR_NOT_FOUND);
	ck_assert_int_eq(
		world_put(&world, "http://a.test/page/1", buffer_slice(&html)),
		ERR_NONE);
	buffer_free(&html);
}
END_TEST

START_TEST(there_is_a_limit_to_sites)
{
	/* a.test is there already */
	ck_assert_int_eq(world_add_site(&world, "b.test"), ERR_NONE);
	ck_assert_int_eq(world_add_site(&world, "c.test"), ERR_NONE);
	ck_assert_int_eq(world_add_site(&world, "d.test"), ERR_NONE);
	ck_assert_int_eq(world_add_site(&world, "e.test"), ERR_BUSY);
	ck_assert_uint_eq(rows_of(TABLE_SITES), WORLD_MAX_SITES);
}
END_TEST

START_TEST(the_oldest_events_are_forgotten)
{
	for (unsigned i = 0; i < 2 * WORLD_MAX_EVENTS; i++)
		put(i, 0, i);
	ck_assert_uint_eq(rows_of(TABLE_EVENTS), WORLD_MAX_EVENTS);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("engine");
	TCase *tcase = tcase_create("engine");

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, pages_of_one_template_are_one_cluster);
	tcase_add_test(tcase,
		       a_page_that_changes_its_template_changes_its_cluster);
	tcase_add_test(tcase, a_page_that_is_gone_leaves_nothing_behind);
	tcase_add_test(tcase, a_deleted_site_leaves_nothing_but_events);
	tcase_add_loop_test(
		tcase, counts_and_clusters_are_exact_after_any_history, 0, 8);
	tcase_add_test(tcase, the_order_of_arrival_does_not_matter);
	tcase_add_test(tcase, a_full_store_refuses_a_page_and_keeps_the_rest);
	tcase_add_test(tcase, a_truncated_page_is_kept_but_never_learnt_from);
	tcase_add_test(tcase, a_page_of_an_unknown_site_is_refused_alone);
	tcase_add_test(tcase, there_is_a_limit_to_sites);
	tcase_add_test(tcase, the_oldest_events_are_forgotten);
	suite_add_tcase(suite, tcase);
	return suite;
}
