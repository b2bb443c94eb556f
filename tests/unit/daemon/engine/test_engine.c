#include "daemon/engine/engine.h"

#include "base/memory.h"
#include "daemon/engine/commit_event.h"
#include "store/key.h"
#include "store/rows.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

enum { URLS = 60, MAX_EVENTS = 1000 };

static struct world world;

static void setup(void)
{
	world_open(&world, 0);
	world_add_site(&world, "a.test");
}

static void teardown(void)
{
	world_close(&world);
}

static void page_url(char *url, size_t size, unsigned number)
{
	snprintf(url, size, "http://a.test/page/%u", number);
}

static void put(unsigned number, unsigned kind, unsigned seed)
{
	AUTO_BUFFER html = {0};
	char url[64];

	page_url(url, sizeof(url), number);
	world_page(&html, kind, seed);
	ASSERT_OK(world_put(&world, url, buffer_slice(&html)));
}

static uint32_t cluster_of(unsigned number)
{
	struct txn txn = txn_begin_read(world.store);
	struct page_row row = {0};
	struct site_row site;
	char url[64];

	page_url(url, sizeof(url), number);
	ck_assert(site_get(&txn, slice_of("a.test"), &site));
	page_row_get(&txn, site.id, page_key_of(slice_of(url)), &row);
	txn_abort(&txn);
	return row.cluster;
}

static uint64_t rows_of(enum table table)
{
	struct store_usage usage;

	ASSERT_OK(store_usage(world.store, &usage));
	return usage.rows[table];
}

FIXTURE(.timeout_s = 120, .setup = setup, .teardown = teardown);

TEST(pages_of_one_template_are_one_cluster)
{
	for (unsigned i = 0; i < 12; i++)
		put(i, i % 3, i);
	for (unsigned i = 3; i < 12; i++)
		ck_assert_uint_eq(cluster_of(i), cluster_of(i % 3));
	ck_assert_uint_ne(cluster_of(0), cluster_of(1));
	ck_assert_uint_ne(cluster_of(0), cluster_of(2));
	ck_assert_uint_ne(cluster_of(1), cluster_of(2));
	ck_assert_uint_eq(world_problems(&world), 0);
}

TEST(a_page_that_changes_its_template_changes_its_cluster)
{
	for (unsigned i = 0; i < 8; i++)
		put(i, i % 2, i);
	put(0, 1, 100);
	ck_assert_uint_eq(cluster_of(0), cluster_of(1));
	ck_assert_uint_eq(world_problems(&world), 0);
}

static struct cluster_row cluster_at(uint32_t cluster)
{
	struct txn txn = txn_begin_read(world.store);
	struct cluster_row row;
	struct site_row site;

	ck_assert(site_get(&txn, slice_of("a.test"), &site));
	ck_assert(cluster_row_get(&txn, site.id, cluster, &row));
	txn_abort(&txn);
	return row;
}

static void swap(uint32_t a, uint32_t b)
{
	const struct cluster_swap pair = {a, b};
	const struct template_updates updates = {
		.threshold = 250, .swaps = &pair, .swap_count = 1};
	struct change change = {
		.kind = CHANGE_TEMPLATES,
		.templates = {.site = world_site(&world, "a.test").id,
			      .findings = &updates},
	};
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of("http://a.test/"), NULL));
	change.url = &url;
	ASSERT_OK(engine_commit(world.engine, &change, 1, world.now_ms, NULL));
	ASSERT_OK(change.error);
}

TEST(clusters_exchange_their_numbers)
{
	uint32_t first;
	uint32_t second;

	for (unsigned i = 0; i < 8; i++)
		put(i, i % 2, i);
	first = cluster_of(0);
	second = cluster_of(1);
	swap(first, second);
	ck_assert_uint_eq(cluster_of(0), second);
	ck_assert_uint_eq(cluster_of(1), first);
	ck_assert_uint_eq(world_problems(&world), 0);
	world_reopen(&world);
	put(8, 0, 8);
	ck_assert_uint_eq(cluster_of(8), second);
	ck_assert_uint_eq(world_problems(&world), 0);
}

/* Its pages have another design now; a model of the old ones is not valid. */
TEST(a_number_that_returns_has_other_changes)
{
	uint32_t number;
	uint32_t changes;

	world.now_ms += 1000;
	for (unsigned i = 0; i < 4; i++)
		put(i, 0, i);
	number = cluster_of(0);
	changes = cluster_at(number).changes;
	world.now_ms += 1000;
	for (unsigned i = 0; i < 4; i++)
		put(i, 1, i);
	ck_assert_uint_ne(cluster_of(0), number);
	swap(number, cluster_of(0));
	ck_assert_uint_eq(cluster_of(0), number);
	ck_assert_uint_eq(cluster_at(number).page_count, 4);
	ck_assert_uint_ne(cluster_at(number).changes, changes);
	ck_assert_uint_eq(world_problems(&world), 0);
}

