#include "store/verify.h"

#include "base/compress.h"
#include "base/hash.h"
#include "base/memory.h"
#include "store/content.h"
#include "store/document_frequency.h"
#include "store/key.h"
#include "store/record.h"
#include "store/rows.h"
#include "store/sets.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

/*
 * A site of three pages that share fragment 10; pages 0 and 1 are cluster 1,
 * page 2 is cluster 2, page 3 is truncated, page 4 is a redirect.
 */
enum { SITE = 1, PAGES = 5, URLS = 6, COARSE = 70 };

static struct scratch scratch;
static struct store *store;
static struct txn txn;
static struct verify_report report;
static const struct slice host = {"a.example", 9};

static const struct slice urls[URLS] = {
	{"http://a.example/0", 18}, {"http://a.example/1", 18},
	{"http://a.example/2", 18}, {"http://a.example/3", 18},
	{"http://a.example/4", 18}, {"http://a.example/5", 18},
};
static const struct slice sitemap = {"http://a.example/s", 18};
static const uint32_t clusters[PAGES] = {1, 1, 2, 0, 0};

/* Page i has the members 1 and 2 + i, which are the shingles 0 and 1 + i. */
static void put_set(uint32_t i)
{
	const uint32_t shingle_ids[] = {0, 1 + i};

	shingle_put(&txn, SITE, 0, 1);
	shingle_put(&txn, SITE, 1 + i, 2 + i);
	set_put(&txn, SITE, i, shingle_ids, 2);
}

static void put_record(uint32_t i, uint32_t flags)
{
	const uint64_t signature[] = {1, 2 + i};
	const struct record_fragment fragments[] = {{.hash = 10},
						    {.hash = 20 + i}};
	struct record record = {
		.content_hash = hash64(urls[i].data, urls[i].size, 0),
		.flags = flags,
		.signatures = {signature, NULL, NULL, NULL},
		.signature_counts = {2, 0, 0, 0},
		.fragments = fragments,
		.fragment_count = 2,
	};
	struct key key = key_page(SITE, page_key_of(urls[i]));
	AUTO_BUFFER bytes = {0};

	record_encode(&record, NULL, &bytes);
	txn_put(&txn, TABLE_RECORDS, key_slice(&key), buffer_slice(&bytes));
	if (flags == 0)
		put_set(i);
	buffer_clear(&bytes);
	compress_slice(urls[i], &bytes); /* the body is the URL's text */
	txn_put(&txn, TABLE_BODIES, key_slice(&key), buffer_slice(&bytes));
}

static void put_page(uint32_t i)
{
	uint64_t page = page_key_of(urls[i]);
	struct page_row row = {
		.content_hash = hash64(urls[i].data, urls[i].size, 0),
		.cluster = clusters[i],
		.body_bytes = (uint32_t)urls[i].size,
		.url = urls[i],
		.flags = i == 3 ? PAGE_ROW_IS_TRUNCATED : 0,
		.page_class = i == 3 ? 6 : 0,
		.redirect = i == 4 ? urls[0] : slice_of(""),
	};

	page_row_put(&txn, SITE, page, &row);
	if (i == 4)
		return;
	put_record(i, i == 3 ? RECORD_IS_TRUNCATED : 0);
	if (clusters[i] != 0) {
		struct df_delta deltas[] = {
			{.cluster = clusters[i], .delta = 1, .fragment = 10},
			{.cluster = clusters[i],
			 .delta = 1,
			 .fragment = 20 + i},
		};

		member_put(&txn, SITE, clusters[i], page, i);
		df_apply(&txn, SITE, deltas, 2);
	}
}

static void put_site(void)
{
	struct site_row site = {
		.id = (uint32_t)store_next_number(&txn, "site"),
		.next_cluster = 3,
		.page_count = 4,
		.class_counts = {3, 0, 0, 0, 0, 0, 1},
		.found_count = 6,
		.pending_count = 3,
		.fetched_count = 1,
		.failed_count = 2,
		.skipped_count = 1,
		.tried_count = 3,
		.sitemap_count = 1,
		.coarse_count = 1,
		.host = host,
		.seed = urls[0],
	};

	site_put(&txn, &site);
}

