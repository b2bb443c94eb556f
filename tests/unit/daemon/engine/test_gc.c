/* Data over the limits is deleted, and required data stays; with a simulated
 * clock. */
#include "daemon/engine/gc.h"

#include "daemon/engine/engine.h"
#include "daemon/query/query.h"
#include "extract/core/extractor.h"
#include "store/rows.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

#define MINUTE_MS UINT64_C(60000)

static struct world world;
static struct retention_limits limits;

static void setup(void)
{
	world_open(&world, 0);
	world_add_site(&world, "a.test");
	limits = (struct retention_limits){0};
}

static void teardown(void)
{
	ck_assert_uint_eq(world_problems(&world), 0);
	world_close(&world);
}

static void page_url(char *url, size_t size, const char *host, unsigned number)
{
	snprintf(url, size, "http://%s/page/%u", host, number);
}

/* A page a minute; all are of one template. */
static void put_in(const char *host, unsigned from, unsigned to, unsigned seed)
{
	for (unsigned i = from; i < to; i++) {
		AUTO_BUFFER html = {0};
		char url[64];

		page_url(url, sizeof(url), host, i);
		world_page(&html, 0, seed + i);
		world.now_ms += MINUTE_MS - 1;
		ASSERT_OK(world_put(&world, url, buffer_slice(&html)));
	}
}

static void put(unsigned from, unsigned to)
{
	put_in("a.test", from, to, 0);
}

static uint64_t commit_gc(const struct gc_row *rows, size_t count)
{
	struct change change = {.kind = CHANGE_GC,
				.gc = {.rows = rows, .count = count}};

	ASSERT_OK(engine_commit(world.engine, &change, 1, world.now_ms, NULL));
	ASSERT_OK(change.error);
	return change.gc.collected;
}

/* Drop what is over the limits until nothing is; how many went. */
static uint64_t gc_all(void)
{
	uint64_t total = 0;
	uint64_t collected;

	do {
		struct gc gc;

		ASSERT_OK(gc_find(world.store, &limits, world.now_ms, &gc));
		collected = commit_gc(gc.rows, gc.count);
		total += collected;
		free(gc.rows);
	} while (collected > 0);
	return total;
}

static struct table_usage usage_of(enum table table)
{
	struct txn txn = txn_begin_read(world.store);
	struct table_usage usage = txn_usage(&txn, table);

	ASSERT_OK(txn_end(&txn));
	return usage;
}

static struct page_row row_of(const char *host, unsigned number)
{
	struct txn txn = txn_begin_read(world.store);
	struct page_row row = {0};
	struct site_row site;
	char url[64];

	page_url(url, sizeof(url), host, number);
	ck_assert(site_get(&txn, slice_of(host), &site));
	ck_assert(
		page_row_get(&txn, site.id, page_key_of(slice_of(url)), &row));
	txn_abort(&txn);
	return row;
}

static bool has_body(unsigned number)
{
	return (row_of("a.test", number).flags & PAGE_ROW_HAS_NO_BODY) == 0;
}

static unsigned count_bodies(unsigned from, unsigned to)
{
	unsigned count = 0;

	for (unsigned i = from; i < to; i++)
		count += has_body(i);
	return count;
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60);

TEST(without_limits_all_is_kept)
{
	put(0, 50);
	world.now_ms += 1000 * UINT64_C(365) * 86400000;
	ck_assert_uint_eq(gc_all(), 0);
	ck_assert_uint_eq(usage_of(TABLE_BODIES).rows, 50);
}

/* Page i is fetched in minute i: at minute 60, the first 20 are older than 40
 * minutes. Any 32 pages are the sample. */
TEST(bodies_go_by_age_but_for_the_sample)
{
	put(0, 60);
	limits.bodies.age_ms = 40 * MINUTE_MS - 1;
	ck_assert_uint_gt(gc_all(), 0);
	ck_assert_uint_eq(count_bodies(20, 60), 40);
	ck_assert_uint_lt(count_bodies(0, 20), 20);
	limits.bodies.age_ms = 1;
	world.now_ms += MINUTE_MS;
	gc_all();
	ck_assert_uint_eq(usage_of(TABLE_BODIES).rows, MAX_SAMPLE_PAGES);
	ck_assert_uint_eq(count_bodies(0, 60), MAX_SAMPLE_PAGES);
}