/* Make the cluster a live template. */
static void make_template(uint32_t cluster)
{
	const struct template_update found = {
		.cluster = cluster,
		.row = {.state = TEMPLATE_LIVE, .version = 1},
	};
	const struct template_updates updates = {
		.threshold = 250, .templates = &found, .template_count = 1};
	struct change change = {
		.kind = CHANGE_TEMPLATES,
		.templates = {.site = world_site(&world, "a.test").id,
			      .findings = &updates},
	};
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of("http://a.test/"), NULL));
	change.url = &url;
	engine_commit(world.engine, &change, 1, ++world.now_ms, NULL);
	ASSERT_OK(change.error);
}

/* Most of its pages have a new design, which becomes one cluster with the
 * rest. */
TEST(a_template_keeps_its_number_when_its_cluster_is_merged)
{
	uint32_t number;

	for (unsigned i = 0; i < 6; i++)
		put(i, 0, i);
	number = cluster_of(0);
	make_template(number);
	for (unsigned i = 0; i < 4; i++)
		put(i, 1, i);
	ck_assert_uint_ne(cluster_of(0), number);
	ASSERT_OK(world_set_threshold(&world, "a.test", 1000));
	for (unsigned i = 0; i < 6; i++)
		ck_assert_uint_eq(cluster_of(i), number);
	ck_assert_uint_eq(cluster_at(number).page_count, 6);
	ck_assert_uint_eq(world_problems(&world), 0);
}

TEST(no_number_is_exchanged_with_a_cluster_that_has_ended)
{
	uint32_t number;

	for (unsigned i = 0; i < 4; i++)
		put(i, 0, i);
	number = cluster_of(0);
	swap(number, number + 7);
	ck_assert_uint_eq(cluster_of(0), number);
	ck_assert_uint_eq(world_problems(&world), 0);
}

TEST(each_change_of_a_cluster_counts_and_none_of_another)
{
	uint32_t first;
	uint32_t before;

	for (unsigned i = 0; i < 8; i++)
		put(i, i % 2, i);
	first = cluster_of(0);
	before = cluster_at(first).changes;
	ck_assert_uint_gt(before, 0);
	put(1, 1, 200); /* of the other one, */
	put(9, 1, 201);
	put(0, 0, 0); /* unchanged */
	ck_assert_uint_eq(cluster_at(first).changes, before);
	put(0, 0, 300); /* another text in the same template */
	ck_assert_uint_eq(cluster_of(0), first);
	ck_assert_uint_eq(cluster_at(first).page_count, 4);
	ck_assert_uint_eq(cluster_at(first).changes, before + 1);
	put(2, 1, 2); /* it moves to the other one */
	ck_assert_uint_eq(cluster_at(first).changes, before + 2);
	world_remove(&world, "http://a.test/page/4");
	ck_assert_uint_eq(cluster_at(first).changes, before + 3);
}

TEST(a_page_that_is_gone_leaves_nothing_behind)
{
	put(0, 0, 0);
	world_remove(&world, "http://a.test/page/0");
	ck_assert_uint_eq(rows_of(TABLE_PAGES), 0);
	ck_assert_uint_eq(rows_of(TABLE_DF), 0);
	ck_assert_uint_eq(rows_of(TABLE_CLUSTERS), 0);
	ck_assert_uint_eq(rows_of(TABLE_MEMBERS), 0);
	ck_assert_uint_eq(rows_of(TABLE_SETS), 0);
	ck_assert_uint_eq(rows_of(TABLE_SHINGLES), 0);
	ck_assert_uint_eq(rows_of(TABLE_BODIES), 0);
	ck_assert_uint_eq(world_problems(&world), 0);
}

static enum error commit_at(enum change_kind kind, const char *text)
{
	struct change change = {.kind = kind};
	struct url url;

	url_parse(&url, slice_of(text), NULL);
	change.url = &url;
	engine_commit(world.engine, &change, 1, 1, NULL);
	return change.error;
}

static void commit(enum change_kind kind)
{
	ASSERT_OK(commit_at(kind, "http://a.test/"));
}

TEST(a_page_is_forgotten_once)
{
	static const char url[] = "http://a.test/page/0";

	put(0, 0, 0);
	put(1, 0, 1);
	ASSERT_OK(commit_at(CHANGE_PAGE_DELETE, url));
	ck_assert_uint_eq(rows_of(TABLE_PAGES), 1);
	ck_assert_uint_eq(rows_of(TABLE_BODIES), 1);
	ck_assert_uint_eq(world_problems(&world), 0);
	ck_assert_int_eq(commit_at(CHANGE_PAGE_DELETE, url), ERR_NOT_FOUND);
	ck_assert_int_eq(commit_at(CHANGE_PAGE_DELETE, "http://b.test/"),
			 ERR_NOT_FOUND);
}

