/* Findings about a whole site: it is blocked, it is stale; an ingested site has
 * no server to fetch from. */
#include "page/page_class.h"
#include "store/rows.h"
#include "tests/unit/daemon/watched.h"
#include "tests/unit/run.h"

enum { EACH = 12, SECTIONS = 3 };

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
	watched_pass(&web, 2 * DAY_MS);
	watched_forget(&web);
}

static uint32_t flags(void)
{
	return world_site(&web.world, WATCHED_HOST).options.flags &
	       (SITE_IS_STALE | SITE_IS_BLOCKED);
}

static void set_all(enum manner manner)
{
	for (unsigned i = 0; i < SECTIONS; i++)
		watched_set_manner(&web, i, manner, 0);
}

static void set_forms(enum form first, enum form second, enum form third)
{
	watched_set(&web, article, first, 0);
	watched_set(&web, product, second, 0);
	watched_set(&web, profile, third, 0);
}

static unsigned count_untouched(unsigned section, uint32_t cluster)
{
	unsigned count = 0;

	for (unsigned i = 0; i < EACH; i++) {
		struct page_row page = watched_page_row(&web, section, i);

		count += page.page_class == CLASS_PAGE &&
			 page.http_status == 200 && page.cluster == cluster;
	}
	return count;
}

/* Every page and every template is unchanged. */
static void check_untouched(void)
{
	for (unsigned s = 0; s < SECTIONS; s++) {
		uint32_t cluster = watched_name(&web, s, web.sections[s].name);
		struct template_row row = watched_template(&web, cluster);

		ck_assert_uint_eq(row.state, TEMPLATE_LIVE);
		ck_assert_uint_eq(row.version, 1);
		ck_assert_uint_eq(count_untouched(s, cluster), EACH);
	}
}

static void check_back(void)
{
	set_all(MANNER_PAGE);
	set_forms(FORM_ARTICLE, FORM_PRODUCT, FORM_PROFILE);
	watched_pass(&web, 3 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "site.ok");
	ck_assert_uint_eq(flags(), 0);
	check_untouched();
	watched_forget(&web);
}

/* It is in this state for days; then pages come, and it is not. */
static void check_down_and_back(enum event_kind kind, uint32_t wanted)
{
	struct event_row row;

	watched_pass(&web, 5 * DAY_MS);
	json_decref(watched_only(&web, kind, &row));
	ck_assert_uint_ge(row.pages, 3);
	ck_assert_uint_eq(row.cluster, 0);
	ck_assert_uint_eq(flags(), wanted);
	check_untouched();
	watched_forget(&web);
	check_back();
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60);

TEST(errors_alone_are_a_site_that_is_unreachable)
{
	begin();
	set_all(MANNER_ERROR);
	check_down_and_back(EVENT_SITE_UNREACHABLE, 0);
}

TEST(challenges_alone_are_a_site_that_is_blocked)
{
	begin();
	set_forms(FORM_CHALLENGE, FORM_CHALLENGE, FORM_CHALLENGE);
	check_down_and_back(EVENT_SITE_BLOCKED, SITE_IS_BLOCKED);
}

TEST(one_document_for_all_urls_is_a_site_that_is_blocked)
{
	begin();
	set_forms(FORM_NOTICE, FORM_NOTICE, FORM_NOTICE);
	check_down_and_back(EVENT_SITE_BLOCKED, SITE_IS_BLOCKED);
}

TEST(a_site_can_be_unreachable_again)
{
	begin();
	set_all(MANNER_ERROR);
	check_down_and_back(EVENT_SITE_UNREACHABLE, 0);
	set_all(MANNER_ERROR);
	check_down_and_back(EVENT_SITE_UNREACHABLE, 0);
}

/* It is back after some minutes. */
TEST(not_found_for_a_short_time_is_no_event)
{
	begin();
	set_all(MANNER_GONE);
	while (watched_asked(&web, product) == 0)
		if (!watched_step(&web))
			web.world.now_ms += HOUR_MS / 4;
	watched_pass(&web, 60 * SECOND_MS);
	set_all(MANNER_PAGE);
	watched_pass(&web, 3 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "");
	check_untouched();
}

