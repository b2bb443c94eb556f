/* Workers build a model before requests come, once its site had a request, and
 * again after a change. */
#include "daemon/query/text_cache.h"

#include <unistd.h>

#include "daemon/privsep/worker_pool.h"
#include "daemon/query/stored_text.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

enum { PAGES = 12, WORKERS = 2, PATIENCE_MS = 20000 };

static struct world world;
static struct worker_pool *pool;
static struct cache_warmer *teaching;

static void put(unsigned kind, unsigned seed)
{
	AUTO_BUFFER html = {0};
	char url[64];

	snprintf(url, sizeof(url), "http://a.test/%u/%u", kind, seed);
	world_page(&html, kind, seed);
	ASSERT_OK(world_put(&world, url, buffer_slice(&html)));
}

static void setup(void)
{
	const struct worker_pool_options options = {.workers = WORKERS};

	world_open(&world, 0);
	world_add_site(&world, "a.test");
	for (unsigned i = 0; i < PAGES; i++) {
		put(0, i);
		put(1, i);
	}
	ASSERT_OK(worker_pool_create(&pool, &options));
	ASSERT_OK(cache_warmer_start(&teaching, pool, world.store));
}

static void teardown(void)
{
	cache_warmer_stop(teaching);
	worker_pool_destroy(pool);
	world_close(&world);
}

static void ask(unsigned kind, unsigned seed)
{
	struct extraction_options rules = extraction_options_default;
	struct text_request request = {.format = FORMAT_TXT};
	struct text_result answer;
	struct url url;
	char text[64];

	snprintf(text, sizeof(text), "http://a.test/%u/%u", kind, seed);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	request.url = &url;
	rules.max_learned = 16 << 20;
	rules.teaching = teaching;
	ASSERT_OK(
		stored_text_get(pool, world.store, &rules, &request, &answer));
	buffer_free(&answer.body);
}

/* Wait until this many models were built in advance. */
static void wait_for(uint64_t ahead)
{
	for (int i = 0; i < PATIENCE_MS / 10; i++) {
		if (cache_warmer_stats(teaching).ahead >= ahead)
			break;
		usleep(10000);
	}
	ck_assert_uint_eq(cache_warmer_stats(teaching).ahead, ahead);
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60);

TEST(nobody_waits_for_what_the_workers_have_learned)
{
	ask(0, 0);
	ck_assert_uint_eq(cache_warmer_stats(teaching).asked, 1);
	/* both templates by each worker, except one that it has already */
	wait_for(2 * WORKERS - 1);
	for (unsigned i = 0; i < 2 * PAGES; i++)
		ask(i % 2, i / 2);
	ck_assert_uint_eq(cache_warmer_stats(teaching).asked, 1);
	/* the other one is what it was */
	put(0, PAGES);
	wait_for(3 * WORKERS - 1);
	for (unsigned i = 0; i < 2 * PAGES; i++)
		ask(i % 2, i / 2);
	ck_assert_uint_eq(cache_warmer_stats(teaching).asked, 1);
}

TEST(no_model_is_built_for_a_site_without_requests)
{
	usleep(300000);
	ck_assert_uint_eq(cache_warmer_stats(teaching).ahead, 0);
}