static void check_names(enum change_kind a, enum change_kind b)
{
	ck_assert_str_ne(change_kind_name(a), change_kind_name(b));
}

TEST(each_kind_of_change_has_its_own_name)
{
	for (unsigned a = 0; a < CHANGE_KINDS; a++)
		for (unsigned b = 0; b < a; b++)
			check_names((enum change_kind)a, (enum change_kind)b);
	ck_assert(change_ends_lease(CHANGE_FAILED));
	ck_assert(!change_ends_lease(CHANGE_INGEST));
	ck_assert(!change_ends_lease(CHANGE_HOST));
}

TEST(a_deleted_site_leaves_nothing_but_events)
{
	for (unsigned i = 0; i < 8; i++)
		put(i, i % 2, i);
	commit(CHANGE_HOST);
	ck_assert_uint_eq(rows_of(TABLE_HOSTS), 1);
	commit(CHANGE_SITE_DELETE);
	for (unsigned table = 0; table < TABLE_COUNT; table++)
		if (table != TABLE_META && table != TABLE_EVENTS)
			ck_assert_uint_eq(rows_of((enum table)table), 0);
	ck_assert_uint_eq(world_problems(&world), 0);
}

/* One random step: a page comes, changes, changes its template, or goes. */
static void random_step(uint64_t *state)
{
	unsigned number = world_random(state) % URLS;
	char url[64];

	page_url(url, sizeof(url), number);
	if (world_random(state) % 5 == 0)
		world_remove(&world, url);
	else
		put(number, world_random(state) % 4, world_random(state) % 7);
}

/* Laws 1 and 2: invariants_verify() recounts, and clusters by brute force. */
TEST_LOOP(counts_and_clusters_are_exact_after_any_history, 0, random_rounds(8))
{
	uint64_t state = (uint64_t)_i + 1;

	printf("seed %d\n", _i + 1);
	for (int round = 0; round < 6; round++) {
		for (int step = 0; step < 40; step++)
			random_step(&state);
		if (round % 2 == 1)
			world_reopen(&world);
		ck_assert_uint_eq(world_problems(&world), 0);
	}
}

/* Law 1: the partition is the same for every order of arrival. */
TEST(the_order_of_arrival_does_not_matter)
{
	uint32_t forward[URLS];

	for (unsigned i = 0; i < URLS; i++)
		put(i, i % 4, i * 7);
	for (unsigned i = 0; i < URLS; i++)
		forward[i] = cluster_of(i);
	teardown();
	setup();
	for (unsigned i = URLS; i-- > 0;)
		put(i, i % 4, i * 7);
	for (unsigned i = 0; i < URLS; i++)
		for (unsigned k = 0; k < i; k++)
			ck_assert_int_eq(forward[i] == forward[k],
					 cluster_of(i) == cluster_of(k));
}

/* Invariant 3: a change that does not fit leaves no trace, and the existing
 * data stays. */
TEST(a_full_store_refuses_a_page_and_keeps_the_rest)
{
	unsigned stored = 0;
	enum error error = ERR_NONE;

	teardown();
	world_open(&world, 2 << 20);
	world_add_site(&world, "a.test");
	while (error == ERR_NONE && stored < 100000) {
		AUTO_BUFFER html = {0};
		char url[64];
		uint64_t state = stored;

		page_url(url, sizeof(url), stored);
		world_page(&html, 0, stored);
		for (int i = 0; i < 2000; i++)
			buffer_printf(&html, "<p>%08x", world_random(&state));
		error = world_put(&world, url, buffer_slice(&html));
		stored += error == ERR_NONE;
	}
	ck_assert_int_eq(error, ERR_STORE_FULL);
	ck_assert_uint_gt(stored, 0);
	ck_assert_uint_eq(rows_of(TABLE_PAGES), stored);
	ck_assert_uint_eq(world_problems(&world), 0);
	/* the engine can begin on it, and room can be made */
	world_reopen(&world);
	commit(CHANGE_SITE_DELETE);
	ASSERT_OK(world_add_site(&world, "a.test"));
	put(0, 0, 0);
	ck_assert_uint_eq(world_problems(&world), 0);
}

