/* What becomes of a template whose pages change together: one event, when all
 * that can tell have told. */

#include "store/rows.h"
#include "tests/unit/daemon/watched.h"
#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

enum { EACH = 12 };

static struct watched web;
static unsigned article;
static unsigned product;
static unsigned profile;
static uint32_t old; /* the cluster of the products at first */

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
	ck_assert_uint_eq(watched_count(&web, 0),
			  watched_count(&web, EVENT_TEMPLATE_NEW));
	watched_forget(&web);
}

/* The other templates are unchanged. */
static void check_others(void)
{
	uint32_t others[] = {watched_name(&web, article, "article"),
			     watched_name(&web, profile, "profile")};

	for (unsigned i = 0; i < 2; i++) {
		struct template_row row = watched_template(&web, others[i]);

		ck_assert_uint_eq(row.state, TEMPLATE_LIVE);
		ck_assert_uint_eq(row.version, 1);
	}
}

static void check_id(json_t *value, uint32_t cluster)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), WATCHED_HOST "/%u", cluster);
	ck_assert_str_eq(json_string_value(value), wanted);
}

static size_t size_at(json_t *object, const char *outer, const char *inner)
{
	return json_array_size(
		json_object_get(json_object_get(object, outer), inner));
}

static void check_evidence(json_t *detail)
{
	json_t *versions = json_object_get(detail, "versions");

	check_id(json_object_get(detail, "from"), old);
	ck_assert_int_eq(json_integer_value(json_object_get(detail, "seen")),
			 EACH);
	ck_assert_int_eq(json_integer_value(json_object_get(detail, "agreed")),
			 EACH);
	ck_assert_uint_gt(size_at(detail, "paths", "gone"), 0);
	ck_assert_uint_gt(size_at(detail, "paths", "come"), 0);
	ck_assert_uint_gt(size_at(detail, "fragments", "gone"), 0);
	ck_assert_uint_eq(json_array_size(json_object_get(detail, "pages")),
			  EACH);
	ck_assert_int_eq(json_integer_value(json_array_get(versions, 0)), 1);
	ck_assert_int_eq(json_integer_value(json_array_get(versions, 1)), 2);
}

/* It has the number that it had, and another version from its pages. */
static void check_redesigned(void)
{
	struct template_row row = watched_template(&web, old);

	ck_assert_uint_eq(watched_name(&web, product, "redesign"), old);
	ck_assert_uint_eq(row.state, TEMPLATE_LIVE);
	ck_assert_uint_eq(row.ended_ms, 0);
	ck_assert_uint_eq(row.other, 0);
	ck_assert_uint_eq(row.version, 2);
	ck_assert_uint_gt(watched_version(&web, old, 1).packed.size, 0);
	ck_assert_uint_eq(watched_sample(&web, old, product),
			  web.sections[product].count);
}

/* Step until an event is emitted, for this long. */
static void wait_for_event(uint64_t time_ms)
{
	uint64_t until_ms = web.world.now_ms + time_ms;

	while (watched_count(&web, 0) == 0 && web.world.now_ms < until_ms)
		if (!watched_step(&web))
			web.world.now_ms += HOUR_MS / 4;
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60);

TEST(a_redesign_is_one_event_with_evidence)
{
	struct event_row row;
	AUTO_JSON *detail;

	begin();
	watched_set(&web, product, FORM_REDESIGN, 0);
	watched_pass(&web, 12 * DAY_MS);
	detail = watched_only(&web, EVENT_TEMPLATE_CHANGED, &row);
	ck_assert_uint_eq(row.cluster, old);
	ck_assert_uint_eq(row.other, 0);
	ck_assert_uint_eq(row.pages, EACH);
	check_redesigned();
	check_evidence(detail);
	check_others();
}

TEST(nothing_is_concluded_before_all_were_fetched)
{
	begin();
	watched_set(&web, product, FORM_REDESIGN, 0);
	wait_for_event(2 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "template.changed product");
	for (unsigned i = 0; i < EACH; i++)
		ck_assert_uint_ge(watched_page(&web, product, i)->asked, 1);
}

