#include "crawl/frontier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/store.h"

#include "tests/unit/crawl/random.h"
#include "tests/unit/run.h"

enum { HOUR_MS = 3600 * 1000, DAY_MS = 24 * HOUR_MS };

static char folder[64];
static struct store *store;
static struct txn txn;
static struct site_row site;

static void setup(void)
{
	struct store_options options = {.is_temporary = true};

	snprintf(folder, sizeof(folder), "/tmp/frontier.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(store_open(&store, folder, &options), ERR_NONE);
	txn = txn_begin_write(store);
	site = (struct site_row){
		.id = 7,
		.max_pages = 1000,
		.max_depth = 3,
		.host = slice_of("a.example"),
		.seed = slice_of("http://a.example/"),
	};
}

static void teardown(void)
{
	static const char *const files[] = {"data.mdb", "lock.mdb", "lock"};

	ck_assert_int_eq(txn.error, ERR_NONE);
	txn_abort(&txn);
	store_close(store);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char path[96];

		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		unlink(path);
	}
	rmdir(folder);
}

static bool add(const char *url, uint64_t due_ms)
{
	return frontier_add(&txn, &site, slice_of(url), 1, 0, 0, due_ms, 5);
}

static bool ask(const char *url, uint64_t due_ms)
{
	return frontier_add(&txn, &site, slice_of(url), 0, 0, FRONTIER_IS_ASKED,
			    due_ms, 5);
}

static struct lease lease_one(uint64_t now_ms)
{
	struct lease lease = {0};

	frontier_lease(&txn, &site, now_ms, now_ms + 1000, 1, &lease);
	return lease;
}

static void answer(uint64_t key, enum error error, unsigned status,
		   uint64_t now_ms)
{
	struct outcome outcome = {.error = error,
				  .http_status = (uint16_t)status,
				  .now_ms = now_ms};

	frontier_answer(&txn, &site, key, &outcome);
}

static struct frontier_row row_of(const char *url)
{
	struct frontier_row row = {.state = FRONTIER_STATES};

	ck_assert(frontier_row_get(&txn, site.id, page_key_of(slice_of(url)),
				   &row));
	return row;
}

static void check_counts(unsigned pending, unsigned fetched, unsigned failed)
{
	ck_assert_uint_eq(site.found_count, pending + fetched + failed);
	ck_assert_uint_eq(site.pending_count, pending);
	ck_assert_uint_eq(site.fetched_count, fetched);
	ck_assert_uint_eq(site.failed_count, failed);
}

static enum error admits(const char *text, unsigned depth)
{
	struct url url;

	ck_assert_int_eq(url_parse(&url, slice_of(text), NULL), ERR_NONE);
	return frontier_admits(&site, &url, depth);
}

START_TEST(the_rules_of_admission)
{
	ck_assert_int_eq(admits("http://a.example/x", 3), ERR_NONE);
	ck_assert_int_eq(admits("https://a.example/x.php", 0), ERR_NONE);
	ck_assert_int_eq(admits("http://b.example/x", 0), ERR_OUT_OF_SITE);
	ck_assert_int_eq(admits("http://a.example:81/", 0), ERR_OUT_OF_SITE);
	ck_assert_int_eq(admits("http://a.example/x", 4), ERR_TOO_LARGE);
	site.found_count = 999;
	ck_assert_int_eq(admits("http://a.example/x", 0), ERR_NONE);
	site.found_count = 1000;
	ck_assert_int_eq(admits("http://a.example/x", 0), ERR_TOO_LARGE);
}
END_TEST

