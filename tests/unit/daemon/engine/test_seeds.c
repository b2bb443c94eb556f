/* Jobs that add sites, as one change. */
#include "daemon/engine/engine.h"

#include "store/partitions.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

enum { SEEDS = 8 };

static struct world world;
static struct url urls[SEEDS];
static struct seed seeds[SEEDS];
static struct change change;

/* The partition of a.test is 1. */
static unsigned partition_of(struct slice host)
{
	const char *text = host.data;

	return (unsigned)(text[0] - 'a') + 1;
}

static void own(unsigned partition, bool is_own)
{
	struct change owning = {
		.kind = CHANGE_PARTITION,
		.partition = {.partition = partition, .is_own = is_own},
	};

	store_set_owned(world.store, partition, is_own);
	engine_commit(world.engine, &owning, 1, world.now_ms, NULL);
	ASSERT_OK(owning.error);
}

static void set_up(void)
{
	world_open_parted(&world, partition_of);
	own(1, true);
	change = (struct change){.kind = CHANGE_JOBS,
				 .jobs = {.partition = 1, .seeds = seeds}};
}

static void tear_down(void)
{
	ck_assert_uint_eq(world_problems(&world), 0);
	world_close(&world);
}

/* NULL: it is useless. Its number is 11 and so on. */
static void add_with(const char *url, uint32_t pages)
{
	size_t i = change.jobs.count++;

	seeds[i] = (struct seed){
		.options = {.measure = MEASURE_CPC,
			    .threshold = 250,
			    .max_pages = pages,
			    .delay_ms = (uint32_t)(100 + i)},
		.mark = {.number = 11 + i, .time_ms = 1000 + i, .hash = 77 + i},
	};
	if (url == NULL)
		return;
	ASSERT_OK(url_parse(&urls[i], slice_of(url), NULL));
	seeds[i].url = &urls[i];
}

static void add(const char *url)
{
	add_with(url, 100);
}

static enum error commit(void)
{
	engine_commit(world.engine, &change, 1, world.now_ms, NULL);
	return change.error;
}

/* What the store has of the jobs. */
static void expect_mark(uint64_t job, uint64_t time_ms, uint64_t hash)
{
	struct txn txn = txn_begin_read(world.store);
	char name[COUNTER_NAME_BYTES];

	counter_name(name, "job", 1);
	ck_assert_uint_eq(store_last_number(&txn, name), job);
	counter_name(name, "jobtime", 1);
	ck_assert_uint_eq(store_last_number(&txn, name), time_ms);
	counter_name(name, "jobhash", 1);
	ck_assert_uint_eq(store_last_number(&txn, name), hash);
	txn_end(&txn);
}

/* Zeros: there is no such site. */
static struct site_options options_of(const char *host)
{
	struct txn txn = txn_begin_read(world.store);
	struct site_row row = {0};
	bool is_known = site_get(&txn, slice_of(host), &row);

	txn_end(&txn);
	return is_known ? row.options : (struct site_options){0};
}

static uint32_t max_pages(const char *host)
{
	return options_of(host).max_pages;
}

/* 100 and so on: which one was the last to be added. */
static uint32_t delay_ms(const char *host)
{
	return options_of(host).delay_ms;
}

FIXTURE(.setup = set_up, .teardown = tear_down);

TEST(all_are_done_in_their_order_with_how_far_they_are)
{
	add("http://a.test/1");
	add("http://a2.test/");
	add("http://a.test/2");
	ASSERT_OK(commit());
	ck_assert_uint_eq(change.jobs.done, 3);
	ck_assert_uint_eq(delay_ms("a.test"), 102);
	ck_assert_uint_eq(delay_ms("a2.test"), 101);
	expect_mark(13, 1002, 79);
}

/* What was skipped of the site is read. */
TEST(one_that_changes_limits_is_done_alone)
{
	add("http://a.test/1");
	add("http://a2.test/");
	add_with("http://a.test/2", 200);
	add_with("http://a.test/3", 200);
	ASSERT_OK(commit());
	ck_assert_uint_eq(change.jobs.done, 2);
	ck_assert_uint_eq(max_pages("a.test"), 100);
	expect_mark(12, 1001, 78);
	change.jobs.seeds += 2;
	change.jobs.count -= 2;
	change.jobs.before = 78;
	ASSERT_OK(commit());
	ck_assert_uint_eq(change.jobs.done, 1);
	ck_assert_uint_eq(max_pages("a.test"), 200);
	expect_mark(13, 1002, 79);
}

TEST(one_that_has_to_wait_holds_up_those_behind_it_alone)
{
	add("http://a.test/");
	add("http://b.test/"); /* this node owns none */
	add("http://a2.test/");
	ASSERT_OK(commit());
	ck_assert_uint_eq(change.jobs.done, 1);
	ck_assert_int_eq(seeds[1].error, ERR_NOT_OWNER);
	ck_assert_uint_eq(max_pages("a.test"), 100);
	ck_assert_uint_eq(max_pages("a2.test"), 0);
	expect_mark(11, 1000, 77);
}

TEST(where_the_first_one_has_to_wait_nothing_is_noted)
{
	add("http://b.test/");
	add("http://a.test/");
	ASSERT_OK(commit());
	ck_assert_uint_eq(change.jobs.done, 0);
	ck_assert_uint_eq(max_pages("a.test"), 0);
	expect_mark(0, 0, 0);
}

/* WORLD_MAX_SITES is 4 */
TEST(useless_ones_are_passed_over)
{
	add("http://a.test/");
	add(NULL);
	add("http://a1.test/");
	add("http://a2.test/");
	add("http://a3.test/");
	add("http://a4.test/");
	add("http://a.test/2");
	add(NULL);
	ASSERT_OK(commit());
	ck_assert_uint_eq(change.jobs.done, 8);
	ck_assert_int_eq(seeds[5].error, ERR_TOO_LARGE);
	ASSERT_OK(seeds[6].error);
	ck_assert_uint_eq(delay_ms("a3.test"), 104);
	ck_assert_uint_eq(delay_ms("a4.test"), 0);
	ck_assert_uint_eq(delay_ms("a.test"), 106);
	expect_mark(18, 1007, 84);
}

TEST(what_the_log_had_already_is_not_done_again)
{
	add("http://a.test/1");
	ASSERT_OK(commit());
	add("http://a.test/2");
	ck_assert_int_eq(commit(), ERR_BUSY);
	ck_assert_uint_eq(change.jobs.done, 0);
	ck_assert_uint_eq(delay_ms("a.test"), 100);
	expect_mark(11, 1000, 77);
	change.jobs.before = 77;
	ASSERT_OK(commit());
	ck_assert_uint_eq(delay_ms("a.test"), 101);
}

TEST(who_has_lost_the_partition_does_none)
{
	own(1, false);
	add("http://a.test/");
	ck_assert_int_eq(commit(), ERR_NOT_OWNER);
	ck_assert_uint_eq(change.jobs.done, 0);
	expect_mark(0, 0, 0);
}
