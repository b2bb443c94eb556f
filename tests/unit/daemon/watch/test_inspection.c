/* Templates are found and checked again and again: while only content changes,
 * no event is emitted. */
#include "daemon/watch/watcher.h"

#include "store/rows.h"
#include "tests/unit/daemon/watched.h"
#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

enum { EACH = 12, ROUND = 3 }; /* pages: of a section, and asked in a round */

static struct watched web;
static unsigned article;
static unsigned product;
static unsigned profile;

static void setup(void)
{
	watched_open(&web);
	article = watched_add(&web, "article", FORM_ARTICLE, EACH);
	product = watched_add(&web, "product", FORM_PRODUCT, EACH);
	profile = watched_add(&web, "profile", FORM_PROFILE, EACH);
}

static void teardown(void)
{
	watched_close(&web);
}

static void begin(void)
{
	watched_begin(&web);
	watched_forget(&web);
}

static void check_begun(const struct template_row *row)
{
	ck_assert_uint_eq(row->version, 1);
	ck_assert_uint_eq(row->state, TEMPLATE_LIVE);
	ck_assert_uint_eq(row->ended_ms, 0);
	ck_assert_uint_eq(row->asked_ms, 0);
	ck_assert_uint_eq(row->other, 0);
	ck_assert_uint_eq(row->threshold, 200);
	ck_assert_uint_ge(row->created_ms, 100 * DAY_MS);
}

static void check_new(unsigned section)
{
	uint32_t cluster = watched_name(&web, section, "new");
	struct template_row row = watched_template(&web, cluster);
	struct version_row version = watched_version(&web, cluster, 1);

	check_begun(&row);
	ck_assert(watched_lineage_ends(&web, cluster, "new", 0));
	ck_assert_uint_eq(version.page_count, EACH);
	ck_assert_uint_eq(version.first_ms, row.created_ms);
	ck_assert_uint_gt(version.packed.size, 0);
	ck_assert_uint_eq(watched_sample(&web, cluster, section), EACH);
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60);

/* The seed is a cluster of one page, and no template. */
TEST(each_section_is_a_template)
{
	watched_begin(&web);
	ck_assert_uint_eq(watched_count(&web, EVENT_TEMPLATE_NEW), 3);
	ck_assert_uint_eq(watched_count(&web, 0), 3);
	ck_assert_uint_eq(watched_rows(&web, TABLE_TEMPLATES), 3);
	ck_assert_uint_eq(watched_rows(&web, TABLE_VERSIONS), 3);
	ck_assert_uint_eq(watched_rows(&web, TABLE_SAMPLE_PAGES),
			  (uint64_t)3 * EACH);
	check_new(article);
	check_new(product);
	check_new(profile);
}

TEST(what_is_new_is_told_with_evidence)
{
	struct event_row row;
	AUTO_JSON *detail;

	web.section_count = 1;
	watched_begin(&web);
	detail = watched_only(&web, EVENT_TEMPLATE_NEW, &row);
	ck_assert_uint_eq(row.pages, EACH);
	ck_assert_int_eq(
		json_integer_value(json_object_get(detail, "page_count")),
		EACH);
	ck_assert_uint_eq(json_array_size(json_object_get(detail, "pages")),
			  EACH);
	ck_assert_int_ge(json_integer_value(json_object_get(
				 json_object_get(detail, "paths"), "stable")),
			 5);
}

TEST(nothing_is_found_twice)
{
	uint64_t events;

	begin();
	events = watched_rows(&web, TABLE_EVENTS);
	ck_assert(!watched_inspect(&web));
	ck_assert(!watched_inspect(&web));
	world_reopen(&web.world);
	ck_assert(!watched_inspect(&web));
	ck_assert_uint_eq(watched_rows(&web, TABLE_EVENTS), events);
}

/* Half of a crawl is no template: none exists before the last page. */
TEST(no_template_is_taken_while_pages_are_awaited)
{
	ASSERT_OK(watched_set_options(&web));
	while (world_site(&web.world, WATCHED_HOST).pending_count > 0) {
		ck_assert_uint_eq(watched_rows(&web, TABLE_TEMPLATES), 0);
		ck_assert(watched_step(&web));
	}
	ck_assert_uint_eq(watched_rows(&web, TABLE_TEMPLATES), 3);
	watched_name(&web, article, "article");
	ck_assert_uint_eq(
		watched_version(&web, watched_name(&web, article, "article"), 1)
			.page_count,
		EACH);
}

TEST(fewer_pages_are_no_template)
{
	web.rules.min_pages = EACH + 1;
	begin();
	watched_pass(&web, 3 * DAY_MS);
	ck_assert_uint_eq(watched_rows(&web, TABLE_TEMPLATES), 0);
	ck_assert_uint_eq(web.visits, 0);
}

/* Pages that were fetched once, unchanged. */
static unsigned count_fresh_once(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < web.page_count; i++)
		count += web.pages[i].asked == 1 && web.pages[i].fresh == 1;
	return count;
}