/* URL i is in state i; all have the fine pattern 60 + i % 2, the coarse 70. The
 * sitemap is separate. */
static void put_urls(void)
{
	for (uint32_t i = 0; i < URLS; i++) {
		uint32_t flags = FRONTIER_IS_ATTEMPTED |
				 (i == 2 ? FRONTIER_IS_COUNTED : 0U);

		frontier_row_put(&txn, SITE, page_key_of(urls[i]),
				 &(struct frontier_row){
					 .url = urls[i],
					 .state = (uint16_t)i,
					 .due_ms = i < 3 ? 1000 + i : 0,
					 .pattern = 60 + i % 2,
					 .coarse = COARSE,
					 .flags = i > 0 && i < 4 ? flags : 0});
	}
	frontier_row_put(&txn, SITE, page_key_of(sitemap),
			 &(struct frontier_row){.url = sitemap,
						.due_ms = 7,
						.flags = FRONTIER_IS_SITEMAP});
	pattern_row_put(&txn, SITE, 60,
			&(struct pattern_row){.found = 3, /* 0 2 4 */
					      .tried = 1,
					      .learned = 1,
					      .quiet = 1});
	pattern_row_put(&txn, SITE, 61,
			&(struct pattern_row){.found = 3, .tried = 2});
	pattern_row_put(&txn, SITE, COARSE,
			&(struct pattern_row){.found = 6,
					      .tried = 3,
					      .learned = 1,
					      .flags = PATTERN_IS_COARSE});
}

static void put_all(void)
{
	static const struct slice robots = {"User-agent: *", 13};

	put_site();
	for (uint32_t i = 0; i < PAGES; i++)
		put_page(i);
	put_urls();
	cluster_row_put(&txn, SITE, 1, &(struct cluster_row){.page_count = 2});
	cluster_row_put(&txn, SITE, 2, &(struct cluster_row){.page_count = 1});
	host_row_put(&txn, slice_of("http://a.example"),
		     &(struct host_row){.robots = robots});
	event_add(&txn,
		  &(struct event_row){.kind = EVENT_SITE_ADDED, .host = host});
}

static void setup(void)
{
	scratch_make(&scratch);
	store = scratch_store(&scratch);
	txn = txn_begin_write(store);
	put_all();
	ASSERT_OK(txn_end(&txn));
	txn = txn_begin_write(store);
	report = (struct verify_report){0};
}

static void teardown(void)
{
	txn_abort(&txn);
	buffer_free(&report.text);
	store_close(store);
	scratch_remove(&scratch, NULL);
}

/* Exactly one problem, whose line holds `text`. */
static void expect(const char *text)
{
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_msg(report.problems == 1, "%s",
		      report.problems == 0 ? "nothing found"
					   : report.text.data);
	ck_assert_msg(strstr(report.text.data, text) != NULL, "%s",
		      report.text.data);
	ck_assert_int_eq(report.text.data[report.text.size - 1], '\n');
}

static struct key page_key(uint32_t i)
{
	return key_page(SITE, page_key_of(urls[i]));
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_consistent_store_holds)
{
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_msg(report.problems == 0, "%s", report.text.data);
	ck_assert_uint_eq(report.sites, 1);
	ck_assert_uint_eq(report.pages, 4);
	ck_assert_uint_eq(report.clusters, 2);
	ck_assert_uint_eq(report.df_counts, 5); /* 10 20 21 and 10 22 */
	ck_assert_uint_eq(report.urls, 7);
}

TEST(an_empty_store_holds)
{
	for (int i = 0; i < TABLE_COUNT; i++)
		txn_delete_prefix(&txn, (enum table)i, slice_of(""));
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_uint_eq(report.problems, 0);
	ck_assert_uint_eq(report.sites, 0);
}