TEST(a_truncated_page_is_kept_but_never_learnt_from)
{
	AUTO_BUFFER html = {0};

	for (int i = 0; i < 2000; i++)
		buffer_append_text(&html, "<div>");
	buffer_append_text(&html, "deep");
	ASSERT_OK(
		world_put(&world, "http://a.test/page/0", buffer_slice(&html)));
	ck_assert_uint_eq(cluster_of(0), 0);
	ck_assert_uint_eq(rows_of(TABLE_PAGES), 1);
	ck_assert_uint_eq(rows_of(TABLE_DF), 0);
	ck_assert_uint_eq(rows_of(TABLE_SETS), 0);
	ck_assert_uint_eq(world_problems(&world), 0);
}

TEST(a_page_of_an_unknown_site_is_refused_alone)
{
	AUTO_BUFFER html = {0};

	world_page(&html, 0, 0);
	ck_assert_int_eq(
		world_put(&world, "http://other.test/", buffer_slice(&html)),
		ERR_NOT_FOUND);
	ASSERT_OK(
		world_put(&world, "http://a.test/page/1", buffer_slice(&html)));
}

TEST(there_is_a_limit_to_sites)
{
	/* a.test exists already */
	ASSERT_OK(world_add_site(&world, "b.test"));
	ASSERT_OK(world_add_site(&world, "c.test"));
	ASSERT_OK(world_add_site(&world, "d.test"));
	ck_assert_int_eq(world_add_site(&world, "e.test"), ERR_TOO_LARGE);
	ck_assert_uint_eq(rows_of(TABLE_SITES), WORLD_MAX_SITES);
}

/* Commit one change (or none), a second later; how many URLs it leases. */
static size_t step(struct change *change, const char *text, size_t max)
{
	struct work work[8];
	struct work_order order = {.max = max,
				   .max_per_site = 8,
				   .lease_ms = UINT64_C(1) << 40,
				   .work = work};
	struct url url;

	world.now_ms += 1000;
	if (change == NULL) {
		engine_commit(world.engine, NULL, 0, world.now_ms, &order);
		return order.count;
	}
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	change->url = &url;
	ASSERT_OK(engine_commit(world.engine, change, 1, world.now_ms, &order));
	return order.count;
}

/* A site with crawling; its seed is leased immediately. */
static void crawl(const char *host, uint64_t revisit_ms)
{
	struct change add = {
		.kind = CHANGE_SITE_ADD,
		.site_add = {.measure = MEASURE_CPC,
			     .threshold = 250,
			     .max_pages = 100,
			     .max_depth = 10,
			     .revisit_ms = revisit_ms},
	};
	char url[256];

	snprintf(url, sizeof(url), "http://%s/", host);
	ck_assert_uint_eq(step(&add, url, 8), 1);
}

static struct change failure(enum error error, unsigned status)
{
	return (struct change){
		.kind = CHANGE_FAILED,
		.answer.outcome = {.error = error,
				   .http_status = (uint16_t)status}};
}

TEST(a_site_whose_pages_all_failed_is_visited_again)
{
	struct change gone = failure(ERR_NOT_FOUND, 404);

	crawl("b.test", 60000);
	ck_assert_uint_eq(step(&gone, "http://b.test/", 8), 0);
	/* after 5 s, a quarter more or less */
	ck_assert_uint_ge(engine_next_due(world.engine), world.now_ms + 3750);
	ck_assert_uint_le(engine_next_due(world.engine), world.now_ms + 6250);
	world.now_ms += 6250;
	ck_assert_uint_eq(step(NULL, NULL, 8), 1);
	ck_assert_uint_eq(engine_next_due(world.engine),
			  world.now_ms + (UINT64_C(1) << 40));
}

TEST(nothing_is_leased_while_a_host_rests)
{
	struct change back = failure(ERR_STOPPED, 0);

	crawl("b.test", 0);
	back.answer.pause_ms = 50000;
	ck_assert_uint_eq(step(&back, "http://b.test/", 8), 0);
	ck_assert_uint_eq(engine_next_due(world.engine), world.now_ms + 50000);
	world.now_ms += 48000;
	ck_assert_uint_eq(step(NULL, NULL, 8), 0);
	ck_assert_uint_eq(step(NULL, NULL, 8), 1);
}

TEST(less_is_leased_of_a_slow_host)
{
	struct change done = failure(ERR_NOT_FOUND, 404);

	crawl("b.test", 0);
	for (unsigned i = 0; i < 6; i++) {
		struct change ask = {.kind = CHANGE_FETCH_NOW};
		char url[64];

		snprintf(url, sizeof(url), "http://b.test/%u", i);
		ck_assert_uint_eq(step(&ask, url, 0), 0);
	}
	done.answer.pace_ms = 4000; /* two of them in ten seconds */
	ck_assert_uint_eq(step(&done, "http://b.test/", 8), 2);
	done.answer.pace_ms = 3600000;
	ck_assert_uint_eq(step(&done, "http://b.test/0", 8), 0);
}