/* A round has a few pages of each template; all get their turn. One of three
 * is fetched although it has not changed. */
TEST(a_due_round_fetches_a_few_pages_of_each_template)
{
	uint64_t due_ms;

	begin();
	due_ms = world_site(&web.world, WATCHED_HOST).added_ms + DAY_MS;
	watched_pass(&web, due_ms - 1 - web.world.now_ms);
	ck_assert_uint_eq(web.visits, 0);
	watched_pass(&web, 1);
	ck_assert_uint_eq(watched_asked(&web, article), ROUND);
	watched_pass(&web, HOUR_MS);
	ck_assert_uint_eq(web.visits, (uint64_t)3 * ROUND);
	watched_pass(&web, 3 * DAY_MS);
	ck_assert_uint_eq(web.visits, (uint64_t)4 * 3 * ROUND);
	ck_assert_uint_eq(count_fresh_once(), web.page_count * 2U / 3);
	ck_assert_str_eq(watched_emitted(&web), "");
}

TEST(who_is_not_watched_is_not_asked)
{
	web.options.watch_ms = 0;
	begin();
	watched_pass(&web, 30 * DAY_MS);
	ck_assert_uint_eq(web.visits, 0);
}

TEST(pages_that_are_as_they_were_change_when_it_was_seen)
{
	struct template_row before;
	struct template_row after;
	struct version_row old;
	struct version_row now;
	uint32_t cluster;

	begin();
	cluster = watched_name(&web, product, "product");
	before = watched_template(&web, cluster);
	old = watched_version(&web, cluster, 1);
	watched_pass(&web, 5 * DAY_MS + HOUR_MS);
	after = watched_template(&web, cluster);
	now = watched_version(&web, cluster, 1);
	ck_assert_uint_gt(after.seen_ms, before.seen_ms + 4 * DAY_MS);
	ck_assert_uint_eq(after.round, before.round + 5);
	ck_assert_uint_eq(after.version, before.version);
	ck_assert_uint_eq(after.state, before.state);
	ck_assert_uint_eq(after.asked_ms, 0);
	ck_assert_uint_eq(after.created_ms, before.created_ms);
	ck_assert_uint_eq(after.lineage.size, before.lineage.size);
	ck_assert_mem_eq(&now, &old, sizeof(now));
	ck_assert_uint_eq(watched_rows(&web, TABLE_VERSIONS), 3);
	ck_assert_str_eq(watched_emitted(&web), "");
}

TEST(content_says_nothing)
{
	begin();
	for (unsigned edition = 1; edition < 4; edition++) {
		watched_set(&web, article, FORM_ARTICLE, edition);
		watched_set(&web, product, FORM_PRODUCT, edition);
		watched_set(&web, profile, FORM_PROFILE, edition);
		watched_pass(&web, 5 * DAY_MS);
	}
	ck_assert_str_eq(watched_emitted(&web), "");
	ck_assert_uint_eq(web.visits, (uint64_t)15 * 3 * ROUND);
	ck_assert_uint_eq(watched_rows(&web, TABLE_VERSIONS), 3);
}

TEST(an_element_more_is_not_enough)
{
	begin();
	watched_set(&web, product, FORM_EDITED, 0);
	watched_pass(&web, 10 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "");
	ck_assert_uint_eq(
		watched_template(&web, watched_name(&web, product, "product"))
			.version,
		1);
}

/* Because of that page, beyond the rounds: the sample to judge the site, that
 * page again to confirm it, and the sample to judge the template. */
enum { FETCHES_OF_A_PAGE = 2 * EACH + 2 };

TEST(one_page_causes_two_fetches_of_the_sample)
{
	begin();
	watched_page(&web, product, 5)->form = FORM_ALONE;
	watched_pass(&web, 4 * DAY_MS + HOUR_MS);
	ck_assert_uint_ge(watched_asked(&web, product),
			  (uint64_t)4 * ROUND + EACH - (ROUND - 1));
	ck_assert_uint_le(watched_asked(&web, product),
			  (uint64_t)4 * ROUND + FETCHES_OF_A_PAGE);
	ck_assert_uint_le(watched_asked(&web, article),
			  (uint64_t)4 * ROUND + 2);
	ck_assert_str_eq(watched_emitted(&web), "");
	watched_forget(&web);
	watched_pass(&web, 20 * DAY_MS);
	ck_assert_uint_eq(watched_asked(&web, product), (uint64_t)20 * ROUND);
	ck_assert_str_eq(watched_emitted(&web), "");
	ck_assert_uint_eq(
		watched_template(&web, watched_name(&web, product, "product"))
			.version,
		1);
}

