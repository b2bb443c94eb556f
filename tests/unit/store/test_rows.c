#include "base/hash.h"
#include "store/key.h"
#include "store/rows.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

static struct scratch scratch;
static struct store *store;
static struct txn txn;

static void setup(void)
{
	scratch_make(&scratch);
	store = scratch_store(&scratch);
	txn = txn_begin_write(store);
}

static void teardown(void)
{
	txn_abort(&txn);
	store_close(store);
	scratch_remove(&scratch, NULL);
}

static const struct site_row site = {
	.id = 1,
	.next_cluster = 2,
	.added_ms = 3,
	.generation = 4,
	.threshold_generation = 3,
	.threshold_pages = 2,
	.options.revisit_ms = UINT64_MAX,
	.options.max_pages = 6,
	.options.max_depth = 7,
	.options.delay_ms = 8,
	.options.measure = 9,
	.options.threshold = 1000,
	.options.width = 16,
	.options.flags = SITE_IS_SAMPLE,
	.options.watch_ms = 17,
	.options.max_bytes = 18,
	.options.max_time_ms = 19,
	.options.saturation = 20,
	.options.headers = {"A: b\n", 5},
	.options.proxy = {"http://p.example/", 17},
	.missing = {"gone", 4},
	.page_count = 12,
	.found_count = 13,
	.pending_count = 14,
	.fetched_count = 15,
	.failed_count = 16,
	.host = {"a.example", 9},
	.seed = {"http://a.example/", 17},
};

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_site_is_read_back)
{
	struct site_row row;

	ck_assert(!site_get(&txn, slice_of("a.example"), &row));
	site_put(&txn, &site);
	ck_assert(site_get(&txn, slice_of("a.example"), &row));
	ck_assert_uint_eq(row.id, 1);
	ck_assert_uint_eq(row.next_cluster, 2);
	ck_assert_uint_eq(row.added_ms, 3);
	ck_assert_uint_eq(row.generation, 4);
	ck_assert_uint_eq(row.options.revisit_ms, UINT64_MAX);
	ck_assert_uint_eq(row.options.max_pages, 6);
	ck_assert_uint_eq(row.options.max_depth, 7);
	ck_assert_uint_eq(row.options.delay_ms, 8);
	ck_assert_uint_eq(row.options.measure, 9);
	ck_assert_uint_eq(row.options.threshold, 1000);
	ck_assert_uint_eq(row.options.width, 16);
	ck_assert_uint_eq(row.threshold_generation, 3);
	ck_assert_uint_eq(row.threshold_pages, 2);
	ck_assert_uint_eq(row.options.flags, SITE_IS_SAMPLE);
	ck_assert_uint_eq(row.page_count, 12);
	ck_assert_uint_eq(row.found_count, 13);
	ck_assert_uint_eq(row.pending_count, 14);
	ck_assert_uint_eq(row.fetched_count, 15);
	ck_assert_uint_eq(row.failed_count, 16);
	ck_assert(slice_equal(row.host, site.host));
	ck_assert(slice_equal(row.seed, site.seed));
}

/* Whatever the struct looks like: stores of yesterday must stay readable. */
TEST(a_site_has_a_threshold_that_is_one)
{
	struct site_row row = site;
	AUTO_BUFFER value;

	row.options.threshold = SITE_MAX_THRESHOLD;
	site_put(&txn, &row);
	ck_assert(site_get(&txn, site.host, &row));
	row.options.threshold = SITE_MAX_THRESHOLD + 1;
	value = site_encode(&row);
	ck_assert(!site_decode(buffer_slice(&value), &row));
	txn_put(&txn, TABLE_SITES, site.host, buffer_slice(&value));
	ck_assert(!site_get(&txn, site.host, &row));
	ck_assert_int_eq(txn.error, ERR_CORRUPT);
}

TEST(the_bytes_of_a_site_are_what_they_were)
{
	struct slice value;

	site_put(&txn, &site);
	value = txn_get(&txn, TABLE_SITES, slice_of("a.example"));
	ck_assert_uint_eq(value.size, 314);
	ck_assert_uint_eq(hash64(value.data, value.size, 0),
			  UINT64_C(64733678990967106));
}

