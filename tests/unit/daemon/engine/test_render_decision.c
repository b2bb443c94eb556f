/* A sample decides whether the pages of its template are rendered. */
#include "daemon/engine/render_decision.h"

#include <sys/resource.h>

#include "base/compress.h"
#include "base/memory.h"
#include "crawl/url/url.h"
#include "daemon/engine/engine_internal.h"
#include "daemon/privsep/analyse_task.h"
#include "store/key.h"
#include "store/rows.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

#define HOST   "a.test"
#define SAMPLE "http://" HOST "/page/0"

enum { PAGES = 6 };

static struct world world;
static uint32_t site;
static uint32_t cluster;

static enum error commit(struct change *change, const char *text)
{
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	change->url = &url;
	ASSERT_OK(engine_commit(world.engine, change, 1, world.now_ms, NULL));
	return change->error;
}

static struct page_row page_at(const char *url)
{
	struct txn txn = txn_begin_read(world.store);
	struct page_row row = {0};

	ck_assert(page_row_get(&txn, site, page_key_of(slice_of(url)), &row));
	txn_abort(&txn);
	return row;
}

/* Its signatures are those of the row until the store changes. */
static struct render_row render_of(uint32_t number)
{
	struct txn txn = txn_begin_read(world.store);
	struct render_row row;

	if (!render_row_get(&txn, site, number, &row))
		row = (struct render_row){0};
	txn_abort(&txn);
	return row;
}

static struct template_row template_of(uint32_t number)
{
	struct txn txn = txn_begin_read(world.store);
	struct template_row row;

	if (!template_row_get(&txn, site, number, &row))
		row = (struct template_row){0};
	txn_abort(&txn);
	row.lineage = slice_of("");
	return row;
}

static uint64_t rows_of(enum table table)
{
	struct txn txn = txn_begin_read(world.store);
	uint64_t rows = txn_usage(&txn, table).rows;

	txn_abort(&txn);
	return rows;
}

static void analyse_text(const char *url_text, bool is_rendered,
			 struct slice html, struct buffer *record_out)
{
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of(url_text), NULL));
	ASSERT_OK(analyse(
		html, slice_of(""), &url,
		&(struct analyse_options){.limits = &page_limits_default,
					  .measure = MEASURE_CPC,
					  .is_rendered = is_rendered},
		record_out));
}

/* Commit a visit of the page. */
static void visit_kind(const char *url, bool is_rendered, unsigned kind,
		       const struct render_finding *finding)
{
	AUTO_BUFFER html = {0};
	AUTO_BUFFER packed = {0};
	AUTO_BUFFER record = {0};
	AUTO_BUFFER raw = {0};
	struct change change = {.kind = CHANGE_PAGE,
				.answer = {.outcome = {.http_status = 200},
					   .render = *finding}};

	world_page(&html, kind, is_rendered ? 100 : 7);
	analyse_text(url, is_rendered, buffer_slice(&html), &record);
	analyse_text(url, false, buffer_slice(&html), &raw);
	compress_slice(buffer_slice(&html), &packed);
	change.answer.body_bytes = (uint32_t)html.size;
	change.answer.packed = buffer_slice(&packed);
	change.answer.record = buffer_slice(&record);
	if (finding->cluster != 0 || finding->is_empty)
		change.answer.render.record = buffer_slice(&raw);
	ASSERT_OK(commit(&change, url));
}

static void visit(const char *url, bool is_rendered,
		  const struct render_finding *finding)
{
	visit_kind(url, is_rendered, 1, finding);
}

static void request_sample(void)
{
	const struct render_sample sample = {cluster,
					     page_key_of(slice_of(SAMPLE))};
	const struct template_updates updates = {
		.threshold = 250, .renders = &sample, .render_count = 1};
	struct change change = {
		.kind = CHANGE_TEMPLATES,
		.templates = {.site = site, .findings = &updates}};

	ASSERT_OK(commit(&change, SAMPLE));
}