/* A round; the sample for the health of the site, twice to confirm it, and once
 * for the template; then no page is fetched for a while. */
TEST(a_redesign_is_found_at_the_price_of_a_few_samples)
{
	begin();
	watched_set(&web, product, FORM_REDESIGN, 0);
	wait_for_event(2 * DAY_MS);
	ck_assert_uint_le(watched_asked(&web, product), 3 + 3 * EACH);
}

TEST(a_restart_at_any_time_changes_nothing)
{
	struct event_row row;

	web.is_restarted = true;
	begin();
	watched_set(&web, product, FORM_REDESIGN, 0);
	watched_pass(&web, 6 * DAY_MS);
	json_decref(watched_only(&web, EVENT_TEMPLATE_CHANGED, &row));
	check_redesigned();
	check_others();
}

TEST(answers_while_it_is_inspected_change_nothing)
{
	struct event_row row;

	web.is_overtaken = true;
	begin();
	watched_set(&web, product, FORM_REDESIGN, 0);
	watched_pass(&web, 6 * DAY_MS);
	json_decref(watched_only(&web, EVENT_TEMPLATE_CHANGED, &row));
	check_redesigned();
	check_others();
}

TEST(three_pages_are_enough_for_a_redesign)
{
	struct event_row row;

	web.section_count = 1;
	web.page_count = EACH;
	product = watched_add(&web, "product", FORM_PRODUCT, 3);
	begin();
	watched_set(&web, product, FORM_REDESIGN, 0);
	watched_pass(&web, 6 * DAY_MS);
	json_decref(watched_only(&web, EVENT_TEMPLATE_CHANGED, &row));
	check_redesigned();
}

TEST(every_section_is_redesigned_to_the_same)
{
	begin();
	watched_set(&web, article, FORM_REDESIGN, 0);
	watched_set(&web, product, FORM_REDESIGN, 0);
	watched_set(&web, profile, FORM_REDESIGN, 0);
	watched_pass(&web, 12 * DAY_MS);
	/* one of them keeps its number, and the others become the same */
	ck_assert_uint_eq(watched_count(&web, EVENT_TEMPLATE_CHANGED), 1);
	ck_assert_uint_eq(watched_count(&web, EVENT_TEMPLATE_REPLACED), 2);
	ck_assert_uint_eq(watched_count(&web, 0), 3);
}

TEST(other_words_alone_are_a_change)
{
	struct template_row row;
	struct version_row first;
	struct event_row event;
	AUTO_JSON *detail;

	begin();
	watched_set(&web, product, FORM_REPHRASED, 0);
	watched_pass(&web, 12 * DAY_MS);
	detail = watched_only(&web, EVENT_TEMPLATE_CHANGED, &event);
	ck_assert_uint_eq(event.cluster, old);
	ck_assert_uint_gt(size_at(detail, "fragments", "gone"), 3);
	ck_assert_uint_gt(size_at(detail, "fragments", "come"), 3);
	ck_assert_uint_eq(size_at(detail, "paths", "gone"), 0);
	ck_assert_int_eq(json_integer_value(json_array_get(
				 json_object_get(detail, "versions"), 1)),
			 2);
	row = watched_template(&web, old);
	first = watched_version(&web, old, 1);
	ck_assert_uint_eq(row.version, 2);
	ck_assert_uint_eq(row.state, TEMPLATE_LIVE);
	ck_assert_uint_gt(first.packed.size, 0);
	ck_assert_uint_ge(first.last_ms, first.first_ms + DAY_MS);
	ck_assert_uint_le(first.last_ms,
			  watched_version(&web, old, 2).first_ms);
	check_others();
}

