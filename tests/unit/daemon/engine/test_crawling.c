/*
 * The engine crawls a simulated web with a simulated clock: a week of visits
 * takes a moment.
 */
#include "daemon/engine/engine.h"

#include "base/compress.h"
#include "base/hash.h"
#include "crawl/sitemap.h"
#include "daemon/privsep/analyse_task.h"
#include "page/page_class.h"
#include "store/key.h"
#include "store/rows.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

enum {
	MAX_WORK = 16,
	PER_KIND = 80, /* pages of each template */
	KINDS = 3,
};

#define HOUR_MS UINT64_C(3600000)
#define DAY_MS  (24 * HOUR_MS)

static struct world world;

/* What the made up web has seen, and how it behaves. */
static struct web {
	unsigned visits;
	unsigned fresh; /* answers 304 */
	unsigned of_kind[KINDS];
	unsigned changing;  /* page /0/N with N below changes every hour */
	bool is_redesigned; /* pages of kind 0 have another template */
	bool has_soft_404;  /* a missing page responds with 200 */
	bool is_down;
} web;

static void setup(void)
{
	world_open(&world, 0);
	web = (struct web){0};
}

static void teardown(void)
{
	ck_assert_uint_eq(world_problems(&world), 0);
	world_close(&world);
}

static void add_site(struct site_options options)
{
	struct change change = {.kind = CHANGE_SITE_ADD, .site_add = options};
	struct url url;

	url_parse(&url, slice_of("http://a.test/"), NULL);
	change.url = &url;
	engine_commit(world.engine, &change, 1, world.now_ms, NULL);
	ASSERT_OK(change.error);
}

static struct site_options usual(void)
{
	return (struct site_options){.measure = MEASURE_CPC,
				     .threshold = 250,
				     .max_pages = 10000,
				     .max_depth = 10,
				     .saturation = 10,
				     .revisit_ms = DAY_MS};
}

/* The version of a page at this time. */
static unsigned version_of(unsigned kind, unsigned number)
{
	bool changes = kind == 0 && number < web.changing;

	return changes ? (unsigned)(world.now_ms / HOUR_MS) : 0;
}

static void index_page(struct buffer *out)
{
	buffer_append_text(out, "<html><body><h1>All</h1>");
	for (unsigned kind = 0; kind < KINDS; kind++)
		for (unsigned i = 0; i < PER_KIND; i++)
			buffer_printf(out, "<a href=/k%c/%u>Page</a>",
				      'a' + (int)kind, i);
	buffer_append_text(out, "</body></html>");
}

/* Build the page at `path`; return false if it is missing. */
static bool page_at(const char *path, struct buffer *out)
{
	unsigned long number;
	char kind;

	if (strcmp(path, "/") == 0) {
		index_page(out);
		return true;
	}
	if (strncmp(path, "/k", 2) != 0 || path[3] != '/')
		return false;
	kind = path[2];
	number = strtoul(path + 4, NULL, 10);
	if (kind < 'a' || kind >= 'a' + KINDS || number >= PER_KIND)
		return false;
	web.of_kind[kind - 'a']++;
	world_page(out,
		   web.is_redesigned && kind == 'a' ? KINDS
						    : (unsigned)(kind - 'a'),
		   (unsigned)number + 1000 * version_of((unsigned)(kind - 'a'),
							(unsigned)number));
	return true;
}

/* A change of a page, with what it points to. */
struct visit {
	struct url url;
	struct change change;
	struct buffer html;
	struct buffer record;
	struct buffer packed;
	char etag[32];
};

static void read_page(struct visit *visit, unsigned status)
{
	const struct analyse_options options = {
		.limits = &page_limits_default,
		.measure = MEASURE_CPC,
		.http_status = status,
	};

	ASSERT_OK(analyse(buffer_slice(&visit->html), slice_of("utf-8"),
			  &visit->url, &options, &visit->record));
	compress_slice(buffer_slice(&visit->html), &visit->packed);
	visit->change.kind = CHANGE_PAGE;
	visit->change.answer.record = buffer_slice(&visit->record);
	visit->change.answer.packed = buffer_slice(&visit->packed);
	visit->change.answer.body_bytes = (uint32_t)visit->html.size;
}

