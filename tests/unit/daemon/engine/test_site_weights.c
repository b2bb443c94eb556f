/* The weights of a site: when the daemon chooses them, and damaged rows. */
#include "daemon/engine/sites.h"
#include "daemon/query/query.h"
#include "store/key.h"
#include "store/rows.h"
#include "store/sets.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

enum { PAGES = 24, MANY_LEAVES = 1000 };

static struct world world;

static void put(unsigned number)
{
	AUTO_BUFFER html = {0};
	char url[64];

	snprintf(url, sizeof(url), "http://a.test/page/%u", number);
	world_page(&html, number % 3, number);
	buffer_printf(&html, "<h%u class=x>more</h%u>", 1 + number % 6,
		      1 + number % 6);
	ASSERT_OK(world_put(&world, url, buffer_slice(&html)));
}

static void setup_site(enum measure measure, unsigned threshold)
{
	world.measure = measure;
	ASSERT_OK(world_set_threshold(&world, "a.test", threshold));
	for (unsigned i = 0; i < PAGES; i++)
		put(i);
}

static void setup(void)
{
	world_open(&world, 0);
}

static void teardown(void)
{
	world_close(&world);
}

FIXTURE(.setup = setup, .teardown = teardown);

static bool choose(void)
{
	return world_choose(&world, "a.test", MANY_LEAVES);
}

static struct site_row site_of(void)
{
	return world_site(&world, "a.test");
}

static enum error classify_page(void)
{
	AUTO_BUFFER html = {0};
	AUTO_RESULT answer;
	struct url url;

	world_page(&html, 1, 99);
	ASSERT_OK(url_parse(&url, slice_of("http://a.test/new"), NULL));
	return query_extract(world.store, &extraction_options_default,
			     &(struct text_request){
				     .url = &url,
				     .body = buffer_slice(&html),
				     .format = FORMAT_TXT,
			     },
			     &answer);
}

static void put_shingle(uint32_t id, uint64_t shingle)
{
	uint32_t site = site_of().id;
	struct txn txn = txn_begin_write(world.store);

	shingle_put(&txn, site, id, shingle);
	ASSERT_OK(txn_end(&txn));
}

/* More rows of one shingle of the page than the page has shingles. */
TEST(shingles_with_two_ids_are_damage)
{
	setup_site(MEASURE_WCAS, THRESHOLD_AUTO);
	ck_assert(choose());
	ASSERT_OK(classify_page());
	for (uint32_t i = 0; i < 1000; i++)
		put_shingle(5000 + i, SIGNATURE_ROOT);
	ck_assert_int_eq(classify_page(), ERR_CORRUPT);
}

TEST(an_id_above_the_maximum_is_damage)
{
	setup_site(MEASURE_WCAS, THRESHOLD_AUTO);
	put_shingle(UINT32_MAX, 12345);
	ck_assert_int_eq(classify_page(), ERR_CORRUPT);
}

TEST(a_set_with_an_unknown_shingle_is_damage)
{
	const uint32_t ids[] = {1, 1U << 20};
	struct txn txn;
	uint32_t site;

	setup_site(MEASURE_WCAS, THRESHOLD_AUTO);
	ASSERT_OK(classify_page());
	site = site_of().id;
	txn = txn_begin_write(world.store);
	set_put(&txn, site, 0, ids, 2);
	ASSERT_OK(txn_end(&txn));
	ck_assert_int_eq(classify_page(), ERR_CORRUPT);
}

TEST(damaged_weights_are_reported)
{
	struct txn txn;
	uint32_t site;

	setup_site(MEASURE_WCAS, THRESHOLD_AUTO);
	ck_assert(choose());
	site = site_of().id;
	txn = txn_begin_write(world.store);
	weights_put(&txn, site, slice_of("damaged"));
	ASSERT_OK(txn_end(&txn));
	ck_assert_int_eq(classify_page(), ERR_CORRUPT);
}
