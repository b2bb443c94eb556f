/*
 * tests/unit/crawl/frontier_world.h - one site in its own store; each test ends
 * with a check of its counters.
 */
#ifndef TESTS_UNIT_CRAWL_FRONTIER_WORLD_H
#define TESTS_UNIT_CRAWL_FRONTIER_WORLD_H

#include "crawl/frontier.h"
#include "store/key.h"
#include "store/verify.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

#define HOUR_MS UINT64_C(3600000)
#define DAY_MS  (24 * HOUR_MS)

static struct scratch scratch;
static struct store *store;
static struct txn txn;
static struct site_row site;
static struct frontier_rules rules; /* zero: the defaults */

static inline void world_begin(void)
{
	scratch_make(&scratch);
	store = scratch_store(&scratch);
	txn = txn_begin_write(store);
	rules = (struct frontier_rules){0};
	site = (struct site_row){
		.id = 7,
		.options.max_pages = 1000,
		.options.max_depth = 3,
		.host = slice_of("a.example"),
		.seed = slice_of("http://a.example/"),
	};
}

/* What the rows add up to is what was counted. */
static inline void world_verify(void)
{
	struct verify_report report = {0};

	site_put(&txn, &site);
	ck_assert_int_eq(store_verify(&txn, &report), ERR_NONE);
	ck_assert_msg(report.problems == 0, "%s", report.text.data);
	buffer_free(&report.text);
}

static inline void world_end(void)
{
	world_verify();
	txn_abort(&txn);
	store_close(store);
	scratch_remove(&scratch, NULL);
}

static inline enum admission discover(const char *text, enum admission how,
				      struct discovery discovery)
{
	struct url url;

	ck_assert_int_eq(url_parse(&url, slice_of(text), NULL), ERR_NONE);
	discovery.url = &url;
	discovery.how = how;
	return frontier_discover(&txn, &site, &rules, &discovery, 5);
}

static inline enum admission add(const char *text)
{
	return discover(text, ADMIT_LINK, (struct discovery){.depth = 1});
}

static inline enum admission ask(const char *text, uint64_t due_ms)
{
	return discover(text, ADMIT_ON_DEMAND,
			(struct discovery){.flags = FRONTIER_IS_ON_DEMAND,
					   .due_ms = due_ms});
}

static inline size_t lease(uint64_t now_ms, uint64_t until_ms, size_t max,
			   struct lease *leases)
{
	struct lease_request order = {now_ms, until_ms, max};

	return frontier_lease(&txn, &site, &rules, &order, leases);
}

/* Its key is 0 when nothing is due. */
static inline struct lease lease_one(uint64_t now_ms)
{
	struct lease one = {0};

	lease(now_ms, now_ms + 1000, 1, &one);
	return one;
}

static inline void answer(uint64_t key, enum error error, unsigned status,
			  uint64_t now_ms)
{
	struct outcome outcome = {.error = error,
				  .http_status = (uint16_t)status,
				  .now_ms = now_ms};

	frontier_record_outcome(&txn, &site, key, &outcome);
}

static inline struct frontier_row row_of(const char *url)
{
	struct frontier_row row = {.state = FRONTIER_STATES};

	ck_assert(frontier_row_get(&txn, site.id, page_key_of(slice_of(url)),
				   &row));
	return row;
}

static inline void check_counts(unsigned pending, unsigned fetched,
				unsigned failed)
{
	ck_assert_uint_eq(site.found_count, pending + fetched + failed);
	ck_assert_uint_eq(site.pending_count, pending);
	ck_assert_uint_eq(site.fetched_count, fetched);
	ck_assert_uint_eq(site.failed_count, failed);
}

#endif
