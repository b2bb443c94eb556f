/* The weights of a site: when the daemon chooses them, and damaged rows. */
#include "daemon/engine/threshold_report.h"
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

static bool has_weights(void)
{
	uint32_t site = site_of().id;
	struct txn txn = txn_begin_read(world.store);
	bool has_row = weights_get(&txn, site).data != NULL;

	txn_abort(&txn);
	return has_row;
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

static void commit_deletion(void)
{
	struct change change = {.kind = CHANGE_SITE_DELETE};
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of("http://a.test/"), NULL));
	change.url = &url;
	engine_commit(world.engine, &change, 1, ++world.now_ms, NULL);
	ASSERT_OK(change.error);
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
	/* once, and not as clusters that are wrong */
	ck_assert_uint_eq(world_problems(&world), 1);
	/* and with the site its weights are deleted */
	commit_deletion();
	ck_assert_uint_eq(world_problems(&world), 0);
}

TEST(weights_stay_if_the_clusters_do)
{
	uint64_t generation;

	setup_site(MEASURE_WCAS, 150);
	ck_assert(choose());
	generation = site_of().generation;
	ck_assert(!choose());
	ck_assert_uint_eq(site_of().generation, generation);
	ck_assert_uint_eq(site_of().options.threshold, 150);
	ck_assert_uint_eq(world_problems(&world), 0);
}

/* As if the site had never been larger. */
TEST(a_site_that_shrinks_loses_its_weights)
{
	setup_site(MEASURE_WCAS, 200);
	ck_assert(choose());
	for (unsigned i = 5; i < PAGES; i++) {
		char url[64];

		snprintf(url, sizeof(url), "http://a.test/page/%u", i);
		world_remove(&world, url);
	}
	ck_assert(choose());
	ck_assert(!choose());
	ck_assert_uint_eq(world_problems(&world), 0);
	world_reopen(&world);
	put(PAGES);
	ck_assert_uint_eq(world_problems(&world), 0);
}

TEST(a_large_site_gets_weights_when_it_has_grown)
{
	setup_site(MEASURE_WCAS, THRESHOLD_AUTO);
	ck_assert(world_choose(&world, "a.test", 1));
	ck_assert(!world_choose(&world, "a.test", 1));
	for (unsigned i = PAGES; i < 2 * PAGES; i++)
		put(i);
	ck_assert(world_choose(&world, "a.test", 1));
	ck_assert(!world_choose(&world, "a.test", 1));
	ck_assert_uint_eq(world_problems(&world), 0);
}

/* A choice for a site of cas comes after the operator has set a threshold. */
TEST(a_threshold_of_the_operator_stays_without_weights)
{
	const struct dendrogram_options watch = {.max_leaves = MANY_LEAVES};
	struct threshold_choice choice;

	setup_site(MEASURE_CAS, THRESHOLD_AUTO);
	ASSERT_OK(site_snapshot_choose_threshold(world.store, "a.test", &watch,
						 &choice));
	ck_assert(choice.has_weights);
	ASSERT_OK(world_set_threshold(&world, "a.test", 300));
	ASSERT_OK(world_commit_choice(&world, "a.test", &choice));
	threshold_choice_free(&choice);
	ck_assert_uint_eq(site_of().options.threshold, 300);
	ck_assert(!has_weights());
	ck_assert(!choose());
	ck_assert(!has_weights());
}

/* The group is undone, and each of its changes applied separately. */
TEST(new_weights_survive_a_bad_page_of_their_group)
{
	const struct dendrogram_options watch = {.max_leaves = MANY_LEAVES};
	struct threshold_choice choice;
	struct change changes[2] = {
		[1] = {.kind = CHANGE_PAGE, .answer.record = {"nonsense", 8}},
	};
	struct url url;

	setup_site(MEASURE_WCAS, 200);
	ASSERT_OK(site_snapshot_choose_threshold(world.store, "a.test", &watch,
						 &choice));
	ASSERT_OK(url_parse(&url, slice_of("http://a.test/page/1"), NULL));
	changes[0] = threshold_choice_change(&choice, &url);
	changes[1].url = &url;
	ASSERT_OK(
		engine_commit(world.engine, changes, 2, ++world.now_ms, NULL));
	threshold_choice_free(&choice);
	ASSERT_OK(changes[0].error);
	ck_assert_int_ne(changes[1].error, ERR_NONE);
	ck_assert(has_weights());
	put(PAGES);
	ck_assert_uint_eq(world_problems(&world), 0);
}