TEST(an_endless_chain_of_hosts_is_not_followed)
{
	struct change add = {.kind = CHANGE_SITE_ADD,
			     .site_add = {.measure = MEASURE_CPC,
					  .threshold = 250,
					  .max_pages = 100}};

	world.max_sites = 100;
	world_reopen(&world);
	ck_assert_uint_eq(step(&add, "http://h0.test/", 8), 1);
	for (unsigned i = 0; i < 15; i++) {
		struct change moved = {.kind = CHANGE_REDIRECT,
				       .answer.outcome = {.http_status = 301}};
		struct url target;
		char from[64];
		char to[64];

		snprintf(from, sizeof(from), "http://h%u.test/", i);
		snprintf(to, sizeof(to), "http://h%u.test/", i + 1);
		url_parse(&target, slice_of(to), NULL);
		moved.answer.target = &target;
		step(&moved, from, 8);
	}
	/* a.test, the first and ten hops */
	ck_assert_uint_eq(rows_of(TABLE_SITES), 12);
}

TEST(a_seed_that_leads_elsewhere_each_time_makes_one_site)
{
	crawl("b.test", 1000);
	for (unsigned i = 0; i < 3; i++) {
		struct change moved = {.kind = CHANGE_REDIRECT,
				       .answer.outcome = {.http_status = 302}};
		struct url target;
		char to[64];

		snprintf(to, sizeof(to), "http://c%u.test/", i);
		url_parse(&target, slice_of(to), NULL);
		moved.answer.target = &target;
		step(&moved, "http://b.test/", 8);
	}
	ck_assert_uint_eq(rows_of(TABLE_SITES), 3); /* a, b and c0 */
}

TEST(robots_of_a_deleted_site_are_not_stored)
{
	struct change host = {.kind = CHANGE_HOST};
	struct url url;

	url_parse(&url, slice_of("http://b.test/"), NULL);
	host.url = &url;
	engine_commit(world.engine, &host, 1, world.now_ms, NULL);
	ck_assert_int_eq(host.error, ERR_NOT_FOUND);
	ck_assert_uint_eq(rows_of(TABLE_HOSTS), 0);
}

/* A record that is damaged is refused; its lease must come back. */
TEST(a_page_that_cannot_be_committed_is_answered)
{
	struct change page = {.kind = CHANGE_PAGE,
			      .answer = {.outcome = {.http_status = 200},
					 .record = {"nonsense", 8}}};
	struct work work[8];
	struct work_order order = {.max = 8, .max_per_site = 8, .work = work};
	struct url url;

	crawl("b.test", 0);
	order.lease_ms = UINT64_C(1) << 40;
	url_parse(&url, slice_of("http://b.test/"), NULL);
	page.url = &url;
	ASSERT_OK(
		engine_commit(world.engine, &page, 1, ++world.now_ms, &order));
	ck_assert_int_ne(page.error, ERR_NONE);
	/* it is the only page, so it is tried again */
	ck_assert_uint_le(engine_next_due(world.engine), world.now_ms + 6250);
	ck_assert_uint_eq(world_problems(&world), 0);
}

TEST(a_lower_limit_of_signatures_leaves_what_is_stored)
{
	put(0, 0, 0);
	put(1, 0, 1);
	world.max_signature = 2;
	world_reopen(&world);
	put(0, 0, 100); /* over the limit by now: in no cluster */
	ck_assert_uint_eq(cluster_of(0), 0);
	ck_assert_uint_ne(cluster_of(1), 0);
	ck_assert_uint_eq(world_problems(&world), 0);
}

/* Request page 0 unless it was fetched since `asked_ms`. Return the rows of the
 * frontier. */
static uint64_t ask_since(uint64_t asked_ms)
{
	struct change change = {.kind = CHANGE_FETCH_NOW,
				.ask.asked_ms = asked_ms};
	struct url url;

	url_parse(&url, slice_of("http://a.test/page/0"), NULL);
	change.url = &url;
	engine_commit(world.engine, &change, 1, ++world.now_ms, NULL);
	ASSERT_OK(change.error);
	return rows_of(TABLE_FRONTIER);
}

TEST(a_page_fetched_since_is_not_requested_again)
{
	uint64_t fetched_ms;

	put(0, 0, 0);
	fetched_ms = world.now_ms;
	ck_assert_uint_eq(ask_since(1), 0);
	ck_assert_uint_eq(ask_since(fetched_ms), 0);
	ck_assert_uint_eq(ask_since(fetched_ms + 1), 1);
}

static void put_site_row(struct slice value)
{
	struct txn txn = txn_begin_write(world.store);

	txn_put(&txn, TABLE_SITES, slice_of("a.test"), value);
	ASSERT_OK(txn_end(&txn));
}