/*
 * Check a row that has only the lengths of the first `texts` of the nine texts.
 */
static void check_old_site(size_t texts, uint64_t hash)
{
	enum { FIELDS = 226, TEXTS = 9, LENGTH = 4 };
	const size_t missing = (TEXTS - texts) * LENGTH;
	AUTO_BUFFER value = site_encode(&site);
	char *at = value.data + FIELDS + texts * LENGTH;
	AUTO_BUFFER migrated = {0};
	struct buffer again;
	struct site_row row;

	value.size -= missing;
	memmove(at, at + missing, value.size - FIELDS - texts * LENGTH);
	ck_assert_uint_eq(hash64(value.data, value.size, 0), hash);
	ck_assert(!site_decode(buffer_slice(&value), &row));
	ck_assert(site_of_old_schema(buffer_slice(&value), &migrated));
	ck_assert(!site_of_old_schema(buffer_slice(&migrated), &again));
	ck_assert(site_decode(buffer_slice(&migrated), &row));
	ck_assert(slice_equal(row.host, site.host));
	ck_assert(slice_equal(row.seed, site.seed));
	ck_assert(slice_equal(row.missing, site.missing));
	ck_assert_uint_eq(row.options.include.size, 0);
	ck_assert_uint_eq(row.options.exclude.size, 0);
	ck_assert_uint_eq(row.options.render_wait.size, 0);
	ck_assert_uint_eq(row.options.render_click.size, 0);
}

TEST(a_site_of_schema_2_has_no_patterns)
{
	check_old_site(5, UINT64_C(11164962565424348482));
}

TEST(a_site_of_schema_5_has_no_selectors)
{
	check_old_site(7, UINT64_C(7474079586717693644));
}

TEST(a_row_that_was_read_may_be_changed_and_written)
{
	struct site_row row = site;

	site_put(&txn, &site);
	row.host = slice_of("b.example"); /* a neighbour, which moves */
	site_put(&txn, &row);
	/* host and seed point into the page that each put rewrites */
	for (uint32_t i = 0; i < 100; i++) {
		ck_assert(site_get(&txn, slice_of("a.example"), &row));
		row.seed = i % 2 == 0 ? row.host : site.seed;
		row.page_count = i;
		site_put(&txn, &row);
	}
	ck_assert(site_get(&txn, slice_of("a.example"), &row));
	ck_assert(slice_equal(row.host, site.host));
	ck_assert(slice_equal(row.seed, site.seed));
	ck_assert_uint_eq(row.page_count, 99);
	ASSERT_OK(txn.error);
}

static const struct page_row page = {
	.fetched_ms = 1,
	.changed_ms = 2,
	.content_hash = 3,
	.cluster = 4,
	.body_bytes = 5,
	.http_status = 200,
	.flags = PAGE_ROW_IS_TRUNCATED,
	.url = {"http://a.example/1", 18},
	.redirect = {"http://a.example/2", 18},
	.charset = {"latin1", 6},
};

TEST(a_page_is_read_back)
{
	struct page_row row;

	ck_assert(!page_row_get(&txn, 1, 7, &row));
	page_row_put(&txn, 1, 7, &page);
	ck_assert(!page_row_get(&txn, 2, 7, &row));
	ck_assert(page_row_get(&txn, 1, 7, &row));
	ck_assert_uint_eq(row.fetched_ms, 1);
	ck_assert_uint_eq(row.changed_ms, 2);
	ck_assert_uint_eq(row.content_hash, 3);
	ck_assert_uint_eq(row.cluster, 4);
	ck_assert_uint_eq(row.body_bytes, 5);
	ck_assert_uint_eq(row.http_status, 200);
	ck_assert_uint_eq(row.flags, PAGE_ROW_IS_TRUNCATED);
	ck_assert(slice_equal(row.url, page.url));
	ck_assert(slice_equal(row.redirect, page.redirect));
	ck_assert(slice_equal(row.charset, page.charset));
}

