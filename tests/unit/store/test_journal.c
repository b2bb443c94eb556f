#include "store/journal.h"

#include "store/content.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

/* One host, one partition: "b.test" is of 'b'. */
static unsigned partition_of(struct slice host)
{
	return *(const unsigned char *)host.data;
}

struct test_node {
	struct scratch scratch;
	struct store *store;
};

static struct test_node owner;
static struct test_node follower;
static struct journal *journal;

static void open_node(struct test_node *node)
{
	const struct store_options options = {.is_temporary = true,
					      .partition_of = partition_of};

	scratch_make(&node->scratch);
	ASSERT_OK(store_open(&node->store, node->scratch.folder, &options));
}

static void close_node(struct test_node *node)
{
	store_close(node->store);
	scratch_remove(&node->scratch, NULL);
}

static void setup(void)
{
	open_node(&owner);
	open_node(&follower);
	journal = journal_create();
}

static void teardown(void)
{
	journal_destroy(journal);
	close_node(&owner);
	close_node(&follower);
}

static struct txn begin(void)
{
	struct txn txn = txn_begin_write(owner.store);

	journal_begin(journal, &txn);
	return txn;
}

/* Commit, and put what has changed into the follower. */
static void end(struct txn *txn)
{
	unsigned partitions[JOURNAL_PARTITIONS];
	size_t count = journal_partitions(journal, partitions);
	struct buffer changes[4] = {{0}};
	struct txn copy;

	ck_assert_uint_le(count, 4);
	for (size_t i = 0; i < count; i++)
		journal_write(journal, txn, partitions[i], &changes[i]);
	journal_end(txn);
	ASSERT_OK(txn_end(txn));
	copy = txn_begin_write(follower.store);
	for (size_t i = 0; i < count; i++) {
		journal_apply(&copy, partitions[i], buffer_slice(&changes[i]));
		buffer_free(&changes[i]);
	}
	ASSERT_OK(txn_end(&copy));
}

static uint64_t sum_of(struct store *store, unsigned partition, uint64_t *rows)
{
	struct txn txn = txn_begin_read(store);
	uint64_t sum = journal_sum(&txn, partition, rows);

	ASSERT_OK(txn_end(&txn));
	return sum;
}

static void expect_equal(unsigned partition)
{
	uint64_t here;
	uint64_t there;

	ck_assert_uint_eq(sum_of(owner.store, partition, &here),
			  sum_of(follower.store, partition, &there));
	ck_assert_uint_eq(here, there);
}

