#include "crawl/frontier.h"

#include <time.h>

#include "store/rows.h"
#include "tests/unit/crawl/frontier_world.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

FIXTURE(.setup = world_begin, .teardown = world_end);

TEST(a_url_is_new_once)
{
	ck_assert_int_eq(add("http://a.example/1"), ADMIT_LINK);
	ck_assert_int_eq(add("http://a.example/1"), ADMIT_LINK);
	check_counts(1, 0, 0);
	ck_assert_uint_eq(row_of("http://a.example/1").found_ms, 5);
	ck_assert_uint_eq(row_of("http://a.example/1").rule, ADMIT_LINK);
}

/* Ranks: /{w} 0, 1, 2; /x/{w} 0; the requested one before all others. */
TEST(patterns_take_turns)
{
	struct lease leases[8] = {0};

	add("http://a.example/a");
	add("http://a.example/b");
	add("http://a.example/c");
	add("http://a.example/x/a");
	ask("http://a.example/d", 0);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), 1);
	ck_assert_uint_eq(lease(1, 100, 8, leases), 1);
	ck_assert_str_eq(leases[0].url, "http://a.example/d");
	ck_assert_uint_eq(lease(2, 100, 8, leases), 2);
	ck_assert_uint_eq(
		leases[0].key + leases[1].key,
		page_key_of(slice_of("http://a.example/a")) +
			page_key_of(slice_of("http://a.example/x/a")));
	ck_assert_uint_eq(leases[0].depth, 1);
	ck_assert_uint_eq(lease(50, 100, 1, leases), 1);
	ck_assert_str_eq(leases[0].url, "http://a.example/b");
	ck_assert_uint_eq(lease(50, 100, 8, leases), 1);
	ck_assert_str_eq(leases[0].url, "http://a.example/c");
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), 100);
	ck_assert_uint_eq(lease(100, 200, 0, leases), 0);
	check_counts(5, 0, 0);
	ck_assert_uint_eq(site.tried_count, 5);
}

TEST(sites_do_not_see_each_other)
{
	struct site_row first = site;

	site.id = 8;
	site.host = slice_of("b.example");
	add("http://b.example/1");
	world_verify();
	ck_assert_uint_eq(frontier_next_due(&txn, first.id), UINT64_MAX);
	site = first;
	ck_assert_int_eq(add("http://a.example/1"), ADMIT_LINK);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), 2);
}

TEST(a_lease_expires)
{
	add("http://a.example/1");
	ck_assert_uint_ne(lease_one(10).key, 0);
	ck_assert_uint_eq(lease_one(1009).key, 0);
	ck_assert_str_eq(lease_one(1010).url, "http://a.example/1");
	check_counts(1, 0, 0);
	ck_assert_uint_eq(site.tried_count, 1);
}

static size_t lease_at(uint64_t at_ms, struct lease leases[4])
{
	return lease(at_ms, 50000, 4, leases);
}

TEST(released_urls_are_leased_again)
{
	struct lease first[4] = {0};
	struct lease again[4] = {0};
	uint64_t sum = 0;

	add("http://a.example/1");
	add("http://a.example/2");
	ask("http://a.example/3", 0);
	ask("http://a.example/4", 90000);
	ck_assert(lease_at(10, first) == 3);
	ck_assert(lease_at(20, again) == 0);
	frontier_release(&txn, &site, 20);
	ck_assert(frontier_next_due(&txn, site.id) == 1);
	ck_assert(lease_at(20, again) == 3);
	ck_assert_str_eq(again[0].url, "http://a.example/3");
	for (int i = 0; i < 3; i++)
		sum += first[i].key - again[i].key;
	ck_assert(sum == 0);
	check_counts(4, 0, 0);
}

/* A start must not read all URLs of all sites. */
TEST(a_site_at_rest_is_not_read_for_leases_and_skipped_urls)
{
	struct key key = key_page(site.id, 1);

	add("http://a.example/1");
	answer(lease_one(10).key, ERR_NONE, 200, 20);
	txn_put(&txn, TABLE_FRONTIER, key_slice(&key), slice_of("damaged"));
	frontier_release(&txn, &site, 30);
	frontier_revive(&txn, &site, 0);
	ck_assert_int_eq(txn.error, ERR_NONE);
	check_counts(0, 1, 0);
	site.pending_count++;
	frontier_release(&txn, &site, 30);
	ck_assert_int_eq(txn.error, ERR_CORRUPT);
	/* the world is verified at the end */
	txn.error = ERR_NONE;
	site.pending_count--;
	txn_delete(&txn, TABLE_FRONTIER, key_slice(&key));
}

TEST(a_fetched_page_is_done_for_ever)
{
	add("http://a.example/1");
	answer(lease_one(10).key, ERR_NONE, 200, 20);
	check_counts(0, 1, 0);
	ck_assert_uint_eq(row_of("http://a.example/1").state, FRONTIER_DONE);
	ck_assert_uint_eq(row_of("http://a.example/1").http_status, 200);
	ck_assert_uint_eq(row_of("http://a.example/1").fetched_ms, 20);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), UINT64_MAX);
}