TEST(a_wrong_count_is_found)
{
	struct df_delta delta = {.cluster = 1, .delta = 1, .fragment = 10};

	df_apply(&txn, SITE, &delta, 1);
	expect("fragment 000000000000000a is counted 3 times, but on 2 pages");
}

TEST(a_missing_count_is_found)
{
	struct df_delta delta = {.cluster = 1, .delta = -1, .fragment = 21};

	df_apply(&txn, SITE, &delta, 1);
	expect("fragment 0000000000000015 is counted 0 times, but on 1 pages");
}

TEST(a_count_too_many_is_found)
{
	struct df_delta deltas[] = {
		{.cluster = 1, .delta = 1, .fragment = 5},
		{.cluster = 2, .delta = 1, .fragment = 99},
	};

	df_apply(&txn, SITE, deltas, 2);
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_uint_eq(report.problems, 2);
	ck_assert_ptr_nonnull(strstr(report.text.data,
				     "cluster a.example/1: fragment "
				     "0000000000000005 is counted 1 times, "
				     "but on 0 pages"));
	ck_assert_ptr_nonnull(strstr(report.text.data,
				     "cluster a.example/2: fragment "
				     "0000000000000063 is counted 1 times"));
}

TEST(a_damaged_block_of_counts_is_found)
{
	struct key key = key_member(SITE, 1, 10);

	txn_put(&txn, TABLE_DF, key_slice(&key), slice_of("damaged"));
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_ptr_nonnull(strstr(report.text.data,
				     "the counts of the block of fragment "
				     "000000000000000a are damaged"));
}

TEST(counts_of_no_cluster_are_found)
{
	struct df_delta delta = {.cluster = 7, .delta = 1, .fragment = 10};

	df_apply(&txn, SITE, &delta, 1);
	expect("cluster a.example/7: does not exist, but is in table "
	       "frequencies");
}

TEST(a_missing_member_is_found)
{
	member_delete(&txn, SITE, 2, page_key_of(urls[2]));
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_ptr_nonnull(
		strstr(report.text.data, "is no member of its cluster"));
	ck_assert_ptr_nonnull(
		strstr(report.text.data, "has 0 pages, but counts 1"));
}

TEST(a_member_of_two_clusters_is_found)
{
	member_put(&txn, SITE, 2, page_key_of(urls[0]), 0);
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_ptr_nonnull(strstr(report.text.data, "names cluster 1"));
	ck_assert_ptr_nonnull(
		strstr(report.text.data, "has 2 pages, but counts 1"));
}

TEST(a_member_that_is_no_page_is_found)
{
	member_put(&txn, SITE, 9, 12345, 0);
	expect("cluster a.example/9: does not exist, but is in table members");
}

TEST(a_wrong_cluster_size_is_found)
{
	cluster_row_put(&txn, SITE, 1, &(struct cluster_row){.page_count = 3});
	expect("cluster a.example/1: has 2 pages, but counts 3");
}

TEST(an_empty_cluster_is_found)
{
	cluster_row_put(&txn, SITE, 0, &(struct cluster_row){0});
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_ptr_nonnull(
		strstr(report.text.data, "has 0 pages, but counts 0"));
	ck_assert_ptr_nonnull(
		strstr(report.text.data, "the next number would be 3"));
}

TEST(a_missing_cluster_is_found)
{
	struct key key = key_cluster(SITE, 2);

	txn_delete(&txn, TABLE_CLUSTERS, key_slice(&key));
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_uint_eq(report.problems, 3); /* page, members, df */
	ck_assert_ptr_nonnull(
		strstr(report.text.data, "its cluster does not exist"));
}

TEST(a_missing_body_is_found)
{
	struct key key = page_key(0);

	txn_delete(&txn, TABLE_BODIES, key_slice(&key));
	expect("has no body");
}

static void say_no_body(uint32_t i)
{
	struct page_row row;

	ck_assert(page_row_get(&txn, SITE, page_key_of(urls[i]), &row));
	row.flags |= PAGE_ROW_HAS_NO_BODY;
	page_row_put(&txn, SITE, page_key_of(urls[i]), &row);
}

