/* Sites to which anything happens come to rest, and their alerts do not depend
 * on the timing. */
#include "store/key.h"
#include "store/rows.h"
#include "tests/unit/daemon/watched.h"
#include "tests/unit/random.h"
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
	watched_name(&web, product, "product");
	watched_forget(&web);
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60);

static void change_page(struct watched_page *page, uint64_t *state)
{
	page->form = world_random(state) % FORM_BRIDGE;
	page->manner = world_random(state) % 4;
	page->target = world_random(state) % SECTIONS;
}

/* Anything that can happen to a site in a day. */
static void change_anything(uint64_t *state)
{
	unsigned s = world_random(state) % SECTIONS;

	switch (world_random(state) % 8) {
	case 0:
	case 1:
		watched_set(&web, s, world_random(state) % FORM_BRIDGE, 0);
		break;
	case 2:
		watched_set_manner(&web, s, world_random(state) % 4,
				   world_random(state) % SECTIONS);
		break;
	case 3:
		web.options.threshold =
			(uint16_t)(150 + world_random(state) % 400);
		ASSERT_OK(watched_set_options(&web));
		break;
	case 4:
		world_reopen(&web.world);
		break;
	case 5:
		web.world.now_ms += world_random(state) % 40 * HOUR_MS;
		break;
	default:
		for (unsigned i = 0; i < 5; i++)
			change_page(watched_page(&web, s,
						 world_random(state) % EACH),
				    state);
		break;
	}
}

/* Each cluster that is large enough is a template that lives, and each that
 * lives has pages. */
static void check_at_rest(void)
{
	struct txn txn = txn_begin_read(web.world.store);
	struct scan scan = scan_begin(&txn, TABLE_CLUSTERS, slice_of(""));
	uint32_t large[WATCHED_CLUSTERS];
	struct cluster_row cluster;
	size_t count = 0;

	while (scan_next(&scan))
		if (cluster_row_decode(scan.value, &cluster) &&
		    cluster.page_count >= web.rules.min_pages)
			large[count++] = key_u32(scan.key, sizeof(uint32_t));
	scan_end(&scan);
	txn_abort(&txn);
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(watched_template(&web, large[i]).state ==
					      TEMPLATE_LIVE &&
				      watched_template(&web, large[i]).version >
					      0,
			      "cluster %u is no template: %s", large[i],
			      watched_emitted(&web));
}

/* The reports for a site with three sections that change on one day, for this
 * many responses at a time, and a day that begins at this time. */
static struct buffer told_of(unsigned max_work, bool is_overtaken,
			     uint64_t later_ms)
{
	struct buffer told = {0};
	unsigned large;

	watched_close(&web);
	watched_open(&web);
	web.options.flags = SITE_IS_AUTO;
	article = watched_add(&web, "article", FORM_ARTICLE, EACH);
	product = watched_add(&web, "product", FORM_PRODUCT, EACH);
	profile = watched_add(&web, "profile", FORM_PROFILE, EACH);
	large = watched_add(&web, "large", FORM_REDESIGN, 40);
	web.max_work = max_work;
	web.is_overtaken = is_overtaken;
	begin();
	web.world.now_ms += later_ms;
	watched_set(&web, product, FORM_BIG, 0);
	watched_set(&web, profile, FORM_SMALL, 0);
	watched_set(&web, article, FORM_REPHRASED, 0);
	for (unsigned i = 2; i < 40; i++)
		watched_page(&web, large, i)->manner = MANNER_GONE;
	watched_pass(&web, 3 * DAY_MS);
	buffer_append_text(&told, watched_emitted(&web));
	buffer_append_text(&told, "");
	return told;
}

/* With a simulated clock. */
TEST(the_same_answers_are_the_same_alerts_whatever_the_timing)
{
	AUTO_BUFFER first = told_of(4, false, 0);

	ck_assert_uint_gt(first.size, 0);
	for (unsigned i = 1; i <= random_rounds(7); i++) {
		AUTO_BUFFER other =
			told_of(1 + i % 4, i % 2 == 0, HOUR_MS * 7 / 4 * i);

		ck_assert_msg(
			first.size == other.size &&
				memcmp(first.data, other.data, first.size) == 0,
			"%u: %.*s instead of %.*s", i, (int)other.size,
			(const char *)other.data, (int)first.size,
			(const char *)first.data);
	}
}

/* The first two have found mistakes once. */
static const uint64_t seeds[] = {19, 77, 1, 2, 3, 4};

/* The site settles in three different designs, and then emits no event. */
TEST_LOOP(whatever_happens_comes_to_rest, 0, random_rounds(COUNT_OF(seeds)))
{
	uint64_t state = seeds[_i];

	web.is_overtaken = state % 2 == 0;
	begin();
	for (unsigned day = 0; day < 60; day++) {
		change_anything(&state);
		watched_pass(&web, world_random(&state) % 72 * HOUR_MS);
	}
	for (unsigned s = 0; s < SECTIONS; s++) {
		watched_set_manner(&web, s, MANNER_PAGE, 0);
		watched_set(&web, s, FORM_ARTICLE + s, 99);
		for (unsigned i = 0; i < EACH; i++)
			watched_ask(&web, s, i);
	}
	watched_pass(&web, 20 * DAY_MS);
	check_at_rest();
	watched_forget(&web);
	watched_pass(&web, 20 * DAY_MS);
	ck_assert_str_eq(watched_emitted(&web), "");
	ck_assert_uint_le(web.visits, (uint64_t)20 * SECTIONS * 3);
}