/* A batch fails and its site cannot be read back: memory is not to be trusted
 * until it can. */
TEST(nothing_is_committed_upon_a_site_that_cannot_be_read_back)
{
	char sound[512];
	struct txn txn;
	struct slice row;
	size_t size;
	struct change bad = {.kind = CHANGE_PAGE,
			     .answer.record = slice_of("no record")};
	AUTO_BUFFER html = {0};
	struct url url;

	put(0, 0, 0);
	txn = txn_begin_read(world.store);
	row = txn_get(&txn, TABLE_SITES, slice_of("a.test"));
	size = row.size;
	ck_assert_uint_le(size, sizeof(sound));
	memcpy(sound, row.data, size);
	txn_abort(&txn);
	put_site_row(slice_of("damaged"));
	url_parse(&url, slice_of("http://a.test/page/1"), NULL);
	bad.url = &url;
	engine_commit(world.engine, &bad, 1, 1, NULL);
	ck_assert_int_ne(bad.error, ERR_NONE);
	world_page(&html, 0, 1);
	ck_assert_int_ne(world_put(&world, url.text, buffer_slice(&html)),
			 ERR_NONE);
	put_site_row((struct slice){sound, size});
	ASSERT_OK(world_put(&world, url.text, buffer_slice(&html)));
	ck_assert_uint_eq(rows_of(TABLE_RECORDS), 2);
	ck_assert_uint_eq(world_problems(&world), 0);
}

/* Page `number` has the blocks of `mask`. */
static void put_blocks(unsigned number, uint32_t mask)
{
	char url[64];

	page_url(url, sizeof(url), number);
	world_put_blocks(&world, url, mask);
}

static void cut_at(unsigned threshold)
{
	ASSERT_OK(world_set_threshold(&world, "a.test", threshold));
}

static void select_threshold(unsigned threshold, uint64_t generation)
{
	ASSERT_OK(world_choose_threshold(&world, "a.test", threshold,
					 generation));
}

/* The clusters of pages 0 to 6. */
static void verify_cluster_tables(const uint32_t expected[7])
{
	for (unsigned i = 0; i < 7; i++)
		ck_assert_uint_eq(cluster_of(i), expected[i]);
	ck_assert_uint_eq(world_problems(&world), 0);
}

#define CHECK_CLUSTERS(...) \
	verify_cluster_tables((const uint32_t[7]){__VA_ARGS__})

/*
 * Signatures of 4, 5 and 4 members: pages 0 to 2 and 3 to 4 have 4 in common,
 * height 200; only the title is in 5 to 6, too, which is at 750.
 */
static void put_seven(void)
{
	for (unsigned i = 0; i < 7; i++)
		put_blocks(i, i < 3 ? 0x07 : i < 5 ? 0x0f : 0x70);
	CHECK_CLUSTERS(1, 1, 1, 1, 1, 2, 2);
}

TEST(a_threshold_change_splits_and_merges_and_keeps_numbers)
{
	put_seven();
	cut_at(199);
	CHECK_CLUSTERS(1, 1, 1, 3, 3, 2, 2);
	cut_at(200);
	CHECK_CLUSTERS(1, 1, 1, 1, 1, 2, 2);
	cut_at(749);
	CHECK_CLUSTERS(1, 1, 1, 1, 1, 2, 2);
	cut_at(750);
	CHECK_CLUSTERS(1, 1, 1, 1, 1, 1, 1);
	/* the larger part takes 4 before 5 */
	cut_at(0);
	CHECK_CLUSTERS(1, 1, 1, 4, 4, 5, 5);
	world_reopen(&world);
	cut_at(1000);
	CHECK_CLUSTERS(1, 1, 1, 1, 1, 1, 1);
}

/* The last event but `before`. */
static struct event_row event_at(unsigned before)
{
	struct txn txn = txn_begin_read(world.store);
	struct scan scan =
		scan_begin(&txn, TABLE_EVENTS, (struct slice){NULL, 0});
	struct event_row rows[MAX_EVENTS];
	unsigned count = 0;

	while (scan_next(&scan))
		ck_assert(event_decode(scan.value, &rows[count++]));
	scan_end(&scan);
	txn_abort(&txn);
	return rows[count - 1 - before];
}

/* Of the last event but `before`. */
static void check_detail(unsigned before, const char *wanted)
{
	struct txn txn = txn_begin_read(world.store);
	struct event_row row;

	ck_assert(event_get(&txn, store_last_number(&txn, "event") - before,
			    &row));
	ck_assert_mem_eq(row.detail.data, wanted, row.detail.size);
	ck_assert_uint_eq(row.detail.size, strlen(wanted));
	txn_abort(&txn);
}