/* A template of six pages, and its sample is requested. */
static void setup(void)
{
	struct txn txn;

	world_open(&world, 0);
	world.measure = MEASURE_CPC;
	world.now_ms = 1000000;
	ASSERT_OK(world_add_site(&world, HOST));
	site = world_site(&world, HOST).id;
	for (unsigned i = 0; i < PAGES; i++) {
		char url[64];

		snprintf(url, sizeof(url), "http://" HOST "/page/%u", i);
		visit(url, false, &(struct render_finding){0});
	}
	cluster = page_at(SAMPLE).cluster;
	ck_assert_uint_ne(cluster, 0);
	txn = txn_begin_write(world.store);
	template_row_put(&txn, site, cluster,
			 &(struct template_row){.created_ms = 1,
						.version = 3,
						.threshold = 250,
						.lineage = slice_of("[]")});
	sample_page_row_put(&txn, site, cluster, page_key_of(slice_of(SAMPLE)),
			    &(struct sample_page_row){.url = slice_of(SAMPLE)});
	ASSERT_OK(txn_end(&txn));
	request_sample();
}

static void teardown(void)
{
	ck_assert_uint_eq(world_problems(&world), 0);
	world_close(&world);
}

FIXTURE(.setup = setup, .teardown = teardown);

static struct render_finding finding_of(uint32_t added)
{
	return (struct render_finding){
		.cluster = cluster,
		.is_decided = true,
		.words = {.before = 40, .after = 40 + added, .added = added}};
}

TEST(a_request_is_stored)
{
	const struct render_row row = render_of(cluster);

	ck_assert_uint_eq(row.asked_ms, world.now_ms);
	ck_assert_uint_eq(row.page, page_key_of(slice_of(SAMPLE)));
	ck_assert_uint_eq(row.version, 3);
	ck_assert_uint_eq(row.attempts, 1);
	ck_assert_uint_eq(row.decision, RENDER_UNKNOWN);
	request_sample();
	ck_assert_uint_eq(render_of(cluster).attempts, 2);
}

TEST(a_sample_without_new_text_changes_only_the_decision)
{
	const struct render_finding finding = finding_of(3);
	struct render_row row;

	visit(SAMPLE, false, &finding);
	row = render_of(cluster);
	ck_assert_uint_eq(row.decision, RENDER_NO);
	ck_assert_uint_eq(row.asked_ms, 0);
	ck_assert_uint_eq(row.decided_ms, world.now_ms);
	ck_assert_uint_eq(row.words_before, 40);
	ck_assert_uint_eq(row.words_new, 3);
	ck_assert_uint_eq(row.version, 3);
	ck_assert_uint_eq(row.moved_ms, 0);
	ck_assert_uint_eq(row.signatures.size, 0);
	ck_assert_uint_eq(page_at(SAMPLE).cluster, cluster);
	ck_assert_uint_eq(rows_of(TABLE_SAMPLE_PAGES), 1);
}

TEST(the_template_follows_its_rendered_sample)
{
	const struct render_finding finding = finding_of(300);
	struct render_row row;

	visit(SAMPLE, true, &finding);
	row = render_of(cluster);
	ck_assert_uint_eq(row.decision, RENDER_YES);
	ck_assert_uint_eq(row.words_after, 340);
	ck_assert_uint_gt(row.moved_ms, world.now_ms);
	ck_assert_uint_gt(row.signatures.size, 0);
	/* the rendered page has the number, and the others have another one */
	ck_assert_uint_eq(page_at(SAMPLE).cluster, cluster);
	ck_assert_uint_ne(page_at("http://" HOST "/page/1").cluster, cluster);
	/* raw records are not compared with rendered pages */
	ck_assert_uint_eq(rows_of(TABLE_SAMPLE_PAGES), 0);
	ck_assert_int_eq(template_of(cluster).state, TEMPLATE_LIVE);
	ck_assert_uint_eq(template_of(cluster).version, 3);
}

