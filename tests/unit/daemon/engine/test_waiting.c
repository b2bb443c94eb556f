/* Visits that contradict the store wait, within limits, until they are accepted
 * or dropped. */
#include "daemon/engine/commit_event.h"
#include "daemon/engine/engine.h"

#include "base/compress.h"
#include "crawl/url/url.h"
#include "daemon/privsep/analyse_task.h"
#include "store/key.h"
#include "store/rows.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

#define HOST     "a.test"
#define FIRST    "http://" HOST "/page/0"
#define DAY_MS   UINT64_C(86400000)
#define NO_PAGES ((struct template_updates){.threshold = 250})

enum { MAX_WAITING = 512 };

static struct world world;

static enum error commit(struct change *change)
{
	struct url url;

	if (change->url == NULL) {
		ASSERT_OK(url_parse(&url, slice_of("http://" HOST "/"), NULL));
		change->url = &url;
	}
	ASSERT_OK(engine_commit(world.engine, change, 1, world.now_ms, NULL));
	return change->error;
}

static enum error commit_updates(const struct template_updates *updates)
{
	struct change change = {
		.kind = CHANGE_TEMPLATES,
		.templates = {.site = world_site(&world, HOST).id,
			      .findings = updates},
	};

	return commit(&change);
}

/* A site whose templates are known and checked once a day. */
static void setup(void)
{
	struct change add = {
		.kind = CHANGE_SITE_ADD,
		.site_add = {.measure = MEASURE_CPC,
			     .threshold = 250,
			     .max_pages = 1000,
			     .watch_ms = DAY_MS},
	};
	struct template_updates known = NO_PAGES;

	world_open(&world, 0);
	world.now_ms = 100 * DAY_MS;
	ASSERT_OK(commit(&add));
	known.set_flags = SITE_IS_KNOWN;
	ASSERT_OK(commit_updates(&known));
}

static void teardown(void)
{
	ck_assert_uint_eq(world_problems(&world), 0);
	world_close(&world);
}

static void put_at(const char *url, unsigned kind)
{
	AUTO_BUFFER html = {0};

	world_page(&html, kind, 1);
	world.now_ms += 1000;
	ASSERT_OK(world_put(&world, url, buffer_slice(&html)));
}

static void put(unsigned number, unsigned kind)
{
	char url[64];

	snprintf(url, sizeof(url), "http://" HOST "/page/%u", number);
	put_at(url, kind);
}

static struct page_row page_at(const char *url)
{
	struct txn txn = txn_begin_read(world.store);
	struct page_row row = {0};
	struct site_row site;

	ck_assert(site_get(&txn, slice_of(HOST), &site));
	if (!page_row_get(&txn, site.id, page_key_of(slice_of(url)), &row))
		row = (struct page_row){0};
	txn_abort(&txn);
	return row;
}

/* Its slices are not set; a missing row is zero. */
static struct waiting_row waiting_at(const char *url)
{
	struct txn txn = txn_begin_read(world.store);
	struct waiting_row row = {0};
	struct site_row site;

	ck_assert(site_get(&txn, slice_of(HOST), &site));
	if (!waiting_row_get(&txn, site.id, page_key_of(slice_of(url)), &row))
		row = (struct waiting_row){0};
	txn_abort(&txn);
	row.url = row.record = row.packed = (struct slice){0};
	return row;
}

static uint64_t waiting_rows(void)
{
	struct store_usage usage;

	ASSERT_OK(store_usage(world.store, &usage));
	return usage.rows[TABLE_WAITING];
}

static void judge(bool is_accepted, uint64_t time_ms)
{
	const struct judged_visit visit = {page_key_of(slice_of(FIRST)),
					   time_ms};
	struct template_updates updates = NO_PAGES;

	if (is_accepted) {
		updates.accepted = &visit;
		updates.accepted_count = 1;
	} else {
		updates.dropped = &visit;
		updates.dropped_count = 1;
	}
	ASSERT_OK(commit_updates(&updates));
}

FIXTURE(.timeout_s = 60, .setup = setup, .teardown = teardown);

TEST(another_design_waits_and_the_page_stays)
{
	struct page_row before;

	put(0, 0);
	before = page_at(FIRST);
	put(0, 1);
	ck_assert_uint_eq(page_at(FIRST).content_hash, before.content_hash);
	ck_assert_uint_eq(waiting_at(FIRST).kind, WAITING_PAGE);
	ck_assert_uint_eq(waiting_at(FIRST).looks, 1);
	put(0, 1);
	ck_assert_uint_eq(waiting_at(FIRST).looks, 2);
	put(0, 0);
	ck_assert_uint_eq(waiting_at(FIRST).kind, WAITING_FLIPPED);
	ck_assert_uint_eq(waiting_at(FIRST).flips, 1);
}

