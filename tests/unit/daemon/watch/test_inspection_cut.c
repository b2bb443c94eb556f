/* The linkage moves unchanged pages: a page between two templates merges them,
 * and another threshold is no change of the site. */
#include "store/rows.h"
#include "tests/unit/daemon/watched.h"
#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

enum { BIG = 12, SMALL = 6 };

static struct watched web;
static unsigned big;
static unsigned small;
static unsigned bridge;
static uint32_t cluster_of_big;
static uint32_t cluster_of_small;

static void setup(void)
{
	watched_open(&web);
	web.options.measure = MEASURE_CP;
	big = watched_add(&web, "big", FORM_BIG, BIG);
	small = watched_add(&web, "small", FORM_SMALL, SMALL);
	bridge = watched_add(&web, "bridge", FORM_BRIDGE, 1);
	watched_set_manner(&web, bridge, MANNER_GONE, 0);
	watched_begin(&web);
	ck_assert_uint_eq(watched_count(&web, EVENT_TEMPLATE_NEW), 2);
	ck_assert_uint_eq(watched_count(&web, 0), 2);
	cluster_of_big = watched_name(&web, big, "big");
	cluster_of_small = watched_name(&web, small, "small");
	ck_assert_uint_ne(cluster_of_big, cluster_of_small);
	watched_pass(&web, 2 * DAY_MS);
	watched_forget(&web);
}

static void teardown(void)
{
	watched_close(&web);
}

static void join(void)
{
	watched_set_manner(&web, bridge, MANNER_PAGE, 0);
	watched_ask(&web, bridge, 0);
	watched_pass(&web, 6 * DAY_MS);
	ck_assert_uint_eq(watched_page_row(&web, small, 0).cluster,
			  cluster_of_big);
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60);

TEST(a_bridge_merges_two_templates)
{
	struct template_row row;
	struct event_row event;

	join();
	json_decref(watched_only(&web, EVENT_TEMPLATE_MERGED, &event));
	ck_assert_str_eq(watched_emitted(&web), "template.merged small>big");
	row = watched_template(&web, cluster_of_small);
	ck_assert_uint_eq(row.state, TEMPLATE_MERGED);
	ck_assert_uint_eq(row.other, cluster_of_big);
	ck_assert_uint_ne(row.ended_ms, 0);
	ck_assert(watched_lineage_ends(&web, cluster_of_small, "merged",
				       cluster_of_big));
	row = watched_template(&web, cluster_of_big);
	ck_assert_uint_eq(row.state, TEMPLATE_LIVE);
	ck_assert_uint_eq(row.version, 2);
	ck_assert(watched_lineage_ends(&web, cluster_of_big, "merged from",
				       cluster_of_small));
	ck_assert_uint_eq(watched_version(&web, cluster_of_big, 2).page_count,
			  BIG + SMALL + 1);
	ck_assert_uint_gt(watched_version(&web, cluster_of_big, 1).packed.size,
			  0);
}

TEST(without_the_bridge_they_split_again)
{
	struct event_row event;
	uint32_t split;

	join();
	watched_forget(&web);
	watched_set_manner(&web, bridge, MANNER_GONE, 0);
	watched_ask(&web, bridge, 0);
	watched_pass(&web, 8 * DAY_MS);
	json_decref(watched_only(&web, EVENT_TEMPLATE_SPLIT, &event));
	ck_assert_uint_eq(event.cluster, cluster_of_big);
	ck_assert_uint_eq(watched_page_row(&web, big, 0).cluster,
			  cluster_of_big);
	split = watched_page_row(&web, small, 0).cluster;
	ck_assert_uint_ne(split, cluster_of_big);
	ck_assert_uint_eq(event.other, split);
	ck_assert_uint_eq(watched_template(&web, cluster_of_big).state,
			  TEMPLATE_LIVE);
	ck_assert_uint_eq(watched_template(&web, split).state, TEMPLATE_LIVE);
	ck_assert(watched_lineage_ends(&web, cluster_of_big, "split", split));
}

/* 7 / 26 is 269 permille. */
static void cut_at(uint16_t threshold)
{
	web.options.threshold = threshold;
	ASSERT_OK(watched_set_options(&web));
	watched_pass(&web, 8 * DAY_MS);
}

TEST(another_cut_that_merges_is_no_event)
{
	cut_at(300);
	ck_assert_uint_eq(watched_page_row(&web, small, 0).cluster,
			  cluster_of_big);
	ck_assert_str_eq(watched_emitted(&web), "");
	ck_assert_uint_eq(watched_template(&web, cluster_of_small).state,
			  TEMPLATE_MERGED);
	ck_assert(watched_lineage_ends(&web, cluster_of_small, "recut",
				       cluster_of_big));
	ck_assert_uint_eq(watched_template(&web, cluster_of_big).state,
			  TEMPLATE_LIVE);
	ck_assert_uint_eq(watched_template(&web, cluster_of_big).threshold,
			  300);
	ck_assert_uint_eq(watched_version(&web, cluster_of_big, 1).page_count,
			  BIG + SMALL);
}