TEST(what_was_found_out_before_is_refused)
{
	const struct render_finding finding = finding_of(300);
	const struct template_update stale = {
		.cluster = cluster, .row = {.version = 4, .threshold = 250}};
	const struct template_updates updates = {
		.threshold = 250, .templates = &stale, .template_count = 1};
	struct change change = {
		.kind = CHANGE_TEMPLATES,
		.templates = {.site = site, .findings = &updates}};

	visit(SAMPLE, true, &finding);
	ck_assert_int_eq(commit(&change, SAMPLE), ERR_BUSY);
	ck_assert_uint_eq(template_of(cluster).version, 3);
}

TEST(the_decision_is_changed_back)
{
	struct render_finding finding = finding_of(300);

	visit(SAMPLE, true, &finding);
	world.now_ms += 1000000;
	request_sample();
	finding = finding_of(0);
	visit(SAMPLE, false, &finding);
	ck_assert_uint_eq(render_of(cluster).decision, RENDER_NO);
	ck_assert_uint_gt(render_of(cluster).signatures.size, 0);
	ck_assert_uint_eq(page_at(SAMPLE).cluster, cluster);
}

TEST(a_sample_that_was_not_compared_is_no_decision)
{
	const struct render_finding finding = {.cluster = cluster};

	visit(SAMPLE, false, &finding);
	ck_assert_uint_eq(render_of(cluster).decision, RENDER_UNKNOWN);
	ck_assert_uint_eq(render_of(cluster).asked_ms, 0);
	ck_assert_uint_eq(render_of(cluster).attempts, 1);
}

TEST(a_page_that_is_not_the_sample_decides_nothing)
{
	const struct render_finding finding = finding_of(300);

	visit("http://" HOST "/page/1", false, &finding);
	ck_assert_uint_eq(render_of(cluster).decision, RENDER_UNKNOWN);
	ck_assert_uint_ne(render_of(cluster).asked_ms, 0);
}

TEST(a_strange_page_causes_a_sample_once_an_hour)
{
	const struct render_finding strange = {.is_strange = true};
	struct render_finding finding = finding_of(300);

	visit(SAMPLE, true, &finding);
	visit(SAMPLE, true, &strange);
	ck_assert_uint_eq(render_of(cluster).version, 3);
	world.now_ms += 3600000;
	visit(SAMPLE, true, &strange);
	ck_assert_uint_eq(render_of(cluster).version, 0);
	ck_assert_uint_eq(render_of(cluster).decision, RENDER_YES);
}

static void set_option(enum site_render render)
{
	struct change change = {
		.kind = CHANGE_SITE_ADD,
		.site_add = {.measure = MEASURE_CPC,
			     .threshold = 250,
			     .max_pages = 1000,
			     .flags = site_render_set(0, render)}};

	ASSERT_OK(commit(&change, "http://" HOST "/"));
}

/* Lease one URL of the site. Return its key; 0 = none is due. */
static uint64_t lease(void)
{
	struct work work = {0};
	struct work_order order = {
		.max = 1, .max_per_site = 1, .lease_ms = 1000, .work = &work};
	uint64_t key = 0;

	ASSERT_OK(engine_commit(world.engine, NULL, 0, world.now_ms, &order));
	if (order.count > 0) {
		key = work.lease.key;
		work_free(&work);
	}
	return key;
}

/* It may have been stored as it was fetched, and only after the decision. */
TEST(a_visit_that_does_not_know_the_decision_is_repeated)
{
	static const char seed[] = "http://" HOST "/";
	const struct render_finding finding = finding_of(300);
	const uint64_t key = page_key_of(slice_of(seed));

	set_option(SITE_RENDER_AUTO);
	ck_assert_uint_eq(lease(), key);
	visit(SAMPLE, true, &finding);
	ck_assert_uint_eq(lease(), 0);
	visit(seed, false, &(struct render_finding){0});
	ck_assert_uint_eq(lease(), key);
	visit(seed, true, &(struct render_finding){0});
	ck_assert_uint_eq(lease(), 0);
}