TEST(a_body_that_is_no_longer_kept_is_not_missed)
{
	struct key key = page_key(0);

	say_no_body(0);
	txn_delete(&txn, TABLE_BODIES, key_slice(&key));
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_uint_eq(report.problems, 0);
}

TEST(a_body_that_should_not_be_kept_is_found)
{
	say_no_body(0);
	expect("has a body, but its row states that it has none");
}

TEST(a_missing_record_is_found)
{
	struct key key = page_key(3); /* in no cluster, so no count differs */

	txn_delete(&txn, TABLE_RECORDS, key_slice(&key));
	expect("has no record");
}

TEST(a_body_of_other_content_is_found)
{
	struct key key = page_key(0);
	AUTO_BUFFER packed = {0};

	compress_slice(urls[1], &packed);
	txn_put(&txn, TABLE_BODIES, key_slice(&key), buffer_slice(&packed));
	expect("the body has a wrong hash");
}

TEST(a_damaged_body_is_found)
{
	struct key key = page_key(0);

	txn_put(&txn, TABLE_BODIES, key_slice(&key), slice_of("not zstd"));
	expect("the body does not decompress to its size");
}

/* Divide the body or record of page 0, so that its head has one byte. */
static struct key divide(enum table table)
{
	struct key key = page_key(0);
	struct slice value = txn_get(&txn, table, key_slice(&key));
	const struct content_division division = {1, value.size - 1};
	AUTO_BUFFER whole = {0};
	AUTO_BUFFER head = {0};

	buffer_append_slice(&whole, value);
	content_make_head(buffer_slice(&whole), division, &head);
	txn_put(&txn, table, key_slice(&key), buffer_slice(&head));
	txn_put(&txn, content_pieces_of(table),
		KEY(key_piece(key_slice(&key), 1)),
		content_piece(buffer_slice(&whole), division, 1));
	return key;
}

static const enum table divided[] = {TABLE_BODIES, TABLE_RECORDS};

TEST_ROWS(divided_content_is_whole, divided)
{
	divide(divided[_i]);
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_uint_eq(report.problems, 0);
}

TEST_ROWS(a_missing_piece_is_found, divided)
{
	struct key key = divide(divided[_i]);

	txn_delete(&txn, content_pieces_of(divided[_i]),
		   KEY(key_piece(key_slice(&key), 1)));
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_uint_ge(report.problems, 1);
	ck_assert_ptr_nonnull(strstr(report.text.data,
				     divided[_i] == TABLE_BODIES
					     ? "the body does not decompress"
					     : "the record is damaged"));
}

TEST_ROWS(a_piece_of_no_content_is_found, divided)
{
	struct key key = divide(divided[_i]);

	txn_put(&txn, content_pieces_of(divided[_i]),
		KEY(key_piece(key_slice(&key), 2)), slice_of("x"));
	expect("has an unused row in table ");
}

/* The body of page 0 by dictionary 1, whose row is put or not. */
static void pack_by_dictionary(bool is_there)
{
	struct key key = page_key(0);
	struct packer *packer =
		packer_create(slice_of("http://a.exa"), LEVEL_FAST);
	AUTO_BUFFER packed = {0};
	AUTO_BUFFER part = {0};

	compress_slice(slice_of("http://a.exa"), &part);
	if (is_there)
		dictionary_row_put(
			&txn, SITE,
			(uint32_t)store_next_number(&txn, "dictionary"),
			&(struct dictionary_row){.body_bytes = 12,
						 .record_bytes = 12,
						 .bodies = buffer_slice(&part),
						 .records =
							 buffer_slice(&part)});
	content_pack(packer, 1, urls[0], &packed);
	txn_put(&txn, TABLE_BODIES, key_slice(&key), buffer_slice(&packed));
	packer_destroy(packer);
}

TEST(a_body_by_a_dictionary_holds)
{
	pack_by_dictionary(true);
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_uint_eq(report.problems, 0);
}

