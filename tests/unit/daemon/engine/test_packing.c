/* What is kept is packed by dictionaries that come and go, and none of it
 * changes. */
#include "daemon/engine/packing.h"

#include "daemon/engine/engine.h"
#include "daemon/engine/sites.h"
#include "store/content.h"
#include "store/rows.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

#define HOST "a.test"

static struct world world;
static uint32_t site;

static void setup(void)
{
	world_open(&world, 0);
	world_add_site(&world, HOST);
	site = world_site(&world, HOST).id;
}

static void teardown(void)
{
	ck_assert_uint_eq(world_problems(&world), 0);
	world_close(&world);
}

static void make_url(char *url, size_t size, unsigned kind, unsigned number)
{
	snprintf(url, size, "http://%s/%u/%u", HOST, kind, number);
}

/* Text that is in every page with the same `style`, in the same place. */
static void make_page(struct buffer *out, unsigned kind, unsigned number,
		      unsigned style)
{
	uint64_t state = style;

	world_page(out, kind, number);
	buffer_append_text(out, "<!-- ");
	for (unsigned i = 0; i < 2000; i++)
		buffer_append_byte(out,
				   (char)('a' + world_random(&state) % 26));
	buffer_append_text(out, " -->");
}

static void put(unsigned kind, unsigned from, unsigned to, unsigned style)
{
	for (unsigned i = from; i < to; i++) {
		AUTO_BUFFER html = {0};
		char url[64];

		make_url(url, sizeof(url), kind, i);
		make_page(&html, kind, i, style);
		ASSERT_OK(world_put(&world, url, buffer_slice(&html)));
	}
}

static uint64_t commit(const struct packing *packing)
{
	struct change change = {.kind = CHANGE_PACK,
				.pack = {.packing = packing}};

	ASSERT_OK(engine_commit(world.engine, &change, 1, world.now_ms, NULL));
	ASSERT_OK(change.error);
	return change.pack.packed;
}

/* Walk to the end; how many rows were changed. */
static uint64_t walk(void)
{
	struct packing_walk walk = {.site = site, .now_ms = ++world.now_ms};
	uint64_t packed = 0;

	while (!walk.is_ended) {
		struct packing packing = {0};

		ASSERT_OK(packing_step(&walk, world.store, &packing));
		ck_assert_uint_le(packing.count, PACKING_AT_ONCE);
		if (packing.count > 0)
			packed += commit(&packing);
		packing_free(&packing);
	}
	packing_walk_end(&walk);
	return packed;
}

static uint64_t rows_of(enum table table)
{
	struct txn txn = txn_begin_read(world.store);
	uint64_t rows = txn_usage(&txn, table).rows;

	ASSERT_OK(txn_end(&txn));
	return rows;
}

/* A page in its stored form. */
struct kept {
	uint32_t body_by; /* its dictionary */
	uint32_t record_by;
	size_t body_bytes; /* packed */
	size_t record_bytes;
};

/* The body must be what was put. */
static struct kept look_at(unsigned kind, unsigned number, unsigned style)
{
	struct txn txn = txn_begin_read(world.store);
	AUTO_BUFFER html = {0};
	AUTO_BUFFER body = {0};
	struct slice value;
	struct kept kept;
	struct key key;
	char url[64];

	make_url(url, sizeof(url), kind, number);
	make_page(&html, kind, number, style);
	key = key_page(site, page_key_of(slice_of(url)));
	ASSERT_OK(content_body(&txn, site, page_key_of(slice_of(url)),
			       (uint32_t)html.size, &body));
	ck_assert(slice_equal(buffer_slice(&body), buffer_slice(&html)));
	value = txn_get(&txn, TABLE_BODIES, key_slice(&key));
	kept.body_bytes = value.size;
	ck_assert(content_is_packed(value, &kept.body_by));
	value = txn_get(&txn, TABLE_RECORDS, key_slice(&key));
	kept.record_bytes = value.size;
	if (!content_is_packed(value, &kept.record_by))
		kept.record_by = UINT32_MAX;
	txn_abort(&txn);
	return kept;
}