/* The site has other URLs now. */
TEST(pages_that_are_gone_for_rounds_are_gone_while_the_seed_is_not)
{
	begin();
	set_all(MANNER_GONE);
	watched_pass(&web, 4 * DAY_MS);
	ck_assert_uint_eq(watched_count(&web, EVENT_SITE_MISSING), 0);
	ck_assert_uint_eq(watched_count(&web, EVENT_TEMPLATE_VANISHED),
			  SECTIONS);
}

/* The pages are gone when the seed is returned. */
TEST(not_found_for_days_is_a_site_that_is_missing)
{
	struct event_row row;

	begin();
	set_all(MANNER_GONE);
	web.is_seed_gone = true;
	watched_pass(&web, DAY_MS + DAY_MS / 2);
	json_decref(watched_only(&web, EVENT_SITE_MISSING, &row));
	check_untouched();
	web.is_seed_gone = false;
	watched_pass(&web, 8 * DAY_MS);
	ck_assert_uint_eq(watched_count(&web, EVENT_TEMPLATE_VANISHED),
			  SECTIONS);
}

TEST(a_section_that_fails_is_not_its_site)
{
	begin();
	watched_set_manner(&web, product, MANNER_ERROR, 0);
	watched_pass(&web, 8 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "");
	ck_assert_uint_eq(flags(), 0);
	check_untouched();
	watched_set_manner(&web, product, MANNER_PAGE, 0);
	watched_pass(&web, 8 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "");
	check_untouched();
}

/* The others were fetched half a day later: their round has not begun. */
TEST(a_section_that_fails_before_others_were_asked_is_not_its_site)
{
	web.section_count = 1;
	watched_begin(&web);
	web.section_count = SECTIONS;
	web.world.now_ms += DAY_MS / 2;
	for (unsigned i = 0; i < EACH; i++) {
		watched_ask(&web, product, i);
		watched_ask(&web, profile, i);
	}
	while (watched_step(&web)) {
	}
	watched_forget(&web);
	watched_set_manner(&web, article, MANNER_ERROR, 0);
	watched_pass(&web, 6 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "");
}

TEST(a_redesign_after_an_outage_is_reported_once)
{
	begin();
	set_all(MANNER_ERROR);
	watched_pass(&web, 4 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "site.unreachable");
	watched_forget(&web);
	set_all(MANNER_PAGE);
	watched_set(&web, product, FORM_REDESIGN, 0);
	watched_pass(&web, 6 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web),
			 "site.ok; template.changed product");
	ck_assert_uint_eq(flags(), 0);
}

/* Half a day after a round, without fetches. */
TEST(a_site_is_stale_at_its_time_and_once)
{
	struct site_row site;
	uint64_t stale_ms;

	web.rules.stale_ms = 5 * DAY_MS - DAY_MS / 2;
	begin();
	set_all(MANNER_ERROR);
	site = world_site(&web.world, WATCHED_HOST);
	stale_ms = site.seen_ms + web.rules.stale_ms;
	watched_pass(&web, stale_ms - 1 - web.world.now_ms);
	ck_assert_uint_eq(watched_count(&web, EVENT_SITE_STALE), 0);
	watched_pass(&web, 1);
	ck_assert_uint_eq(watched_count(&web, EVENT_SITE_STALE), 1);
	ck_assert_uint_ne(flags() & SITE_IS_STALE, 0);
	watched_pass(&web, 20 * DAY_MS);
	ck_assert_uint_eq(watched_count(&web, EVENT_SITE_STALE), 1);
	check_untouched();
	watched_forget(&web);
	set_all(MANNER_PAGE);
	watched_pass(&web, 3 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "site.ok");
	ck_assert_uint_eq(flags(), 0);
	set_all(MANNER_ERROR);
	watched_pass(&web, 8 * DAY_MS);
	ck_assert_uint_eq(watched_count(&web, EVENT_SITE_STALE), 1);
}