TEST(a_missing_dictionary_is_found)
{
	pack_by_dictionary(false);
	expect("the body needs dictionary 1, which does not exist");
}

TEST(a_damaged_dictionary_is_found)
{
	dictionary_row_put(&txn, SITE, 1,
			   &(struct dictionary_row){.body_bytes = 1});
	expect("dictionary 1 is damaged");
}

TEST(a_dictionary_that_was_never_numbered_is_found)
{
	AUTO_BUFFER part = {0};

	compress_slice(slice_of("http://a.exa"), &part);
	dictionary_row_put(
		&txn, SITE, 7,
		&(struct dictionary_row){.body_bytes = 12,
					 .record_bytes = 12,
					 .bodies = buffer_slice(&part),
					 .records = buffer_slice(&part)});
	expect("dictionary 7: above the last number, 0");
}

TEST(a_damaged_record_is_found)
{
	struct key key = page_key(3);

	txn_put(&txn, TABLE_RECORDS, key_slice(&key), slice_of("damaged"));
	expect("the record is damaged");
}

TEST(a_record_of_other_content_is_found)
{
	struct key from = page_key(0);
	struct key to = page_key(3);
	struct slice value = txn_get(&txn, TABLE_RECORDS, key_slice(&from));
	void *copy = mem_copy_text(value.data, value.size);

	txn_put(&txn, TABLE_RECORDS, key_slice(&to),
		(struct slice){copy, value.size});
	free(copy);
	expect("the record belongs to other content");
}

TEST_LOOP(a_damaged_set_is_found, 0, 2)
{
	struct key key = key_cluster(SITE, 0);
	/* a number that does not end; shingles 0 and 9, which does not exist */
	static const char *const values[] = {"\x80", "\x08"};

	txn_put(&txn, TABLE_SETS, key_slice(&key), slice_of(values[_i]));
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_uint_eq(report.problems, 2); /* no page uses shingle 1 */
	ck_assert_ptr_nonnull(
		strstr(report.text.data, "table sets: 0 is damaged"));
}

TEST(a_damaged_shingle_id_is_found)
{
	struct key key = key_cluster(SITE, 50);

	txn_put(&txn, TABLE_SHINGLES, key_slice(&key), slice_of("short"));
	expect("table shingles: 50 is damaged");
}

TEST(a_shingle_id_that_no_set_has_is_found)
{
	shingle_put(&txn, SITE, 50, 12345);
	expect("table shingles: 50 is not used");
}

TEST(a_set_that_no_page_has_is_found)
{
	static const uint32_t shingle_ids[] = {1};

	set_put(&txn, SITE, 50, shingle_ids, 1);
	expect("table sets: 50 is not used");
}

TEST(two_shingle_ids_of_one_member_are_found)
{
	static const uint32_t shingle_ids[] = {0, 1, 50};

	shingle_put(&txn, SITE, 50, 2); /* as shingle 1 */
	set_put(&txn, SITE, 0, shingle_ids, 3);
	expect("are the same");
}

TEST(a_missing_set_is_found)
{
	member_put(&txn, SITE, clusters[0], page_key_of(urls[0]), 50);
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_uint_eq(report.problems, 2); /* set 0 has no page */
	ck_assert_ptr_nonnull(
		strstr(report.text.data, "its signature is missing"));
}

TEST(a_redirect_has_no_content)
{
	struct key key = page_key(4);

	txn_put(&txn, TABLE_BODIES, key_slice(&key), slice_of(""));
	expect("does not exist, but is in table bodies");
}

static const enum table page_tables[] = {TABLE_BODIES, TABLE_RECORDS};

TEST_LOOP(content_without_a_page_is_found, 0, 2)
{
	struct key key = key_page(SITE, 12345);

	txn_put(&txn, page_tables[_i], key_slice(&key), slice_of("x"));
	expect("page 0000000000003039: does not exist, but is in table ");
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_page_under_another_key_is_found)
{
	struct page_row row;

	ck_assert(page_row_get(&txn, SITE, page_key_of(urls[4]), &row));
	row.url = urls[3];
	page_row_put(&txn, SITE, page_key_of(urls[4]), &row);
	expect("the row has another page's URL");
}