/* Of 24 members of both, 8 are not in both: 8 / 20 apart. */
TEST(other_paths_in_the_same_cluster_are_a_change)
{
	struct event_row event;
	AUTO_JSON *detail;

	web.options.threshold = 450;
	begin();
	watched_set(&web, product, FORM_REBUILT, 0);
	watched_pass(&web, 12 * DAY_MS);
	detail = watched_only(&web, EVENT_TEMPLATE_CHANGED, &event);
	ck_assert_uint_eq(event.cluster, old);
	ck_assert_uint_eq(watched_name(&web, product, "product"), old);
	ck_assert_uint_gt(size_at(detail, "paths", "gone"), 0);
	ck_assert_uint_gt(size_at(detail, "paths", "come"), 0);
	ck_assert_uint_eq(watched_template(&web, old).version, 2);
	ck_assert_uint_gt(watched_version(&web, old, 1).packed.size, 0);
	check_others();
}

TEST(a_deleted_section_is_reported_as_removed)
{
	struct event_row row;
	struct template_row ended;

	begin();
	watched_set_manner(&web, product, MANNER_GONE, 0);
	watched_pass(&web, 12 * DAY_MS);
	json_decref(watched_only(&web, EVENT_TEMPLATE_VANISHED, &row));
	ck_assert_uint_eq(row.cluster, old);
	ck_assert_uint_eq(row.other, 0);
	ck_assert_uint_eq(row.pages, EACH);
	ended = watched_template(&web, old);
	ck_assert_uint_eq(ended.state, TEMPLATE_VANISHED);
	ck_assert(watched_lineage_ends(&web, old, "vanished", 0));
	ck_assert_uint_gt(watched_version(&web, old, 1).packed.size, 0);
	check_others();
}

TEST(a_section_that_returns_is_its_template_again)
{
	begin();
	watched_set_manner(&web, product, MANNER_GONE, 0);
	watched_pass(&web, 12 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "template.removed product");
	watched_forget(&web);
	watched_set_manner(&web, product, MANNER_PAGE, 0);
	for (unsigned i = 0; i < EACH; i++)
		watched_ask(&web, product, i);
	watched_pass(&web, 12 * DAY_MS);
	/* its number is another, or it has returned: told once at most */
	ck_assert_uint_le(watched_count(&web, 0), 1);
	ck_assert_uint_eq(
		watched_template(&web, watched_name(&web, product, "product"))
			.state,
		TEMPLATE_LIVE);
}

/* The sample is deleted, and then all other pages. */
TEST(a_large_section_vanishes_when_all_of_it_does)
{
	unsigned large = watched_add(&web, "large", FORM_REDESIGN, 40);
	struct event_row row;

	begin();
	watched_set_manner(&web, large, MANNER_GONE, 0);
	watched_pass(&web, 12 * DAY_MS);
	json_decref(watched_only(&web, EVENT_TEMPLATE_VANISHED, &row));
	check_others();
}

/* Any four pages remain, from its sample or not: 36 of 40 are deleted. The rest
 * is the template from now on, and its end is reported, too. */
TEST_LOOP(a_mostly_deleted_section_is_reported, 0, 6)
{
	unsigned large = watched_add(&web, "large", FORM_REDESIGN, 40);
	struct template_row template;
	struct event_row row;
	uint32_t cluster;
	AUTO_JSON *detail;

	begin();
	cluster = watched_name(&web, large, "large");
	watched_set_manner(&web, large, MANNER_GONE, 0);
	for (unsigned i = 0; i < 4; i++)
		watched_page(&web, large, 5 * (unsigned)_i + i)->manner =
			MANNER_PAGE;
	watched_pass(&web, 12 * DAY_MS);
	detail = watched_only(&web, EVENT_TEMPLATE_VANISHED, &row);
	ck_assert_uint_eq(row.cluster, cluster);
	ck_assert_uint_eq(row.pages, 36);
	ck_assert_int_eq(json_integer_value(json_object_get(detail, "left")),
			 4);
	template = watched_template(&web, cluster);
	ck_assert_uint_eq(template.state, TEMPLATE_LIVE);
	ck_assert_uint_eq(template.version, 2);
	ck_assert_uint_eq(watched_sample(&web, cluster, large), 4);
	check_others();
	watched_forget(&web);
	watched_set_manner(&web, large, MANNER_GONE, 0);
	watched_pass(&web, 12 * DAY_MS);
	json_decref(watched_only(&web, EVENT_TEMPLATE_VANISHED, &row));
	ck_assert_uint_eq(watched_template(&web, cluster).state,
			  TEMPLATE_VANISHED);
}