TEST(empty_slices_stay_empty)
{
	struct page_row row = {.url = slice_of("u")};

	page_row_put(&txn, 1, 7, &row);
	ck_assert(page_row_get(&txn, 1, 7, &row));
	ck_assert(slice_equal(row.url, slice_of("u")));
	ck_assert_uint_eq(row.redirect.size, 0);
	ck_assert_uint_eq(row.charset.size, 0);
}

TEST(a_cluster_is_read_back)
{
	struct cluster_row row = {.page_count = 3,
				  .changes = 1,
				  .created_ms = 4,
				  .changed_ms = 5};

	cluster_row_put(&txn, 1, 2, &row);
	row = (struct cluster_row){0};
	ck_assert(cluster_row_get(&txn, 1, 2, &row));
	ck_assert_uint_eq(row.page_count, 3);
	ck_assert_uint_eq(row.changes, 1);
	ck_assert_uint_eq(row.created_ms, 4);
	ck_assert_uint_eq(row.changed_ms, 5);
	ck_assert(!cluster_row_get(&txn, 1, 3, &row));
	ck_assert_uint_eq(row.page_count, 0);
}

TEST(members_come_and_go)
{
	struct key key = key_member(1, 2, 3);

	uint32_t set = 0;

	member_put(&txn, 1, 2, 3, 77);
	ck_assert(member_decode(txn_get(&txn, TABLE_MEMBERS, key_slice(&key)),
				&set));
	ck_assert_uint_eq(set, 77);
	ck_assert(!member_decode(slice_of("toolong"), &set));
	member_delete(&txn, 1, 2, 3);
	ck_assert_ptr_null(txn_get(&txn, TABLE_MEMBERS, key_slice(&key)).data);
}

static const struct frontier_row visit = {
	.found_ms = 1,
	.due_ms = 2,
	.state = FRONTIER_FAILED,
	.depth = 4,
	.attempts = 5,
	.redirects = 6,
	.http_status = 503,
	.error = ERR_TIMEOUT,
	.flags = FRONTIER_IS_ON_DEMAND,
	.url = {"http://a.example/1", 18},
	.etag = {"\"e\"", 3},
};

TEST(a_url_is_read_back)
{
	struct frontier_row row;

	ck_assert(!frontier_row_get(&txn, 1, 9, &row));
	frontier_row_put(&txn, 1, 9, &visit);
	ck_assert(frontier_row_get(&txn, 1, 9, &row));
	ck_assert_uint_eq(row.found_ms, 1);
	ck_assert_uint_eq(row.due_ms, 2);
	ck_assert_uint_eq(row.state, FRONTIER_FAILED);
	ck_assert_uint_eq(row.depth, 4);
	ck_assert_uint_eq(row.attempts, 5);
	ck_assert_uint_eq(row.redirects, 6);
	ck_assert_uint_eq(row.http_status, 503);
	ck_assert_int_eq(row.error, ERR_TIMEOUT);
	ck_assert_uint_eq(row.flags, FRONTIER_IS_ON_DEMAND);
	ck_assert(slice_equal(row.url, visit.url));
	ck_assert(slice_equal(row.etag, visit.etag));
}

/* Check that this is the only due key of all sites; 0 = none. */
static void expect_due(uint64_t due_ms)
{
	struct key key = key_due(1, due_ms, 9);
	struct scan scan = scan_begin(&txn, TABLE_DUE, slice_of(""));

	if (due_ms != 0) {
		ck_assert(scan_next(&scan));
		ck_assert(slice_equal(scan.key, key_slice(&key)));
	}
	ck_assert(!scan_next(&scan));
	scan_end(&scan);
}

TEST(the_due_index_follows_the_frontier)
{
	static const uint64_t times[] = {0, 5, 5, 9, 0, 0, 3};
	struct frontier_row row = visit;

	for (size_t i = 0; i < 7; i++) {
		row.due_ms = times[i];
		frontier_row_put(&txn, 1, 9, &row);
		expect_due(times[i]);
	}
	ASSERT_OK(txn.error);
}