TEST(a_fetched_page_is_visited_again)
{
	uint64_t due_ms;

	site.options.revisit_ms = DAY_MS;
	add("http://a.example/1");
	answer(lease_one(10).key, ERR_NONE, 200, 20);
	check_counts(0, 1, 0);
	due_ms = frontier_next_due(&txn, site.id);
	ck_assert_uint_ge(due_ms, DAY_MS / 10 * 9 + 20);
	ck_assert_uint_le(due_ms, DAY_MS / 10 * 11 + 20);
	ck_assert_uint_eq(lease_one(due_ms - 1).key, 0);
	ck_assert_uint_ne(lease_one(due_ms).key, 0);
	check_counts(1, 0, 0);
	answer(page_key_of(slice_of("http://a.example/1")), ERR_NONE, 200,
	       due_ms + 30);
	check_counts(0, 1, 0);
	ck_assert_uint_eq(row_of("http://a.example/1").interval_ms,
			  DAY_MS / 2 * 3);
}

/* 5 s, 10 s, 20 s, a quarter more or less, then failed. */
TEST(a_passing_failure_is_tried_four_times)
{
	uint64_t now_ms = 10;

	add("http://a.example/1");
	for (uint64_t pause_ms = 5000; pause_ms <= 20000; pause_ms *= 2) {
		uint64_t due_ms;

		answer(lease_one(now_ms).key, ERR_TIMEOUT, 0, now_ms);
		check_counts(1, 0, 0);
		due_ms = frontier_next_due(&txn, site.id);
		ck_assert_uint_ge(due_ms, now_ms + pause_ms / 4 * 3);
		ck_assert_uint_le(due_ms, now_ms + pause_ms / 4 * 5);
		now_ms = due_ms;
	}
	answer(lease_one(now_ms).key, ERR_NETWORK, 503, now_ms);
	check_counts(0, 0, 1);
	ck_assert_uint_eq(row_of("http://a.example/1").attempts, 4);
	ck_assert_int_eq(row_of("http://a.example/1").error, ERR_NETWORK);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), UINT64_MAX);
}

/* In [3/4, 5/4] of 40 ms. */
TEST(the_first_pause_of_a_page_can_be_set)
{
	const struct outcome outcome = {
		.error = ERR_TIMEOUT, .now_ms = 10, .first_pause_ms = 40};
	uint64_t due_ms;

	add("http://a.example/1");
	frontier_record_outcome(&txn, &site, lease_one(10).key, &outcome);
	due_ms = frontier_next_due(&txn, site.id);
	ck_assert_uint_ge(due_ms, 40);
	ck_assert_uint_le(due_ms, 60);
}

TEST(an_outage_does_not_end_the_watch)
{
	uint64_t due_ms;

	site.options.revisit_ms = DAY_MS;
	add("http://a.example/1");
	answer(lease_one(10).key, ERR_NOT_FOUND, 404, 20);
	check_counts(0, 0, 1);
	due_ms = frontier_next_due(&txn, site.id);
	ck_assert_uint_ge(due_ms, DAY_MS / 10 * 9 + 20);
	ck_assert_uint_le(due_ms, DAY_MS / 10 * 11 + 20);
	answer(lease_one(due_ms).key, ERR_NONE, 200, due_ms);
	check_counts(0, 1, 0);
	ck_assert_uint_eq(row_of("http://a.example/1").attempts, 0);
}

TEST(success_forgets_failures)
{
	add("http://a.example/1");
	answer(lease_one(10).key, ERR_TIMEOUT, 0, 10);
	answer(lease_one(HOUR_MS).key, ERR_NONE, 200, HOUR_MS);
	ck_assert_uint_eq(row_of("http://a.example/1").attempts, 0);
	ASSERT_OK(row_of("http://a.example/1").error);
}

TEST(retry_after_is_obeyed_for_a_day)
{
	struct outcome outcome = {.error = ERR_NETWORK,
				  .http_status = 429,
				  .retry_ms = 60000,
				  .now_ms = 100};
	uint64_t due_ms;

	add("http://a.example/1");
	frontier_record_outcome(&txn, &site, lease_one(10).key, &outcome);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), 60000);
	outcome.retry_ms = UINT64_MAX;
	frontier_record_outcome(&txn, &site, lease_one(60000).key, &outcome);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), DAY_MS + 100);
	outcome.retry_ms = 1;
	outcome.now_ms = DAY_MS + 100;
	frontier_record_outcome(&txn, &site, lease_one(DAY_MS + 100).key,
				&outcome);
	due_ms = frontier_next_due(&txn, site.id);
	ck_assert_uint_ge(due_ms, DAY_MS + 100 + 15000);
	ck_assert_uint_le(due_ms, DAY_MS + 100 + 25000);
}

