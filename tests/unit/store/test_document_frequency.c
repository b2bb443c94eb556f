#include "store/document_frequency.h"
#include "store/key.h"
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

FIXTURE(.setup = setup, .teardown = teardown);

TEST(equal_deltas_add_up)
{
	struct df_delta deltas[] = {
		{.cluster = 2, .delta = 1, .fragment = 7},
		{.cluster = 1, .delta = 1, .fragment = 9},
		{.cluster = 1, .delta = 3, .fragment = 7},
		{.cluster = 1, .delta = 1, .fragment = 9},
		{.cluster = 1, .delta = -1, .fragment = 7},
	};

	df_apply(&txn, 1, deltas, 5);
	ck_assert_uint_eq(df_get(&txn, 1, 1, 7), 2);
	ck_assert_uint_eq(df_get(&txn, 1, 1, 9), 2);
	ck_assert_uint_eq(df_get(&txn, 1, 2, 7), 1);
	ck_assert_uint_eq(df_get(&txn, 1, 2, 9), 0);
	ck_assert_uint_eq(df_get(&txn, 2, 1, 7), 0);
	df_apply(&txn, 1, NULL, 0);
	ASSERT_OK(txn.error);
}

/* Rows in the whole table. */
static size_t count_rows(void)
{
	return txn_usage(&txn, TABLE_DF).rows;
}

/* Counts of a cluster; each of them is above the one before. */
static size_t count_fragments(uint32_t site, uint32_t cluster)
{
	struct df_scan scan = df_scan_begin(&txn, site, cluster);
	uint64_t above = 0;
	size_t count = 0;

	bool is_ascending = true;

	for (; df_scan_next(&scan); count++) {
		is_ascending &= scan.now.pages > 0 &&
				(count == 0 || scan.now.fragment > above);
		above = scan.now.fragment;
	}
	df_scan_end(&scan);
	ck_assert(is_ascending);
	return count;
}

TEST(a_count_of_nothing_leaves_the_table)
{
	struct df_delta add = {.cluster = 1, .delta = 2, .fragment = 7};
	struct df_delta none[] = {{.cluster = 1, .delta = 5, .fragment = 8},
				  {.cluster = 1, .delta = -5, .fragment = 8}};
	struct df_delta remove = {.cluster = 1, .delta = -2, .fragment = 7};

	df_apply(&txn, 1, &add, 1);
	df_apply(&txn, 1, none, 2);
	ck_assert_uint_eq(count_rows(), 1);
	df_apply(&txn, 1, &remove, 1);
	ck_assert_uint_eq(count_rows(), 0);
	ASSERT_OK(txn.error);
}

TEST(a_count_below_nothing_is_corrupt)
{
	struct df_delta add = {.cluster = 1, .delta = 1, .fragment = 7};
	struct df_delta remove = {.cluster = 1, .delta = -2, .fragment = 7};

	df_apply(&txn, 1, &add, 1);
	df_apply(&txn, 1, &remove, 1);
	ck_assert_int_eq(txn_end(&txn), ERR_CORRUPT);
}

TEST(an_absent_count_cannot_fall)
{
	struct df_delta remove = {.cluster = 1, .delta = -1, .fragment = 7};

	df_apply(&txn, 1, &remove, 1);
	ck_assert_int_eq(txn_end(&txn), ERR_CORRUPT);
}

/* `value` is in a row: it cannot be changed, read or scanned. */
static void check_damaged(struct slice value)
{
	struct df_delta add = {.cluster = 1, .delta = 1, .fragment = 6};
	struct key key = key_member(1, 1, 7);
	struct df_scan scan;

	txn_put(&txn, TABLE_DF, key_slice(&key), value);
	scan = df_scan_begin(&txn, 1, 1);
	ck_assert(df_scan_next(&scan));
	ck_assert_uint_eq(scan.now.fragment, 7);
	ck_assert_uint_eq(scan.now.pages, 0);
	ck_assert(!df_scan_next(&scan));
	df_scan_end(&scan);
	ck_assert_uint_eq(df_get(&txn, 1, 1, 7), 0);
	ck_assert_int_eq(txn.error, ERR_CORRUPT);
	txn.error = ERR_NONE;
	df_apply(&txn, 1, &add, 1);
	ck_assert_int_eq(txn.error, ERR_CORRUPT);
	txn.error = ERR_NONE;
}