TEST(a_damaged_page_row_is_found)
{
	struct key key = page_key(4);

	txn_put(&txn, TABLE_PAGES, key_slice(&key), slice_of("damaged"));
	expect("the row is damaged");
}

/* A counter of the site row, its correct value, and its name in the report. */
static const struct {
	size_t offset;
	const char *told;
} site_counters[] = {
	{offsetof(struct site_row, page_count), "has 4 pages, but counts 9"},
	{offsetof(struct site_row, class_counts),
	 "has 3 pages of class 0, but counts 9"},
	{offsetof(struct site_row, class_counts) + 6 * sizeof(uint32_t),
	 "has 1 pages of class 6, but counts 9"},
	{offsetof(struct site_row, class_counts) + 15 * sizeof(uint32_t),
	 "has 0 pages of class 15, but counts 9"},
	{offsetof(struct site_row, found_count),
	 "has 6 found URLs, but counts 9"},
	{offsetof(struct site_row, pending_count),
	 "has 3 pending URLs, but counts 9"},
	{offsetof(struct site_row, fetched_count),
	 "has 1 fetched URLs, but counts 9"},
	{offsetof(struct site_row, failed_count),
	 "has 2 failed URLs, but counts 9"},
	{offsetof(struct site_row, skipped_count),
	 "has 1 skipped URLs, but counts 9"},
	{offsetof(struct site_row, tried_count),
	 "has 3 tried URLs, but counts 9"},
	{offsetof(struct site_row, sitemap_count),
	 "has 1 sitemap URLs, but counts 9"},
	{offsetof(struct site_row, coarse_count),
	 "has 1 coarse patterns, but counts 9"},
};

enum { SITE_COUNTERS = COUNT_OF(site_counters) };

TEST_LOOP(a_wrong_counter_of_a_site_is_found, 0, SITE_COUNTERS)
{
	struct site_row row;

	ck_assert(site_get(&txn, host, &row));
	*(uint32_t *)((char *)&row + site_counters[_i].offset) = 9;
	site_put(&txn, &row);
	expect(site_counters[_i].told);
}

static const struct {
	uint64_t pattern;
	size_t offset;
	const char *told;
} pattern_counters[] = {
	{60, offsetof(struct pattern_row, found),
	 "pattern 000000000000003c: has 3 found URLs, but counts 9"},
	{60, offsetof(struct pattern_row, tried),
	 "has 1 tried URLs, but counts 9"},
	{60, offsetof(struct pattern_row, learned),
	 "has 1 learned URLs, but counts 9"},
	{60, offsetof(struct pattern_row, quiet),
	 "has more quiet pages than pages"},
	{COARSE, offsetof(struct pattern_row, found),
	 "has 6 found URLs, but counts 9"},
	{COARSE, offsetof(struct pattern_row, tried),
	 "has 3 tried URLs, but counts 9"},
	{COARSE, offsetof(struct pattern_row, learned),
	 "has 1 learned URLs, but counts 9"},
};

enum { PATTERN_COUNTERS = COUNT_OF(pattern_counters) };

TEST_LOOP(a_wrong_counter_of_a_pattern_is_found, 0, PATTERN_COUNTERS)
{
	uint64_t pattern = pattern_counters[_i].pattern;
	struct pattern_row row;

	ck_assert(pattern_row_get(&txn, SITE, pattern, &row));
	*(uint32_t *)((char *)&row + pattern_counters[_i].offset) = 9;
	pattern_row_put(&txn, SITE, pattern, &row);
	expect(pattern_counters[_i].told);
}

TEST(a_missing_pattern_is_found)
{
	struct key key = key_page(SITE, 60);

	txn_delete(&txn, TABLE_PATTERNS, key_slice(&key));
	expect("pattern 000000000000003c: has URLs, but no row");
}

TEST(a_pattern_of_no_url_is_found)
{
	pattern_row_put(&txn, SITE, 99, &(struct pattern_row){0});
	expect("pattern 0000000000000063: has no URL");
}