TEST(failures_by_their_kind)
{
	static const struct {
		enum error error;
		unsigned status;
		enum frontier_state state;
		enum admission rule;
	} rows[] = {
		{ERR_NOT_FOUND, 404, FRONTIER_FAILED, ADMIT_LINK},
		{ERR_NOT_FOUND, 429, FRONTIER_PENDING, ADMIT_LINK},
		{ERR_NOT_FOUND, 500, FRONTIER_PENDING, ADMIT_LINK},
		{ERR_NOT_HTML, 200, FRONTIER_FAILED, ADMIT_LINK},
		{ERR_TOO_LARGE, 200, FRONTIER_FAILED, ADMIT_LINK},
		{ERR_MALFORMED, 200, FRONTIER_FAILED, ADMIT_LINK},
		{ERR_TIMEOUT, 0, FRONTIER_PENDING, ADMIT_LINK},
		{ERR_NETWORK, 200, FRONTIER_PENDING, ADMIT_LINK},
		{ERR_STOPPED, 0, FRONTIER_PENDING, ADMIT_LINK},
		{ERR_ROBOTS_DENIED, 0, FRONTIER_DENIED, DENY_ROBOTS},
		{ERR_ADDRESS_FORBIDDEN, 0, FRONTIER_DENIED, DENY_ADDRESS},
		{ERR_OUT_OF_SCOPE, 0, FRONTIER_DENIED, DENY_SCOPE},
		{ERR_ROBOTS_DENIED, 503, FRONTIER_DENIED, DENY_ROBOTS},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char url[64];

		snprintf(url, sizeof(url), "http://a.example/%zu", i);
		add(url);
		answer(page_key_of(slice_of(url)), rows[i].error,
		       rows[i].status, 20);
		ck_assert_uint_eq(row_of(url).state, rows[i].state);
		ck_assert_uint_eq(row_of(url).rule, rows[i].rule);
	}
	check_counts(5, 0, 8);
}

TEST(a_stopped_fetch_was_no_attempt)
{
	add("http://a.example/1");
	answer(lease_one(10).key, ERR_STOPPED, 0, 20);
	ck_assert_uint_eq(row_of("http://a.example/1").attempts, 0);
	/* it says nothing about the page */
	ASSERT_OK(row_of("http://a.example/1").error);
	/* in front again, not after all others */
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), 2);
	answer(lease_one(30).key, ERR_NONE, 200, 40);
	ask("http://a.example/2", 50);
	answer(lease_one(50).key, ERR_STOPPED, 0, 60);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), 1);
	ASSERT_OK(row_of("http://a.example/2").error);
}

TEST(who_asks_is_served_at_once)
{
	add("http://a.example/done");
	answer(lease_one(2).key, ERR_NONE, 200, 2);
	add("http://a.example/failed");
	answer(lease_one(3).key, ERR_NOT_FOUND, 404, 3);
	add("http://a.example/wait");
	check_counts(1, 1, 1);
	ck_assert_int_eq(ask("http://a.example/wait", 0), ADMIT_ON_DEMAND);
	ask("http://a.example/done", 20);
	ask("http://a.example/failed", 30);
	check_counts(3, 0, 0);
	ck_assert_str_eq(lease_one(100).url, "http://a.example/wait");
	ck_assert_str_eq(lease_one(100).url, "http://a.example/done");
	ck_assert_str_eq(lease_one(100).url, "http://a.example/failed");
	ck_assert_uint_eq(row_of("http://a.example/failed").attempts, 0);
	ck_assert_uint_eq(row_of("http://a.example/done").flags &
				  FRONTIER_IS_ON_DEMAND,
			  FRONTIER_IS_ON_DEMAND);
	ck_assert_uint_eq(row_of("http://a.example/done").depth, 0);
}

TEST(a_leased_url_stays_leased_when_requested)
{
	add("http://a.example/1");
	lease_one(10);
	ask("http://a.example/1", 20);
	ck_assert_uint_eq(lease_one(30).key, 0);
	ck_assert_uint_eq(row_of("http://a.example/1").flags,
			  FRONTIER_IS_ON_DEMAND | FRONTIER_IS_ATTEMPTED);
	check_counts(1, 0, 0);
}

TEST(asking_does_not_delay)
{
	add("http://a.example/1");
	ask("http://a.example/1", 20);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), 2);
}

/* Or A -> B -> A -> B ... with an asked A would never end. */
TEST(redirects_keep_counting_in_the_next_request)
{
	ask("http://a.example/1", 10);
	answer(lease_one(10).key, ERR_NONE, 302, 11);
	discover("http://a.example/1", ADMIT_REDIRECT,
		 (struct discovery){.redirects = 2,
				    .flags = FRONTIER_IS_ON_DEMAND |
					     FRONTIER_IS_ATTEMPTED});
	ck_assert_uint_eq(lease_one(12).redirects, 2);
}

TEST(an_answer_for_an_unknown_url_is_ignored)
{
	answer(42, ERR_NONE, 200, 10);
	check_counts(0, 0, 0);
}

static struct outcome fetched(unsigned status, uint64_t now_ms)
{
	return (struct outcome){.http_status = (uint16_t)status,
				.now_ms = now_ms};
}

TEST(validators_are_kept_until_there_are_others)
{
	const char *url = "http://a.example/1";
	struct outcome outcome = fetched(200, 20);

	site.options.revisit_ms = 1000;
	outcome.etag = slice_of("\"one\"");
	outcome.modified = slice_of("Thu, 01 Jan 1970 00:00:00 GMT");
	add(url);
	ck_assert_str_eq(lease_one(10).etag, "");
	frontier_record_outcome(&txn, &site, page_key_of(slice_of(url)),
				&outcome);
	outcome = fetched(304, 2000);
	ck_assert_str_eq(lease_one(2000).etag, "\"one\"");
	frontier_record_outcome(&txn, &site, page_key_of(slice_of(url)),
				&outcome);
	ck_assert_uint_eq(row_of(url).fetched_ms, 2000);
	/* a failure keeps them, too */
	answer(lease_one(10000).key, ERR_TIMEOUT, 0, 10000);
	ck_assert_str_eq(lease_one(20000).modified,
			 "Thu, 01 Jan 1970 00:00:00 GMT");
	outcome = fetched(200, 20000);
	outcome.etag = (struct slice){"x", MAX_ETAG}; /* too long */
	frontier_record_outcome(&txn, &site, page_key_of(slice_of(url)),
				&outcome);
	ck_assert_uint_eq(row_of(url).etag.size, 0);
	ck_assert_uint_eq(row_of(url).modified.size, 0);
}

