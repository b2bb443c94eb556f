#include "daemon/engine/sites.h"
#include "daemon/watch/watcher.h"

#include <pthread.h>

#include "daemon/runtime/clock.h"
#include "page/page.h"
#include "store/key.h"
#include "store/rows.h"
#include "tests/unit/crawl/server.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

/*
 * Posts of two signatures with 20 members, 19 of them in common (height 50),
 * and tags that have 17 in common with either (height 150). The observed speaks
 * for a threshold between; the one nearest to the default, 250, is 145.
 */
enum {
	POST = 0x0007ffff,
	OTHER_POST = 0x000bffff,
	TAG = 0x0070ffff,
	KIND = 6, /* pages */
	PAGES = 1 + 2 * KIND,
	CHOSEN = 145,
	PATIENCE_MS = 20000,
/* signatures whose tree takes a tenth of a second */
#ifdef TESTS_ARE_SLOW
	LARGE = 1200,
#else
	LARGE = 2500,
#endif
};

static struct world world;
static struct pipeline *pipeline;
static struct threshold_selector *selector;
/* The committing thread wakes the threshold selector, which comes later and
 * goes earlier. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void on_commit(void *context)
{
	(void)context;
	pthread_mutex_lock(&mutex);
	if (selector != NULL)
		threshold_selector_wake(selector);
	pthread_mutex_unlock(&mutex);
}

static void start_pipeline(void)
{
	const struct pipeline_options options = {
		.fetch = {.user_agent = "test", .max_connections = 4},
		.limits = page_limits_default,
		.workers = 1,
		.max_in_flight = 4,
		.max_waiting_bytes = 1 << 20,
		.max_commands = 16,
		.commit_interval_ms = 10,
		.robots_ttl_ms = 60000,
		.on_commit = on_commit,
	};

	ASSERT_OK(pipeline_start(&pipeline, world.engine, &options));
}

static void set_threshold_selector(struct threshold_selector *next)
{
	pthread_mutex_lock(&mutex);
	selector = next;
	pthread_mutex_unlock(&mutex);
}

static void start_threshold_selector(size_t max_leaves)
{
	struct threshold_selector *started;

	ASSERT_OK(threshold_selector_start(&started, world.store, pipeline,
					   max_leaves));
	set_threshold_selector(started);
}

static void stop_threshold_selector(void)
{
	struct threshold_selector *stopped = selector;

	set_threshold_selector(NULL);
	threshold_selector_stop(stopped);
}

static void setup(void)
{
	world_open(&world, 0);
	pipeline = NULL;
	selector = NULL;
}

static void teardown(void)
{
	stop_threshold_selector();
	pipeline_stop(pipeline, 0);
	world_close(&world);
}

FIXTURE(.timeout_s = 120, .setup = setup, .teardown = teardown);

TEST(a_site_wants_a_threshold_when_its_turn_has_come)
{
	static const struct {
		uint32_t flags;
		uint64_t generation;
		uint64_t threshold_generation;
		uint32_t pending;
		uint32_t pages;
		uint32_t threshold_pages;
		bool is_wanted;
	} rows[] = {
		/* at rest, and changed since */
		{SITE_IS_AUTO, 1, 0, 0, 1, 0, true},
		{SITE_IS_AUTO, 8, 7, 0, 5, 5, true},
		{SITE_IS_AUTO | SITE_IS_SAMPLE, 8, 7, 0, 5, 5, true},
		/* all its pages are deleted */
		{SITE_IS_AUTO, 8, 7, 0, 0, 5, true},
		/* the operator has set a number */
		{0, 8, 7, 0, 5, 5, false},
		{SITE_IS_PRIVATE_OK, 8, 7, 0, 5, 5, false},
		/* nothing has changed, or there never was anything */
		{SITE_IS_AUTO, 8, 8, 0, 5, 5, false},
		{SITE_IS_AUTO, 8, 8, 1, 500, 5, false},
		{SITE_IS_AUTO, 0, 0, 0, 0, 0, false},
		/* while it is crawled: from 20 pages on, and when it doubles */
		{SITE_IS_AUTO, 8, 0, 1, 19, 0, false},
		{SITE_IS_AUTO, 8, 0, 1, 20, 0, true},
		{SITE_IS_AUTO, 8, 7, 1, 39, 20, false},
		{SITE_IS_AUTO, 8, 7, 1, 40, 20, true},
		{SITE_IS_AUTO, 8, 7, 1, 41, 20, true},
		{SITE_IS_AUTO, 8, 7, 1, 41, 21, false},
		{SITE_IS_AUTO, 8, 7, 1, UINT32_MAX, UINT32_MAX / 2, true},
		{SITE_IS_AUTO, 8, 7, 1, UINT32_MAX, UINT32_MAX, false},
		{0, 8, 0, 1, 20, 0, false},
		/* its templates are being checked */
		{SITE_IS_AUTO | SITE_IS_CHANGING, 8, 7, 0, 20, 20, false},
		{SITE_IS_AUTO | SITE_IS_CHANGING, 8, 7, 0, 40, 20, true},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct site_row site = {
			.options.flags = rows[i].flags,
			.generation = rows[i].generation,
			.threshold_generation = rows[i].threshold_generation,
			.pending_count = rows[i].pending,
			.page_count = rows[i].pages,
			.threshold_pages = rows[i].threshold_pages,
		};

		ck_assert_msg(site_wants_threshold(&site) == rows[i].is_wanted,
			      "row %zu", i);
	}
}