/* The web answers. */
static void answer(const struct work *work, struct visit *visit)
{
	struct change *change = &visit->change;
	const char *path;

	*visit = (struct visit){0};
	web.visits++;
	url_parse(&visit->url, slice_of(work->lease.url), NULL);
	path = visit->url.text + visit->url.path;
	change->url = &visit->url;
	change->answer.outcome.http_status = 200;
	change->answer.outcome.wire_bytes = 1000;
	change->answer.outcome.elapsed_ms = 10;
	if (web.is_down) {
		change->kind = CHANGE_FAILED;
		change->answer.outcome.http_status = 0;
		change->answer.outcome.error = ERR_NETWORK;
		return;
	}
	if (!page_at(path, &visit->html)) {
		change->kind = CHANGE_FAILED;
		change->answer.outcome.http_status = 404;
		change->answer.outcome.error = ERR_NOT_FOUND;
		if (!web.has_soft_404)
			return;
		buffer_append_text(&visit->html,
				   "<html><title>Lost</title><body><h1>Sorry, "
				   "there is nothing here that you could "
				   "read</h1></body></html>");
		change->answer.outcome.http_status = 200;
		change->answer.outcome.error = ERR_NONE;
	}
	snprintf(visit->etag, sizeof(visit->etag), "\"%016llx\"",
		 (unsigned long long)hash64(visit->html.data, visit->html.size,
					    0));
	change->answer.outcome.etag = slice_of(visit->etag);
	if (strcmp(visit->etag, work->lease.etag) == 0) {
		web.fresh++;
		change->kind = CHANGE_NOT_MODIFIED;
		change->answer.outcome.http_status = 304;
		return;
	}
	read_page(visit, 200);
}

static void free_visit(struct visit *visit)
{
	buffer_free(&visit->html);
	buffer_free(&visit->record);
	buffer_free(&visit->packed);
}

/* Fetch the due URLs until none is due. */
static void crawl_now(void)
{
	struct work work[MAX_WORK];
	struct visit visits[MAX_WORK];
	struct work_order order = {.max = MAX_WORK,
				   .max_per_site = MAX_WORK,
				   .lease_ms = UINT64_C(1) << 40,
				   .work = work};

	engine_commit(world.engine, NULL, 0, world.now_ms, &order);
	while (order.count > 0) {
		struct change changes[MAX_WORK];
		size_t count = order.count;

		for (size_t i = 0; i < count; i++) {
			answer(&work[i], &visits[i]);
			changes[i] = visits[i].change;
			work_free(&work[i]);
		}
		ASSERT_OK(engine_commit(world.engine, changes, count,
					world.now_ms, &order));
		for (size_t i = 0; i < count; i++)
			free_visit(&visits[i]);
	}
}

/* Advance the time to `until_ms`, with every visit at its time. */
static void let_pass(uint64_t until_ms)
{
	for (;;) {
		uint64_t due = engine_next_due(world.engine);

		if (due > until_ms)
			break;
		if (due > world.now_ms)
			world.now_ms = due;
		crawl_now();
	}
	world.now_ms = until_ms;
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_saturated_crawl_visits_a_part_and_knows_all)
{
	struct site_row site;

	add_site(usual());
	crawl_now();
	site = world_site(&world, "a.test");
	ck_assert_uint_eq(site.found_count, KINDS * PER_KIND + 2);
	ck_assert_uint_eq(site.pending_count, 0);
	ck_assert_uint_eq(site.skipped_count + site.tried_count,
			  KINDS * PER_KIND + 2);
	/* twenty pages are needed to know a cluster, ten more to be sure, and
	 * as many may be out when it is */
	ck_assert_uint_lt(site.tried_count, KINDS * 41 + 2);
	for (unsigned kind = 0; kind < KINDS; kind++)
		ck_assert_uint_ge(web.of_kind[kind], QUIET_PAGES + 9);
	ck_assert_uint_eq(site.class_counts[CLASS_PAGE], site.page_count);
}

TEST(a_site_that_does_not_saturate_is_visited_whole)
{
	struct site_options options = usual();

	options.saturation = 0;
	add_site(options);
	crawl_now();
	ck_assert_uint_eq(world_site(&world, "a.test").tried_count,
			  KINDS * PER_KIND + 2);
	ck_assert_uint_eq(world_site(&world, "a.test").skipped_count, 0);
}

TEST(skipped_pages_are_visited_when_the_options_change)
{
	struct site_options options = usual();

	add_site(options);
	crawl_now();
	ck_assert_uint_gt(world_site(&world, "a.test").skipped_count, 0);
	options.saturation = 0;
	add_site(options);
	crawl_now();
	ck_assert_uint_eq(world_site(&world, "a.test").skipped_count, 0);
	ck_assert_uint_eq(world_site(&world, "a.test").tried_count,
			  KINDS * PER_KIND + 2);
}