TEST(bodies_go_by_the_count_of_a_site)
{
	put(0, 50);
	world_add_site(&world, "b.test");
	put_in("b.test", 0, 45, 1000);
	limits.bodies.count = 47;
	ck_assert_uint_eq(gc_all(), 3);
	ck_assert_uint_eq(usage_of(TABLE_BODIES).rows, 47 + 45);
	ck_assert_uint_eq(gc_all(), 0);
	limits.bodies.count = 1;
	gc_all();
	ck_assert_uint_eq(usage_of(TABLE_BODIES).rows,
			  (uint64_t)2 * MAX_SAMPLE_PAGES);
}

/* Size of a body; all are alike except for their numbers. */
static uint64_t bytes_of_bodies(void)
{
	struct txn txn = txn_begin_read(world.store);
	struct scan scan = scan_begin(&txn, TABLE_BODIES, slice_of(""));
	uint64_t bytes = 0;

	while (scan_next(&scan))
		bytes += scan.key.size + scan.value.size + 10;
	scan_end(&scan);
	txn_abort(&txn);
	return bytes;
}

/* A quarter of 200 is the older half of the 100 of a.test, except the pages in
 * the sample. */
TEST(bodies_go_by_bytes_the_oldest_of_all_sites_first)
{
	uint64_t full;
	uint64_t collected;

	put(0, 100);
	world_add_site(&world, "b.test");
	put_in("b.test", 0, 100, 1000);
	full = bytes_of_bodies();
	limits.bodies.bytes = full * 3 / 4;
	collected = gc_all();
	ck_assert_uint_ge(collected, 49);
	ck_assert_uint_le(collected, 52);
	ck_assert_uint_le(bytes_of_bodies(), full * 3 / 4);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(
			row_of("b.test", i).flags & PAGE_ROW_HAS_NO_BODY, 0);
	ck_assert_uint_gt(count_bodies(50, 100), count_bodies(0, 50));
}

TEST(a_limit_that_the_samples_do_not_allow_ends)
{
	put(0, 40);
	limits.bodies.bytes = 1;
	ck_assert_uint_eq(gc_all(), 40 - MAX_SAMPLE_PAGES);
}

/* Its template has its cluster's number, or a deleted one. */
static void put_sample(unsigned number, uint32_t offset)
{
	struct page_row row = row_of("a.test", number);
	struct txn txn = txn_begin_write(world.store);
	struct site_row site;
	char url[64];

	page_url(url, sizeof(url), "a.test", number);
	ck_assert(site_get(&txn, slice_of("a.test"), &site));
	sample_page_row_put(&txn, site.id, row.cluster + offset,
			    page_key_of(slice_of(url)),
			    &(struct sample_page_row){.url = slice_of(url)});
	ASSERT_OK(txn_end(&txn));
}

/* Only the sample is simulated: world_problems() would require more. */
static void drop_sample(void)
{
	struct slice all = {NULL, 0};
	struct txn txn = txn_begin_write(world.store);

	txn_delete_prefix(&txn, TABLE_SAMPLE_PAGES, all);
	ASSERT_OK(txn_end(&txn));
}

TEST(the_sample_of_a_template_keeps_its_bodies)
{
	put(0, 60);
	for (unsigned i = 0; i < 60; i++)
		put_sample(i, i % 2);
	limits.bodies.age_ms = 1;
	world.now_ms += MINUTE_MS;
	ck_assert_uint_eq(gc_all(), 0);
	drop_sample();
	ck_assert_uint_eq(gc_all(), 60 - MAX_SAMPLE_PAGES);
}

