#include "daemon/engine/pipeline.h"

#include "daemon/engine/engine_internal.h"
#include "daemon/runtime/clock.h"
#include "page/page.h"
#include "store/rows.h"
#include "tests/unit/crawl/server.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

enum { MAX_IN_FLIGHT = 4, PAGES = 12, PATIENCE_MS = 8000 };

static struct world world;
static struct pipeline *pipeline;

static void start_with(size_t max_waiting_bytes)
{
	const struct pipeline_options options = {
		.fetch = {.user_agent = "test", .max_connections = 4},
		.limits = page_limits_default,
		.workers = 1,
		.max_in_flight = MAX_IN_FLIGHT,
		.max_waiting_bytes = max_waiting_bytes,
		.max_commands = 16,
		.commit_interval_ms = 10,
		.robots_ttl_ms = 60000,
	};

	ASSERT_OK(pipeline_start(&pipeline, world.engine, &options));
}

static void start(void)
{
	start_with(1 << 20);
}

static void setup(void)
{
	world_open(&world, 0);
	start();
}

static void teardown(void)
{
	pipeline_stop(pipeline, 0);
	world_close(&world);
}

/* Add the server's site, and request the page `path`. */
static void ask(const struct server *server, const char *path)
{
	struct change change = {
		.kind = CHANGE_FETCH_NOW,
		.ask.options = {.measure = MEASURE_CPC,
				.threshold = 250,
				.max_pages = 100,
				.flags = SITE_IS_PRIVATE_OK},
	};
	struct url url;
	char text[64];

	snprintf(text, sizeof(text), "http://127.0.0.1:%u%s", server->port,
		 path);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	change.url = &url;
	ASSERT_OK(pipeline_command(pipeline, &change));
}

static void ask_for_many(const struct server *server)
{
	for (unsigned i = 0; i < PAGES; i++) {
		char path[16];

		snprintf(path, sizeof(path), "/%u", i);
		ask(server, path);
	}
}

static struct pipeline_stats stats(void)
{
	struct pipeline_stats stats;

	pipeline_stats(pipeline, &stats);
	return stats;
}

/* Return false if this state is not reached in time. */
static bool waits_for_pages(uint64_t count)
{
	uint64_t end_ms = clock_steady_ms() + PATIENCE_MS;

	while (stats().committed < count && clock_steady_ms() < end_ms)
		test_sleep_ms(10);
	return stats().committed >= count;
}

static bool comes_to_rest(uint64_t answers)
{
	uint64_t end_ms = clock_steady_ms() + PATIENCE_MS;

	while ((stats().fetched < answers || stats().in_flight > 0) &&
	       clock_steady_ms() < end_ms)
		test_sleep_ms(10);
	return stats().fetched >= answers && stats().in_flight == 0;
}

/* URLs of all sites in that state. */
static unsigned urls_in(enum frontier_state state)
{
	struct txn txn = txn_begin_read(world.store);
	struct scan scan =
		scan_begin(&txn, TABLE_FRONTIER, (struct slice){NULL, 0});
	unsigned count = 0;

	while (scan_next(&scan)) {
		struct frontier_row row;

		ck_assert(frontier_row_decode(scan.value, &row));
		count += row.state == state;
	}
	scan_end(&scan);
	txn_abort(&txn);
	return count;
}

/* A connection that is used again may be reset, which is a failure. */
#define CLOSE "Connection: close\r\n"

static void no_robots(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 404 Not Found\r\n" CLOSE
				 "Content-Length: 0\r\n\r\n");
}

static void slow_robots(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 200 OK\r\n" CLOSE
				 "Content-Length: 34\r\n\r\n"
				 "User-agent: *\nCrawl-delay: 3600\n\n\n");
}

static void page(int socket, const char *request)
{
	(void)request;
	server_send_text(socket,
			 "HTTP/1.1 200 OK\r\n" CLOSE "Content-Type: text/html"
			 "\r\nContent-Length: 8\r\n\r\n<p>hello");
}

static void come_later(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 503 Service Unavailable\r\n" CLOSE
				 "Retry-After: 86400\r\n"
				 "Content-Length: 0\r\n\r\n");
}

static void too_many(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 429 Too Many Requests\r\n" CLOSE
				 "Retry-After: 600\r\n"
				 "Content-Length: 0\r\n\r\n");
}

#define PAGE_BY(name, function)                       \
	{                                             \
		.path = (name), .handler = (function) \
	}