/* The pages of the sample are deleted from now on. */
static void drop_sample(unsigned section, uint32_t cluster)
{
	for (unsigned i = 0; i < web.sections[section].count; i++)
		if (watched_in_sample(&web, cluster, section, i))
			watched_page(&web, section, i)->manner = MANNER_GONE;
}

static unsigned count_gone_in_sample(unsigned section, uint32_t cluster)
{
	unsigned count = 0;

	for (unsigned i = 0; i < web.sections[section].count; i++)
		count +=
			watched_page(&web, section, i)->manner == MANNER_GONE &&
			watched_in_sample(&web, cluster, section, i);
	return count;
}

TEST(a_deleted_sample_does_not_end_its_template)
{
	unsigned large = watched_add(&web, "large", FORM_REDESIGN, 40);
	uint32_t cluster;

	begin();
	cluster = watched_name(&web, large, "large");
	ck_assert_uint_eq(watched_sample(&web, cluster, large), 16);
	drop_sample(large, cluster);
	watched_pass(&web, 12 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "");
	ck_assert_uint_eq(watched_template(&web, cluster).state, TEMPLATE_LIVE);
	ck_assert_uint_eq(watched_sample(&web, cluster, large), 16);
	ck_assert_uint_eq(count_gone_in_sample(large, cluster), 0);
}

TEST(a_section_that_leads_to_another_is_replaced_by_it)
{
	uint32_t into;
	struct event_row row;
	AUTO_JSON *detail;

	begin();
	into = watched_name(&web, article, "article");
	watched_set_manner(&web, product, MANNER_LEAD, article);
	watched_pass(&web, 12 * DAY_MS);
	detail = watched_only(&web, EVENT_TEMPLATE_REPLACED, &row);
	ck_assert_str_eq(watched_emitted(&web),
			 "template.replaced product>article");
	ck_assert_ptr_nonnull(json_object_get(detail, "reason"));
	ck_assert_uint_eq(watched_template(&web, old).state, TEMPLATE_REPLACED);
	ck_assert_uint_eq(watched_template(&web, old).other, into);
	ck_assert(watched_lineage_ends(&web, old, "replaced", into));
	check_others();
}

/* All products have new URLs, that the old ones lead to: the same design. */
TEST(a_section_that_has_moved_is_where_it_leads_to)
{
	unsigned shop = watched_add(&web, "shop", FORM_PRODUCT, EACH);

	web.section_count--; /* no page links to it yet */
	begin();
	web.section_count++;
	watched_set_manner(&web, product, MANNER_LEAD, shop);
	watched_pass(&web, 12 * DAY_MS);
	ck_assert_uint_le(watched_count(&web, 0), 1);
	ck_assert_uint_eq(
		watched_template(&web, watched_name(&web, shop, "shop")).state,
		TEMPLATE_LIVE);
}

/* The page of the shop that has the number of the product. */
static void check_moved(json_t *page)
{
	const char *from = json_string_value(json_object_get(page, "url"));
	const char *to = json_string_value(json_object_get(page, "to"));
	const char *now = json_string_value(json_object_get(page, "now"));

	ck_assert_msg(strcmp(now, "moved") == 0 &&
			      strcmp(strrchr(from, '/'), strrchr(to, '/')) ==
				      0 &&
			      strstr(to, "/shop/") != NULL,
		      "%s: %s %s", from, now, to);
}

