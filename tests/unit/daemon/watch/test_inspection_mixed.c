/* Several events at the same time: pages that fail, stay or disappear while
 * others change. */
#include "store/rows.h"
#include "tests/unit/daemon/watched.h"
#include "tests/unit/run.h"

enum { EACH = 12, SECTIONS = 3, LARGE = 40 };

static struct watched web;
static unsigned article;
static unsigned product;
static unsigned profile;
static uint32_t old;

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
	old = watched_name(&web, product, "product");
	watched_forget(&web);
}

/* Products `from` to `to` have another design. */
static void redesign(unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		watched_page(&web, product, i)->form = FORM_REDESIGN;
}

/* Exactly this is reported, after this many days. */
static void check_told(unsigned days, const char *wanted)
{
	watched_pass(&web, days * DAY_MS);
	ck_assert_uint_eq(watched_name(&web, product, "product"), old);
	ck_assert_str_eq(watched_emitted(&web), wanted);
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60);

/* The wait for it is bounded. */
TEST(a_page_that_always_fails_does_not_hide_a_redesign)
{
	begin();
	watched_page(&web, product, 0)->manner = MANNER_ERROR;
	redesign(0, EACH);
	check_told(4, "template.changed product");
}

TEST(a_third_that_always_fails_does_not_hide_a_redesign)
{
	begin();
	for (unsigned i = 0; i < EACH / 3; i++)
		watched_page(&web, product, i)->manner = MANNER_ERROR;
	redesign(0, EACH);
	check_told(8, "template.changed product");
}

TEST(deleted_pages_do_not_hide_a_redesign)
{
	begin();
	for (unsigned i = 0; i < EACH / 3; i++)
		watched_page(&web, product, i)->manner = MANNER_GONE;
	redesign(0, EACH);
	check_told(8, "template.changed product");
}

TEST(half_of_a_section_is_deleted_and_the_rest_redesigned)
{
	begin();
	for (unsigned i = 0; i < EACH / 2; i++)
		watched_page(&web, product, i)->manner = MANNER_GONE;
	check_told(10, "");
	redesign(0, EACH);
	check_told(10, "template.changed product");
}

/* A page of an old cache, which never changes. */
TEST(a_page_that_stays_does_not_hide_a_redesign)
{
	begin();
	redesign(1, EACH);
	check_told(10, "template.changed product");
}

/* 10 of 12 are fewer than k of n: but something has happened to that template,
 * and the report contains more than a new template. */
TEST(two_pages_that_stay_do_not_hide_a_redesign)
{
	unsigned about;

	begin();
	redesign(2, EACH);
	watched_pass(&web, 20 * DAY_MS);
	about = watched_count(&web, EVENT_TEMPLATE_REPLACED) +
		watched_count(&web, EVENT_TEMPLATE_SPLIT) +
		watched_count(&web, EVENT_TEMPLATE_CHANGED);
	ck_assert_msg(about == 1, "%s", watched_emitted(&web));
	ck_assert_uint_eq(watched_count(&web, 0), 1);
}

/* 5 of 6, too. */
TEST(one_of_few_that_stays_does_not_hide_a_redesign)
{
	unsigned about;

	web.page_count -= EACH / 2;
	web.sections[profile].count = EACH / 2;
	begin();
	for (unsigned i = 1; i < EACH / 2; i++)
		watched_page(&web, profile, i)->form = FORM_REDESIGN;
	watched_pass(&web, 20 * DAY_MS);
	about = watched_count(&web, EVENT_TEMPLATE_REPLACED) +
		watched_count(&web, EVENT_TEMPLATE_SPLIT) +
		watched_count(&web, EVENT_TEMPLATE_CHANGED);
	ck_assert_msg(about == 1, "%s", watched_emitted(&web));
	ck_assert_uint_eq(watched_count(&web, 0), 1);
}

/* It was the first of the new ones. */
TEST(a_stray_page_does_not_hide_a_new_template)
{
	struct event_row row;
	unsigned added;

	begin();
	redesign(0, 1);
	check_told(10, "");
	added = watched_add(&web, "recipe", FORM_REDESIGN, EACH);
	for (unsigned i = 0; i < EACH; i++)
		watched_ask(&web, added, i);
	watched_pass(&web, 3 * DAY_MS);
	json_decref(watched_only(&web, EVENT_TEMPLATE_NEW, &row));
	ck_assert_uint_eq(row.cluster, watched_name(&web, added, "recipe"));
}

TEST(a_template_can_be_redesigned_again_and_again)
{
	static const enum form designs[] = {FORM_REDESIGN, FORM_BIG,
					    FORM_REDESIGN, FORM_PRODUCT};

	begin();
	for (unsigned i = 0; i < 4; i++) {
		watched_set(&web, product, designs[i], i);
		watched_pass(&web, 5 * DAY_MS);
		ck_assert_uint_eq(
			watched_count(&web, i < 2 ? EVENT_TEMPLATE_CHANGED
						  : EVENT_TEMPLATE_RESTORED),
			i < 2 ? i + 1 : i - 1);
		ck_assert_uint_eq(watched_count(&web, 0), i + 1);
		ck_assert_uint_eq(watched_name(&web, product, "product"), old);
	}
}

TEST(a_second_section_takes_the_new_design_later)
{
	begin();
	redesign(0, EACH);
	check_told(6, "template.changed product");
	watched_forget(&web);
	watched_set(&web, article, FORM_REDESIGN, 0);
	check_told(6, "template.replaced article>product");
}