/* A second one does the same again; it is deleted, and then exists again. */
TEST(each_further_page_causes_two_further_fetches)
{
	begin();
	watched_page(&web, product, 5)->form = FORM_ALONE;
	watched_pass(&web, 5 * DAY_MS);
	watched_forget(&web);
	watched_page(&web, product, 6)->manner = MANNER_GONE;
	watched_pass(&web, 8 * DAY_MS);
	ck_assert_uint_ge(watched_asked(&web, product),
			  (uint64_t)8 * ROUND + EACH - 3);
	ck_assert_uint_le(watched_asked(&web, product),
			  (uint64_t)8 * ROUND + FETCHES_OF_A_PAGE);
	ck_assert_str_eq(watched_emitted(&web), "");
	watched_page(&web, product, 5)->form = FORM_PRODUCT;
	watched_page(&web, product, 6)->manner = MANNER_PAGE;
	watched_pass(&web, 8 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "");
}

TEST(a_section_that_is_added_is_new)
{
	unsigned added;
	struct event_row row;

	begin();
	watched_pass(&web, 2 * DAY_MS);
	added = watched_add(&web, "recipe", FORM_REDESIGN, EACH);
	for (unsigned i = 0; i < EACH; i++)
		watched_ask(&web, added, i);
	watched_pass(&web, DAY_MS);
	json_decref(watched_only(&web, EVENT_TEMPLATE_NEW, &row));
	ck_assert_uint_eq(row.cluster, watched_name(&web, added, "recipe"));
	watched_pass(&web, 10 * DAY_MS);
	ck_assert_uint_eq(watched_count(&web, 0), 1);
}

/* Many more pages: the version is built again, and keeps its number. */
TEST(a_template_that_grows_is_taken_again)
{
	uint32_t cluster;
	unsigned added;

	begin();
	cluster = watched_name(&web, product, "product");
	added = watched_add(&web, "product-too", FORM_PRODUCT, 3 * EACH);
	for (unsigned i = 0; i < 3 * EACH; i++)
		watched_ask(&web, added, i);
	watched_pass(&web, DAY_MS);
	ck_assert_uint_eq(watched_template(&web, cluster).version, 1);
	ck_assert_uint_eq(watched_version(&web, cluster, 1).page_count,
			  (uint64_t)4 * EACH);
	ck_assert_str_eq(watched_emitted(&web), "");
}

static enum error commit(enum change_kind kind,
			 const struct site_check *inspection)
{
	struct change change = {.kind = kind};
	struct url url;

	url_parse(&url, slice_of("http://" WATCHED_HOST "/"), NULL);
	change.url = &url;
	if (kind == CHANGE_TEMPLATES)
		change.templates = (struct templates_change){
			.site = inspection->site,
			.findings = &inspection->findings};
	else if (kind == CHANGE_SITE_ADD)
		change.site_add = web.options;
	engine_commit(web.world.engine, &change, 1, web.world.now_ms, NULL);
	return change.error;
}

/* Crawl without inspecting, so that there is something to find. */
static void make(struct site_check *inspection)
{
	begin();
	web.world.now_ms += DAY_MS;
	ASSERT_OK(site_check_make(web.world.store, WATCHED_HOST, &web.rules,
				  web.world.now_ms, inspection));
	ck_assert(site_check_has_updates(inspection));
	ASSERT_OK(commit(CHANGE_SITE_DELETE, NULL));
}

TEST(findings_of_a_deleted_site_are_not_taken)
{
	struct site_check inspection;

	make(&inspection);
	ck_assert_int_eq(commit(CHANGE_TEMPLATES, &inspection), ERR_NOT_FOUND);
	ck_assert_uint_eq(watched_rows(&web, TABLE_TEMPLATES), 0);
	ck_assert_uint_eq(watched_rows(&web, TABLE_VERSIONS), 0);
	ck_assert_uint_eq(watched_rows(&web, TABLE_SAMPLE_PAGES), 0);
	site_check_free(&inspection);
}

TEST(findings_of_a_deleted_site_are_not_its_successors)
{
	struct site_check inspection;

	make(&inspection);
	ASSERT_OK(commit(CHANGE_SITE_ADD, NULL));
	ck_assert_int_eq(commit(CHANGE_TEMPLATES, &inspection), ERR_NOT_FOUND);
	ck_assert_uint_eq(watched_rows(&web, TABLE_TEMPLATES), 0);
	ck_assert_uint_eq(watched_rows(&web, TABLE_SAMPLE_PAGES), 0);
	ck_assert_uint_eq(watched_rows(&web, TABLE_DUE), 1);
	site_check_free(&inspection);
}

TEST(a_site_that_is_not_there_is_not_inspected)
{
	struct site_check inspection;

	begin();
	ck_assert_int_eq(site_check_make(web.world.store, "b.test", &web.rules,
					 web.world.now_ms, &inspection),
			 ERR_NOT_FOUND);
	ck_assert_ptr_null(inspection.arena);
	ck_assert(!site_check_has_updates(&inspection));
	ck_assert_uint_eq(inspection.next_ms, UINT64_MAX);
}