/* As after a crash between the visit and the decision. */
TEST(what_waits_survives_a_restart)
{
	struct page_row before;

	put(0, 0);
	before = page_at(FIRST);
	put(0, 1);
	world_reopen(&world);
	ck_assert_uint_eq(waiting_at(FIRST).kind, WAITING_PAGE);
	judge(true, waiting_at(FIRST).time_ms);
	ck_assert_uint_ne(page_at(FIRST).content_hash, before.content_hash);
	ck_assert_uint_eq(waiting_rows(), 0);
}

TEST(what_is_dropped_leaves_the_page)
{
	struct page_row before;

	put(0, 0);
	before = page_at(FIRST);
	put(0, 1);
	judge(false, waiting_at(FIRST).time_ms);
	ck_assert_uint_eq(page_at(FIRST).content_hash, before.content_hash);
	ck_assert_uint_eq(waiting_rows(), 0);
}

/* It was fetched between the facts and the commit of the decision. */
TEST(a_visit_that_was_not_judged_waits_on)
{
	struct page_row before;
	uint64_t judged_ms;

	put(0, 0);
	before = page_at(FIRST);
	put(0, 1);
	judged_ms = waiting_at(FIRST).time_ms;
	put(0, 2);
	judge(true, judged_ms);
	judge(false, judged_ms);
	ck_assert_uint_eq(page_at(FIRST).content_hash, before.content_hash);
	ck_assert_uint_eq(waiting_at(FIRST).looks, 2);
}

TEST(not_found_waits_and_is_accepted)
{
	put(0, 0);
	world_remove(&world, FIRST);
	ck_assert_uint_ne(page_at(FIRST).content_hash, 0);
	ck_assert_uint_eq(waiting_at(FIRST).kind, WAITING_REMOVED);
	judge(true, waiting_at(FIRST).time_ms);
	ck_assert_uint_eq(page_at(FIRST).content_hash, 0);
	ck_assert_uint_eq(waiting_rows(), 0);
}

static void refuse(void)
{
	struct change change = {
		.kind = CHANGE_FAILED,
		.answer.outcome = {.error = ERR_NETWORK, .http_status = 503}};
	struct url url;

	world.now_ms += 1000;
	ASSERT_OK(url_parse(&url, slice_of(FIRST), NULL));
	change.url = &url;
	ASSERT_OK(commit(&change));
}

/* Two servers with different answers: it is not asked again and again. */
TEST(changes_of_the_kind_are_counted)
{
	put(0, 0);
	put(0, 1);
	refuse();
	ck_assert_uint_eq(waiting_at(FIRST).turns, 1);
	refuse();
	ck_assert_uint_eq(waiting_at(FIRST).turns, 1);
	put(0, 1);
	ck_assert_uint_eq(waiting_at(FIRST).turns, 2);
}

static struct health_row health_of_site(void)
{
	struct txn txn = txn_begin_read(world.store);
	struct health_row row = {0};
	struct site_row site;

	ck_assert(site_get(&txn, slice_of(HOST), &site));
	health_row_get(&txn, site.id, &row);
	txn_abort(&txn);
	return row;
}

/* Also one of a URL that is not stored. */
TEST(a_long_pause_is_recorded)
{
	static const uint64_t pauses[] = {30, 86400, 3600};
	uint64_t begin_ms;
	struct url url;

	put(0, 0);
	begin_ms = world.now_ms;
	ASSERT_OK(url_parse(&url, slice_of("http://" HOST "/new"), NULL));
	for (size_t i = 0; i < 3; i++) {
		struct change change = {
			.kind = CHANGE_FAILED,
			.url = &url,
			.answer.outcome = {.error = ERR_NETWORK,
					   .http_status = 429,
					   .retry_ms = begin_ms +
						       pauses[i] * 1000}};

		ASSERT_OK(commit(&change));
		ck_assert_uint_eq(health_of_site().pause_ms,
				  i == 0 ? 0 : begin_ms + pauses[1] * 1000);
	}
}

/* The store was written while the clock was ahead. */
TEST(an_accepted_visit_is_stored_although_the_page_is_newer)
{
	struct page_row before;

	world.now_ms += 400000;
	put(0, 0);
	before = page_at(FIRST);
	world.now_ms -= 400000;
	put(0, 1);
	judge(true, waiting_at(FIRST).time_ms);
	ck_assert_uint_ne(page_at(FIRST).content_hash, before.content_hash);
	ck_assert_uint_eq(waiting_rows(), 0);
}