/* The rest of it follows weeks later. */
TEST(a_split_and_its_consequence_are_two_events)
{
	begin();
	redesign(0, EACH / 2);
	watched_pass(&web, 15 * DAY_MS);
	ck_assert_uint_eq(watched_count(&web, EVENT_TEMPLATE_SPLIT), 1);
	ck_assert_uint_eq(watched_count(&web, 0), 1);
	watched_forget(&web);
	redesign(0, EACH);
	watched_pass(&web, 15 * DAY_MS);
	ck_assert_uint_eq(watched_name(&web, product, "product"), old);
	ck_assert_str_eq(watched_emitted(&web), "template.changed product");
}

/* A page every third day. */
TEST(a_redesign_that_takes_weeks_is_two_events_at_most)
{
	begin();
	for (unsigned i = 0; i < EACH; i++) {
		redesign(0, i + 1);
		watched_pass(&web, 3 * DAY_MS);
	}
	watched_pass(&web, 10 * DAY_MS);
	ck_assert_msg(watched_count(&web, EVENT_TEMPLATE_CHANGED) == 1, "%s",
		      watched_emitted(&web));
	ck_assert_msg(watched_count(&web, 0) <= 2, "%s", watched_emitted(&web));
}

/* Two pages of a large section are fetched by chance, and the sample is 16 of
 * 40: pages outside it count, too, in the report. */
TEST(a_large_section_is_redesigned_and_all_of_it_is_visited)
{
	web.section_count = 2;
	web.page_count = 2 * EACH;
	web.sections[product].count = 0;
	product = watched_add(&web, "large", FORM_PRODUCT, LARGE);
	begin();
	redesign(0, LARGE);
	check_told(6, "template.changed product");
	ck_assert_uint_eq(watched_pages_asked(&web, product), LARGE);
	for (unsigned i = 0; i < LARGE; i++)
		ck_assert_uint_eq(watched_page_row(&web, product, i).cluster,
				  old);
	watched_pass(&web, 6 * DAY_MS);
	ck_assert_uint_eq(watched_version(&web, old, 2).page_count, LARGE);
}

/* The only page that links two kinds of pages is in the sample. When it has
 * changed, the smaller kind is a cluster of its own for a while. */
TEST(pages_that_split_off_during_a_redesign_are_visited)
{
	unsigned bridge = 0;

	web.section_count = 2;
	web.page_count = 2 * EACH;
	web.sections[product].count = 0;
	product = watched_add(&web, "large", FORM_BIG, LARGE);
	for (unsigned i = 0; i < LARGE; i += 3)
		watched_page(&web, product, i)->form = FORM_SMALL;
	watched_page(&web, product, bridge)->form = FORM_BRIDGE;
	begin();
	ck_assert(watched_in_sample(&web, old, product, bridge));
	redesign(0, LARGE);
	check_told(6, "template.changed product");
	ck_assert_uint_eq(watched_pages_asked(&web, product), LARGE);
}

TEST(other_words_are_the_version_of_all_pages_soon)
{
	web.section_count = 2;
	web.page_count = 2 * EACH;
	web.sections[product].count = 0;
	product = watched_add(&web, "large", FORM_PRODUCT, LARGE);
	begin();
	watched_set(&web, product, FORM_REPHRASED, 0);
	check_told(6, "template.changed product");
	ck_assert_uint_eq(watched_template(&web, old).version, 2);
	ck_assert_uint_eq(watched_version(&web, old, 2).page_count, LARGE);
	watched_set(&web, product, FORM_PRODUCT, 0);
	check_told(6, "template.changed product; template.restored product");
	ck_assert_uint_eq(watched_template(&web, old).version, 3);
}

/* What was seen by a clock that was years ahead. */
TEST(a_clock_that_was_ahead_hides_nothing)
{
	uint64_t now_ms;

	begin();
	now_ms = web.world.now_ms;
	web.world.now_ms += 1000 * DAY_MS;
	watched_pass(&web, DAY_MS);
	web.world.now_ms = now_ms + DAY_MS;
	watched_forget(&web);
	check_told(5, "");
	ck_assert_uint_gt(watched_asked(&web, product), 6);
	redesign(0, EACH);
	check_told(6, "template.changed product");
}

/* The operator has stopped the watch, and begins it again. */
TEST(a_redesign_during_downtime_is_reported_later)
{
	begin();
	web.options.watch_ms = 0;
	ASSERT_OK(watched_set_options(&web));
	redesign(0, EACH);
	check_told(20, "");
	web.options.watch_ms = DAY_MS;
	ASSERT_OK(watched_set_options(&web));
	check_told(5, "template.changed product");
}

/* Rounds that come faster than anybody is waited for. */
TEST(a_redesign_of_a_site_that_is_watched_by_the_minute)
{
	web.options.watch_ms = 60 * SECOND_MS;
	begin();
	redesign(0, EACH);
	watched_pass(&web, HOUR_MS);
	check_told(0, "template.changed product");
}

/* What two pages of twelve do is their own, whatever it is. */
TEST(noise_is_no_event)
{
	static const enum form own[] = {FORM_ARTICLE, FORM_PRODUCT,
					FORM_PROFILE};
	uint64_t state = 1;

	begin();
	for (unsigned day = 0; day < 90; day++) {
		unsigned s = world_random(&state) % SECTIONS;
		struct watched_page *page = watched_page(
			&web, s, world_random(&state) % 2 * (EACH - 1));
		unsigned what = world_random(&state) % 4;

		watched_set(&web, s, own[s], day);
		page->form = what == 0 ? FORM_ALONE : own[s];
		page->manner = what == 1   ? MANNER_GONE
			       : what == 2 ? MANNER_ERROR
					   : MANNER_PAGE;
		watched_pass(&web, DAY_MS);
		ck_assert_msg(watched_count(&web, 0) == 0, "day %u: %s", day,
			      watched_emitted(&web));
	}
	ck_assert_uint_lt(web.visits, (uint64_t)90 * SECTIONS * EACH / 2);
}