TEST(a_damaged_block_is_corrupt)
{
	struct df_count counts[2] = {{5, 3}, {7, 1}};
	AUTO_BUFFER block = {0};

	df_block_encode(counts, 2, 7, &block);
	check_damaged(slice_of(""));
	check_damaged(slice_of("\1"));
	check_damaged(slice_of("12345")); /* too many */
	check_damaged((struct slice){block.data, block.size - 1});
	buffer_append_byte(&block, 0);
	check_damaged(buffer_slice(&block)); /* followed by more */
	block.size--;
	block.data[1] = 64; /* wider than a fragment */
	check_damaged(buffer_slice(&block));
	block.data[0] = 0;
	check_damaged(buffer_slice(&block));
	block.data[0] = DF_BLOCK_MAX + 1;
	check_damaged(buffer_slice(&block));
}

static bool is_sound(const struct df_count *counts, size_t count, uint64_t last)
{
	for (size_t i = 0; i < count; i++)
		if (counts[i].pages == 0 || counts[i].fragment > last ||
		    (i > 0 && counts[i - 1].fragment >= counts[i].fragment))
			return false;
	return true;
}

TEST(any_bytes_are_refused_or_read_as_counts)
{
	struct df_count counts[DF_BLOCK_MAX];
	uint64_t seed = 5;
	size_t read = 0;

	for (int i = 0; i < 20000; i++) {
		uint64_t words[5];
		unsigned char *bytes = (unsigned char *)words;
		uint64_t last = scratch_random(&seed);
		size_t count;

		for (size_t at = 0; at < 5; at++)
			words[at] = scratch_random(&seed);
		bytes[0] %= 8;
		bytes[1] %= 72;
		count = df_block_decode(
			(struct slice){bytes, last % (sizeof(words) + 1)}, last,
			counts);
		ck_assert(is_sound(counts, count, last));
		read += count > 0;
	}
	ck_assert_uint_gt(read, 0);
}

/* Random counts to `counts`, ascending; returns how many there are. */
static size_t make_counts(uint64_t *seed, struct df_count *counts)
{
	unsigned shift = scratch_random(seed) % 64;
	size_t count = 1 + scratch_random(seed) % DF_BLOCK_MAX;
	uint64_t next = scratch_random(seed) >> shift;

	for (size_t i = 0; i < count; i++) {
		uint64_t step = (scratch_random(seed) >> shift) / count + 1;
		uint32_t pages =
			(uint32_t)(scratch_random(seed) >> (32 + shift / 2));

		counts[i] = (struct df_count){next, pages > 0 ? pages : 1};
		if (step > UINT64_MAX - next)
			return i + 1;
		next += step;
	}
	return count;
}

static bool is_same(const struct df_count *left, const struct df_count *right,
		    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (left[i].fragment != right[i].fragment ||
		    left[i].pages != right[i].pages)
			return false;
	return true;
}

TEST(a_block_is_read_as_it_was_written)
{
	struct df_count counts[DF_BLOCK_MAX];
	struct df_count read[DF_BLOCK_MAX];
	uint64_t seed = 9;

	for (int i = 0; i < 3000; i++) {
		size_t count = make_counts(&seed, counts);
		uint64_t last =
			i % 2 == 0 ? UINT64_MAX : counts[count - 1].fragment;
		AUTO_BUFFER block = {0};

		df_block_encode(counts, count, last, &block);
		ck_assert_uint_le(block.size, 800);
		ck_assert_uint_eq(
			df_block_decode(buffer_slice(&block), last, read),
			count);
		ck_assert(is_same(read, counts, count));
	}
}