/* Not only when the site has doubled: the clusters depend on the weights. */
TEST(a_site_of_wcas_wants_weights_whatever_its_threshold_is)
{
	struct site_row site = {
		.options.measure = MEASURE_WCAS,
		.generation = 8,
		.threshold_generation = 7,
		.page_count = 6,
		.threshold_pages = 5,
	};

	ck_assert(site_wants_threshold(&site));
	site.options.measure = MEASURE_CAS;
	ck_assert(!site_wants_threshold(&site));
	site.options.flags = SITE_IS_AUTO;
	ck_assert(site_wants_threshold(&site));
}

TEST(a_large_site_waits_for_its_threshold_until_it_is_unchanged)
{
	const struct {
		uint32_t pages;
		uint32_t threshold_pages;
		uint64_t waiting_ms;
		uint64_t quiet_ms;
		bool is_due;
		uint32_t flags;
	} rows[] = {
		{0, 0, 0, 0, true, 0},
		{99, 98, 0, 0, true, 0},
		{100, 99, 0, 0, false, 0},
		{100, 51, 0, 0, false, 0},
		/* it has doubled */
		{100, 50, 0, 0, true, 0},
		{1000000, 500000, 0, 0, true, 0},
		/* 3 ms for each page */
		{100, 99, 299, 299, false, 0},
		{100, 99, 300, 300, true, 0},
		{999, 998, 2996, 2996, false, 0},
		{999, 998, 2997, 2997, true, 0},
		{6000, 5999, 2999, 2999, false, 0},
		{6000, 5999, 3000, 3000, true, 0},
		/* 0.5 ms for each page of a large site */
		{1000000, 999999, 499999, 499999, false, 0},
		{1000000, 999999, 500000, 500000, true, 0},
		{10000, 9999, 4999, 4999, false, SITE_IS_OFFLINE},
		{10000, 9999, 5000, 5000, true, SITE_IS_OFFLINE},
		/* it changes all the time */
		{20000, 19999, 59999, 10, false, 0},
		{20000, 19999, 60000, 0, true, 0},
		{1000000, 999999, 2999999, 10, false, 0},
		{1000000, 999999, 3000000, 0, true, 0},
		/* clients upload its pages */
		{19, 18, 0, 0, true, SITE_IS_OFFLINE},
		{20, 19, 1999, 1999, false, SITE_IS_OFFLINE},
		{20, 19, 2000, 2000, true, SITE_IS_OFFLINE},
		{20, 10, 0, 0, true, SITE_IS_OFFLINE},
		{20, 19, 60000, 0, true, SITE_IS_OFFLINE},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct site_row site = {
			.options.flags = SITE_IS_AUTO | rows[i].flags,
			.generation = 2,
			.page_count = rows[i].pages,
			.threshold_pages = rows[i].threshold_pages,
		};

		ck_assert_msg(site_threshold_is_due(&site, rows[i].waiting_ms,
						    rows[i].quiet_ms) ==
				      rows[i].is_due,
			      "row %zu", i);
	}
}