/* Store a template, and a row about rendering it. */
static void put_template(struct txn *txn, uint32_t number,
			 enum template_state state)
{
	render_row_put(txn, site, number, &(struct render_row){.version = 1});
	template_row_put(txn, site, number,
			 &(struct template_row){.created_ms = 1,
						.state = (uint16_t)state,
						.lineage = slice_of("[]")});
}

/* If all rows are needed, a further template gets none. */
TEST_LOOP(the_rows_of_a_site_are_limited, TEMPLATE_LIVE, TEMPLATE_REPLACED + 1)
{
	struct txn txn = txn_begin_write(world.store);

	txn_delete(&txn, TABLE_RENDERS, KEY(key_cluster(site, cluster)));
	for (uint32_t i = 1; i <= MAX_RENDER_ROWS; i++)
		put_template(&txn, cluster + i,
			     i == 9 ? (enum template_state)_i : TEMPLATE_LIVE);
	ASSERT_OK(txn_end(&txn));
	request_sample();
	ck_assert_uint_eq(rows_of(TABLE_RENDERS), MAX_RENDER_ROWS);
	ck_assert_uint_eq(render_of(cluster).version,
			  _i == TEMPLATE_LIVE ? 0 : 3);
	ck_assert_uint_eq(render_of(cluster + 9).version, _i == TEMPLATE_LIVE);
	txn = txn_begin_write(world.store);
	for (uint32_t i = 1; i <= MAX_RENDER_ROWS; i++)
		txn_delete(&txn, TABLE_TEMPLATES,
			   KEY(key_cluster(site, cluster + i)));
	ASSERT_OK(txn_end(&txn));
}

TEST(the_template_follows_an_option_of_the_site)
{
	const struct render_finding none = {0};

	set_option(SITE_RENDER_ALWAYS);
	visit(SAMPLE, true, &none);
	ck_assert_uint_eq(page_at(SAMPLE).cluster, cluster);
	ck_assert_uint_gt(render_of(cluster).moved_ms, world.now_ms);
	ck_assert_uint_eq(render_of(cluster).decision, RENDER_UNKNOWN);
	ck_assert_uint_eq(rows_of(TABLE_SAMPLE_PAGES), 0);
	/* the next page joins it */
	visit("http://" HOST "/page/1", true, &none);
	ck_assert_uint_eq(page_at("http://" HOST "/page/1").cluster, cluster);
}

TEST(the_template_does_not_follow_a_page_that_a_client_wants_rendered)
{
	const struct render_finding none = {0};

	visit(SAMPLE, true, &none);
	ck_assert_uint_ne(page_at(SAMPLE).cluster, cluster);
	ck_assert_uint_eq(rows_of(TABLE_SAMPLE_PAGES), 1);
}

TEST(the_template_follows_a_page_that_was_empty_before)
{
	const struct render_finding empty = {.is_empty = true};

	visit("http://" HOST "/page/1", true, &empty);
	ck_assert_uint_eq(page_at("http://" HOST "/page/1").cluster, cluster);
	ck_assert_uint_ne(page_at(SAMPLE).cluster, cluster);
	ck_assert_uint_eq(render_of(cluster).version, 0);
}

TEST(the_template_does_not_follow_one_page_that_is_empty_now)
{
	const struct render_finding empty = {.is_empty = true};

	world.now_ms += UINT64_C(2) * 86400000;
	visit_kind("http://" HOST "/page/1", true, 2, &empty);
	ck_assert_uint_ne(page_at("http://" HOST "/page/1").cluster, cluster);
	ck_assert_uint_eq(page_at(SAMPLE).cluster, cluster);
	ck_assert_uint_eq(render_of(cluster).moved_ms, 0);
	/* a sample finds out */
	ck_assert_uint_eq(render_of(cluster).version, 0);
}