TEST(a_page_that_was_never_rendered_is_not_forced_to_be)
{
	const char *url = "http://a.example/1";
	const struct discovery asked = {.flags = FRONTIER_IS_ON_DEMAND |
						 FRONTIER_IS_RENDERED};

	discover(url, ADMIT_ON_DEMAND, asked);
	ck_assert_uint_ne(lease_one(10).flags & FRONTIER_IS_RENDERED, 0);
	/* another failure does not tell whether it can be rendered */
	answer(page_key_of(slice_of(url)), ERR_TIMEOUT, 0, 10);
	ck_assert_uint_ne(lease_one(HOUR_MS).flags & FRONTIER_IS_RENDERED, 0);
	answer(page_key_of(slice_of(url)), ERR_NOT_RENDERED, 200, HOUR_MS);
	ck_assert_uint_eq(row_of(url).flags & FRONTIER_IS_RENDERED, 0);
	ck_assert_int_eq(row_of(url).state, FRONTIER_PENDING);
}

TEST(an_interval_adapts_and_its_cluster_follows)
{
	const char *url = "http://a.example/1";
	uint64_t key = page_key_of(slice_of(url));
	struct outcome outcome = fetched(200, 1000);
	struct cluster_row row;

	site.options.revisit_ms = DAY_MS;
	site.next_cluster = 2;
	cluster_row_put(&txn, site.id, 1, &(struct cluster_row){0});
	outcome.cluster = 1;
	add(url);
	frontier_record_outcome(&txn, &site, key, &outcome);
	ck_assert_uint_eq(row_of(url).interval_ms, DAY_MS);
	ck_assert(cluster_row_get(&txn, site.id, 1, &row));
	ck_assert_uint_eq(row.interval_ms, 0); /* nothing is known yet */
	outcome.now_ms += DAY_MS;
	outcome.is_changed = true;
	frontier_record_outcome(&txn, &site, key, &outcome);
	ck_assert_uint_eq(row_of(url).interval_ms, DAY_MS / 2);
	ck_assert(cluster_row_get(&txn, site.id, 1, &row));
	ck_assert_uint_eq(row.interval_ms, DAY_MS / 2);
	/* unchanged, but it came long before its time */
	outcome.now_ms += 60000;
	outcome.is_changed = false;
	frontier_record_outcome(&txn, &site, key, &outcome);
	ck_assert_uint_eq(row_of(url).interval_ms, DAY_MS / 2);
	/* a new page of the cluster begins where the others are */
	add("http://a.example/2");
	frontier_record_outcome(&txn, &site,
				page_key_of(slice_of("http://a.example/2")),
				&outcome);
	ck_assert_uint_eq(row_of("http://a.example/2").interval_ms, DAY_MS / 2);
	txn_delete_prefix(&txn, TABLE_CLUSTERS, slice_of(""));
}

TEST(what_is_not_there_is_asked_for_less_and_less)
{
	const char *url = "http://a.example/1";

	site.options.revisit_ms = DAY_MS;
	add(url);
	answer(lease_one(10).key, ERR_NOT_FOUND, 404, 10);
	ck_assert_uint_eq(row_of(url).interval_ms, DAY_MS);
	answer(lease_one(2 * DAY_MS).key, ERR_NOT_FOUND, 404, 2 * DAY_MS);
	ck_assert_uint_eq(row_of(url).interval_ms, DAY_MS / 2 * 3);
	/* an outage is no evidence */
	for (uint64_t i = 1; i < 5; i++)
		answer(page_key_of(slice_of(url)), ERR_TIMEOUT, 0,
		       i * 5 * DAY_MS);
	ck_assert_uint_eq(row_of(url).interval_ms, DAY_MS / 2 * 3);
	ck_assert_uint_eq(row_of(url).state, FRONTIER_FAILED);
	ck_assert_uint_ge(row_of(url).due_ms, 20 * DAY_MS + DAY_MS / 10 * 9);
	ck_assert_uint_le(row_of(url).due_ms, 20 * DAY_MS + DAY_MS / 10 * 11);
}

static uint64_t fail_seed(enum error error, unsigned status, unsigned times)
{
	const char *url = "http://a.example/";
	uint64_t now_ms = 10;

	for (unsigned i = 0; i < times; i++) {
		now_ms = row_of(url).due_ms < 10 ? 10 : row_of(url).due_ms;
		answer(lease_one(now_ms).key, error, status, now_ms);
	}
	return row_of(url).due_ms - now_ms;
}