/* At rest with as many pages, and its threshold chosen for them. */
static bool has_threshold(const char *host, uint32_t pages)
{
	struct site_row site = world_site(&world, host);

	return site.page_count == pages && site.pending_count == 0 &&
	       !site_wants_threshold(&site);
}

/* Return false if this state is not reached in time. */
static bool gets_threshold(const char *host, uint32_t pages)
{
	uint64_t end_ms = clock_steady_ms() + PATIENCE_MS;

	while (!has_threshold(host, pages) && clock_steady_ms() < end_ms)
		test_sleep_ms(10);
	return has_threshold(host, pages);
}

/* /p/N are posts and /t/N tags, which the index links to. */
static void append_index(struct buffer *html)
{
	buffer_append_text(html, "<title>Index</title>");
	for (unsigned i = 0; i < KIND; i++)
		buffer_printf(html, "<h2><a href=/p/%u>Post</a></h2>", i);
	buffer_append_text(html, "<ul class=cloud>");
	for (unsigned i = 0; i < KIND; i++)
		buffer_printf(html, "<li><a href=/t/%u>Tag</a>", i);
}

static void append_page(struct buffer *html, const char *request)
{
	if (strncmp(request, "GET /t/", 7) == 0)
		world_blocks(html, TAG);
	else if (strncmp(request, "GET /p/", 7) == 0)
		world_blocks(html, request[7] < '3' ? POST : OTHER_POST);
	else
		append_index(html);
}

/* A connection that is used again may be reset, which is a failure. */
static void answer(int socket, const char *request)
{
	AUTO_BUFFER html = {0};
	AUTO_BUFFER head = {0};

	append_page(&html, request);
	buffer_printf(&head,
		      "HTTP/1.1 200 OK\r\nConnection: close\r\n"
		      "Content-Type: text/html\r\nContent-Length: %zu\r\n\r\n",
		      html.size);
	server_send(socket, head.data, head.size);
	server_send(socket, html.data, html.size);
}

static void no_robots(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, "HTTP/1.1 404 Not Found\r\nConnection: close"
				 "\r\nContent-Length: 0\r\n\r\n");
}

static const struct route routes[] = {
	{.path = "/robots.txt", .handler = no_robots},
	{.path = "/", .handler = answer},
	{.path = "/p/0", .handler = answer},
	{.path = "/p/1", .handler = answer},
	{.path = "/p/2", .handler = answer},
	{.path = "/p/3", .handler = answer},
	{.path = "/p/4", .handler = answer},
	{.path = "/p/5", .handler = answer},
	{.path = "/t/0", .handler = answer},
	{.path = "/t/1", .handler = answer},
	{.path = "/t/2", .handler = answer},
	{.path = "/t/3", .handler = answer},
	{.path = "/t/4", .handler = answer},
	{.path = "/t/5", .handler = answer},
};

/* Crawl the server's site, with this threshold. */
static void watch(const struct server *server, unsigned threshold)
{
	struct change change = {
		.kind = CHANGE_SITE_ADD,
		.site_add = {.measure = MEASURE_CPC,
			     .max_pages = 100,
			     .max_depth = 10,
			     .flags = SITE_IS_PRIVATE_OK},
	};
	struct url url;
	char text[64];

	options_set_threshold(&change.site_add, threshold);
	snprintf(text, sizeof(text), "http://127.0.0.1:%u/", server->port);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	change.url = &url;
	ASSERT_OK(pipeline_command(pipeline, &change));
}