/* The skipped pages are of a template that is now unknown. */
TEST(a_redesign_reopens_saturated_patterns)
{
	struct site_row before;
	struct site_row after;

	add_site(usual());
	crawl_now();
	before = world_site(&world, "a.test");
	web = (struct web){.is_redesigned = true};
	let_pass(world.now_ms + 4 * DAY_MS);
	after = world_site(&world, "a.test");
	ck_assert_uint_ge(after.tried_count, before.tried_count + 9);
	ck_assert_uint_lt(after.tried_count, KINDS * PER_KIND + 2);
	ck_assert_uint_eq(after.pending_count, 0);
}

TEST(without_a_redesign_nothing_is_opened)
{
	uint32_t before;

	web.changing = 3;
	add_site(usual());
	crawl_now();
	before = world_site(&world, "a.test").tried_count;
	let_pass(world.now_ms + 4 * DAY_MS);
	ck_assert_uint_eq(world_site(&world, "a.test").tried_count, before);
}

TEST(a_budget_ends_the_first_crawl)
{
	struct site_options options = usual();

	options.saturation = 0;
	options.max_bytes = 50000; /* a visit costs 1,000 */
	add_site(options);
	crawl_now();
	ck_assert_uint_ge(web.visits, 50);
	ck_assert_uint_le(web.visits, 50 + MAX_WORK);
	ck_assert_uint_eq(world_site(&world, "a.test").pending_count, 0);
}

/* Pages that change are fetched more often, others less. */
TEST(a_week_of_visits_follows_the_changes)
{
	uint64_t first;
	uint64_t week;

	web.changing = 3;
	add_site(usual());
	crawl_now();
	first = web.visits;
	let_pass(world.now_ms + 7 * DAY_MS);
	week = web.visits - first;
	/* with a fixed interval each page would be fetched 7 times */
	ck_assert_uint_lt(week, first * 6);
	ck_assert_uint_gt(web.fresh, week / 2);
	let_pass(world.now_ms + 28 * DAY_MS);
	/* pages that never change are fetched ever less often */
	ck_assert_uint_lt(web.visits - first - week, 4 * week);
}

/* Visits of a week, from a clock that was set back by 400 days. */
static unsigned visits_after_setback(bool is_restarted)
{
	unsigned before;

	world.now_ms += 500 * DAY_MS;
	add_site(usual());
	crawl_now();
	let_pass(world.now_ms + DAY_MS);
	before = web.visits;
	world.now_ms -= 400 * DAY_MS;
	if (is_restarted)
		world_reopen(&world);
	crawl_now();
	let_pass(world.now_ms + 7 * DAY_MS);
	return web.visits - before;
}

TEST(a_clock_that_is_set_back_ends_no_visits)
{
	ck_assert_uint_gt(visits_after_setback(false), 30);
}

TEST(nor_does_one_that_is_set_back_before_the_start)
{
	ck_assert_uint_gt(visits_after_setback(true), 30);
}

/* A difference of less than a minute does not cause a scan of all due URLs. */
TEST(a_clock_that_is_set_back_is_noticed)
{
	world.now_ms += 500 * DAY_MS;
	add_site(usual());
	ck_assert(
		!engine_clock_was_set_back(world.engine, world.now_ms - 59000));
	ck_assert(
		engine_clock_was_set_back(world.engine, world.now_ms - 61000));
	world.now_ms -= 61000;
	crawl_now();
	ck_assert(!engine_clock_was_set_back(world.engine, world.now_ms));
}

TEST(an_outage_of_a_day_ends_nothing)
{
	unsigned pages;
	unsigned failed;
	unsigned visits;

	add_site(usual());
	crawl_now();
	failed = world_site(&world, "a.test").failed_count;
	pages = world_site(&world, "a.test").page_count;
	web.is_down = true;
	visits = web.visits;
	let_pass(world.now_ms + 2 * DAY_MS);
	ck_assert_uint_eq(world_site(&world, "a.test").page_count, pages);
	ck_assert_uint_gt(web.visits, visits);
	world_reopen(&world);
	web.is_down = false;
	let_pass(world.now_ms + 3 * DAY_MS);
	ck_assert_uint_eq(world_site(&world, "a.test").failed_count, failed);
	ck_assert_uint_eq(world_site(&world, "a.test").page_count, pages);
}

