#include "daemon/engine/commit_screenshot.h"

#include <string.h>

#include "daemon/engine/commit.h"
#include "store/rows.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

enum { SITE = 7, CLUSTER = 3, OTHER = 4 };

static struct scratch scratch;
static struct store *store;
static struct txn txn;
static struct site site;
static struct commit batch;

static void set_up(void)
{
	scratch_make(&scratch);
	store = scratch_store(&scratch);
	txn = txn_begin_write(store);
	site = (struct site){.row.id = SITE, .row.options.watch_ms = 1000};
	batch = (struct commit){.txn = &txn, .now_ms = 1000000};
}

static void tear_down(void)
{
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	scratch_remove(&scratch, NULL);
}

FIXTURE(.setup = set_up, .teardown = tear_down);

static void put_page(uint64_t page, uint32_t cluster)
{
	char url[40];
	struct page_row row = {.cluster = cluster};

	snprintf(url, sizeof(url), "http://a.example/%d", (int)page);
	row.url = slice_of(url);
	page_row_put(&txn, SITE, page, &row);
}

/* A visit of a page, a second after the last one. "" = no picture. */
static void visit(uint64_t page, uint32_t cluster, const char *picture,
		  bool is_restructured)
{
	batch.now_ms += 1000;
	put_page(page, cluster);
	commit_screenshot(&batch, &site,
			  &(struct page_shot){
				  .page = page,
				  .cluster = cluster,
				  .is_rendered = true,
				  .is_restructured = is_restructured,
				  .picture = slice_of(picture),
			  });
}

static bool has_picture(uint64_t page)
{
	struct screenshot_row row;

	return screenshot_row_get(&txn, SITE, page, &row);
}

/* Check the two pictures of a page. */
static void check(uint64_t page, const char *picture, const char *before)
{
	struct screenshot_row row;

	ck_assert(screenshot_row_get(&txn, SITE, page, &row));
	ck_assert(slice_equal(row.picture, slice_of(picture)));
	ck_assert(slice_equal(row.before, slice_of(before)));
}

static void put_sample(uint64_t page)
{
	const struct sample_page_row row = {.url = slice_of("u")};

	sample_page_row_put(&txn, SITE, CLUSTER, page, &row);
}

TEST(two_pages_of_a_template_have_a_screenshot)
{
	visit(1, CLUSTER, "a", false);
	visit(2, CLUSTER, "b", false);
	visit(3, CLUSTER, "c", false);
	visit(4, OTHER, "d", false);
	visit(5, 0, "e", false);
	ck_assert(has_picture(1) && has_picture(2) && has_picture(4));
	ck_assert(!has_picture(3) && !has_picture(5));
	ck_assert(screenshot_is_kept(&txn, SITE, CLUSTER, 1));
	ck_assert(!screenshot_is_kept(&txn, SITE, CLUSTER, 3));
}

/* Pages of the sample are visited at each check. */
TEST(pages_of_the_sample_replace_others)
{
	visit(1, CLUSTER, "a", false);
	visit(2, CLUSTER, "b", false);
	put_sample(3);
	put_sample(4);
	put_sample(5);
	visit(3, CLUSTER, "c", false);
	visit(4, CLUSTER, "d", false);
	visit(5, CLUSTER, "e", false);
	ck_assert(has_picture(3) && has_picture(4) && !has_picture(5));
	visit(1, CLUSTER, "a", false);
	visit(2, CLUSTER, "", false);
	ck_assert(!has_picture(1) && !has_picture(2));
}

TEST(a_page_that_moves_or_is_not_rendered_loses_its_screenshot)
{
	visit(1, CLUSTER, "a", false);
	visit(2, CLUSTER, "b", false);
	visit(3, OTHER, "c", false);
	visit(3, CLUSTER, "c", true);
	ck_assert(!has_picture(3));
	commit_screenshot(&batch, &site,
			  &(struct page_shot){.page = 1, .cluster = CLUSTER});
	ck_assert(!has_picture(1));
}

TEST(a_site_has_a_limited_number_of_screenshots)
{
	for (uint32_t i = 1; i <= MAX_SITE_SCREENSHOTS + 1; i++)
		visit(i, i, "a", false);
	ck_assert(has_picture(MAX_SITE_SCREENSHOTS));
	ck_assert(!has_picture(MAX_SITE_SCREENSHOTS + 1));
	visit(1, 1, "b", false);
	check(1, "b", "");
}

TEST(a_change_of_the_structure_keeps_the_picture_of_before)
{
	visit(1, CLUSTER, "a", false);
	visit(1, CLUSTER, "b", false);
	check(1, "b", "");
	visit(1, OTHER, "c", true);
	check(1, "c", "b");
	visit(1, OTHER, "d", false);
	check(1, "d", "b");
	/* the browser made no screenshot of the changed page */
	visit(1, OTHER, "", true);
	check(1, "", "d");
	visit(1, OTHER, "e", false);
	check(1, "e", "d");
}

TEST(the_newest_screenshot_of_a_template_is_found)
{
	struct screenshot_row row;
	struct slice url;

	ck_assert(!screenshot_find(&txn, SITE, CLUSTER, &row, &url));
	visit(2, CLUSTER, "b", false);
	visit(1, CLUSTER, "a", false);
	visit(3, OTHER, "c", false);
	ck_assert(screenshot_find(&txn, SITE, CLUSTER, &row, &url));
	ck_assert(slice_equal(row.picture, slice_of("a")));
	ck_assert(slice_equal(url, slice_of("http://a.example/1")));
}

static bool incident_has(uint64_t number, const char *before, const char *after)
{
	struct incident_screenshots_row row;

	return incident_screenshots_row_get(&txn, SITE, number, &row) &&
	       slice_equal(row.before, slice_of(before)) &&
	       slice_equal(row.after, slice_of(after));
}

TEST(an_incident_copies_the_pictures_of_its_change)
{
	struct incident incident = {
		.number = 9,
		.row = {.kind = EVENT_TEMPLATE_CHANGED},
	};

	visit(1, OTHER, "x", false);
	visit(1, OTHER, "y", true); /* long before the incident */
	visit(2, CLUSTER, "a", false);
	batch.now_ms += 100000;
	incident.row.begin_ms = batch.now_ms;
	commit_incident_screenshots(&batch, &site, &incident);
	ck_assert(!incident_has(9, "x", "y"));
	visit(2, CLUSTER, "", true);
	commit_incident_screenshots(&batch, &site, &incident);
	ck_assert(!incident_has(9, "a", ""));
	visit(2, CLUSTER, "b", false);
	commit_incident_screenshots(&batch, &site, &incident);
	ck_assert(incident_has(9, "a", "b"));
	/* it keeps them */
	visit(2, CLUSTER, "c", true);
	commit_incident_screenshots(&batch, &site, &incident);
	ck_assert(incident_has(9, "a", "b"));
	/* an outage changes no structure */
	incident.number = 10;
	incident.row.kind = EVENT_SITE_UNREACHABLE;
	commit_incident_screenshots(&batch, &site, &incident);
	ck_assert(!incident_has(10, "b", "c"));
}