TEST(both_ends_of_the_numbers_are_counted)
{
	struct df_delta add[] = {
		{.cluster = 1, .delta = 1, .fragment = 0},
		{.cluster = 1, .delta = INT32_MAX, .fragment = UINT64_MAX},
		{.cluster = UINT32_MAX, .delta = 2, .fragment = UINT64_MAX},
	};
	struct df_delta too_many = {
		.cluster = 1, .delta = INT32_MAX, .fragment = UINT64_MAX};

	df_apply(&txn, 1, add, 3);
	ck_assert_uint_eq(df_get(&txn, 1, 1, 0), 1);
	ck_assert_uint_eq(df_get(&txn, 1, 1, UINT64_MAX), INT32_MAX);
	ck_assert_uint_eq(df_get(&txn, 1, UINT32_MAX, UINT64_MAX), 2);
	ck_assert_uint_eq(df_get(&txn, 1, 2, 0), 0);
	df_apply(&txn, 1, &too_many, 1);
	ck_assert_uint_eq(df_get(&txn, 1, 1, UINT64_MAX), UINT32_MAX - 1);
	df_apply(&txn, 1, &too_many, 1);
	ck_assert_int_eq(txn.error, ERR_CORRUPT);
}

TEST(a_hash_takes_twelve_bytes_and_a_half_at_most)
{
	enum { MANY = 20000 };
	static struct df_delta deltas[MANY];
	uint64_t seed = 3;

	for (size_t i = 0; i < MANY; i++)
		deltas[i] = (struct df_delta){
			.cluster = 1,
			.delta = 1,
			.fragment = scratch_random(&seed),
		};
	for (size_t i = 0; i < MANY; i += 50)
		df_apply(&txn, 1, deltas + i, 50);
	ck_assert_uint_eq(count_fragments(1, 1), MANY);
	ck_assert_uint_lt(txn_usage(&txn, TABLE_DF).bytes,
			  (uint64_t)MANY * 25 / 2);
}

enum { CLUSTERS = 4, FRAGMENTS = 3000, ROUNDS = 60, BATCH = 2000 };

static uint32_t model[CLUSTERS][FRAGMENTS];

/* Deltas of random sign that never take a count below 0. */
static void make_deltas(uint64_t *seed, struct df_delta *deltas, uint64_t odds)
{
	for (size_t i = 0; i < BATCH; i++) {
		uint32_t cluster = (uint32_t)(scratch_random(seed) % CLUSTERS);
		uint64_t fragment = scratch_random(seed) % FRAGMENTS;
		uint32_t *count = &model[cluster][fragment];
		int32_t delta = 1;

		if (*count > 0 && scratch_random(seed) % 8 < odds)
			delta = -(int32_t)(scratch_random(seed) % *count) - 1;
		*count = (uint32_t)((int32_t)*count + delta);
		deltas[i] = (struct df_delta){
			.cluster = cluster,
			.delta = delta,
			/* spread over the whole range of keys */
			.fragment = fragment * 0x9e3779b97f4a7c15};
	}
}

/* Compare all counts; returns how many are above 0. */
static size_t compare(uint32_t cluster)
{
	size_t left = 0;

	for (uint64_t f = 0; f < FRAGMENTS; f++) {
		ck_assert_uint_eq(
			df_get(&txn, 5, cluster, f * 0x9e3779b97f4a7c15),
			model[cluster][f]);
		left += model[cluster][f] > 0;
	}
	return left;
}

TEST_LOOP(the_counts_equal_those_of_a_plain_array, 0, 3)
{
	static struct df_delta deltas[BATCH];
	uint64_t seed = (uint64_t)_i + 77;
	size_t left = 0;
	size_t counted = 0;

	printf("seed %llu\n", (unsigned long long)seed);
	for (int i = 0; i < ROUNDS; i++) {
		make_deltas(&seed, deltas, i % 20 < 10 ? 2 : 7);
		df_apply(&txn, 5, deltas, BATCH);
	}
	for (uint32_t c = 0; c < CLUSTERS; c++) {
		left += compare(c);
		counted += count_fragments(5, c);
	}
	ck_assert_uint_eq(counted, left);
	ck_assert_uint_gt(left, 0);
	ck_assert_uint_lt(left, (size_t)CLUSTERS * FRAGMENTS);
	ASSERT_OK(txn.error);
}