TEST(what_answers_like_the_probe_is_no_page)
{
	struct site_options options = usual();
	AUTO_BUFFER listing = {0};
	struct change change = {.kind = CHANGE_SITEMAP};
	struct site_row site;
	struct url url;

	web.has_soft_404 = true;
	options.flags = SITE_HAS_PROBE;
	add_site(options);
	for (unsigned i = 0; i < 5; i++) {
		char text[64];
		struct sitemap_entry entry = {0};

		snprintf(text, sizeof(text), "http://a.test/gone/%u", i);
		entry.url = slice_of(text);
		ck_assert(sitemap_entries_append(&listing, &entry));
	}
	url_parse(&url, slice_of("http://a.test/sitemap.xml"), NULL);
	change.url = &url;
	change.answer.listing = buffer_slice(&listing);
	engine_commit(world.engine, &change, 1, world.now_ms, NULL);
	ASSERT_OK(change.error);
	crawl_now();
	site = world_site(&world, "a.test");
	ck_assert_uint_eq(site.class_counts[CLASS_SOFT_404], 6);
	ck_assert_uint_eq(site.page_count, site.class_counts[CLASS_PAGE] + 6);
}

TEST(a_sitemap_makes_changed_pages_due)
{
	AUTO_BUFFER listing = {0};
	struct change change = {.kind = CHANGE_SITEMAP};
	struct sitemap_entry entry = {.url = slice_of("http://a.test/ka/0")};
	struct url url;
	unsigned visits;

	add_site(usual());
	crawl_now();
	visits = web.visits;
	world.now_ms += 4 * HOUR_MS; /* an eighth of the interval is over */
	entry.lastmod_ms = world.now_ms - 1000;
	sitemap_entries_append(&listing, &entry);
	url_parse(&url, slice_of("http://a.test/sitemap.xml"), NULL);
	change.url = &url;
	change.answer.listing = buffer_slice(&listing);
	engine_commit(world.engine, &change, 1, world.now_ms, NULL);
	crawl_now();
	ck_assert_uint_eq(web.visits, visits + 1);
}

static struct page_row row_of(const char *text)
{
	uint32_t site = world_site(&world, "a.test").id;
	struct txn txn = txn_begin_read(world.store);
	struct page_row row = {0};

	page_row_get(&txn, site, page_key_of(slice_of(text)), &row);
	txn_abort(&txn);
	row.url = row.redirect = row.charset = (struct slice){0};
	return row;
}

/* Further properties of an ingested page. */
static struct {
	bool is_undated;
	bool replaces;
	bool was_poisoned;
	bool is_kept; /* out */
} terms;

/* Ingest, or fetch, template 0 or 1 as the page at `text`. */
static void bring(enum change_kind kind, const char *text, unsigned seed,
		  bool is_broken, uint64_t time_ms)
{
	struct site_options options = usual();
	struct visit visit = {0};

	options.flags = SITE_IS_OFFLINE;
	url_parse(&visit.url, slice_of(text), NULL);
	world_page(&visit.html, seed % 2, seed);
	read_page(&visit, 200);
	visit.change.kind = kind;
	visit.change.url = &visit.url;
	visit.change.answer.is_broken = is_broken;
	visit.change.answer.time_ms = time_ms;
	visit.change.answer.options = kind == CHANGE_INGEST ? &options : NULL;
	visit.change.answer.is_undated = terms.is_undated;
	visit.change.answer.replaces = terms.replaces;
	visit.change.answer.was_poisoned = terms.was_poisoned;
	visit.change.answer.outcome.http_status = 200;
	engine_commit(world.engine, &visit.change, 1, world.now_ms, NULL);
	ASSERT_OK(visit.change.error);
	terms.is_kept = visit.change.answer.is_kept;
	free_visit(&visit);
}

TEST(what_is_handed_in_makes_its_site_and_the_newest_counts)
{
	uint64_t newest;

	bring(CHANGE_INGEST, "http://a.test/x", 1, false, 5000);
	newest = row_of("http://a.test/x").content_hash;
	ck_assert_uint_eq(row_of("http://a.test/x").fetched_ms, 5000);
	bring(CHANGE_INGEST, "http://a.test/x", 2, false, 4000);
	ck_assert_uint_eq(row_of("http://a.test/x").content_hash, newest);
	bring(CHANGE_INGEST, "http://a.test/x", 3, false, 6000);
	ck_assert_uint_ne(row_of("http://a.test/x").content_hash, newest);
	ck_assert_uint_eq(world_site(&world, "a.test").found_count, 0);
}