TEST(a_url_that_was_read_may_be_changed_and_written)
{
	struct frontier_row row;

	frontier_row_put(&txn, 1, 9, &visit);
	for (uint64_t i = 1; i <= 100; i++) {
		ck_assert(frontier_row_get(&txn, 1, 9, &row));
		row.due_ms = i * 7 % 5;
		row.etag = i % 2 == 0 ? row.url : visit.etag;
		frontier_row_put(&txn, 1, 9, &row);
	}
	ck_assert(frontier_row_get(&txn, 1, 9, &row));
	ck_assert(slice_equal(row.url, visit.url));
	ck_assert(slice_equal(row.etag, visit.url));
}

TEST(a_host_is_read_back)
{
	struct host_row row = {.robots_ms = 1,
			       .next_ms = 2,
			       .failures = 3,
			       .robots_status = 200,
			       .robots = slice_of("User-agent: *")};
	struct slice authority = slice_of("http://a.example");

	host_row_put(&txn, authority, &row);
	row = (struct host_row){0};
	ck_assert(host_row_get(&txn, authority, &row));
	ck_assert_uint_eq(row.robots_ms, 1);
	ck_assert_uint_eq(row.next_ms, 2);
	ck_assert_uint_eq(row.failures, 3);
	ck_assert_uint_eq(row.robots_status, 200);
	ck_assert(slice_equal(row.robots, slice_of("User-agent: *")));
}

static const struct event_row event = {
	.time_ms = 1,
	.kind = EVENT_CLUSTER_MERGED,
	.cluster = 3,
	.other = 4,
	.pages = 5,
	.host = {"a.example", 9},
	.url = {"u", 1},
};

TEST(events_are_numbered)
{
	struct event_row row;
	struct key key = key_number(2);

	ck_assert_uint_eq(event_add(&txn, &event), 1);
	ck_assert_uint_eq(event_add(&txn, &event), 2);
	ck_assert(event_decode(txn_get(&txn, TABLE_EVENTS, key_slice(&key)),
			       &row));
	ck_assert_uint_eq(row.time_ms, 1);
	ck_assert_uint_eq(row.kind, EVENT_CLUSTER_MERGED);
	ck_assert_uint_eq(row.cluster, 3);
	ck_assert_uint_eq(row.other, 4);
	ck_assert_uint_eq(row.pages, 5);
	ck_assert(slice_equal(row.host, event.host));
	ck_assert(slice_equal(row.url, event.url));
	ck_assert_str_eq(event_kind_name(row.kind), "cluster.merged");
	ck_assert_str_eq(event_kind_name(99), "unknown");
}

/* The value at a key, in separate memory so that ASan sees its end. */
static char *copy_value(enum table table, struct slice key, size_t *size_out)
{
	struct slice value = txn_get(&txn, table, key);
	char *copy = malloc(value.size);

	ck_assert_uint_gt(value.size, 0);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, value.data, value.size);
	*size_out = value.size;
	return copy;
}

TEST(a_row_cut_short_or_too_long_is_damaged)
{
	struct key key = key_page(1, 7);
	struct page_row row;
	size_t size;
	AUTO_TEXT *value;

	page_row_put(&txn, 1, 7, &page);
	value = copy_value(TABLE_PAGES, key_slice(&key), &size);
	ck_assert(page_row_decode((struct slice){value, size}, &row));
	for (size_t cut = 0; cut < size; cut++) {
		AUTO_TEXT *less = malloc(cut + 1);

		ck_assert_ptr_nonnull(less);
		memcpy(less, value, cut);
		ck_assert(!page_row_decode((struct slice){less, cut}, &row));
	}
	value = realloc(value, size + 1);
	ck_assert_ptr_nonnull(value);
	value[size] = 'x';
	ck_assert(!page_row_decode((struct slice){value, size + 1}, &row));
}

TEST(random_bytes_never_lead_outside_of_a_row)
{
	uint64_t seed = 20;
	struct key key = key_page(1, 7);
	size_t size;
	AUTO_TEXT *value;
	size_t sum = 0;

	page_row_put(&txn, 1, 7, &page);
	value = copy_value(TABLE_PAGES, key_slice(&key), &size);
	printf("seed %llu\n", (unsigned long long)seed);
	for (int i = 0; i < 20000; i++) {
		struct page_row row;
		size_t at = scratch_random(&seed) % size;
		char before = value[at];

		value[at] = (char)scratch_random(&seed);
		if (page_row_decode((struct slice){value, size}, &row)) {
			for (size_t j = 0; j < row.url.size; j++)
				sum += ((const unsigned char *)row.url.data)[j];
			ck_assert_uint_le(row.url.size + row.redirect.size +
						  row.charset.size,
					  size);
		}
		value[at] = before;
	}
	ck_assert_uint_gt(sum, 0);
}