static uint32_t add_site(struct txn *txn, const char *host)
{
	struct site_row row = {.host = slice_of(host), .seed = slice_of(host)};

	row.id = store_next_site(txn, row.host);
	site_put(txn, &row);
	return row.id;
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(numbers_have_their_partition)
{
	struct txn txn = begin();
	uint32_t first = add_site(&txn, "a.test");
	uint32_t second = add_site(&txn, "another.test");
	uint32_t other = add_site(&txn, "b.test");
	struct event_row event = {.host = slice_of("b.test")};
	uint64_t number = event_add(&txn, &event);

	ck_assert_uint_eq(first, (uint32_t)'a' << 24 | 1);
	ck_assert_uint_eq(second, (uint32_t)'a' << 24 | 2);
	ck_assert_uint_eq(other, (uint32_t)'b' << 24 | 1);
	ck_assert_uint_eq(store_partition_of_event(owner.store, number), 'b');
	event.host = slice_of("a.test");
	ck_assert_uint_gt(event_add(&txn, &event), number);
	end(&txn);
	expect_equal('a');
	expect_equal('b');
}

TEST(the_last_event_of_a_partition_is_known_to_all)
{
	struct txn txn = begin();
	uint32_t site = add_site(&txn, "a.test");
	uint32_t other = add_site(&txn, "b.test");
	struct event_row event = {.host = slice_of("a.test")};
	uint64_t first = event_add(&txn, &event);
	uint64_t last;

	event.host = slice_of("b.test");
	last = event_add(&txn, &event);
	end(&txn);
	txn = txn_begin_read(follower.store);
	ck_assert_uint_eq(store_last_event(&txn, site), first);
	ck_assert_uint_eq(store_last_event(&txn, other), last);
	ck_assert(event_get_before(&txn, &last, &event));
	ck_assert_uint_eq(last, first);
	ck_assert(!event_get_before(&txn, &last, &event));
	txn_abort(&txn);
}

static void put_counter(struct txn *txn, const char *name, uint64_t number)
{
	txn_put(txn, TABLE_META, slice_of(name),
		(struct slice){&number, sizeof(number)});
}

TEST(the_hash_of_a_job_is_that_of_the_last_one)
{
	static const uint64_t numbers[] = {7, 9, 8};
	char counter[COUNTER_NAME_BYTES];
	char hash[COUNTER_NAME_BYTES];
	struct txn txn;

	counter_name(counter, "job", 'a');
	counter_name(hash, "jobhash", 'a');
	for (unsigned i = 0; i < 3; i++) {
		txn = begin();
		put_counter(&txn, counter, numbers[i]);
		put_counter(&txn, hash, numbers[i]);
		end(&txn);
	}
	txn = txn_begin_read(follower.store);
	ck_assert_uint_eq(store_last_number(&txn, counter), 9);
	ck_assert_uint_eq(store_last_number(&txn, hash), 8);
	txn_abort(&txn);
}

TEST(an_event_of_no_host_is_of_all)
{
	struct txn txn = begin();
	struct event_row event = {0};

	ck_assert_uint_eq(
		store_partition_of_event(owner.store, event_add(&txn, &event)),
		JOURNAL_COMMON);
	end(&txn);
	expect_equal(JOURNAL_COMMON);
}

/* A change at random: puts and deletes of rows of three partitions. */
static void change(struct txn *txn, uint64_t *random)
{
	static const enum table tables[] = {TABLE_PAGES, TABLE_DF, TABLE_BODIES,
					    TABLE_FRONTIER};
	uint64_t dice = scratch_random(random);
	uint32_t site = (uint32_t)('a' + dice % 3) << 24 | 1;
	struct key key = key_page(site, dice >> 8 & 63);
	enum table table = tables[dice >> 16 & 3];
	char text[64];
	int size = snprintf(text, sizeof(text), "%llu",
			    (unsigned long long)scratch_random(random));

	if ((dice >> 20 & 3) == 0)
		txn_delete(txn, table, key_slice(&key));
	else if ((dice >> 20 & 63) == 1)
		txn_delete_prefix(txn, table, (struct slice){key.bytes, 4});
	else
		txn_put(txn, table, key_slice(&key),
			(struct slice){text, (size_t)size});
}

TEST_LOOP(copies_are_equal_after_any_changes, 0, 5)
{
	uint64_t random = 0x9e3779b97f4a7c15 + (uint64_t)_i;

	for (int i = 0; i < 20; i++) {
		struct txn txn = begin();

		for (int j = 0; j < 50; j++)
			change(&txn, &random);
		end(&txn);
		for (unsigned partition = 'a'; partition <= 'c'; partition++)
			expect_equal(partition);
	}
}

/* Compaction divides values in another way, but copies stay equal. */
TEST(copies_may_divide_values_differently)
{
	static const char bytes[6000] = {1};
	const uint32_t site = (uint32_t)'a' << 24 | 1;
	struct store_sizes sizes;
	struct txn txn;

	for (size_t i = 0; i < 3; i++) {
		txn = begin();
		for (uint64_t page = 0; page < 4; page++)
			content_put(&txn, TABLE_BODIES,
				    KEY(key_page(site, page)),
				    (struct slice){bytes, 6000 - 1500 * i});
		content_delete(&txn, TABLE_BODIES, KEY(key_page(site, i)));
		end(&txn);
		expect_equal('a');
		ASSERT_OK(store_compact(i == 0 ? follower.store : owner.store,
					&sizes));
		expect_equal('a');
	}
	txn = txn_begin_read(follower.store);
	ck_assert_uint_eq(txn_usage(&txn, TABLE_BODIES).rows, 3);
	ck_assert_uint_eq(txn_usage(&txn, TABLE_BODY_PIECES).rows, 0);
	txn_abort(&txn);
}

enum { MAX_CHUNKS = 200 };

/* Dump the partition of the owner, in small chunks; returns how many. */
static size_t dump_it(unsigned partition, struct buffer chunks[MAX_CHUNKS])
{
	struct txn txn = txn_begin_read(owner.store);
	struct dump dump = dump_begin(&txn, partition);
	size_t count = 0;

	while (dump_next(&dump, 256, &chunks[count]))
		ck_assert_uint_lt(++count, MAX_CHUNKS);
	dump_end(&dump);
	ASSERT_OK(txn_end(&txn));
	return count;
}

static void fill_owner(void)
{
	struct txn txn = begin();
	uint64_t random = 7;

	add_site(&txn, "a.test");
	add_site(&txn, "b.test");
	for (int i = 0; i < 500; i++)
		change(&txn, &random);
	journal_end(&txn);
	ASSERT_OK(txn_end(&txn));
}

TEST(a_partition_is_dumped_into_another_store)
{
	struct buffer chunks[MAX_CHUNKS] = {{0}};
	struct txn copy;
	uint64_t rows;
	size_t count;

	fill_owner();
	count = dump_it('a', chunks);
	ck_assert_uint_gt(count, 3);
	copy = txn_begin_write(follower.store);
	for (size_t i = 0; i < count; i++)
		journal_apply(&copy, 'a', buffer_slice(&chunks[i]));
	ASSERT_OK(txn_end(&copy));
	for (size_t i = 0; i <= count; i++)
		buffer_free(&chunks[i]);
	expect_equal('a');
	sum_of(follower.store, 'b', &rows);
	ck_assert_uint_eq(rows, 0);
	/* what has its number once does not give it again */
	copy = txn_begin_write(follower.store);
	ck_assert_uint_eq(store_next_site(&copy, slice_of("a2.test")),
			  (uint32_t)'a' << 24 | 2);
	ASSERT_OK(txn_end(&copy));
}

TEST(a_partition_is_cleared)
{
	struct txn txn;
	uint64_t other;
	uint64_t rows;

	fill_owner();
	other = sum_of(owner.store, 'b', NULL);
	txn = txn_begin_write(owner.store);
	while (journal_clear(&txn, 'a', 10) == 10)
		;
	ASSERT_OK(txn_end(&txn));
	ck_assert_uint_eq(sum_of(owner.store, 'a', &rows), 0);
	ck_assert_uint_eq(rows, 0);
	ck_assert_uint_eq(sum_of(owner.store, 'b', NULL), other);
}

/* What came of it when the follower was to take these bytes. */
static enum error take(unsigned partition, struct slice changes)
{
	struct txn copy = txn_begin_write(follower.store);

	journal_apply(&copy, partition, changes);
	return txn_end(&copy);
}

TEST(damage_and_strangers_are_refused)
{
	struct txn txn = begin();
	AUTO_BUFFER changes = {0};

	add_site(&txn, "a.test");
	journal_write(journal, &txn, 'a', &changes);
	journal_end(&txn);
	ASSERT_OK(txn_end(&txn));
	ck_assert_int_eq(take('b', buffer_slice(&changes)), ERR_CORRUPT);
	for (size_t size = 5; size < changes.size; size++) {
		enum error error =
			take('a', (struct slice){changes.data, size});

		ck_assert(error == ERR_CORRUPT || error == ERR_NONE);
	}
	changes.data[2]++;
	ck_assert_int_eq(take('a', buffer_slice(&changes)), ERR_VERSION);
	ck_assert_int_eq(take('a', slice_of("")), ERR_CORRUPT);
}

TEST(bytes_at_random_do_no_harm)
{
	struct txn txn = begin();
	AUTO_BUFFER changes = {0};
	uint64_t random = 99;

	add_site(&txn, "a.test");
	for (int i = 0; i < 30; i++)
		change(&txn, &random);
	journal_write(journal, &txn, 'a', &changes);
	journal_end(&txn);
	txn_abort(&txn);
	for (int i = 0; i < 2000; i++) {
		size_t at = 4 + scratch_random(&random) % (changes.size - 4);
		char before = changes.data[at];

		changes.data[at] = (char)scratch_random(&random);
		take('a', buffer_slice(&changes));
		changes.data[at] = before;
	}
}

TEST(places_are_kept)
{
	const struct journal_position place = {17, 4, 1, 99};
	struct journal_position read = {0};
	struct txn txn = txn_begin_write(owner.store);

	ck_assert(!journal_position_get(&txn, 3, &read));
	journal_position_put(&txn, 3, &place);
	ck_assert(journal_position_get(&txn, 3, &read));
	ck_assert_int_eq(memcmp(&read, &place, sizeof(place)), 0);
	journal_position_delete(&txn, 3);
	ck_assert(!journal_position_get(&txn, 3, &read));
	ASSERT_OK(txn_end(&txn));
}

TEST(nothing_is_ours_at_first)
{
	ck_assert(!store_owns(owner.store, 'a'));
	store_set_owned(owner.store, 'a', true);
	ck_assert(store_owns_site(owner.store, (uint32_t)'a' << 24 | 9));
	ck_assert(!store_owns_site(owner.store, (uint32_t)'b' << 24 | 9));
	ck_assert(store_owns_event(owner.store, 5 << 9 | 'a'));
}

/* The same store, with partitions or without. */
static void reopen_owner(bool has_partitions)
{
	const struct store_options options = {
		.is_temporary = true,
		.partition_of = has_partitions ? partition_of : NULL};

	store_close(owner.store);
	ASSERT_OK(store_open(&owner.store, owner.scratch.folder, &options));
}

static bool was_whole(void)
{
	struct txn txn = txn_begin_read(owner.store);
	bool answer = store_has_unpartitioned_sites(&txn);

	ASSERT_OK(txn_end(&txn));
	return answer;
}

TEST(without_partitions_no_number_is_given_twice)
{
	struct txn txn = begin();
	uint32_t last;

	add_site(&txn, "a.test");
	last = add_site(&txn, "b.test");
	end(&txn);
	ck_assert(!was_whole());
	reopen_owner(false);
	txn = txn_begin_write(owner.store);
	store_leave_partitions(&txn);
	ck_assert_uint_eq(add_site(&txn, "c.test"), last + 1);
	store_leave_partitions(&txn);
	ck_assert_uint_eq(add_site(&txn, "d.test"), last + 2);
	ASSERT_OK(txn_end(&txn));
	reopen_owner(true);
	ck_assert(was_whole());
}

TEST(an_empty_store_is_of_both_kinds)
{
	struct txn txn;

	reopen_owner(false);
	txn = txn_begin_write(owner.store);
	store_leave_partitions(&txn);
	ck_assert_uint_eq(add_site(&txn, "a.test"), 1);
	txn_delete(&txn, TABLE_SITES, slice_of("a.test"));
	ASSERT_OK(txn_end(&txn));
	reopen_owner(true);
	ck_assert(!was_whole());
}