/* Each page is found again by its words, under another URL and in another
 * design: one alert, and no reports that pages were removed or added. */
TEST(pages_with_other_urls_have_moved)
{
	unsigned shop = watched_add(&web, "shop", FORM_REDESIGN, EACH);
	struct event_row row;
	AUTO_JSON *detail;
	json_t *pages;

	web.sections[shop].words = "product";
	web.section_count--; /* no page links to it yet */
	begin();
	web.section_count++;
	watched_set_manner(&web, product, MANNER_GONE, 0);
	watched_ask(&web, product, 0);
	for (unsigned i = 0; i < EACH; i++)
		watched_ask(&web, shop, i);
	watched_pass(&web, 6 * DAY_MS);
	detail = watched_only(&web, EVENT_TEMPLATE_REPLACED, &row);
	ck_assert_uint_eq(row.cluster, old);
	ck_assert_uint_eq(row.other, watched_name(&web, shop, "shop"));
	pages = json_object_get(detail, "pages");
	ck_assert_uint_eq(json_array_size(pages), EACH);
	for (size_t i = 0; i < EACH; i++)
		check_moved(json_array_get(pages, i));
	check_others();
}

/* The first pages of a round have come. */
static void wait_for_visit(void)
{
	while (watched_asked(&web, product) == 0)
		if (!watched_step(&web))
			web.world.now_ms += HOUR_MS / 4;
}

TEST(a_redesign_that_is_rolled_back_at_once_is_none)
{
	begin();
	watched_set(&web, product, FORM_REDESIGN, 0);
	wait_for_visit();
	ck_assert_str_eq(watched_emitted(&web), "");
	watched_set(&web, product, FORM_PRODUCT, 0);
	watched_pass(&web, 12 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "");
	ck_assert_uint_eq(watched_name(&web, product, "product"), old);
	ck_assert_uint_eq(watched_template(&web, old).state, TEMPLATE_LIVE);
	ck_assert_uint_eq(watched_template(&web, old).version, 1);
}

TEST(a_rolled_back_redesign_is_reported_twice)
{
	begin();
	watched_set(&web, product, FORM_REDESIGN, 0);
	watched_pass(&web, 6 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "template.changed product");
	watched_forget(&web);
	watched_set(&web, product, FORM_PRODUCT, 0);
	watched_pass(&web, 12 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "template.restored product");
	ck_assert_uint_eq(watched_name(&web, product, "product"), old);
	ck_assert_uint_eq(watched_template(&web, old).version, 3);
	check_others();
}

TEST(a_redesign_that_takes_days_is_one_event_in_the_end)
{
	begin();
	for (unsigned i = 0; i < EACH; i++) {
		watched_page(&web, product, i)->form = FORM_REDESIGN;
		if (i % 2 == 1)
			watched_pass(&web, DAY_MS);
	}
	watched_pass(&web, 12 * DAY_MS);
	ck_assert_uint_eq(watched_name(&web, product, "product"), old);
	ck_assert_str_eq(watched_emitted(&web), "template.changed product");
	check_others();
}

TEST(a_part_that_stays_another_design_is_a_split)
{
	struct event_row row;
	uint32_t other;

	begin();
	for (unsigned i = 0; i < EACH / 2; i++)
		watched_page(&web, product, 2 * i)->form = FORM_REDESIGN;
	watched_pass(&web, 20 * DAY_MS);
	json_decref(watched_only(&web, EVENT_TEMPLATE_SPLIT, &row));
	ck_assert_uint_eq(row.cluster, old);
	other = watched_page_row(&web, product, 0).cluster;
	ck_assert_uint_eq(row.other, other);
	ck_assert_uint_eq(watched_template(&web, old).state, TEMPLATE_LIVE);
	ck_assert(watched_lineage_ends(&web, old, "split", other));
	ck_assert_uint_eq(watched_template(&web, other).state, TEMPLATE_LIVE);
	ck_assert(watched_lineage_ends(&web, other, "split from", old));
	check_others();
}