/* 5 s, 10 s ... up to an hour, a quarter more or less. */
TEST(seed_of_a_site_without_pages_is_tried_for_ever)
{
	static const struct {
		enum error error;
		unsigned status;
	} rows[] = {
		{ERR_UNKNOWN_HOST, 0},      {ERR_NOT_CONNECTED, 0},
		{ERR_NOT_FOUND, 404},       {ERR_NOT_FOUND, 401},
		{ERR_ROBOTS_DENIED, 0},     {ERR_NOT_HTML, 200},
		{ERR_ADDRESS_FORBIDDEN, 0},
	};

	site.options.revisit_ms = 30 * DAY_MS;
	site.options.watch_ms = DAY_MS;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint64_t pause_ms;

		discover(site.seed.data, ADMIT_SEED, (struct discovery){0});
		pause_ms = fail_seed(rows[i].error, rows[i].status, 1);
		ck_assert_uint_ge(pause_ms, 3750);
		ck_assert_uint_le(pause_ms, 6250);
		pause_ms = fail_seed(rows[i].error, rows[i].status, 4);
		ck_assert_uint_ge(pause_ms, 60000);
		ck_assert_uint_le(pause_ms, 100000);
		pause_ms = fail_seed(rows[i].error, rows[i].status, 20);
		ck_assert_uint_ge(pause_ms, HOUR_MS / 4 * 3);
		ck_assert_uint_le(pause_ms, HOUR_MS);
	}
	/* not more seldom than its checks */
	site.options.watch_ms = 10000;
	ck_assert_uint_le(fail_seed(ERR_TIMEOUT, 0, 1), 10000);
	/* other URLs are not */
	add("http://a.example/1");
	answer(lease_one(9).key, ERR_NOT_FOUND, 404, 9);
	ck_assert_uint_ge(row_of("http://a.example/1").due_ms, DAY_MS);
	/* nor is the seed once there are pages */
	site.page_count = 1;
	ck_assert_uint_ge(fail_seed(ERR_NOT_FOUND, 404, 1), DAY_MS);
	site.page_count = 0;
}

TEST(excluded_urls_are_skipped_until_the_patterns_change)
{
	struct frontier_explanation finding = {0};
	struct url url;

	site.options.revisit_ms = DAY_MS;
	add("http://a.example/x/1");
	answer(lease_one(10).key, ERR_NONE, 200, 10);
	site.options.exclude = slice_of("/x/\n");
	ck_assert_int_eq(add("http://a.example/x/2"), SKIP_EXCLUDED);
	ck_assert_int_eq(add("http://a.example/y"), ADMIT_LINK);
	/* a client may request it, and the seed is visited */
	ck_assert_int_eq(ask("http://a.example/x/3", 1), ADMIT_ON_DEMAND);
	ASSERT_OK(url_parse(&url, slice_of("http://a.example/x/1"), NULL));
	frontier_explain(&txn, &site, &rules, &url, &finding);
	ck_assert_int_eq(finding.verdict, SKIP_EXCLUDED);
	for (struct lease one = lease_one(3 * DAY_MS); one.key != 0;
	     one = lease_one(3 * DAY_MS)) {
		ck_assert_str_ne(one.url, "http://a.example/x/1");
		ck_assert_str_ne(one.url, "http://a.example/x/2");
		answer(one.key, ERR_NONE, 200, 3 * DAY_MS);
	}
	ck_assert_uint_eq(row_of("http://a.example/x/1").state,
			  FRONTIER_SKIPPED);
	ck_assert_uint_eq(site.skipped_count, 2);
	site.options.exclude = slice_of("");
	frontier_revive(&txn, &site, 0);
	ck_assert_uint_ne(lease_one(3 * DAY_MS).key, 0);
	ck_assert_uint_ne(lease_one(3 * DAY_MS).key, 0);
	ck_assert_uint_eq(site.skipped_count, 0);
}

TEST(first_visits_cost_of_the_budgets)
{
	struct outcome outcome = {.error = ERR_TIMEOUT,
				  .wire_bytes = 10,
				  .elapsed_ms = 7,
				  .now_ms = 10};
	uint64_t key = page_key_of(slice_of("http://a.example/1"));

	site.options.revisit_ms = DAY_MS;
	add("http://a.example/1");
	frontier_record_outcome(&txn, &site, key, &outcome);
	outcome = fetched(200, 20);
	outcome.wire_bytes = 100;
	outcome.elapsed_ms = 70;
	frontier_record_outcome(&txn, &site, key, &outcome);
	ck_assert_uint_eq(site.spent_bytes, 110);
	ck_assert_uint_eq(site.spent_ms, 77);
	frontier_record_outcome(&txn, &site, key, &outcome);
	ck_assert_uint_eq(site.spent_bytes, 110);
}