TEST(what_was_fetched_is_replaced_on_demand_alone)
{
	uint64_t fetched;

	memset(&terms, 0, sizeof(terms));
	add_site(usual());
	bring(CHANGE_PAGE, "http://a.test/x", 1, false, 0);
	fetched = row_of("http://a.test/x").content_hash;
	world.now_ms += 1000;
	bring(CHANGE_INGEST, "http://a.test/x", 2, false, world.now_ms);
	ck_assert(terms.is_kept);
	ck_assert_uint_eq(row_of("http://a.test/x").content_hash, fetched);
	bring(CHANGE_INGEST, "http://a.test/y", 2, false, 5);
	ck_assert(!terms.is_kept);
	terms.replaces = true;
	bring(CHANGE_INGEST, "http://a.test/x", 2, false, 5); /* older */
	ck_assert(!terms.is_kept);
	ck_assert_uint_eq(row_of("http://a.test/x").content_hash, fetched);
	bring(CHANGE_INGEST, "http://a.test/x", 2, false, world.now_ms);
	ck_assert_uint_ne(row_of("http://a.test/x").content_hash, fetched);
	/* it is an archive's now, until it is fetched once more */
	terms.replaces = false;
	bring(CHANGE_INGEST, "http://a.test/x", 3, false, world.now_ms);
	ck_assert(!terms.is_kept);
	bring(CHANGE_PAGE, "http://a.test/x", 3, false, 0);
	bring(CHANGE_INGEST, "http://a.test/x", 2, false, world.now_ms);
	ck_assert(terms.is_kept);
}

/* The fetch was before the archive came. */
TEST(not_modified_is_not_of_what_an_archive_has_put_in_place)
{
	struct url url;
	struct change change = {.kind = CHANGE_NOT_MODIFIED, .url = &url};

	memset(&terms, 0, sizeof(terms));
	terms.replaces = true;
	add_site(usual());
	bring(CHANGE_PAGE, "http://a.test/x", 1, false, 0);
	world.now_ms += 1000;
	bring(CHANGE_INGEST, "http://a.test/x", 2, false, world.now_ms);
	terms.replaces = false;
	ck_assert_uint_eq(row_of("http://a.test/x").fetched_ms, world.now_ms);
	url_parse(&url, slice_of("http://a.test/x"), NULL);
	change.answer.outcome.http_status = 304;
	engine_commit(world.engine, &change, 1, world.now_ms + 1000, NULL);
	ASSERT_OK(change.error);
	ck_assert_uint_eq(row_of("http://a.test/x").fetched_ms, world.now_ms);
}

TEST(a_page_without_a_date_replaces_nothing)
{
	uint64_t dated;

	memset(&terms, 0, sizeof(terms));
	bring(CHANGE_INGEST, "http://a.test/x", 1, false, 5000);
	dated = row_of("http://a.test/x").content_hash;
	terms.is_undated = true;
	bring(CHANGE_INGEST, "http://a.test/x", 2, false, world.now_ms);
	ck_assert_uint_eq(row_of("http://a.test/x").content_hash, dated);
	bring(CHANGE_INGEST, "http://a.test/y", 2, false, world.now_ms);
	ck_assert_uint_eq(row_of("http://a.test/y").fetched_ms, world.now_ms);
	terms.replaces = true;
	bring(CHANGE_INGEST, "http://a.test/x", 2, false, world.now_ms);
	ck_assert_uint_ne(row_of("http://a.test/x").content_hash, dated);
}

TEST(no_site_is_added_for_an_archive_that_may_not)
{
	struct visit visit = {.change.kind = CHANGE_INGEST};

	url_parse(&visit.url, slice_of("http://b.test/x"), NULL);
	world_page(&visit.html, 0, 0);
	read_page(&visit, 200);
	visit.change.url = &visit.url;
	visit.change.answer.outcome.http_status = 200;
	engine_commit(world.engine, &visit.change, 1, world.now_ms, NULL);
	ck_assert_int_eq(visit.change.error, ERR_NOT_FOUND);
	ck_assert(!visit.change.answer.is_new_site);
	free_visit(&visit);
}

TEST(a_broken_page_does_not_replace_a_whole_one)
{
	uint64_t whole;

	world_add_site(&world, "a.test");
	bring(CHANGE_PAGE, "http://a.test/x", 1, false, 0);
	whole = row_of("http://a.test/x").content_hash;
	bring(CHANGE_PAGE, "http://a.test/x", 2, true, 0);
	ck_assert_uint_eq(row_of("http://a.test/x").content_hash, whole);
	bring(CHANGE_PAGE, "http://a.test/y", 2, true, 0);
	ck_assert_uint_ne(row_of("http://a.test/y").content_hash, 0);
}