START_TEST(files_that_are_no_pages_are_not_admitted)
{
	ck_assert_int_eq(admits("http://a.example/x.JPG", 0), ERR_NOT_HTML);
	ck_assert_int_eq(admits("http://a.example/x.pdf?y", 0), ERR_NOT_HTML);
	ck_assert_int_eq(admits("http://a.example/x.tar.gz", 0), ERR_NOT_HTML);
	ck_assert_int_eq(admits("http://a.example/x.woff2", 0), ERR_NOT_HTML);
	ck_assert_int_eq(admits("http://a.example/x.html", 0), ERR_NONE);
	ck_assert_int_eq(admits("http://a.example/png", 0), ERR_NONE);
	ck_assert_int_eq(admits("http://a.example/x.png/", 0), ERR_NONE);
	ck_assert_int_eq(admits("http://a.example/x?y=z.png", 0), ERR_NONE);
	ck_assert_int_eq(admits("http://a.example/v1.22.333.pngpngpng", 0),
			 ERR_NONE);
	ck_assert_int_eq(admits("http://a.example/x.", 0), ERR_NONE);
}
END_TEST

START_TEST(a_url_is_new_once)
{
	ck_assert(add("http://a.example/1", 10));
	ck_assert(!add("http://a.example/1", 20));
	check_counts(1, 0, 0);
	ck_assert_uint_eq(row_of("http://a.example/1").due_ms, 10);
	ck_assert_uint_eq(row_of("http://a.example/1").found_ms, 5);
}
END_TEST

START_TEST(the_longest_due_is_leased_first)
{
	struct lease leases[3] = {0};

	add("http://a.example/3", 30);
	add("http://a.example/1", 10);
	add("http://a.example/2", 20);
	add("http://a.example/4", 40);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), 10);
	ck_assert_uint_eq(frontier_lease(&txn, &site, 9, 100, 3, leases), 0);
	ck_assert_uint_eq(frontier_lease(&txn, &site, 30, 100, 2, leases), 2);
	ck_assert_str_eq(leases[0].url, "http://a.example/1");
	ck_assert_str_eq(leases[1].url, "http://a.example/2");
	ck_assert_uint_eq(leases[0].key,
			  page_key_of(slice_of("http://a.example/1")));
	ck_assert_uint_eq(leases[0].depth, 1);
	ck_assert_uint_eq(frontier_lease(&txn, &site, 30, 100, 3, leases), 1);
	ck_assert_str_eq(leases[0].url, "http://a.example/3");
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), 40);
	ck_assert_uint_eq(frontier_lease(&txn, &site, 40, 100, 0, leases), 0);
	check_counts(4, 0, 0);
}
END_TEST

START_TEST(sites_do_not_see_each_other)
{
	struct site_row other = site;

	other.id = 8;
	add("http://a.example/1", 10);
	ck_assert_uint_eq(frontier_next_due(&txn, other.id), UINT64_MAX);
	ck_assert(frontier_add(&txn, &other, slice_of("http://a.example/1"), 0,
			       0, 0, 5, 5));
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), 10);
}
END_TEST

START_TEST(a_lease_expires)
{
	add("http://a.example/1", 10);
	ck_assert_uint_ne(lease_one(10).key, 0);
	ck_assert_uint_eq(lease_one(1009).key, 0);
	ck_assert_str_eq(lease_one(1010).url, "http://a.example/1");
	check_counts(1, 0, 0);
}
END_TEST

START_TEST(released_urls_are_handed_out_again)
{
	struct lease first[4] = {0};
	struct lease again[4] = {0};
	uint64_t sum = 0;

	add("http://a.example/1", 10);
	add("http://a.example/2", 10);
	add("http://a.example/3", 10);
	add("http://a.example/4", 90000);
	ck_assert_uint_eq(frontier_lease(&txn, &site, 10, 50000, 4, first), 3);
	ck_assert_uint_eq(frontier_lease(&txn, &site, 20, 50000, 4, again), 0);
	frontier_release(&txn, &site, 20);
	ck_assert_uint_eq(frontier_lease(&txn, &site, 20, 50000, 4, again), 3);
	for (int i = 0; i < 3; i++)
		sum += first[i].key - again[i].key;
	ck_assert_uint_eq(sum, 0);
	check_counts(4, 0, 0);
}
END_TEST

START_TEST(a_fetched_page_is_done_for_ever)
{
	add("http://a.example/1", 10);
	answer(lease_one(10).key, ERR_NONE, 200, 20);
	check_counts(0, 1, 0);
	ck_assert_uint_eq(row_of("http://a.example/1").state, FRONTIER_DONE);
	ck_assert_uint_eq(row_of("http://a.example/1").http_status, 200);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), UINT64_MAX);
}
END_TEST