TEST(sitemaps_and_the_probe_are_separate_from_the_site)
{
	const char *map = "http://a.example/sitemap.xml";
	const char *probe = "http://a.example/no-such-page";

	site.options.revisit_ms = DAY_MS;
	site.options.max_pages = 0;
	discover(map, ADMIT_LINK,
		 (struct discovery){.flags = FRONTIER_IS_SITEMAP});
	discover(probe, ADMIT_PROBE,
		 (struct discovery){.flags = FRONTIER_IS_PROBE});
	ck_assert_uint_eq(site.found_count, 0);
	ck_assert_uint_eq(site.pending_count, 2);
	ck_assert_uint_eq(site.sitemap_count, 1);
	ck_assert_uint_ne(lease_one(1).key, 0);
	ck_assert_uint_ne(lease_one(1).key, 0);
	ck_assert_uint_eq(site.tried_count, 0);
	answer(page_key_of(slice_of(map)), ERR_NOT_FOUND, 404, 100);
	answer(page_key_of(slice_of(probe)), ERR_NOT_FOUND, 404, 100);
	ck_assert_uint_eq(site.failed_count, 0);
	ck_assert_uint_eq(site.pending_count, 0);
	ck_assert_uint_eq(row_of(probe).due_ms, 0);
	ck_assert_uint_ge(row_of(map).due_ms, DAY_MS / 10 * 9);
	ck_assert_uint_ne(lease_one(2 * DAY_MS).key, 0);
	answer(page_key_of(slice_of(map)), ERR_NONE, 200, 2 * DAY_MS);
	ck_assert_uint_eq(site.fetched_count, 0);
	ck_assert_uint_eq(row_of(map).interval_ms, 0);
	ck_assert_uint_ge(row_of(map).due_ms, 2 * DAY_MS + DAY_MS / 10 * 9);
}

TEST(sitemaps_have_limits)
{
	char url[64];

	for (int i = 0; i < MAX_SITEMAPS; i++) {
		snprintf(url, sizeof(url), "http://a.example/%d.xml", i);
		ck_assert_int_eq(discover(url, ADMIT_SITEMAP,
					  (struct discovery){
						  .flags = FRONTIER_IS_SITEMAP,
						  .depth = MAX_SITEMAP_DEPTH}),
				 ADMIT_SITEMAP);
	}
	ck_assert_int_eq(
		discover("http://a.example/x.xml", ADMIT_SITEMAP,
			 (struct discovery){.flags = FRONTIER_IS_SITEMAP}),
		REFUSE_SITEMAPS);
	site.sitemap_count = 0;
	ck_assert_int_eq(
		discover("http://a.example/x.xml", ADMIT_SITEMAP,
			 (struct discovery){.flags = FRONTIER_IS_SITEMAP,
					    .depth = MAX_SITEMAP_DEPTH + 1}),
		REFUSE_SITEMAPS);
	ck_assert_int_eq(
		discover("http://b.example/x.xml", ADMIT_SITEMAP,
			 (struct discovery){.flags = FRONTIER_IS_SITEMAP}),
		REFUSE_HOST);
	site.sitemap_count = MAX_SITEMAPS;
}

TEST(sitemaps_come_out_of_the_budget_of_bytes)
{
	struct outcome outcome = fetched(200, 10);

	site.options.max_bytes = 100;
	for (int i = 0; i < 3; i++) {
		char url[64];

		snprintf(url, sizeof(url), "http://a.example/%d.xml", i);
		discover(url, ADMIT_SITEMAP,
			 (struct discovery){.flags = FRONTIER_IS_SITEMAP});
	}
	outcome.wire_bytes = 60;
	frontier_record_outcome(&txn, &site, lease_one(10).key, &outcome);
	frontier_record_outcome(&txn, &site, lease_one(10).key, &outcome);
	ck_assert_uint_eq(site.spent_bytes, 120);
	ck_assert_uint_eq(lease_one(10).key, 0);
	ck_assert_uint_eq(site.pending_count, 0);
	ck_assert_uint_eq(site.skipped_count, 0);
}

static void list(const char *url, uint64_t lastmod_ms, uint64_t now_ms)
{
	struct url parsed;

	ASSERT_OK(url_parse(&parsed, slice_of(url), NULL));
	frontier_discover(&txn, &site, &rules,
			  &(struct discovery){.url = &parsed,
					      .how = ADMIT_SITEMAP,
					      .lastmod_ms = lastmod_ms},
			  now_ms);
}

TEST(a_sitemap_knows_of_changes)
{
	const char *url = "http://a.example/1";
	uint64_t due_ms;

	site.options.revisit_ms = 8 * DAY_MS;
	list(url, 5, 10);
	ck_assert_uint_eq(row_of(url).rule, ADMIT_SITEMAP);
	ck_assert_uint_eq(row_of(url).lastmod_ms, 5);
	answer(lease_one(100).key, ERR_NONE, 200, 100);
	due_ms = row_of(url).due_ms;
	list(url, 100, 3 * DAY_MS); /* before it was fetched */
	ck_assert_uint_eq(row_of(url).due_ms, due_ms);
	list(url, 3 * DAY_MS + 1, 3 * DAY_MS); /* in the future */
	ck_assert_uint_eq(row_of(url).due_ms, due_ms);
	list(url, 101, 3 * DAY_MS);
	ck_assert_uint_eq(row_of(url).due_ms, 3 * DAY_MS);
	check_counts(0, 1, 0);
	/* again, but not before an eighth of the interval */
	answer(lease_one(3 * DAY_MS).key, ERR_NONE, 200, 3 * DAY_MS);
	due_ms = 3 * DAY_MS + row_of(url).interval_ms / 8;
	list(url, 3 * DAY_MS + 1, 3 * DAY_MS + 2);
	ck_assert_uint_eq(row_of(url).due_ms, due_ms);
}

/* What the frontier should know of a URL. */
struct model {
	bool is_known;
	enum frontier_state state;
	uint64_t due_ms; /* 0 = never; otherwise the approximate time */
	uint64_t spread_ms;
	unsigned attempts;
};

enum { URLS = 24 };

static void make_url(size_t index, char out[64])
{
	snprintf(out, 64, "http://a.example/%zu", index);
}