TEST(a_threshold_change_is_reported)
{
	uint64_t generation;
	struct event_row event;

	put_seven();
	generation = world_site(&world, "a.test").generation;
	cut_at(100);
	ck_assert_uint_eq(world_site(&world, "a.test").generation,
			  generation + 1);
	ck_assert_uint_eq(world_site(&world, "a.test").options.threshold, 100);
	event = event_at(1);
	ck_assert_uint_eq(event.kind, EVENT_CLUSTER_SPLIT);
	ck_assert_uint_eq(event.cluster, 3);
	ck_assert_uint_eq(event.other, 1);
	event = event_at(0);
	ck_assert_uint_eq(event.kind, EVENT_SITE_RECUT);
	ck_assert_uint_eq(event.pages, 7);
	/* pages 3 and 4 are in 3 now */
	check_detail(
		0,
		"{\"from\":0.25,\"to\":0.1,\"weights\":false,\"reason\":\"set "
		"by the operator\",\"moves\":[{\"from\":\"a.test/1\",\"to\":"
		"\"a.test/3\",\"pages\":2}]}");
	cut_at(300);
	event = event_at(1);
	ck_assert_uint_eq(event.kind, EVENT_CLUSTER_MERGED);
	ck_assert_uint_eq(event.cluster, 3);
	ck_assert_uint_eq(event.other, 1);
	ck_assert_uint_eq(event_at(0).kind, EVENT_SITE_RECUT);
	check_detail(
		0,
		"{\"from\":0.1,\"to\":0.3,\"weights\":false,\"reason\":\"set "
		"by the operator\",\"moves\":[{\"from\":\"a.test/3\",\"to\":"
		"\"a.test/1\",\"pages\":2}]}");
}

TEST(the_same_threshold_again_changes_nothing)
{
	uint64_t events;
	uint64_t generation;

	put_seven();
	cut_at(100);
	events = rows_of(TABLE_EVENTS);
	generation = world_site(&world, "a.test").generation;
	cut_at(100);
	ck_assert_uint_eq(rows_of(TABLE_EVENTS), events);
	ck_assert_uint_eq(world_site(&world, "a.test").generation, generation);
}

/* Pages come into the clusters of the threshold that counts by now. */
TEST(pages_come_in_at_the_new_threshold)
{
	put_blocks(0, 0x07);
	cut_at(100);
	put_blocks(1, 0x0f);
	ck_assert_uint_eq(cluster_of(1), 2);
	cut_at(300);
	put_blocks(2, 0x1f); /* 1 of 6 away from page 1, 2 of 6 from page 0 */
	ck_assert_uint_eq(cluster_of(2), 1);
	ck_assert_uint_eq(world_problems(&world), 0);
}

TEST(auto_keeps_the_threshold_until_one_is_chosen)
{
	struct site_row site;

	put_seven();
	cut_at(100);
	cut_at(THRESHOLD_AUTO);
	site = world_site(&world, "a.test");
	ck_assert_uint_eq(site.options.threshold, 100);
	ck_assert_uint_eq(site.options.flags & SITE_IS_AUTO, SITE_IS_AUTO);
	ck_assert_uint_ne(site.threshold_generation, site.generation);
	CHECK_CLUSTERS(1, 1, 1, 3, 3, 2, 2);
}

TEST(a_chosen_threshold_counts_and_is_noted)
{
	struct site_row site;

	put_seven();
	cut_at(THRESHOLD_AUTO);
	select_threshold(100, world_site(&world, "a.test").generation);
	site = world_site(&world, "a.test");
	ck_assert_uint_eq(site.options.threshold, 100);
	ck_assert_uint_eq(site.threshold_generation, site.generation);
	ck_assert_uint_eq(site.threshold_pages, 7);
	CHECK_CLUSTERS(1, 1, 1, 3, 3, 2, 2);
	/* again: nothing changes */
	select_threshold(100, site.generation);
	ck_assert_uint_eq(world_site(&world, "a.test").generation,
			  site.generation);
	ck_assert_uint_eq(world_site(&world, "a.test").threshold_generation,
			  site.generation);
	/* and a page that comes makes it old */
	put_blocks(7, 0x700);
	site = world_site(&world, "a.test");
	ck_assert_uint_ne(site.threshold_generation, site.generation);
}

TEST(a_choice_that_pages_overtook_counts_but_is_not_the_last)
{
	uint64_t generation;
	struct site_row site;

	put_seven();
	cut_at(THRESHOLD_AUTO);
	generation = world_site(&world, "a.test").generation;
	put_blocks(7, 0x700);
	select_threshold(100, generation);
	site = world_site(&world, "a.test");
	ck_assert_uint_eq(site.options.threshold, 100);
	ck_assert_uint_eq(site.threshold_generation, generation);
	ck_assert_uint_ne(site.threshold_generation, site.generation);
	CHECK_CLUSTERS(1, 1, 1, 4, 4, 2, 2);
}

