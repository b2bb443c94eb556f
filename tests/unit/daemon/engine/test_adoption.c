/* A partition that goes to another machine, and comes back. */
#include "daemon/engine/engine.h"

#include "store/partitions.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

enum { PARTITION = 7, DELAY_MS = 300 };

static struct world world;

static unsigned partition_of(struct slice host)
{
	(void)host;
	return PARTITION;
}

static void give(bool is_own)
{
	struct change change = {
		.kind = CHANGE_PARTITION,
		.partition = {.partition = PARTITION, .is_own = is_own},
	};

	store_set_owned(world.store, PARTITION, is_own);
	ASSERT_OK(engine_commit(world.engine, &change, 1, world.now_ms, NULL));
	ASSERT_OK(change.error);
}

static void add_site(void)
{
	struct url url;
	struct change change = {
		.kind = CHANGE_SITE_ADD,
		.url = &url,
		.site_add = {.measure = MEASURE_CPC,
			     .threshold = 250,
			     .max_pages = 10,
			     .delay_ms = DELAY_MS},
	};

	url_parse(&url, slice_of("http://a.test/"), NULL);
	engine_commit(world.engine, &change, 1, world.now_ms, NULL);
	ASSERT_OK(change.error);
}

/* The URLs that are leased now. */
static size_t lease(void)
{
	struct work work;
	struct work_order order = {.max = 1,
				   .max_per_site = 1,
				   .lease_ms = 1000000,
				   .work = &work};

	engine_commit(world.engine, NULL, 0, world.now_ms, &order);
	if (order.count > 0)
		work_free(&work);
	return order.count;
}

static void set_up(void)
{
	world_open_parted(&world, partition_of);
	give(true);
	add_site();
}

static void tear_down(void)
{
	ck_assert_uint_eq(world_problems(&world), 0);
	world_close(&world);
}

FIXTURE(.setup = set_up, .teardown = tear_down);

TEST(what_is_not_ours_is_not_leased)
{
	give(false);
	ck_assert_uint_eq(lease(), 0);
	world.now_ms += UINT64_C(3600000);
	ck_assert_uint_eq(lease(), 0);
}

/* The machine that it was of may have asked a moment ago. */
TEST(a_site_that_is_adopted_rests_for_its_delay)
{
	ck_assert_uint_eq(lease(), 1);
	give(false);
	give(true);
	world.now_ms += DELAY_MS - 1;
	ck_assert_uint_eq(lease(), 0);
	world.now_ms++;
	ck_assert_uint_eq(lease(), 1);
}