/* It may have got into the sample since it was found. */
TEST(a_body_is_checked_again_before_deletion)
{
	struct gc gc;

	put(0, 60);
	limits.bodies.age_ms = 1;
	world.now_ms += MINUTE_MS;
	ASSERT_OK(gc_find(world.store, &limits, world.now_ms, &gc));
	ck_assert_uint_eq(gc.count, 60 - MAX_SAMPLE_PAGES);
	for (unsigned i = 0; i < 60; i++)
		put_sample(i, 0);
	ck_assert_uint_eq(commit_gc(gc.rows, gc.count), 0);
	drop_sample();
	ck_assert_uint_eq(commit_gc(gc.rows, gc.count), gc.count);
	ck_assert_uint_eq(commit_gc(gc.rows, gc.count), 0);
	free(gc.rows);
}

static unsigned first_without_body(unsigned to)
{
	for (unsigned i = 0; i < to; i++)
		if (!has_body(i))
			return i;
	ck_abort_msg("every page has its body");
}

static enum error ask_text(unsigned number, struct extraction_result *answer)
{
	struct text_request request = {.url = NULL};
	struct url url;
	char text[64];

	page_url(text, sizeof(text), "a.test", number);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	request.url = &url;
	return query_text(world.store, &extraction_options_default, &request,
			  answer);
}

TEST(a_page_without_body_says_so_until_it_comes_again)
{
	struct extraction_result answer;
	unsigned number;

	put(0, 40);
	limits.bodies.age_ms = 1;
	gc_all();
	number = first_without_body(40);
	ck_assert_int_eq(ask_text(number, &answer), ERR_BODY_EXPIRED);
	ck_assert_ptr_nonnull(strstr(answer.reason, "fetch=always"));
	extraction_result_free(&answer);
	put(number, number + 1); /* the same content */
	ck_assert(has_body(number));
	ASSERT_OK(ask_text(number, &answer));
	extraction_result_free(&answer);
}

TEST(a_page_without_body_can_change_and_go)
{
	unsigned number;

	put(0, 40);
	limits.bodies.age_ms = 1;
	gc_all();
	number = first_without_body(40);
	put_in("a.test", number, number + 1, 5000);
	ck_assert(has_body(number));
	world.now_ms += MINUTE_MS;
	gc_all();
	for (unsigned i = 0; i < 40; i++) {
		char url[64];

		page_url(url, sizeof(url), "a.test", i);
		world_remove(&world, url);
	}
	ck_assert_uint_eq(usage_of(TABLE_PAGES).rows, 0);
	ck_assert_uint_eq(usage_of(TABLE_BODIES).rows, 0);
}

/* Pages come, change and go while others are collected. */
TEST(all_holds_while_pages_change)
{
	uint64_t state = 7;

	limits.bodies.count = 40;
	limits.events.count = 100;
	for (unsigned round = 0; round < 60; round++) {
		unsigned first = world_random(&state) % 80;

		put_in("a.test", first, first + 5,
		       world_random(&state) % 3 * 1000);
		if (round % 4 == 0)
			world_remove(&world, "http://a.test/page/3");
		gc_all();
		ck_assert_uint_le(usage_of(TABLE_BODIES).rows, 40);
		ck_assert_uint_le(usage_of(TABLE_EVENTS).rows, 100);
		ck_assert_uint_eq(world_problems(&world), 0);
	}
}

/* Versions 1 to `count` of template `cluster`, one a minute. */
static void put_versions(uint32_t cluster, uint32_t count, size_t size)
{
	static char packed[5000];
	struct txn txn = txn_begin_write(world.store);
	struct site_row site;

	ck_assert_uint_le(size, sizeof(packed));
	ck_assert(site_get(&txn, slice_of("a.test"), &site));
	for (uint32_t i = 1; i <= count; i++)
		version_row_put(
			&txn, site.id, cluster, i,
			&(struct version_row){.first_ms = i * MINUTE_MS,
					      .last_ms = i * MINUTE_MS,
					      .packed = {packed, size}});
	template_row_put(&txn, site.id, cluster,
			 &(struct template_row){.version = count,
						.state = TEMPLATE_VANISHED,
						.ended_ms = 1});
	ASSERT_OK(txn_end(&txn));
}