/* The row equals the model, which adopts its exact due time. */
static void check_url(struct model *model, size_t index)
{
	struct frontier_row row;
	char url[64];

	make_url(index, url);
	row = row_of(url);
	ck_assert(row.state == model->state);
	ck_assert(row.due_ms + model->spread_ms >= model->due_ms);
	ck_assert(row.due_ms <= model->due_ms + model->spread_ms);
	ck_assert(row.attempts == model->attempts);
	model->due_ms = row.due_ms;
	model->spread_ms = 0;
}

static void check_model(struct model *models)
{
	unsigned counts[FRONTIER_STATES] = {0};
	uint64_t due_ms = UINT64_MAX;

	for (size_t i = 0; i < URLS; i++) {
		if (!models[i].is_known)
			continue;
		check_url(&models[i], i);
		counts[models[i].state]++;
		if (models[i].due_ms != 0 && models[i].due_ms < due_ms)
			due_ms = models[i].due_ms;
	}
	check_counts(counts[FRONTIER_PENDING] + counts[FRONTIER_LEASED],
		     counts[FRONTIER_DONE],
		     counts[FRONTIER_FAILED] + counts[FRONTIER_DENIED]);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), due_ms);
}

static void model_add(struct model *model, bool is_asked, uint64_t now_ms)
{
	bool is_kept = model->is_known &&
		       (!is_asked || model->state == FRONTIER_LEASED);

	if (is_kept)
		return;
	if (!model->is_known && !is_asked) {
		model->due_ms = 2;
		model->spread_ms = URLS; /* its rank */
	} else if (!model->is_known || model->state != FRONTIER_PENDING ||
		   model->due_ms > now_ms) {
		model->due_ms = now_ms;
	}
	model->is_known = true;
	model->state = FRONTIER_PENDING;
	model->attempts = 0;
}

static void model_answer(struct model *model, enum error error, uint64_t now_ms)
{
	if (!model->is_known)
		return;
	/* an eighth of the site's interval up to 30 times it, and a tenth */
	model->due_ms = now_ms + 331000;
	model->spread_ms = 331000 - 2000;
	if (error == ERR_NONE) {
		model->state = FRONTIER_DONE;
		model->attempts = 0;
		return;
	}
	model->attempts++;
	model->state = FRONTIER_FAILED;
	if (error == ERR_ROBOTS_DENIED) {
		model->state = FRONTIER_DENIED;
		model->due_ms = 0;
		model->spread_ms = 0;
	} else if (error == ERR_TIMEOUT && model->attempts < 4) {
		model->state = FRONTIER_PENDING;
		model->spread_ms = 625 * (UINT64_C(1) << model->attempts);
		model->due_ms = now_ms + 4 * model->spread_ms;
	}
}

static void model_lease(struct model *models, uint64_t now_ms, size_t max)
{
	struct lease leases[8];
	size_t count = lease(now_ms, now_ms + 9000, max, leases);
	size_t due = 0;

	for (size_t i = 0; i < URLS; i++)
		due += models[i].is_known && models[i].due_ms != 0 &&
		       models[i].due_ms <= now_ms;
	ck_assert_uint_eq(count, due < max ? due : max);
	for (size_t i = 0; i < count; i++) {
		size_t index =
			strtoul(strrchr(leases[i].url, '/') + 1, NULL, 10);

		ck_assert_uint_ne(models[index].due_ms, 0);
		ck_assert_uint_le(models[index].due_ms, now_ms);
		models[index].state = FRONTIER_LEASED;
		models[index].due_ms = now_ms + 9000;
	}
}

static void model_release(struct model *models, uint64_t now_ms)
{
	frontier_release(&txn, &site, now_ms);
	for (size_t i = 0; i < URLS; i++)
		if (models[i].is_known && models[i].state == FRONTIER_LEASED) {
			models[i].state = FRONTIER_PENDING;
			models[i].due_ms = now_ms;
			models[i].spread_ms = now_ms; /* or a rank */
		}
}

/* Every visited URL is due now, until it is leased. */
TEST(a_known_page_is_visited_when_it_is_wanted)
{
	uint64_t key = page_key_of(slice_of("http://a.example/1"));

	add("http://a.example/1");
	answer(lease_one(10).key, ERR_NONE, 200, 20);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), UINT64_MAX);
	frontier_make_due(&txn, site.id, key, 500);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), 500);
	ck_assert_uint_eq(row_of("http://a.example/1").state, FRONTIER_DONE);
	check_counts(0, 1, 0);
	frontier_make_due(&txn, site.id, key, 600); /* it is due already */
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), 500);
	ck_assert_uint_eq(lease_one(499).key, 0);
	ck_assert_uint_eq(lease_one(700).key, key);
	check_counts(1, 0, 0);
	frontier_make_due(&txn, site.id, key, 800); /* it is out */
	ck_assert_uint_eq(lease_one(801).key, 0);
	answer(key, ERR_NONE, 304, 810);
	check_counts(0, 1, 0);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), UINT64_MAX);
	ck_assert_uint_eq(row_of("http://a.example/1").fetched_ms, 810);
}

