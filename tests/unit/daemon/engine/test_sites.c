#include "daemon/engine/sites.h"

#include "tests/unit/run.h"

enum { MANY = 1000, STEPS = 20000 };

static struct sites sites;

static void setup(void)
{
	sites = (struct sites){0};
}

static void teardown(void)
{
	sites_free(&sites);
}

static struct site *add(unsigned number)
{
	char host[32];
	struct site *site;

	(void)snprintf(host, sizeof(host), "h%u.test", number);
	site = site_create(
		&(struct site_row){.id = number, .host = slice_of(host)});
	sites_add(&sites, site);
	return site;
}

static struct site *find(unsigned number)
{
	char host[32];

	(void)snprintf(host, sizeof(host), "h%u.test", number);
	return sites_find(&sites, slice_of(host));
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(each_of_many_sites_is_found)
{
	ck_assert_ptr_null(find(0));
	for (unsigned i = 0; i < MANY; i++)
		add(i);
	for (unsigned i = 0; i < MANY; i++)
		ck_assert_uint_eq(find(i)->row.id, i);
	ck_assert_ptr_null(find(MANY));
	for (unsigned i = 0; i < MANY; i += 2)
		sites_drop(&sites, find(i));
	for (unsigned i = 0; i < MANY; i++)
		ck_assert(i % 2 == 0 ? find(i) == NULL : find(i)->row.id == i);
	ck_assert_uint_eq(sites.all.count, MANY / 2);
}

TEST(a_deleted_site_is_not_in_the_way_of_its_successor)
{
	struct site *first = add(1);
	struct site *second;

	first->is_deleted = true;
	ck_assert_ptr_null(find(1));
	second = add(1);
	ck_assert_ptr_eq(find(1), second);
	sites_drop(&sites, first);
	ck_assert_ptr_eq(find(1), second);
}

TEST(what_is_found_is_touched_once)
{
	struct site *site = add(1);

	add(2);
	sites_clear(&sites.touched, SITE_IN_TOUCHED);
	site->leased = 3;
	ck_assert_ptr_eq(find(1), site);
	site->leased = 4;
	ck_assert_ptr_eq(find(1), site);
	ck_assert_uint_eq(sites.touched.count, 1);
	ck_assert_ptr_eq(sites.touched.items[0], site);
	ck_assert_uint_eq(site->leased_before, 3);
}

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	return (uint32_t)(*state >> 33);
}

/* The earliest waiting time; all past times are equal. */
static uint64_t earliest(uint64_t now_ms)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < sites.all.count; i++)
		if (sites.all.items[i]->waits != SITE_WAITS_NOT &&
		    sites.all.items[i]->wake_ms < least)
			least = sites.all.items[i]->wake_ms;
	return least <= now_ms ? 0 : least;
}

TEST(the_queue_tells_the_earliest_time_whatever_comes_and_goes)
{
	struct site_queue queue = {0};
	uint64_t state = 1;
	uint64_t now_ms = 0;

	for (unsigned i = 0; i < 50; i++)
		add(i);
	for (unsigned i = 0; i < STEPS; i++) {
		uint32_t die = next_random(&state) % 10;
		uint64_t wake_ms = die == 0 ? UINT64_MAX
					    : now_ms + next_random(&state) % 90;
		uint64_t next;

		site_queue_put(&queue, find(next_random(&state) % 50), wake_ms,
			       now_ms);
		now_ms += next_random(&state) % 2;
		site_queue_wake(&queue, now_ms);
		next = site_queue_next(&queue);
		ck_assert_uint_eq(next <= now_ms ? 0 : next, earliest(now_ms));
	}
	for (size_t i = 0; i < queue.ready_count; i++)
		ck_assert_uint_le(queue.ready[i]->wake_ms, now_ms);
	for (size_t i = 0; i < queue.later_count; i++)
		ck_assert_uint_gt(queue.later[i]->wake_ms, now_ms);
	site_queue_free(&queue);
}

TEST(who_is_ready_keeps_its_turn)
{
	struct site_queue queue = {0};
	struct site *first = add(1);
	struct site *second = add(2);

	site_queue_put(&queue, first, 5, 10);
	site_queue_put(&queue, second, 4, 10);
	site_queue_put(&queue, first, 7, 10);
	ck_assert_ptr_eq(queue.ready[0], first);
	ck_assert_ptr_eq(queue.ready[1], second);
	site_queue_put(&queue, first, UINT64_MAX, 10);
	ck_assert_uint_eq(queue.ready_count, 1);
	ck_assert_int_eq(first->waits, SITE_WAITS_NOT);
	site_queue_free(&queue);
}

static struct site *add_open(unsigned number)
{
	struct site *site = add(number);

	site->linkage = linkage_create(&(struct linkage_options){0});
	sites_mark_open(&sites, site);
	return site;
}

TEST(the_site_that_was_not_used_for_the_longest_time_is_closed)
{
	struct site *first = add_open(1);
	struct site *second = add_open(2);
	struct site *third = add_open(3);

	sites_mark_open(&sites, first);
	sites_close_idle(&sites, 2, 0);
	ck_assert_ptr_nonnull(first->linkage);
	ck_assert_ptr_null(second->linkage);
	ck_assert_ptr_nonnull(third->linkage);
	sites_drop(&sites, third);
	sites_close_idle(&sites, 0, 0);
	ck_assert_ptr_null(first->linkage);
	ck_assert_uint_eq(sites.open.count, 0);
	ck_assert_uint_eq(sites.open.bytes, 0);
}

TEST(small_sites_stay_open_until_all_of_them_take_too_much_memory)
{
	size_t bytes;

	for (unsigned i = 0; i < MANY; i++)
		add_open(i);
	bytes = sites.open.bytes;
	sites_close_idle(&sites, 1, bytes);
	ck_assert_uint_eq(sites.open.count, MANY);
	sites_close_idle(&sites, 1, bytes - 1);
	ck_assert_uint_eq(sites.open.count, MANY - 1);
	ck_assert_ptr_null(find(0)->linkage);
	ck_assert_ptr_nonnull(find(1)->linkage);
}