TEST(a_damaged_row_fails_the_transaction)
{
	struct key key = key_page(1, 7);
	struct page_row row;

	txn_put(&txn, TABLE_PAGES, key_slice(&key), slice_of("damaged"));
	ck_assert(!page_row_get(&txn, 1, 7, &row));
	ck_assert_ptr_null(row.url.data);
	ck_assert_int_eq(txn_end(&txn), ERR_CORRUPT);
}

TEST(a_damaged_url_is_not_written_over)
{
	struct key key = key_page(1, 9);

	txn_put(&txn, TABLE_FRONTIER, key_slice(&key), slice_of("damaged"));
	frontier_row_put(&txn, 1, 9, &visit);
	ck_assert_int_eq(txn_end(&txn), ERR_CORRUPT);
}

TEST(keys_sort_as_their_numbers)
{
	struct key a = key_due(1, 255, UINT64_MAX);
	struct key b = key_due(1, 256, 0);
	struct key c = key_due(2, 0, 0);

	ck_assert_int_lt(memcmp(a.bytes, b.bytes, a.size), 0);
	ck_assert_int_lt(memcmp(b.bytes, c.bytes, b.size), 0);
	ck_assert_uint_eq(a.size, 20);
	ck_assert_uint_eq(key_member(1, 2, 3).size, 16);
	ck_assert_uint_eq(key_number(1).size, 8);
}

TEST(a_short_key_is_read_as_if_zeros_followed)
{
	ck_assert_uint_eq(key_u32((struct slice){"\x01\x02", 2}, 0),
			  0x01020000);
	ck_assert_uint_eq(key_u64((struct slice){"\x01\x02", 2}, 1),
			  (uint64_t)2 << 56);
	ck_assert_uint_eq(key_u64((struct slice){"\x01\x02", 2}, 9), 0);
}

TEST(days_move_up_and_drop_out)
{
	struct site_days_row row = {0};
	const struct site_day two = {2, 1, 1};
	const uint64_t day = SITE_DAY_MS;

	site_days_add(&row, 1000 * day, &two);
	site_days_add(&row, 1000 * day + 5, &two);
	ck_assert_uint_eq(site_days_get(&row, 1000).visits, 4);
	ck_assert_uint_eq(site_days_get(&row, 999).visits, 0);
	site_days_add(&row, 1003 * day, &two);
	ck_assert_uint_eq(site_days_get(&row, 1000).failed, 2);
	ck_assert_uint_eq(site_days_get(&row, 1001).visits, 0);
	ck_assert_uint_eq(site_days_get(&row, 1003).changed, 1);
	ck_assert_uint_eq(site_days_get(&row, 1004).visits, 0);
	/* a clock that is set back over midnight loses nothing */
	site_days_add(&row, 1003 * day - 1, &two);
	ck_assert_uint_eq(site_days_get(&row, 1003).visits, 4);
	/* 1000 is the oldest day of 30 up to 1029 */
	site_days_add(&row, 1029 * day, &two);
	ck_assert_uint_eq(site_days_get(&row, 1000).visits, 4);
	site_days_add(&row, 1030 * day, &two);
	ck_assert_uint_eq(site_days_get(&row, 1000).visits, 0);
	ck_assert_uint_eq(site_days_get(&row, 1003).visits, 4);
	site_days_add(&row, 2000 * day, &two);
	ck_assert_uint_eq(site_days_get(&row, 1030).visits, 0);
	/* far in the past: the clock was wrong before */
	site_days_add(&row, 1000 * day, &two);
	ck_assert_uint_eq(site_days_get(&row, 2000).visits, 0);
	ck_assert_uint_eq(site_days_get(&row, 1000).visits, 2);
}