static void open_check(void)
{
	const struct health_row health = {.asked_ms = world.now_ms + 1,
					  .reason = slice_of("")};
	struct template_updates updates = NO_PAGES;

	updates.health = &health;
	ASSERT_OK(commit_updates(&updates));
}

/* The server refuses a part of the requests. */
TEST(a_page_that_a_check_has_got_waits_on_although_it_is_refused)
{
	put(0, 0);
	put(0, 1);
	refuse();
	ck_assert_uint_eq(waiting_at(FIRST).kind, WAITING_REFUSED);
	open_check();
	put(0, 1);
	refuse();
	ck_assert_uint_eq(waiting_at(FIRST).kind, WAITING_PAGE);
	/* the next check sees that it is refused now */
	open_check();
	refuse();
	ck_assert_uint_eq(waiting_at(FIRST).kind, WAITING_REFUSED);
}

TEST(a_deleted_page_waits_for_nothing)
{
	struct change change = {.kind = CHANGE_PAGE_DELETE};
	struct url url;

	put(0, 0);
	put(0, 1);
	ASSERT_OK(url_parse(&url, slice_of(FIRST), NULL));
	change.url = &url;
	ASSERT_OK(commit(&change));
	ck_assert_uint_eq(waiting_rows(), 0);
}

/* A client ingests the page, which is newer than what waits. */
TEST(an_ingested_page_waits_for_nothing)
{
	struct change change = {
		.kind = CHANGE_INGEST,
		.answer = {.outcome = {.http_status = 200}, .replaces = true}};
	AUTO_BUFFER record = {0};
	AUTO_BUFFER packed = {0};
	AUTO_BUFFER html = {0};
	struct url url;

	put(0, 0);
	world_remove(&world, FIRST);
	world_page(&html, 2, 1);
	ASSERT_OK(url_parse(&url, slice_of(FIRST), NULL));
	ASSERT_OK(analyse(
		buffer_slice(&html), slice_of("utf-8"), &url,
		&(struct analyse_options){.limits = &page_limits_default,
					  .measure = MEASURE_CPC},
		&record));
	compress_slice(buffer_slice(&html), &packed);
	change.url = &url;
	change.answer.record = buffer_slice(&record);
	change.answer.packed = buffer_slice(&packed);
	change.answer.body_bytes = (uint32_t)html.size;
	ASSERT_OK(commit(&change));
	ck_assert_uint_eq(waiting_rows(), 0);
	ck_assert_uint_ne(page_at(FIRST).content_hash, 0);
}

TEST(a_deleted_site_waits_for_nothing)
{
	struct change change = {.kind = CHANGE_SITE_DELETE};

	put(0, 0);
	put(0, 1);
	ASSERT_OK(commit(&change));
	ck_assert_uint_eq(waiting_rows(), 0);
}

/* No visit is lost unseen: the page is visited again. */
TEST(the_number_of_visits_that_wait_is_limited)
{
	for (unsigned i = 0; i < MAX_WAITING + 2; i++)
		put(i, 0);
	for (unsigned i = 0; i < MAX_WAITING + 2; i++)
		put(i, 1);
	ck_assert_uint_eq(waiting_rows(), MAX_WAITING);
	/* a visit that waits is replaced nevertheless */
	put(0, 2);
	ck_assert_uint_eq(waiting_at(FIRST).looks, 2);
	ck_assert_uint_eq(waiting_rows(), MAX_WAITING);
}

static const struct retry_case {
	uint64_t watch_ms;
	uint32_t max_s;
} retry_cases[] = {
	{0, 24 * 60 * 60}, {1000, 60},          {600000, 600},
	{DAY_MS, 86400},   {7 * DAY_MS, 86400},
};

/* A server that asks for a pause is asked again at the next check. */
TEST_ROWS(a_pause_is_not_longer_than_a_check_interval, retry_cases)
{
	struct change add = {
		.kind = CHANGE_SITE_ADD,
		.site_add = {.measure = MEASURE_CPC,
			     .threshold = 250,
			     .max_pages = 1000,
			     .watch_ms = retry_cases[_i].watch_ms},
	};
	struct work work;
	struct work_order order = {
		.max = 1, .max_per_site = 1, .lease_ms = 1000, .work = &work};

	ASSERT_OK(commit(&add));
	ASSERT_OK(engine_commit(world.engine, NULL, 0, world.now_ms, &order));
	ck_assert_uint_eq(order.count, 1);
	ck_assert_uint_eq(work.max_retry_after_s, retry_cases[_i].max_s);
	work_free(&work);
}