START_TEST(a_fetched_page_is_visited_again)
{
	site.revisit_ms = DAY_MS;
	add("http://a.example/1", 10);
	answer(lease_one(10).key, ERR_NONE, 200, 20);
	check_counts(0, 1, 0);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), DAY_MS + 20);
	ck_assert_uint_eq(lease_one(DAY_MS + 19).key, 0);
	ck_assert_uint_ne(lease_one(DAY_MS + 20).key, 0);
	check_counts(1, 0, 0);
	answer(page_key_of(slice_of("http://a.example/1")), ERR_NONE, 200,
	       DAY_MS + 30);
	check_counts(0, 1, 0);
}
END_TEST

/* 5 s, 10 s, 20 s, then failed. */
START_TEST(a_passing_failure_is_tried_four_times)
{
	uint64_t now_ms = 10;

	add("http://a.example/1", 10);
	for (uint64_t pause_ms = 5000; pause_ms <= 20000; pause_ms *= 2) {
		answer(lease_one(now_ms).key, ERR_TIMEOUT, 0, now_ms);
		check_counts(1, 0, 0);
		ck_assert_uint_eq(frontier_next_due(&txn, site.id),
				  now_ms + pause_ms);
		now_ms += pause_ms;
	}
	answer(lease_one(now_ms).key, ERR_NETWORK, 503, now_ms);
	check_counts(0, 0, 1);
	ck_assert_uint_eq(row_of("http://a.example/1").attempts, 4);
	ck_assert_int_eq(row_of("http://a.example/1").error, ERR_NETWORK);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), UINT64_MAX);
}
END_TEST

START_TEST(an_outage_does_not_end_the_watch)
{
	site.revisit_ms = DAY_MS;
	add("http://a.example/1", 10);
	answer(lease_one(10).key, ERR_NOT_FOUND, 404, 20);
	check_counts(0, 0, 1);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), DAY_MS + 20);
	answer(lease_one(DAY_MS + 20).key, ERR_NONE, 200, DAY_MS + 30);
	check_counts(0, 1, 0);
	ck_assert_uint_eq(row_of("http://a.example/1").attempts, 0);
}
END_TEST

START_TEST(success_forgets_failures)
{
	add("http://a.example/1", 10);
	answer(lease_one(10).key, ERR_TIMEOUT, 0, 10);
	answer(lease_one(HOUR_MS).key, ERR_NONE, 200, HOUR_MS);
	ck_assert_uint_eq(row_of("http://a.example/1").attempts, 0);
	ck_assert_int_eq(row_of("http://a.example/1").error, ERR_NONE);
}
END_TEST

START_TEST(retry_after_is_obeyed_for_a_day)
{
	struct outcome outcome = {.error = ERR_NETWORK,
				  .http_status = 429,
				  .retry_ms = 60000,
				  .now_ms = 100};

	add("http://a.example/1", 10);
	frontier_answer(&txn, &site, lease_one(10).key, &outcome);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), 60000);
	outcome.retry_ms = UINT64_MAX;
	frontier_answer(&txn, &site, lease_one(60000).key, &outcome);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), DAY_MS + 100);
	outcome.retry_ms = 1;
	outcome.now_ms = DAY_MS + 100;
	frontier_answer(&txn, &site, lease_one(DAY_MS + 100).key, &outcome);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id),
			  DAY_MS + 100 + 20000);
}
END_TEST