TEST(a_crawled_site_gets_its_threshold)
{
	struct server server = server_start(routes, COUNT_OF(routes));
	char host[32];

	snprintf(host, sizeof(host), "127.0.0.1:%u", server.port);
	start_pipeline();
	start_threshold_selector(100);
	watch(&server, THRESHOLD_AUTO);
	ck_assert(gets_threshold(host, PAGES));
	ck_assert_uint_eq(world_site(&world, host).options.threshold, CHOSEN);
	ck_assert_uint_eq(world_site(&world, host).threshold_pages, PAGES);
	/* the operator's number, and back */
	watch(&server, 700);
	ck_assert(gets_threshold(host, PAGES));
	ck_assert_uint_eq(world_site(&world, host).options.threshold, 700);
	watch(&server, THRESHOLD_AUTO);
	ck_assert(gets_threshold(host, PAGES));
	ck_assert_uint_eq(world_site(&world, host).options.threshold, CHOSEN);
	ck_assert_uint_eq(world_problems(&world), 0);
	server_stop(&server);
}

/* PAGES pages on a.test, without links to them. */
static void put_site(void)
{
	world_add_site(&world, "a.test");
	for (unsigned i = 0; i < PAGES; i++) {
		char url[64];

		snprintf(url, sizeof(url), "http://a.test/%u", i);
		world_put_blocks(&world, url, i < KIND ? POST : TAG);
	}
	ASSERT_OK(world_set_threshold(&world, "a.test", 0));
}

TEST(what_an_earlier_run_left_is_done_at_the_start)
{
	put_site();
	world_set_threshold(&world, "a.test", THRESHOLD_AUTO);
	start_pipeline();
	start_threshold_selector(100);
	ck_assert(gets_threshold("a.test", PAGES));
	ck_assert_uint_ne(world_site(&world, "a.test").options.threshold, 0);
	ck_assert_uint_eq(world_problems(&world), 0);
}

TEST(a_site_over_the_limit_gets_the_default)
{
	put_site();
	world_set_threshold(&world, "a.test", THRESHOLD_AUTO);
	start_pipeline();
	start_threshold_selector(1);
	ck_assert(gets_threshold("a.test", PAGES));
	ck_assert_uint_eq(world_site(&world, "a.test").options.threshold, 250);
}

TEST(a_damaged_site_holds_up_no_other)
{
	struct key key;
	struct txn txn;

	put_site();
	world_set_threshold(&world, "a.test", THRESHOLD_AUTO);
	ASSERT_OK(world_add_site(&world, "a-b.test"));
	world_put_blocks(&world, "http://a-b.test/", POST);
	world_set_threshold(&world, "a-b.test", THRESHOLD_AUTO);
	key = key_site(world_site(&world, "a-b.test").id);
	txn = txn_begin_write(world.store);
	txn_delete_prefix(&txn, TABLE_SETS, key_slice(&key));
	ASSERT_OK(txn_end(&txn));
	start_pipeline();
	start_threshold_selector(100);
	ck_assert(gets_threshold("a.test", PAGES));
	ck_assert(!has_threshold("a-b.test", 1));
}

TEST(a_stop_does_not_wait_for_the_tree)
{
	world_put_many(&world, "large.test", LARGE);
	world_set_threshold(&world, "large.test", THRESHOLD_AUTO);
	start_pipeline();
	start_threshold_selector(LARGE);
	test_sleep_ms(10);
	stop_threshold_selector();
	ck_assert(!has_threshold("large.test", LARGE));
}

TEST(it_can_be_stopped_at_once)
{
	threshold_selector_stop(NULL);
	start_pipeline();
	start_threshold_selector(100);
	for (unsigned i = 0; i < 1000; i++)
		threshold_selector_wake(selector);
	/* teardown stops it */
}