TEST(a_page_that_is_empty_at_times_moves_its_template_once_a_day)
{
	const struct render_finding empty = {.is_empty = true};
	struct render_finding finding = finding_of(300);
	uint64_t moved_ms;

	visit(SAMPLE, true, &finding);
	world.now_ms += 1000000;
	request_sample();
	finding = finding_of(0);
	visit(SAMPLE, false, &finding);
	moved_ms = render_of(cluster).moved_ms;
	world.now_ms += 1000000;
	visit(SAMPLE, true, &empty);
	ck_assert_uint_eq(render_of(cluster).moved_ms, moved_ms);
	ck_assert_uint_ne(page_at(SAMPLE).cluster, cluster);
	world.now_ms += UINT64_C(2) * 86400000;
	visit("http://" HOST "/page/1", false, &(struct render_finding){0});
	ck_assert_uint_eq(page_at("http://" HOST "/page/1").cluster, cluster);
	visit("http://" HOST "/page/1", true, &empty);
	ck_assert_uint_gt(render_of(cluster).moved_ms, world.now_ms);
	ck_assert_uint_eq(page_at("http://" HOST "/page/1").cluster, cluster);
}

/* Signatures of a row. */

static struct signature signature_of(uint64_t first, size_t count)
{
	uint64_t *shingles = ARENA_NEW(test_arena, uint64_t, count);

	for (size_t i = 0; i < count; i++)
		shingles[i] = first + i;
	return (struct signature){shingles, count};
}

static size_t count_of(const struct buffer *list)
{
	struct slice rest = buffer_slice(list);
	struct signature signature;
	size_t count = 0;

	while (render_signatures_next(&rest, test_arena, &signature))
		count++;
	return count;
}

TEST(signatures_are_stored_once)
{
	AUTO_BUFFER list = {0};
	struct slice rest;
	struct signature found;

	render_signatures_add(&list, signature_of(5, 3));
	render_signatures_add(&list, signature_of(5, 3));
	render_signatures_add(&list, signature_of(5, 0));
	render_signatures_add(&list, signature_of(6, 3));
	ck_assert_uint_eq(count_of(&list), 2);
	rest = buffer_slice(&list);
	ck_assert(render_signatures_next(&rest, test_arena, &found));
	ck_assert(signature_linked(found, signature_of(5, 3), 0));
}

TEST(the_first_signatures_are_removed_from_a_full_list)
{
	AUTO_BUFFER list = {0};
	struct slice rest;
	struct signature found;

	for (unsigned i = 0; i <= MAX_RENDER_SIGNATURES; i++)
		render_signatures_add(&list, signature_of(UINT64_C(10) * i, 3));
	ck_assert_uint_eq(count_of(&list), MAX_RENDER_SIGNATURES);
	rest = buffer_slice(&list);
	ck_assert(render_signatures_next(&rest, test_arena, &found));
	ck_assert_uint_eq(found.shingles[0], 10);
	render_signatures_add(
		&list, signature_of(1000, MAX_RENDER_SIGNATURE_BYTES / 8 - 1));
	ck_assert_uint_eq(count_of(&list), 1);
	render_signatures_add(
		&list, signature_of(1000, MAX_RENDER_SIGNATURE_BYTES / 8));
	ck_assert_uint_eq(count_of(&list), 1);
}

TEST(a_damaged_list_ends)
{
	const uint64_t damage[] = {UINT64_MAX, 1};
	struct slice rest = {damage, sizeof(damage)};
	struct signature found;

	ck_assert(!render_signatures_next(&rest, test_arena, &found));
	rest = slice_of("1234567");
	ck_assert(!render_signatures_next(&rest, test_arena, &found));
}

/* A page is compared with the decisions of its site. */