TEST(another_cut_that_splits_is_no_event)
{
	uint32_t split;

	cut_at(300);
	cut_at(200);
	split = watched_page_row(&web, small, 0).cluster;
	ck_assert_uint_ne(split, cluster_of_big);
	ck_assert_str_eq(watched_emitted(&web), "");
	ck_assert_uint_eq(watched_template(&web, cluster_of_big).state,
			  TEMPLATE_LIVE);
	ck_assert_uint_eq(watched_template(&web, split).state, TEMPLATE_LIVE);
	ck_assert_uint_eq(watched_template(&web, split).threshold, 200);
}

/* Each page is its own cluster, except identical pages. */
TEST(another_cut_does_not_hide_a_redesign)
{
	cut_at(300);
	watched_set(&web, big, FORM_REDESIGN, 0);
	watched_set(&web, small, FORM_REDESIGN, 0);
	watched_pass(&web, 8 * DAY_MS);
	ck_assert_uint_eq(watched_name(&web, big, "big"), cluster_of_big);
	ck_assert_str_eq(watched_emitted(&web), "template.changed big");
}

TEST(a_redesign_and_another_cut_are_one_event_of_each)
{
	watched_set(&web, big, FORM_REDESIGN, 0);
	watched_set(&web, small, FORM_ALONE, 0);
	cut_at(210);
	ck_assert_uint_eq(watched_count(&web, EVENT_TEMPLATE_CHANGED), 2);
	ck_assert_uint_eq(watched_count(&web, 0), 2);
}

/* What was read before the cut is not true after it. */
TEST(findings_of_another_cut_are_not_taken)
{
	struct site_check inspection;
	struct change change = {.kind = CHANGE_TEMPLATES};
	struct url url;

	web.world.now_ms += DAY_MS;
	ASSERT_OK(site_check_make(web.world.store, WATCHED_HOST, &web.rules,
				  web.world.now_ms, &inspection));
	ck_assert(site_check_has_updates(&inspection));
	web.options.threshold = 300;
	ASSERT_OK(watched_set_options(&web));
	url_parse(&url, slice_of("http://" WATCHED_HOST "/"), NULL);
	change.url = &url;
	change.templates.site = inspection.site;
	change.templates.findings = &inspection.findings;
	engine_commit(web.world.engine, &change, 1, web.world.now_ms, NULL);
	ck_assert_int_eq(change.error, ERR_BUSY);
	site_check_free(&inspection);
	watched_pass(&web, DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "");
}

/* Step until this many events are emitted, and all is idle. */
static void wait_for_alerts(unsigned count)
{
	for (unsigned i = 0; i < 400 && watched_count(&web, 0) < count; i++)
		if (!watched_step(&web))
			web.world.now_ms += HOUR_MS / 4;
}

/* The pages of `small` are in a third template now, which a later threshold
 * makes one with the first: an event reports their new place. */
TEST(where_the_pages_went_is_corrected_after_another_cut)
{
	unsigned third = watched_add(&web, "third", FORM_PRODUCT, SMALL);
	struct event_row event;
	uint64_t first;
	AUTO_JSON *detail;

	for (unsigned i = 0; i < SMALL; i++)
		watched_ask(&web, third, i);
	watched_pass(&web, 2 * DAY_MS);
	watched_name(&web, third, "third");
	watched_forget(&web);
	watched_set(&web, small, FORM_PRODUCT, 0);
	wait_for_alerts(1);
	ck_assert_str_eq(watched_emitted(&web),
			 "template.replaced small>third");
	watched_forget(&web);
	first = web.since;
	web.options.threshold = 1000;
	ASSERT_OK(watched_set_options(&web));
	watched_pass(&web, HOUR_MS);
	detail = watched_only(&web, EVENT_TEMPLATE_REPLACED, &event);
	ck_assert_uint_eq(event.cluster, cluster_of_small);
	ck_assert_uint_eq(event.other, cluster_of_big);
	ck_assert_uint_le((uint64_t)json_integer_value(
				  json_object_get(detail, "corrects")),
			  first);
	ck_assert_uint_eq(watched_template(&web, cluster_of_small).other,
			  cluster_of_big);
	ck_assert(watched_lineage_ends(&web, cluster_of_small, "replaced",
				       cluster_of_big));
	/* and after a round no page is fetched */
	watched_pass(&web, 3 * DAY_MS);
	ck_assert_uint_eq(watched_sample(&web, cluster_of_small, small), 0);
	ck_assert_uint_eq(watched_template(&web, cluster_of_small).flags, 0);
	ck_assert_uint_eq(watched_count(&web, 0), 1);
}