TEST(a_damaged_pattern_is_found)
{
	struct key key = key_page(SITE, 99);

	txn_put(&txn, TABLE_PATTERNS, key_slice(&key), slice_of("damaged"));
	expect("pattern 0000000000000063: the row is damaged");
}

TEST(a_page_of_an_unknown_class_is_found)
{
	uint64_t page = page_key_of(urls[3]);
	struct site_row site;
	struct page_row row;

	ck_assert(page_row_get(&txn, SITE, page, &row));
	row.page_class = SITE_CLASSES;
	page_row_put(&txn, SITE, page, &row);
	ck_assert(site_get(&txn, host, &site));
	site.class_counts[6] = 0;
	site_put(&txn, &site);
	expect("is of a class that does not exist");
}

/* An error page, say, in a cluster. */
TEST(what_is_no_page_is_in_no_cluster)
{
	uint64_t page = page_key_of(urls[2]);
	struct site_row site;
	struct page_row row;

	ck_assert(page_row_get(&txn, SITE, page, &row));
	row.page_class = 1;
	page_row_put(&txn, SITE, page, &row);
	ck_assert(site_get(&txn, host, &site));
	site.class_counts[0]--;
	site.class_counts[1]++;
	site_put(&txn, &site);
	expect("is truncated or no page, but in a cluster");
}

TEST(a_url_that_waits_for_ever_is_found)
{
	struct frontier_row row;

	ck_assert(frontier_row_get(&txn, SITE, page_key_of(urls[0]), &row));
	row.due_ms = 0;
	frontier_row_put(&txn, SITE, page_key_of(urls[0]), &row);
	expect("is pending, but never due");
}

TEST(a_skipped_url_that_is_due_is_found)
{
	struct frontier_row row;

	ck_assert(frontier_row_get(&txn, SITE, page_key_of(urls[5]), &row));
	row.due_ms = 5;
	frontier_row_put(&txn, SITE, page_key_of(urls[5]), &row);
	expect("is skipped, but due");
}

TEST(a_url_missing_in_the_due_index_is_found)
{
	struct key key = key_due(SITE, 1000, page_key_of(urls[0]));

	txn_delete(&txn, TABLE_DUE, key_slice(&key));
	expect("is due, but not in the due index");
}

TEST(a_due_key_of_another_time_is_found)
{
	struct key key = key_due(SITE, 999, page_key_of(urls[0]));

	txn_put(&txn, TABLE_DUE, key_slice(&key), slice_of(""));
	expect("is due at another time");
}

TEST(a_due_key_without_a_url_is_found)
{
	struct key key = key_due(SITE, 999, 12345);

	txn_put(&txn, TABLE_DUE, key_slice(&key), slice_of(""));
	expect("url 0000000000003039: is due, but not in the frontier");
}

TEST(a_damaged_url_is_found)
{
	struct key key = key_page(SITE, page_key_of(sitemap));
	struct site_row row;

	txn_put(&txn, TABLE_FRONTIER, key_slice(&key), slice_of("damaged"));
	ck_assert(site_get(&txn, host, &row));
	row.pending_count = 2;
	row.sitemap_count = 0;
	site_put(&txn, &row);
	expect("the row is damaged");
}

static const enum table owned[] = TABLES_OF_SITES;

TEST_ROWS(rows_of_no_site_are_found, owned)
{
	struct key key = key_due(7, 8, 9);

	/* two rows, but one problem: the site */
	txn_put(&txn, owned[_i], key_slice(&key), slice_of("x"));
	key = key_due(7, 9, 9);
	txn_put(&txn, owned[_i], key_slice(&key), slice_of("x"));
	expect("rows of site 7, which does not exist");
}

TEST(keys_too_short_for_a_site_are_found)
{
	txn_put(&txn, TABLE_DF, slice_of("\xff"), slice_of("x"));
	expect("table frequencies: rows of site 4278190080, which does not "
	       "exist");
}