static bool has_version(uint32_t cluster, uint32_t version)
{
	struct txn txn = txn_begin_read(world.store);
	struct version_row row;
	struct site_row site;
	bool is_there;

	ck_assert(site_get(&txn, slice_of("a.test"), &site));
	is_there = version_row_get(&txn, site.id, cluster, version, &row);
	txn_abort(&txn);
	return is_there;
}

/* So that the made up ones are no problems at the end. */
static void drop_versions(void)
{
	struct slice all = {NULL, 0};
	struct txn txn = txn_begin_write(world.store);

	txn_delete_prefix(&txn, TABLE_VERSIONS, all);
	txn_delete_prefix(&txn, TABLE_TEMPLATES, all);
	ASSERT_OK(txn_end(&txn));
}

TEST(versions_go_by_the_count_of_a_template)
{
	put_versions(1, 10, 10);
	put_versions(2, 3, 10);
	limits.versions.count = 4;
	ck_assert_uint_eq(gc_all(), 6);
	ck_assert(!has_version(1, 6));
	ck_assert(has_version(1, 7));
	ck_assert(has_version(1, 10));
	ck_assert(has_version(2, 1));
	drop_versions();
}

TEST(versions_go_by_age_but_for_the_newest)
{
	put_versions(1, 10, 10);
	world.now_ms = 12 * MINUTE_MS;
	limits.versions.age_ms = 5 * MINUTE_MS; /* before minute 7 */
	ck_assert_uint_eq(gc_all(), 6);
	ck_assert(has_version(1, 7));
	world.now_ms = 1000 * MINUTE_MS;
	ck_assert_uint_eq(gc_all(), 3);
	ck_assert(has_version(1, 10));
	drop_versions();
}

/* A version of 5,000 bytes has two pages; half of 20 of them are to go. */
TEST(versions_go_by_bytes_the_oldest_first)
{
	put_versions(1, 10, 5000);
	put_versions(2, 10, 5000);
	limits.versions.bytes = UINT64_C(10) * 8192;
	ck_assert_uint_eq(gc_all(), 10);
	for (uint32_t cluster = 1; cluster <= 2; cluster++) {
		ck_assert(!has_version(cluster, 5));
		ck_assert(has_version(cluster, 6));
	}
	limits.versions.bytes = 1;
	gc_all();
	ck_assert_uint_eq(usage_of(TABLE_VERSIONS).rows, 2);
	drop_versions();
}

/* Each page is an event, the first is a cluster, too, and the site itself. */
TEST(events_go_by_count_and_by_age)
{
	put(0, 50);
	ck_assert_uint_ge(usage_of(TABLE_EVENTS).rows, 52);
	limits.events.count = 30;
	gc_all();
	ck_assert_uint_eq(usage_of(TABLE_EVENTS).rows, 30);
	limits.events = (struct retention_limit){.age_ms = 10 * MINUTE_MS - 1};
	gc_all();
	ck_assert_uint_eq(usage_of(TABLE_EVENTS).rows, 10);
}

TEST(events_go_by_bytes)
{
	uint64_t before;

	put(0, 300);
	before = usage_of(TABLE_EVENTS).bytes;
	limits.events.bytes = before / 2;
	gc_all();
	ck_assert_uint_le(usage_of(TABLE_EVENTS).bytes, before / 2);
	ck_assert_uint_gt(usage_of(TABLE_EVENTS).rows, 50);
}

static void put_many_events(unsigned count)
{
	struct txn txn = txn_begin_write(world.store);

	for (unsigned i = 0; i < count; i++)
		event_add(&txn, &(struct event_row){.kind = EVENT_PAGE_ADDED,
						    .time_ms = world.now_ms});
	ASSERT_OK(txn_end(&txn));
}

TEST(one_look_finds_so_many_and_no_more)
{
	struct gc gc;

	put_many_events(2 * GC_MAX_ROWS + 500);
	limits.events.count = 100;
	ASSERT_OK(gc_find(world.store, &limits, world.now_ms, &gc));
	ck_assert_uint_eq(gc.count, GC_MAX_ROWS);
	free(gc.rows);
	gc_all();
	ck_assert_uint_eq(usage_of(TABLE_EVENTS).rows, 100);
}