/* Return whether a page of this kind, which was fetched, must be rendered. */
static bool must_render(const char *url, unsigned kind)
{
	struct job *job = mem_alloc(1, sizeof(*job));
	AUTO_BUFFER html = {0};
	bool must;

	ASSERT_OK(url_parse(&job->url, slice_of(url), NULL));
	job->kind = CHANGE_PAGE;
	job->work.site = world_site(&world, job->url.host).id;
	job->work.site_flags = site_render_set(0, SITE_RENDER_AUTO);
	world_page(&html, kind, 7);
	analyse_text(url, false, buffer_slice(&html), &job->record);
	render_visit_choose(world.store, job);
	must = job->render.must_render;
	buffer_free(&job->record);
	free(job);
	return must;
}

TEST(pages_like_the_sample_are_rendered)
{
	struct render_finding finding = finding_of(300);

	ck_assert(!must_render("http://" HOST "/new", 1));
	visit(SAMPLE, true, &finding);
	ck_assert(must_render("http://" HOST "/new", 1));
	ck_assert(!must_render("http://" HOST "/new", 2));
	world.now_ms += 1000000;
	request_sample();
	finding = finding_of(0);
	visit(SAMPLE, false, &finding);
	ck_assert(!must_render("http://" HOST "/new", 1));
}

/* Add words of the main text, as a worker does. */
static void append_words(struct buffer *out, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t word = i << 1 | 1;

		buffer_append_slice(out, (struct slice){&word, sizeof(word)});
	}
}

TEST_LOOP(a_sample_that_leaves_its_url_decides_nothing, 0, 2)
{
	struct job *job = mem_alloc(1, sizeof(*job));
	struct render_visit *visit = &job->render;
	AUTO_BUFFER html = {0};

	world_page(&html, 1, 100);
	analyse_text(SAMPLE, true, buffer_slice(&html), &job->record);
	analyse_text(SAMPLE, false, buffer_slice(&html), &visit->record);
	append_words(&visit->words, 1000);
	visit->finding.cluster = cluster;
	visit->has_left = _i != 0;
	job->is_rendered = true;
	render_visit_end(job);
	ck_assert(visit->finding.is_decided == (_i == 0));
	ck_assert(job->is_rendered == (_i == 0));
	buffer_free(&job->record);
	render_visit_free(visit);
	free(job);
}

#ifndef TESTS_ARE_SLOW /* a sanitizer keeps memory that was freed */

enum { ROWS = 100, MAX_GROWTH_KIB = 100 * 1024 };

/* Add a decision whose signatures are as large as they may be. */
static void put_large_row(struct txn *txn, uint32_t id, uint32_t number)
{
	AUTO_BUFFER list = {0};
	const size_t count = MAX_RENDER_SIGNATURE_BYTES / 8 - 1;
	struct signature signature = signature_of(number, count);
	uint64_t *shingles = arena_alloc(test_arena, count, sizeof(uint64_t));

	for (size_t i = 0; i < count; i++)
		shingles[i] = 2 * signature.shingles[i] + 1; /* heavy */
	render_signatures_add(&list, (struct signature){shingles, count});
	render_row_put(txn, id, number,
		       &(struct render_row){
			       .decided_ms = 1,
			       .decision = RENDER_YES,
			       .signatures = buffer_slice(&list),
		       });
}

static long largest_kib(void)
{
	struct rusage usage;

	ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

TEST(many_large_signatures_need_little_memory)
{
	struct txn txn;
	uint32_t id;
	long before_kib;

	world.measure = MEASURE_WCAS;
	ASSERT_OK(world_add_site(&world, "b.test"));
	id = world_site(&world, "b.test").id;
	txn = txn_begin_write(world.store);
	for (uint32_t i = 1; i <= ROWS; i++)
		put_large_row(&txn, id, i);
	ASSERT_OK(txn_end(&txn));
	before_kib = largest_kib();
	ck_assert(!must_render("http://b.test/", 1));
	ck_assert_int_lt(largest_kib() - before_kib, MAX_GROWTH_KIB);
}

#endif