TEST(the_operators_number_beats_a_choice)
{
	struct site_row site;
	uint64_t generation;

	put_seven();
	cut_at(THRESHOLD_AUTO);
	generation = world_site(&world, "a.test").generation;
	cut_at(300);
	select_threshold(100, generation);
	site = world_site(&world, "a.test");
	ck_assert_uint_eq(site.options.threshold, 300);
	ck_assert_uint_eq(site.options.flags & SITE_IS_AUTO, 0);
}

TEST(a_choice_for_a_deleted_site_is_not_found)
{
	put_seven();
	cut_at(THRESHOLD_AUTO);
	commit(CHANGE_SITE_DELETE);
	ck_assert_int_eq(world_choose_threshold(&world, "a.test", 100, 7),
			 ERR_NOT_FOUND);
	ck_assert_uint_eq(rows_of(TABLE_SITES), 0);
}

/* The choice was made for the site that had the host before. */
TEST(a_choice_for_the_site_before_is_not_taken)
{
	struct change change = {
		.kind = CHANGE_SITE_THRESHOLD,
		.site_select_threshold =
			{.threshold = 100,
			 .site = world_site(&world, "a.test").id},
	};
	struct url url;

	commit(CHANGE_SITE_DELETE);
	world_add_site(&world, "a.test");
	url_parse(&url, slice_of("http://a.test/"), NULL);
	change.url = &url;
	engine_commit(world.engine, &change, 1, ++world.now_ms, NULL);
	ck_assert_int_eq(change.error, ERR_NOT_FOUND);
}

/* Commit a recut and another change at that URL in one batch; free() them. */
static struct change *recut_with(const struct change *other, const char *text)
{
	static struct url url;
	struct change *changes = mem_alloc(2, sizeof(*changes));

	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	changes[1] = *other;
	changes[0].site_add.threshold = 100;
	changes[0].site_add.flags = SITE_IS_OFFLINE;
	changes[0].url = &url;
	changes[1].url = &url;
	ASSERT_OK(
		engine_commit(world.engine, changes, 2, ++world.now_ms, NULL));
	return changes;
}

/* Invariant 3: the group is undone, and each of its changes applied
 * separately. */
TEST(a_threshold_change_survives_a_bad_page_of_its_group)
{
	const struct change bad = {.kind = CHANGE_PAGE,
				   .answer.record = {"nonsense", 8}};
	struct change *changes;

	put_seven();
	changes = recut_with(&bad, "http://a.test/page/6");
	ASSERT_OK(changes[0].error);
	ck_assert_int_ne(changes[1].error, ERR_NONE);
	CHECK_CLUSTERS(1, 1, 1, 3, 3, 2, 2);
	free(changes);
}

TEST(a_threshold_change_and_a_deletion_share_a_commit)
{
	const struct change deletion = {.kind = CHANGE_SITE_DELETE};

	put_seven();
	free(recut_with(&deletion, "http://a.test/"));
	ck_assert_uint_eq(rows_of(TABLE_DF), 0);
	ck_assert_uint_eq(rows_of(TABLE_MEMBERS), 0);
	ck_assert_uint_eq(world_problems(&world), 0);
}

/* One random step: add, change or remove a page, set or choose another
 * threshold, or restart the daemon. */
static void random_cut(uint64_t *state)
{
	unsigned number = world_random(state) % URLS;
	unsigned die = world_random(state) % 100;
	unsigned threshold = world_random(state) % 21 * 50;
	uint64_t generation = world_site(&world, "a.test").generation;
	char url[64];

	page_url(url, sizeof(url), number);
	if (die < 65)
		put_blocks(number, world_random(state) & 0xff);
	else if (die < 80)
		world_remove(&world, url);
	else if (die < 88)
		cut_at(threshold);
	else if (die < 91)
		cut_at(THRESHOLD_AUTO);
	else if (die < 97)
		select_threshold(threshold,
				 generation - world_random(state) % 2);
	else
		world_reopen(&world);
}

/* Laws 1 and 2 again, with thresholds that change. */
TEST_LOOP(counts_and_clusters_are_exact_after_any_cuts, 0, random_rounds(8))
{
	uint64_t state = (uint64_t)_i + 1;

	printf("seed %d\n", _i + 1);
	for (int step = 0; step < 300; step++) {
		random_cut(&state);
		if (step % 4 == 0)
			ck_assert_uint_eq(world_problems(&world), 0);
	}
	ck_assert_uint_eq(world_problems(&world), 0);
}