TEST(a_site_that_is_not_fetched_is_never_stale)
{
	web.rules.stale_ms = 5 * DAY_MS;
	web.options.watch_ms = 0;
	begin();
	watched_pass(&web, 50 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "");
	ck_assert_uint_eq(flags(), 0);
}

/* The daemon was off: that is not the site's. */
TEST(a_site_without_fetches_is_not_stale)
{
	web.rules.stale_ms = 5 * DAY_MS;
	begin();
	web.world.now_ms += 30 * DAY_MS;
	watched_settle(&web);
	watched_pass(&web, 2 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "");
}

static void hand_in_all(void)
{
	web.options.flags = SITE_IS_OFFLINE;
	for (unsigned s = 0; s < SECTIONS; s++)
		watched_hand_in(&web, s, 0, EACH);
	watched_settle(&web);
}

TEST(what_is_handed_in_has_templates)
{
	hand_in_all();
	ck_assert_uint_eq(watched_count(&web, EVENT_TEMPLATE_NEW), SECTIONS);
	ck_assert_uint_eq(watched_count(&web, 0), SECTIONS);
	watched_forget(&web);
	watched_pass(&web, 10 * DAY_MS);
	ck_assert_uint_eq(web.visits, 0);
	ck_assert_str_eq(watched_emitted(&web), "");
}

static void check_handed_in(void)
{
	struct event_row row;

	watched_pass(&web, DAY_MS);
	json_decref(watched_only(&web, EVENT_TEMPLATE_CHANGED, &row));
	ck_assert_uint_eq(row.cluster, watched_name(&web, product, "product"));
	ck_assert_uint_eq(watched_template(&web, row.cluster).version, 2);
	ck_assert_uint_eq(watched_template(&web, row.cluster).state,
			  TEMPLATE_LIVE);
	ck_assert_uint_eq(web.visits, 0);
	ck_assert_uint_eq(watched_rows(&web, TABLE_DUE), 0);
}

TEST(an_ingested_redesign_is_one_event)
{
	hand_in_all();
	watched_forget(&web);
	watched_set(&web, product, FORM_REDESIGN, 0);
	watched_hand_in(&web, product, 0, EACH);
	check_handed_in();
}

/* The templates are inspected after each page. */
TEST(a_slowly_ingested_redesign_is_one_event)
{
	hand_in_all();
	watched_forget(&web);
	watched_set(&web, product, FORM_REDESIGN, 0);
	for (unsigned i = 0; i < EACH; i++) {
		watched_hand_in(&web, product, i, i + 1);
		watched_settle(&web);
	}
	check_handed_in();
}

/* It was ingested with the design of the new pages. */
TEST(an_ingested_stray_page_does_not_hide_a_new_template)
{
	unsigned added = watched_add(&web, "recipe", FORM_REDESIGN, EACH);
	struct event_row row;

	hand_in_all();
	watched_forget(&web);
	watched_page(&web, product, 0)->form = FORM_REDESIGN;
	watched_hand_in(&web, product, 0, 1);
	watched_settle(&web);
	for (unsigned i = 0; i < EACH; i++) {
		watched_hand_in(&web, added, i, i + 1);
		watched_settle(&web);
	}
	watched_pass(&web, DAY_MS);
	json_decref(watched_only(&web, EVENT_TEMPLATE_NEW, &row));
	ck_assert_uint_eq(row.cluster, watched_name(&web, added, "recipe"));
}

TEST(ingested_content_is_no_event)
{
	hand_in_all();
	watched_forget(&web);
	for (unsigned edition = 1; edition < 4; edition++) {
		watched_set(&web, product, FORM_PRODUCT, edition);
		watched_hand_in(&web, product, 0, EACH);
		watched_settle(&web);
	}
	watched_pass(&web, DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "");
}