TEST(a_visit_that_knows_too_little_is_repeated)
{
	uint64_t one = page_key_of(slice_of("http://a.example/1"));
	uint64_t two = page_key_of(slice_of("http://a.example/2"));

	add("http://a.example/1");
	add("http://a.example/2");
	lease_one(10);
	lease_one(10);
	frontier_repeat_leased(&txn, &site, two);
	answer(one, ERR_NONE, 200, 20);
	answer(two, ERR_NONE, 200, 20);
	/* once, and only the first one */
	check_counts(0, 2, 0);
	ck_assert_uint_eq(lease_one(20).key, one);
	ck_assert_uint_eq(lease_one(20).key, 0);
	answer(one, ERR_NONE, 200, 30);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), UINT64_MAX);
}

TEST(a_visit_that_ended_with_the_daemon_is_repeated_once)
{
	uint64_t key = page_key_of(slice_of("http://a.example/1"));

	add("http://a.example/1");
	lease_one(10);
	frontier_repeat_leased(&txn, &site, 0);
	frontier_release(&txn, &site, 20);
	ck_assert_uint_eq(lease_one(20).key, key);
	answer(key, ERR_NONE, 200, 30);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), UINT64_MAX);
}

/* The visit that was planned comes before its time. */
TEST(a_visit_that_is_wanted_comes_before_the_planned_one)
{
	uint64_t key = page_key_of(slice_of("http://a.example/1"));

	site.options.revisit_ms = DAY_MS;
	add("http://a.example/1");
	answer(lease_one(10).key, ERR_NONE, 200, 20);
	frontier_make_due(&txn, site.id, key, HOUR_MS);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), HOUR_MS);
	answer(lease_one(HOUR_MS).key, ERR_NONE, 304, HOUR_MS + 1);
	ck_assert_uint_ge(frontier_next_due(&txn, site.id), DAY_MS / 2);
}

TEST(what_was_forgotten_is_visited_when_somebody_asks)
{
	uint64_t key = page_key_of(slice_of("http://a.example/1"));

	site.options.revisit_ms = DAY_MS;
	ASSERT_OK(frontier_exclude(&txn, &site, key));
	add("http://a.example/1");
	lease_one(10);
	ck_assert_int_eq(frontier_exclude(&txn, &site, key), ERR_BUSY);
	answer(key, ERR_NONE, 200, 20);
	ASSERT_OK(frontier_exclude(&txn, &site, key));
	check_counts(0, 0, 1);
	frontier_make_due(&txn, site.id, key, 30);
	ck_assert_int_eq(add("http://a.example/1"), DENY_DELETED);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), UINT64_MAX);
	ck_assert_int_eq(ask("http://a.example/1", 40), ADMIT_ON_DEMAND);
	ck_assert_uint_eq(lease_one(40).key, key);
}

TEST(what_was_given_up_is_visited_when_it_is_wanted)
{
	uint64_t key = page_key_of(slice_of("http://a.example/1"));

	add("http://a.example/1");
	answer(lease_one(10).key, ERR_NOT_FOUND, 404, 20);
	check_counts(0, 0, 1);
	frontier_make_due(&txn, site.id, key, 30);
	ck_assert_uint_eq(lease_one(30).key, key);
	answer(key, ERR_NONE, 200, 40);
	check_counts(0, 1, 0);
}

/* A URL that waits for its first visit or a retry keeps its position; a missing
 * one is not added. */
TEST(nobody_is_visited_before_his_turn)
{
	uint64_t key = page_key_of(slice_of("http://a.example/1"));
	uint64_t due_ms;

	frontier_make_due(&txn, site.id, key, 5);
	check_counts(0, 0, 0);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), UINT64_MAX);
	add("http://a.example/1");
	due_ms = row_of("http://a.example/1").due_ms;
	frontier_make_due(&txn, site.id, key, 5000);
	ck_assert_uint_eq(row_of("http://a.example/1").due_ms, due_ms);
	answer(lease_one(10).key, ERR_TIMEOUT, 0, 20);
	due_ms = row_of("http://a.example/1").due_ms;
	ck_assert_uint_gt(due_ms, 3000);
	frontier_make_due(&txn, site.id, key, 30);
	ck_assert_uint_eq(row_of("http://a.example/1").due_ms, due_ms);
}

TEST(random_operations_agree_with_a_model)
{
	static const enum error errors[] = {ERR_NONE, ERR_TIMEOUT, ERR_TIMEOUT,
					    ERR_NOT_HTML, ERR_ROBOTS_DENIED};
	struct model models[URLS] = {{0}};
	uint64_t now_ms = 30;

	random_begin((uint64_t)time(NULL));
	site.options.revisit_ms = 20000;
	for (int step = 0; step < 5000; step++) {
		size_t i = random_below(URLS);
		bool is_asked = random_below(3) == 0;
		enum error error = errors[random_below(5)];
		char url[64];

		make_url(i, url);
		now_ms += random_below(2000);
		switch (random_below(8)) {
		case 0:
		case 1:
			is_asked ? ask(url, now_ms) : add(url);
			model_add(&models[i], is_asked, now_ms);
			break;
		case 2:
		case 3:
		case 4:
			model_lease(models, now_ms, random_below(9));
			break;
		case 5:
		case 6:
			answer(page_key_of(slice_of(url)), error, 0, now_ms);
			model_answer(&models[i], error, now_ms);
			break;
		default:
			if (random_below(10) == 0)
				model_release(models, now_ms);
		}
		check_model(models);
	}
}
