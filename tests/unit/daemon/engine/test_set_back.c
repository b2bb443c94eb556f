/* The clock was ahead by 400 days when pages were fetched, and is set back. */
#include "daemon/engine/engine.h"

#include "store/key.h"
#include "store/rows.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

#define AHEAD_MS (UINT64_C(400) * 24 * 3600 * 1000)
#define URL      "http://a.test/1"
#define OTHER    "http://a.test/2"

static struct world world;

static void put(const char *url, unsigned seed)
{
	AUTO_BUFFER html = {0};

	world_page(&html, 0, seed);
	ASSERT_OK(world_put(&world, url, buffer_slice(&html)));
}

static struct page_row page_of(const char *url)
{
	struct txn txn = txn_begin_read(world.store);
	struct page_row row;

	ck_assert(page_row_get(&txn, 1, page_key_of(slice_of(url)), &row));
	txn_abort(&txn);
	return row;
}

static uint64_t sampled_ms(void)
{
	struct txn txn = txn_begin_read(world.store);
	struct sample_page_row row;

	ck_assert(sample_page_row_get(&txn, 1, 1, page_key_of(slice_of(URL)),
				      &row));
	txn_abort(&txn);
	return row.since_ms;
}

/* As an inspection puts it. */
static void sample(void)
{
	struct sample_page_row row = {.since_ms = page_of(URL).fetched_ms,
				      .url = slice_of(URL)};
	struct txn txn = txn_begin_write(world.store);

	sample_page_row_put(&txn, 1, 1, page_key_of(slice_of(URL)), &row);
	ASSERT_OK(txn_end(&txn));
}

static void set_up(void)
{
	world_open(&world, 0);
	world.now_ms += AHEAD_MS;
	ASSERT_OK(world_add_site(&world, "a.test"));
	put(URL, 1);
	put(OTHER, 2);
	sample();
}

static void tear_down(void)
{
	world_close(&world);
}

static void check_sample(void)
{
	ck_assert_uint_lt(sampled_ms(), world.now_ms);
	ck_assert_uint_le(page_of(URL).fetched_ms, sampled_ms());
	ck_assert_uint_lt(world_site(&world, "a.test").seen_ms, world.now_ms);
	put(URL, 1);
	ck_assert_uint_gt(page_of(URL).fetched_ms, sampled_ms());
}

FIXTURE(.setup = set_up, .teardown = tear_down);

TEST(a_sample_page_is_fresh_from_its_next_visit_on)
{
	world.now_ms -= AHEAD_MS;
	put("http://a.test/3", 3);
	check_sample();
}

TEST(so_it_is_when_the_clock_was_set_back_before_the_start)
{
	world.now_ms -= AHEAD_MS;
	world_reopen(&world);
	check_sample();
}

TEST(times_that_are_over_stay)
{
	uint64_t since_ms = sampled_ms();

	world.now_ms += 1000;
	world_reopen(&world);
	ck_assert_uint_eq(sampled_ms(), since_ms);
	ck_assert_uint_eq(page_of(URL).fetched_ms, since_ms);
}

/* Not requested: it was fetched after the request. */
TEST(a_requested_page_is_fetched)
{
	struct url url;
	struct change change = {.kind = CHANGE_FETCH_NOW, .url = &url};

	ASSERT_OK(url_parse(&url, slice_of(OTHER), NULL));
	world.now_ms -= AHEAD_MS;
	change.ask.asked_ms = world.now_ms;
	ASSERT_OK(engine_commit(world.engine, &change, 1, world.now_ms, NULL));
	ck_assert_uint_eq(world_site(&world, "a.test").pending_count, 1);
}