START_TEST(failures_by_their_kind)
{
	static const struct {
		enum error error;
		unsigned status;
		enum frontier_state state;
	} rows[] = {
		{ERR_NOT_FOUND, 404, FRONTIER_FAILED},
		{ERR_NOT_FOUND, 429, FRONTIER_PENDING},
		{ERR_NOT_FOUND, 500, FRONTIER_PENDING},
		{ERR_NOT_HTML, 200, FRONTIER_FAILED},
		{ERR_TOO_LARGE, 200, FRONTIER_FAILED},
		{ERR_MALFORMED, 200, FRONTIER_FAILED},
		{ERR_TIMEOUT, 0, FRONTIER_PENDING},
		{ERR_NETWORK, 200, FRONTIER_PENDING},
		{ERR_STOPPED, 0, FRONTIER_PENDING},
		{ERR_DENIED, 0, FRONTIER_DENIED},
		{ERR_REFUSED, 0, FRONTIER_DENIED},
		{ERR_OUT_OF_SITE, 0, FRONTIER_DENIED},
		{ERR_DENIED, 503, FRONTIER_DENIED},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char url[64];

		snprintf(url, sizeof(url), "http://a.example/%zu", i);
		add(url, 10);
		answer(page_key_of(slice_of(url)), rows[i].error,
		       rows[i].status, 20);
		ck_assert_uint_eq(row_of(url).state, rows[i].state);
	}
	check_counts(5, 0, 8);
}
END_TEST

START_TEST(a_stopped_fetch_was_no_attempt)
{
	add("http://a.example/1", 10);
	answer(lease_one(10).key, ERR_STOPPED, 0, 20);
	ck_assert_uint_eq(row_of("http://a.example/1").attempts, 0);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), 20);
}
END_TEST

START_TEST(who_asks_is_served_at_once)
{
	add("http://a.example/wait", 5000);
	add("http://a.example/done", 1);
	answer(lease_one(1).key, ERR_NONE, 200, 2);
	add("http://a.example/failed", 1);
	answer(lease_one(2).key, ERR_NOT_FOUND, 404, 3);
	check_counts(1, 1, 1);
	ck_assert(!ask("http://a.example/wait", 10));
	ck_assert(!ask("http://a.example/done", 20));
	ck_assert(!ask("http://a.example/failed", 30));
	check_counts(3, 0, 0);
	ck_assert_str_eq(lease_one(100).url, "http://a.example/wait");
	ck_assert_str_eq(lease_one(100).url, "http://a.example/done");
	ck_assert_str_eq(lease_one(100).url, "http://a.example/failed");
	ck_assert_uint_eq(row_of("http://a.example/failed").attempts, 0);
	ck_assert_uint_eq(row_of("http://a.example/done").flags,
			  FRONTIER_IS_ASKED);
	ck_assert_uint_eq(row_of("http://a.example/done").depth, 0);
}
END_TEST

START_TEST(a_leased_url_stays_leased_when_asked_for)
{
	add("http://a.example/1", 10);
	lease_one(10);
	ask("http://a.example/1", 20);
	ck_assert_uint_eq(lease_one(30).key, 0);
	ck_assert_uint_eq(row_of("http://a.example/1").flags,
			  FRONTIER_IS_ASKED);
	check_counts(1, 0, 0);
}
END_TEST

START_TEST(asking_does_not_delay)
{
	add("http://a.example/1", 10);
	ask("http://a.example/1", 20);
	ck_assert_uint_eq(frontier_next_due(&txn, site.id), 10);
}
END_TEST

/* Or A -> B -> A -> B ... with an asked A would never end. */
START_TEST(redirects_are_counted_on_when_asked_again)
{
	ask("http://a.example/1", 10);
	answer(lease_one(10).key, ERR_NONE, 302, 11);
	frontier_add(&txn, &site, slice_of("http://a.example/1"), 0, 2,
		     FRONTIER_IS_ASKED, 12, 12);
	ck_assert_uint_eq(lease_one(12).redirects, 2);
}
END_TEST

START_TEST(a_due_time_of_zero_is_due)
{
	add("http://a.example/1", 0);
	ck_assert_uint_ne(lease_one(1).key, 0);
}
END_TEST

START_TEST(an_answer_for_an_unknown_url_is_ignored)
{
	answer(42, ERR_NONE, 200, 10);
	check_counts(0, 0, 0);
}
END_TEST

/* What the frontier should know of a URL. */
struct model {
	bool is_known;
	enum frontier_state state;
	uint64_t due_ms; /* 0: never */
	unsigned attempts;
};

enum { URLS = 24 };

static void make_url(size_t index, char out[64])
{
	snprintf(out, 64, "http://a.example/%zu", index);
}

