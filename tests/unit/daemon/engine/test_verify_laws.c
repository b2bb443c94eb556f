#include "daemon/engine/invariants.h"

#include "store/key.h"
#include "store/rows.h"
#include "store/sets.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

static struct world world;

/* Two clusters: pages 0, 2, 4 of one template and 1, 3, 5 of another. */
static void setup(void)
{
	world_open(&world, 0);
	world_add_site(&world, "a.test");
	for (unsigned i = 0; i < 6; i++) {
		AUTO_BUFFER html = {0};
		char url[64];

		snprintf(url, sizeof(url), "http://a.test/page/%u", i);
		world_page(&html, i % 2, i);
		buffer_printf(&html, "<h%u>one more path</h%u>", 1 + i, 1 + i);
		world_put(&world, url, buffer_slice(&html));
	}
}

static void teardown(void)
{
	world_close(&world);
}

static void set_threshold(uint16_t threshold)
{
	struct txn txn = txn_begin_write(world.store);
	struct site_row site;

	ck_assert(site_get(&txn, slice_of("a.test"), &site));
	site.options.threshold = threshold;
	site_put(&txn, &site);
	ASSERT_OK(txn_end(&txn));
}

static bool reports(const char *words)
{
	struct verify_report report = {0};
	bool is_found;

	ASSERT_OK(invariants_verify(world.store, NULL, &report));
	is_found = report.problems > 0 && report.text.data != NULL &&
		   strstr(report.text.data, words) != NULL;
	buffer_free(&report.text);
	return is_found;
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_sound_store_has_no_problem)
{
	struct verify_report report = {0};

	ASSERT_OK(invariants_verify(world.store, NULL, &report));
	ck_assert_uint_eq(report.problems, 0);
	ck_assert_uint_eq(report.sites, 1);
	ck_assert_uint_eq(report.pages, 6);
	ck_assert_uint_eq(report.clusters, 2);
	buffer_free(&report.text);
}

/* At threshold 1 all pages are one component: the two clusters are wrong. */
TEST(clusters_that_belong_together_are_found)
{
	set_threshold(1000);
	ck_assert(reports("within the threshold of each other"));
}

/* At threshold 0 pages that differ are apart: the big clusters are wrong. */
TEST(a_cluster_that_does_not_hang_together_is_found)
{
	set_threshold(0);
	ck_assert(reports("is not connected"));
}

TEST(a_signature_that_is_not_of_its_record_is_found)
{
	struct txn txn = txn_begin_write(world.store);
	struct site_row site;

	ck_assert(site_get(&txn, slice_of("a.test"), &site));
	shingle_put(&txn, site.id, 0, 12345); /* another member */
	ASSERT_OK(txn_end(&txn));
	ck_assert(reports("signature differs from its record"));
}

TEST(pages_that_a_guard_fails_on_are_counted)
{
	const struct slice url = slice_of("http://a.test/page/0");
	struct txn txn = txn_begin_write(world.store);
	struct site_row site;

	ck_assert(site_get(&txn, slice_of("a.test"), &site));
	ck_assert_uint_eq(store_next_number(&txn, "guard"), 1);
	guard_row_put(&txn, site.id, 1,
		      &(struct guard_row){.minimum = 1,
					  .maximum = 1,
					  .checked = 1,
					  .selector = slice_of("h1")});
	guarded_row_put(
		&txn, site.id, 1, page_key_of(url),
		&(struct guarded_row){.good_ms = 1, .matches = 2, .url = url});
	ASSERT_OK(txn_end(&txn));
	ck_assert(reports("guard a.test 1: fails on 1 pages, but counts 0"));
}