static void lead(const char *from, const char *to)
{
	struct change change = {.kind = CHANGE_REDIRECT};
	struct url url;
	struct url target;

	url_parse(&url, slice_of(from), NULL);
	url_parse(&target, slice_of(to), NULL);
	change.url = &url;
	change.answer.target = &target;
	change.answer.outcome.http_status = 301;
	engine_commit(world.engine, &change, 1, world.now_ms, NULL);
	ASSERT_OK(change.error);
}

static bool is_redirect(const char *text)
{
	uint32_t site = world_site(&world, "a.test").id;
	struct txn txn = txn_begin_read(world.store);
	struct page_row row = {0};
	bool leads;

	page_row_get(&txn, site, page_key_of(slice_of(text)), &row);
	leads = row.redirect.size > 0;
	txn_abort(&txn);
	return leads;
}

TEST(an_old_archive_does_not_undo_a_redirect)
{
	world_add_site(&world, "a.test");
	bring(CHANGE_PAGE, "http://a.test/x", 1, false, 0);
	lead("http://a.test/x", "http://a.test/y");
	ck_assert(is_redirect("http://a.test/x"));
	memset(&terms, 0, sizeof(terms));
	bring(CHANGE_INGEST, "http://a.test/x", 2, false, world.now_ms + 1);
	ck_assert(terms.is_kept);
	terms.replaces = true;
	bring(CHANGE_INGEST, "http://a.test/x", 2, false, 5);
	ck_assert(is_redirect("http://a.test/x"));
	bring(CHANGE_INGEST, "http://a.test/x", 2, false, world.now_ms + 1);
	ck_assert(!is_redirect("http://a.test/x"));
	memset(&terms, 0, sizeof(terms));
}

TEST(a_sitemap_that_has_moved_is_a_sitemap_still)
{
	struct site_options options = usual();
	struct frontier_row row = {0};
	struct site_row site;
	struct txn txn;

	options.flags = SITE_HAS_SITEMAPS;
	add_site(options);
	lead("http://a.test/sitemap.xml", "http://a.test/wp-sitemap.xml");
	site = world_site(&world, "a.test");
	ck_assert_uint_eq(site.sitemap_count, 2);
	txn = txn_begin_read(world.store);
	ck_assert(frontier_row_get(
		&txn, site.id,
		page_key_of(slice_of("http://a.test/wp-sitemap.xml")), &row));
	ck_assert_uint_ne(row.flags & FRONTIER_IS_SITEMAP, 0);
	txn_abort(&txn);
}

TEST(an_answer_for_a_deleted_site_is_not_for_its_successor)
{
	struct change change = {.kind = CHANGE_NOT_MODIFIED};
	struct url url;

	add_site(usual());
	url_parse(&url, slice_of("http://a.test/"), NULL);
	change.url = &url;
	change.answer.site = world_site(&world, "a.test").id + 1;
	engine_commit(world.engine, &change, 1, world.now_ms, NULL);
	ck_assert_int_eq(change.error, ERR_NOT_FOUND);
	ck_assert_uint_eq(world_site(&world, "a.test").pending_count, 1);
}

TEST(a_pause_and_the_robots_of_a_host_are_kept_apart)
{
	struct host_row robots = {.robots_ms = 7,
				  .robots_status = 200,
				  .robots = slice_of("Disallow: /")};
	struct host_row pause = {.next_ms = 99, .failures = 6};
	struct change changes[2] = {
		{.kind = CHANGE_HOST, .host = robots},
		{.kind = CHANGE_HOST, .host = pause},
	};
	struct host_row row = {0};
	struct url url;
	struct txn txn;

	world_add_site(&world, "a.test");
	url_parse(&url, slice_of("http://a.test/"), NULL);
	changes[0].url = &url;
	changes[1].url = &url;
	engine_commit(world.engine, changes, 2, world.now_ms, NULL);
	txn = txn_begin_read(world.store);
	ck_assert(host_row_get(&txn, slice_of("http://a.test"), &row));
	ck_assert_uint_eq(row.robots_ms, 7);
	ck_assert_uint_eq(row.robots.size, 11);
	ck_assert_uint_eq(row.next_ms, 99);
	ck_assert_uint_eq(row.failures, 6);
	txn_abort(&txn);
}