static void check_packed(struct kept kept, struct kept before)
{
	ck_assert_uint_eq(kept.body_by, 1);
	ck_assert_uint_eq(kept.record_by, 1);
	ck_assert_uint_lt(kept.body_bytes * 10, before.body_bytes);
	ck_assert_uint_lt(kept.record_bytes * 2, before.record_bytes);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(pages_of_a_template_share_a_dictionary)
{
	struct kept before;

	put(0, 0, 20, 1);
	before = look_at(0, 3, 1);
	ck_assert_uint_eq(before.body_by, 0);
	ck_assert_uint_eq(before.record_by, UINT32_MAX);
	/* 20 bodies, 20 records, 1 dictionary */
	ck_assert_uint_eq(walk(), 41);
	ck_assert_uint_eq(rows_of(TABLE_DICTIONARIES), 1);
	for (unsigned i = 0; i < 20; i++)
		check_packed(look_at(0, i, 1), before);
}

TEST(a_walk_over_what_is_packed_changes_nothing)
{
	put(0, 0, 20, 1);
	put(1, 0, 3, 1);
	ck_assert_uint_gt(walk(), 0);
	ck_assert_uint_eq(walk(), 0);
	world_reopen(&world);
	ck_assert_uint_eq(walk(), 0);
}

TEST(two_pages_make_no_dictionary)
{
	put(0, 0, PACKING_MIN_PAGES - 1, 1);
	ck_assert_uint_eq(walk(), PACKING_MIN_PAGES - 1); /* the records */
	ck_assert_uint_eq(rows_of(TABLE_DICTIONARIES), 0);
	ck_assert_uint_eq(look_at(0, 0, 1).record_by, 0);
	put(0, PACKING_MIN_PAGES - 1, PACKING_MIN_PAGES, 1);
	walk();
	ck_assert_uint_eq(rows_of(TABLE_DICTIONARIES), 1);
	ck_assert_uint_eq(look_at(0, 0, 1).record_by, 1);
}

TEST(few_pages_are_packed_by_the_dictionary_of_the_many)
{
	put(0, 0, 8, 1);
	put(1, 0, 9, 1);
	put(2, 0, 2, 1);
	walk();
	ck_assert_uint_eq(rows_of(TABLE_DICTIONARIES), 2);
	ck_assert_uint_eq(look_at(0, 0, 1).body_by, 1);
	ck_assert_uint_eq(look_at(1, 0, 1).body_by, 2);
	ck_assert_uint_eq(look_at(2, 0, 1).body_by, 2);
	/* the other one is the common one now, but this one is good still */
	put(0, 8, 12, 1);
	walk();
	ck_assert_uint_eq(look_at(2, 0, 1).body_by, 2);
}

TEST(a_page_that_changes_is_packed_again)
{
	put(0, 0, 20, 1);
	walk();
	put(0, 5, 6, 2);
	ck_assert_uint_eq(look_at(0, 5, 2).body_by, 0);
	ck_assert_uint_eq(walk(), 2);
	ck_assert_uint_eq(look_at(0, 5, 2).body_by, 1);
	ck_assert_uint_eq(look_at(0, 4, 1).body_by, 1);
}

/* The text that all have is another one since: by the old dictionary these
 * pages are twenty times as large. */
TEST(a_cluster_that_drifts_gets_another_dictionary)
{
	put(0, 0, 20, 1);
	walk();
	put(0, 0, 12, 2);
	walk();
	ck_assert_uint_eq(walk(), 1);
	ck_assert_uint_eq(rows_of(TABLE_DICTIONARIES), 1);
	ck_assert_uint_eq(look_at(0, 0, 2).body_by, 2);
	ck_assert_uint_eq(look_at(0, 19, 1).body_by, 2);
	ck_assert_uint_lt(look_at(0, 0, 2).body_bytes, 300);
	ck_assert_uint_eq(walk(), 0);
}

TEST(more_of_the_same_is_no_drift)
{
	put(0, 0, 10, 1);
	walk();
	put(0, 10, 40, 1);
	ck_assert_uint_eq(walk(), 60);
	ck_assert_uint_eq(look_at(0, 39, 1).body_by, 1);
}

TEST(the_dictionary_of_a_deleted_cluster_is_deleted)
{
	put(0, 0, 10, 1);
	put(1, 0, 9, 1);
	walk();
	ck_assert_uint_eq(rows_of(TABLE_DICTIONARIES), 2);
	for (unsigned i = 0; i < 10; i++) {
		char url[64];

		make_url(url, sizeof(url), 0, i);
		world_remove(&world, url);
	}
	ck_assert_uint_eq(walk(), 1); /* it is retired */
	ck_assert_uint_eq(rows_of(TABLE_DICTIONARIES), 2);
	ck_assert_uint_eq(walk(), 1);
	ck_assert_uint_eq(rows_of(TABLE_DICTIONARIES), 1);
	look_at(1, 0, 1);
}

/* The step read the page before it changed. */
TEST(a_value_that_has_changed_meanwhile_stays)
{
	struct packing_walk walk = {.site = site, .now_ms = 1};
	struct packing packing = {0};

	put(0, 0, 1, 1);
	while (packing.count == 0 && !walk.is_ended)
		ASSERT_OK(packing_step(&walk, world.store, &packing));
	ck_assert_uint_eq(packing.count, 1); /* the record */
	put(0, 0, 1, 2);
	ck_assert_uint_eq(commit(&packing), 0);
	look_at(0, 0, 2);
	packing_free(&packing);
	packing_walk_end(&walk);
}

TEST(a_dictionary_for_a_deleted_cluster_is_dropped)
{
	struct packing_walk walk = {.site = site, .now_ms = 1};
	struct packing packing = {0};

	put(0, 0, 8, 1);
	ASSERT_OK(packing_step(&walk, world.store, &packing));
	ck_assert_uint_eq(packing.count, 1);
	for (unsigned i = 0; i < 8; i++) {
		char url[64];

		make_url(url, sizeof(url), 0, i);
		world_remove(&world, url);
	}
	ck_assert_uint_eq(commit(&packing), 0);
	ck_assert_uint_eq(rows_of(TABLE_DICTIONARIES), 0);
	packing_free(&packing);
	packing_walk_end(&walk);
}

TEST(records_of_sample_pages_are_packed_too)
{
	struct txn txn;
	struct record record = {.content_hash = 7};
	AUTO_BUFFER bytes = {0};
	struct sample_page_row row = {.since_ms = 5, .url = slice_of("u")};

	put(0, 0, 8, 1);
	record_encode(&record, NULL, &bytes);
	row.record = buffer_slice(&bytes);
	txn = txn_begin_write(world.store);
	sample_page_row_put(&txn, site, 1, 9, &row);
	ASSERT_OK(txn_end(&txn));
	ck_assert_uint_eq(walk(), 18);
	txn = txn_begin_read(world.store);
	ck_assert(sample_page_row_get(&txn, site, 1, 9, &row));
	ck_assert_uint_lt(row.record.size, bytes.size);
	ck_assert_uint_eq(row.since_ms, 5);
	buffer_clear(&bytes);
	ASSERT_OK(content_record_open(&txn, site, row.record, &bytes, &record));
	ck_assert_uint_eq(record.content_hash, 7);
	txn_abort(&txn);
}

TEST(a_site_that_is_deleted_leaves_no_dictionary)
{
	struct change change = {.kind = CHANGE_SITE_DELETE};
	struct url url;

	put(0, 0, 8, 1);
	walk();
	ASSERT_OK(url_parse(&url, slice_of("http://" HOST "/"), NULL));
	change.url = &url;
	ASSERT_OK(engine_commit(world.engine, &change, 1, world.now_ms, NULL));
	ck_assert_uint_eq(rows_of(TABLE_DICTIONARIES), 0);
}

TEST(a_large_site_rests_after_a_walk)
{
	struct listed_site listed = {
		.site = 1, .generation = 7, .page_count = 50000};
	const struct walked_site done = walked_site_note(&listed, 0, 100);
	const struct walked_site begun = walked_site_note(&listed, 1, 100);

	ck_assert(!walked_site_rests(NULL, &listed, 100));
	ck_assert(walked_site_rests(&done, &listed, 50100));
	ck_assert(walked_site_rests(&begun, &listed, 50099));
	ck_assert(!walked_site_rests(&begun, &listed, 50100));
	listed.generation = 8;
	ck_assert(walked_site_rests(&done, &listed, 50099));
	ck_assert(!walked_site_rests(&done, &listed, 50100));
}