TEST(a_damaged_site_is_found)
{
	txn_put(&txn, TABLE_SITES, slice_of("\x1b[2Jb"), slice_of("damaged"));
	expect("site ?[2Jb: the row is damaged");
}

TEST(two_sites_of_one_number_are_found)
{
	struct site_row row;

	ck_assert(site_get(&txn, host, &row));
	row.host = slice_of("b.example");
	site_put(&txn, &row);
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_uint_eq(report.problems, 1);
	ck_assert_str_eq(report.text.data, "two sites have the number 1\n");
}

TEST(damaged_events_and_hosts_are_found)
{
	struct key key = key_number(1);

	txn_put(&txn, TABLE_EVENTS, key_slice(&key), slice_of("damaged"));
	txn_put(&txn, TABLE_HOSTS, slice_of("http://b"), slice_of("damaged"));
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_str_eq(report.text.data,
			 "event 1: damaged\n"
			 "host http://b: the row is damaged\n");
}

TEST(an_event_over_the_last_number_is_found)
{
	uint64_t none = 0;

	txn_put(&txn, TABLE_META, slice_of("event"),
		(struct slice){&none, sizeof(none)});
	expect("event 1: above the last number, 0");
}

TEST(a_hundred_problems_are_printed_and_all_are_counted)
{
	size_t lines = 0;

	for (uint64_t i = 0; i < 150; i++) {
		struct key key = key_due(SITE, 5, i);

		txn_put(&txn, TABLE_DUE, key_slice(&key), slice_of(""));
	}
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_uint_eq(report.problems, 150);
	for (size_t i = 0; i < report.text.size; i++)
		lines += report.text.data[i] == '\n';
	ck_assert_uint_eq(lines, 100);
}

TEST(a_store_that_cannot_be_read_is_an_error)
{
	txn_fail(&txn, ERR_IO);
	ck_assert_int_eq(store_verify(&txn, &report), ERR_IO);
}

/* Page 0 has a visit that waits, and the health of the site counts it. */
static void put_waiting(const struct waiting_row *row, uint32_t i)
{
	waiting_row_put(&txn, SITE, page_key_of(urls[i]), row);
	health_row_put(
		&txn, SITE,
		&(struct health_row){.waiting_count = 1,
				     .waiting_bytes = waiting_row_bytes(row)});
}

TEST(a_visit_that_waits_is_intact)
{
	put_waiting(
		&(struct waiting_row){.kind = WAITING_REMOVED, .url = urls[0]},
		0);
	ASSERT_OK(store_verify(&txn, &report));
	ck_assert_msg(report.problems == 0, "%s", report.text.data);
}

TEST(a_wrong_count_of_waiting_visits_is_found)
{
	health_row_put(&txn, SITE, &(struct health_row){.waiting_count = 1});
	expect("has 0 waiting visits, but counts 1");
}

TEST(a_wrong_size_of_waiting_visits_is_found)
{
	health_row_put(&txn, SITE, &(struct health_row){.waiting_bytes = 7});
	expect("its waiting visits have 0 bytes, but it counts 7");
}

TEST(a_damaged_record_that_waits_is_found)
{
	put_waiting(&(struct waiting_row){.kind = WAITING_PAGE,
					  .url = urls[0],
					  .record = slice_of("damaged")},
		    0);
	expect("the record of the waiting visit is damaged");
}

TEST(a_visit_of_another_url_that_waits_is_found)
{
	put_waiting(
		&(struct waiting_row){.kind = WAITING_REMOVED, .url = urls[1]},
		0);
	expect("the waiting visit has another URL");
}

TEST(a_visit_of_no_page_that_waits_is_found)
{
	put_waiting(
		&(struct waiting_row){.kind = WAITING_REMOVED, .url = urls[4]},
		4);
	expect("a visit waits, but there is no page");
}

TEST(an_unknown_state_of_a_site_is_found)
{
	health_row_put(&txn, SITE, &(struct health_row){.state = SITE_STATES});
	expect("the row of its health is damaged");
}