#define PAGES_BY(f)                                                   \
	PAGE_BY("/0", f), PAGE_BY("/1", f), PAGE_BY("/2", f),         \
		PAGE_BY("/3", f), PAGE_BY("/4", f), PAGE_BY("/5", f), \
		PAGE_BY("/6", f), PAGE_BY("/7", f), PAGE_BY("/8", f), \
		PAGE_BY("/9", f), PAGE_BY("/10", f), PAGE_BY("/11", f)

static const struct route good[] = {
	{.path = "/robots.txt", .handler = no_robots}, PAGES_BY(page)};
static const struct route resting[] = {
	{.path = "/robots.txt", .handler = no_robots}, PAGES_BY(come_later)};
static const struct route slow[] = {
	{.path = "/robots.txt", .handler = slow_robots}, PAGES_BY(page)};
static const struct route pressed[] = {
	{.path = "/robots.txt", .handler = too_many}, PAGES_BY(page)};

static struct server serve(const struct route *routes)
{
	return server_start(routes, PAGES + 1);
}

FIXTURE(.timeout_s = 60, .setup = setup, .teardown = teardown);

TEST(pages_are_fetched_and_stored)
{
	struct server server = serve(good);

	ask_for_many(&server);
	ck_assert(waits_for_pages(PAGES));
	ck_assert(comes_to_rest(PAGES));
	ck_assert_uint_eq(urls_in(FRONTIER_DONE), PAGES);
	ck_assert_uint_eq(world_problems(&world), 0);
	server_stop(&server);
}

/* Law 4: all its pages together are more than may be in flight. */
TEST(a_host_that_rests_for_a_day_holds_up_no_other)
{
	struct server bad = serve(resting);
	struct server server = serve(good);

	ask_for_many(&bad);
	ck_assert(comes_to_rest(1));
	ask(&server, "/0");
	ck_assert(waits_for_pages(1));
	ck_assert(comes_to_rest(2));
	ck_assert_uint_eq(stats().fetched, 2); /* one of each */
	ck_assert_uint_eq(urls_in(FRONTIER_PENDING), PAGES);
	server_stop(&bad);
	server_stop(&server);
}

TEST(a_host_with_a_long_crawl_delay_holds_up_no_other)
{
	struct server bad = serve(slow);
	struct server server = serve(good);

	ask_for_many(&bad);
	ck_assert(waits_for_pages(1));
	ask_for_many(&server);
	ck_assert(waits_for_pages(1 + PAGES));
	ck_assert_uint_eq(stats().committed, 1 + PAGES);
	server_stop(&bad);
	server_stop(&server);
}

TEST(robots_that_are_too_many_requests_allow_nothing)
{
	struct server server = serve(pressed);

	ask_for_many(&server);
	ck_assert(comes_to_rest(1));
	ck_assert_uint_eq(stats().committed, 0);
	ck_assert_uint_eq(urls_in(FRONTIER_PENDING), PAGES);
	server_stop(&server);
}

TEST(a_drain_gives_every_lease_back)
{
	struct server server = serve(slow);

	for (int i = 0; i < 10; i++) {
		ask_for_many(&server);
		pipeline_stop(pipeline, 1000);
		ck_assert_uint_eq(urls_in(FRONTIER_LEASED), 0);
		start();
	}
	ck_assert_uint_eq(world_problems(&world), 0);
	server_stop(&server);
}

/* One page at a time then: the fetcher is woken when it is analysed. */
TEST(pages_come_though_none_may_wait)
{
	struct server server = serve(good);

	pipeline_stop(pipeline, 1000);
	start_with(0);
	ask_for_many(&server);
	ck_assert(waits_for_pages(PAGES));
	server_stop(&server);
}

TEST(slow_commits_take_a_third_of_the_time)
{
	ck_assert_uint_eq(commit_period_ms(0, 50), 50);
	ck_assert_uint_eq(commit_period_ms(16, 50), 50);
	ck_assert_uint_eq(commit_period_ms(17, 50), 51);
	ck_assert_uint_eq(commit_period_ms(333, 50), 1000);
	ck_assert_uint_eq(commit_period_ms(UINT64_MAX, 50), 1000);
	ck_assert_uint_eq(commit_period_ms(333, 2000), 2000);
}

TEST(slow_commits_take_more_submitted_pages)
{
	ck_assert_uint_eq(submitted_pages_limit(256, 0), 256);
	ck_assert_uint_eq(submitted_pages_limit(256, 199), 256);
	ck_assert_uint_eq(submitted_pages_limit(256, 200), 512);
	ck_assert_uint_eq(submitted_pages_limit(256, 400), 1024);
	ck_assert_uint_eq(submitted_pages_limit(256, UINT64_MAX), 1024);
}