static void check_model(const struct model *models)
{
	unsigned counts[FRONTIER_STATES] = {0};
	uint64_t due_ms = UINT64_MAX;

	for (size_t i = 0; i < URLS; i++) {
		struct frontier_row row;
		char url[64];

		if (!models[i].is_known)
			continue;
		make_url(i, url);
		row = row_of(url);
		ck_assert_uint_eq(row.state, models[i].state);
		ck_assert_uint_eq(row.due_ms, models[i].due_ms);
		ck_assert_uint_eq(row.attempts, models[i].attempts);
		counts[row.state]++;
		if (row.due_ms != 0 && row.due_ms < due_ms)
			due_ms = row.due_ms;
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
	if (!model->is_known || model->state != FRONTIER_PENDING ||
	    model->due_ms > now_ms)
		model->due_ms = now_ms;
	model->is_known = true;
	model->state = FRONTIER_PENDING;
	model->attempts = 0;
}

static void model_answer(struct model *model, enum error error, uint64_t now_ms)
{
	if (!model->is_known)
		return;
	model->due_ms = now_ms + site.revisit_ms;
	if (error == ERR_NONE) {
		model->state = FRONTIER_DONE;
		model->attempts = 0;
		return;
	}
	model->attempts++;
	model->state = FRONTIER_FAILED;
	if (error == ERR_DENIED) {
		model->state = FRONTIER_DENIED;
		model->due_ms = 0;
	} else if (error == ERR_TIMEOUT && model->attempts < 4) {
		model->state = FRONTIER_PENDING;
		model->due_ms =
			now_ms + 2500 * (UINT64_C(1) << model->attempts);
	}
}

static void model_lease(struct model *models, uint64_t now_ms, size_t max)
{
	struct lease leases[8];
	size_t count =
		frontier_lease(&txn, &site, now_ms, now_ms + 9000, max, leases);
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
		}
}

START_TEST(random_operations_agree_with_a_model)
{
	static const enum error errors[] = {ERR_NONE, ERR_TIMEOUT, ERR_TIMEOUT,
					    ERR_NOT_HTML, ERR_DENIED};
	struct model models[URLS] = {{0}};
	uint64_t now_ms = 1;

	random_begin((uint64_t)time(NULL));
	site.revisit_ms = 20000;
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
			is_asked ? ask(url, now_ms) : add(url, now_ms);
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
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("frontier");
	TCase *tcase = tcase_create("frontier");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, the_rules_of_admission);
	tcase_add_test(tcase, files_that_are_no_pages_are_not_admitted);
	tcase_add_test(tcase, a_url_is_new_once);
	tcase_add_test(tcase, the_longest_due_is_leased_first);
	tcase_add_test(tcase, sites_do_not_see_each_other);
	tcase_add_test(tcase, a_lease_expires);
	tcase_add_test(tcase, released_urls_are_handed_out_again);
	tcase_add_test(tcase, a_fetched_page_is_done_for_ever);
	tcase_add_test(tcase, a_fetched_page_is_visited_again);
	tcase_add_test(tcase, a_passing_failure_is_tried_four_times);
	tcase_add_test(tcase, an_outage_does_not_end_the_watch);
	tcase_add_test(tcase, success_forgets_failures);
	tcase_add_test(tcase, retry_after_is_obeyed_for_a_day);
	tcase_add_test(tcase, failures_by_their_kind);
	tcase_add_test(tcase, a_stopped_fetch_was_no_attempt);
	tcase_add_test(tcase, who_asks_is_served_at_once);
	tcase_add_test(tcase, a_leased_url_stays_leased_when_asked_for);
	tcase_add_test(tcase, asking_does_not_delay);
	tcase_add_test(tcase, redirects_are_counted_on_when_asked_again);
	tcase_add_test(tcase, a_due_time_of_zero_is_due);
	tcase_add_test(tcase, an_answer_for_an_unknown_url_is_ignored);
	tcase_add_test(tcase, random_operations_agree_with_a_model);
	suite_add_tcase(suite, tcase);
	return suite;
}