enum { RANDOM_PAGES = 40, RANDOM_STEPS = 120 };

/* The masks of world_blocks() at the URLs of the pages; 0 = no page. */
static uint32_t masks[RANDOM_PAGES];

static void put_mask(const char *host, unsigned page)
{
	char url[64];

	snprintf(url, sizeof(url), "http://%s/%u", host, page);
	if (masks[page] == 0)
		world_remove(&world, url);
	else
		world_put_blocks(&world, url, masks[page]);
}

/* Four templates of 8 blocks, of which a page lacks some. */
static uint32_t random_mask(uint64_t *state)
{
	uint32_t template = world_random(state) % 4;
	uint32_t all = 0x000FFFF | 0x00FF0000U << 4 * (template % 2);
	uint32_t missing = 1U << world_random(state) % 32;

	if (world_random(state) % 6 == 0)
		return 0;
	missing |= 1U << world_random(state) % 32;
	return (all ^ template << 6) & ~missing;
}

static void random_step(uint64_t *state)
{
	unsigned page = world_random(state) % RANDOM_PAGES;

	switch (world_random(state) % 12) {
	case 0:
		choose();
		break;
	case 1:
		world_reopen(&world);
		break;
	default:
		masks[page] = random_mask(state);
		put_mask("a.test", page);
	}
}

static uint32_t cluster_of(const char *host, unsigned page)
{
	uint32_t site = world_site(&world, host).id;
	struct txn txn = txn_begin_read(world.store);
	uint32_t cluster = 0;
	struct page_row row;
	char url[64];

	snprintf(url, sizeof(url), "http://%s/%u", host, page);
	if (page_row_get(&txn, site, page_key_of(slice_of(url)), &row))
		cluster = row.cluster;
	txn_abort(&txn);
	return cluster;
}

static void check_same_partition(void)
{
	for (unsigned i = 0; i < RANDOM_PAGES; i++)
		for (unsigned k = 0; k < i; k++)
			ck_assert_msg(
				masks[i] == 0 || masks[k] == 0 ||
					(cluster_of("a.test", i) ==
					 cluster_of("a.test", k)) ==
						(cluster_of("b.test", i) ==
						 cluster_of("b.test", k)),
				"pages %u and %u", i, k);
}

static const unsigned thresholds[] = {THRESHOLD_AUTO, 100, 200, 350};

/*
 * Laws 1 and 2 with weights: after the last choice the clusters are those of a
 * site that got the same pages in another order, and one choice.
 */
TEST_LOOP(clusters_depend_only_on_the_pages, 0, 12)
{
	uint64_t state = (uint64_t)_i + 1;
	unsigned threshold = thresholds[_i % 4];

	memset(masks, 0, sizeof(masks));
	world.measure = _i < 8 ? MEASURE_WCAS : MEASURE_CAS;
	ASSERT_OK(world_set_threshold(&world, "a.test", threshold));
	for (unsigned i = 0; i < RANDOM_STEPS; i++)
		random_step(&state);
	choose();
	ck_assert(!choose());
	ck_assert_uint_eq(world_problems(&world), 0);
	ASSERT_OK(world_set_threshold(&world, "b.test", threshold));
	for (unsigned i = RANDOM_PAGES; i-- > 0;)
		put_mask("b.test", i);
	world_choose(&world, "b.test", MANY_LEAVES);
	ck_assert_uint_eq(world_site(&world, "b.test").options.threshold,
			  site_of().options.threshold);
	check_same_partition();
	ck_assert_uint_eq(world_problems(&world), 0);
}
