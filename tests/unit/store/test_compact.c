/* The store is compacted while it is used. */
#include "store/store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "store/content.h"
#include "store/key.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

enum { ROWS = 2000, ROW_BYTES = 3000 };

static const uint64_t map_page = 4096; /* bytes */

static struct scratch scratch;

static void setup(void)
{
	scratch_make(&scratch);
}

static void teardown(void)
{
	scratch_remove(&scratch, NULL);
}

static void put(struct store *store, uint32_t from, uint32_t to)
{
	static char bytes[ROW_BYTES];
	struct txn txn = txn_begin_write(store);

	for (uint32_t i = from; i < to; i++) {
		struct key key = key_small(i);

		memcpy(bytes, &i, sizeof(i));
		txn_put(&txn, TABLE_BODIES, key_slice(&key),
			(struct slice){bytes, sizeof(bytes)});
	}
	ASSERT_OK(txn_end(&txn));
}

static void drop(struct store *store, uint32_t from, uint32_t to)
{
	struct txn txn = txn_begin_write(store);

	for (uint32_t i = from; i < to; i++) {
		struct key key = key_small(i);

		txn_delete(&txn, TABLE_BODIES, key_slice(&key));
	}
	ASSERT_OK(txn_end(&txn));
}

static uint64_t rows(struct store *store)
{
	struct store_usage usage;

	ASSERT_OK(store_usage(store, &usage));
	return usage.rows[TABLE_BODIES];
}

static uint64_t data_bytes(void)
{
	struct stat status;

	ck_assert_int_eq(stat(scratch_path(&scratch, "data.mdb"), &status), 0);
	return (uint64_t)status.st_size;
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 120);

/* Every row of 1,000 bytes, then of 40: with its key of 4 and its checksum
 * it takes 62 with LMDB's head and place, and a page of 4,096 has room for 65
 * in its 4,080. So 2,000 take 31 pages, where there were 3 rows in a page. */
TEST(rows_that_became_small_fill_their_pages)
{
	static char bytes[1000];
	struct store *store = scratch_store(&scratch);
	struct store_sizes sizes;
	struct store_usage usage;

	for (int pass = 0; pass < 2; pass++) {
		struct txn txn = txn_begin_write(store);

		for (uint32_t i = 0; i < ROWS; i++) {
			struct key key = key_small(i * 2654435761U);

			txn_put(&txn, TABLE_BODIES, key_slice(&key),
				(struct slice){bytes, pass == 0 ? 1000 : 40});
		}
		ASSERT_OK(txn_end(&txn));
	}
	ASSERT_OK(store_compact(store, &sizes));
	ASSERT_OK(store_usage(store, &usage));
	ck_assert_uint_eq(usage.rows[TABLE_BODIES], ROWS);
	ck_assert_uint_le(usage.bytes[TABLE_BODIES], 32 * map_page);
	store_close(store);
}

/* A row of 3,000 bytes has its own page: 2,000 rows are over 8 MB, and 10 are
 * next to nothing. */
TEST(what_was_deleted_goes_back_to_the_disk)
{
	struct store *store = scratch_store(&scratch);
	struct store_sizes sizes;

	put(store, 0, ROWS);
	drop(store, 10, ROWS);
	ck_assert_uint_gt(data_bytes(), ROWS * map_page);
	ASSERT_OK(store_compact(store, &sizes));
	ck_assert_uint_gt(sizes.before, ROWS * map_page);
	ck_assert_uint_lt(sizes.after, 100 * map_page);
	ck_assert_uint_eq(data_bytes(), sizes.after);
	ck_assert_uint_eq(rows(store), 10);
	store_close(store);
}

/* Return the size of value `i`. */
static size_t content_bytes(uint32_t i)
{
	return i * 7919 % 9000;
}

static void put_content(struct store *store, enum table table)
{
	static char bytes[9000];
	struct txn txn = txn_begin_write(store);

	for (uint32_t i = 0; i < ROWS; i++) {
		uint32_t mixed = i * 2654435761U;

		memset(bytes, (char)i, sizeof(bytes));
		bytes[0] = 1;
		content_put(&txn, table, KEY(key_page(mixed % 3, mixed)),
			    (struct slice){bytes, content_bytes(i)});
	}
	ASSERT_OK(txn_end(&txn));
}

static void check_content(struct store *store, enum table table)
{
	static char bytes[9000];
	struct txn txn = txn_begin_read(store);
	AUTO_BUFFER joined = {0};

	for (uint32_t i = 0; i < ROWS; i++) {
		uint32_t mixed = i * 2654435761U;

		memset(bytes, (char)i, sizeof(bytes));
		bytes[0] = 1;
		ck_assert(slice_equal(
			content_get(&txn, table,
				    KEY(key_page(mixed % 3, mixed)), &joined),
			(struct slice){bytes, content_bytes(i)}));
	}
	ASSERT_OK(txn_end(&txn));
}

static uint64_t content_usage(struct store *store)
{
	struct store_usage usage;

	ASSERT_OK(store_usage(store, &usage));
	return usage.bytes[TABLE_BODIES] + usage.bytes[TABLE_BODY_PIECES];
}

/* The mean of the sizes is 4,500 bytes. */
TEST(content_needs_little_more_than_its_size)
{
	struct store *store = scratch_store(&scratch);
	struct store_sizes sizes;
	uint64_t before;

	put_content(store, TABLE_BODIES);
	put_content(store, TABLE_RECORDS);
	before = content_usage(store);
	for (int i = 0; i < 2; i++) {
		ASSERT_OK(store_compact(store, &sizes));
		check_content(store, TABLE_BODIES);
		check_content(store, TABLE_RECORDS);
		ck_assert_uint_lt(content_usage(store), before);
		ck_assert_uint_lt(content_usage(store),
				  ROWS * 4500 * 108 / 100);
	}
	put_content(store, TABLE_BODIES);
	check_content(store, TABLE_BODIES);
	store_close(store);
}

/* The row and the other pieces stay, so that `verify` finds the damage. */
TEST(a_body_without_a_piece_stays)
{
	static const char bytes[5000] = {1};
	const struct key key = key_page(1, 2);
	struct store *store = scratch_store(&scratch);
	struct txn txn = txn_begin_write(store);
	struct store_sizes sizes;
	struct store_usage usage;

	content_put(&txn, TABLE_BODIES, key_slice(&key),
		    (struct slice){bytes, sizeof(bytes)});
	txn_delete(&txn, TABLE_BODY_PIECES, KEY(key_piece(key_slice(&key), 1)));
	txn_put(&txn, TABLE_BODY_PIECES, KEY(key_piece(key_slice(&key), 2)),
		slice_of("x"));
	ASSERT_OK(txn_end(&txn));
	ASSERT_OK(store_compact(store, &sizes));
	ASSERT_OK(store_usage(store, &usage));
	ck_assert_uint_eq(usage.rows[TABLE_BODIES], 1);
	ck_assert_uint_eq(usage.rows[TABLE_BODY_PIECES], 1);
	store_close(store);
}

TEST(what_is_written_behind_it_is_there_after_a_restart)
{
	struct store *store = scratch_store(&scratch);
	struct store_sizes sizes;

	for (uint32_t round = 0; round < 5; round++) {
		put(store, round * 10, round * 10 + 10);
		ASSERT_OK(store_compact(store, &sizes));
		put(store, 1000 + round, 1001 + round);
	}
	store_close(store);
	store = scratch_store(&scratch);
	ck_assert_uint_eq(rows(store), 55);
	store_close(store);
}

TEST(an_empty_store_stays_empty)
{
	struct store *store = scratch_store(&scratch);
	struct store_sizes sizes;

	ASSERT_OK(store_compact(store, &sizes));
	ck_assert_uint_eq(rows(store), 0);
	put(store, 0, 1);
	ck_assert_uint_eq(rows(store), 1);
	store_close(store);
}

TEST(the_map_is_as_large_as_before)
{
	struct store *store = scratch_store(&scratch);
	struct store_sizes sizes;
	struct store_usage before;
	struct store_usage after;

	ASSERT_OK(store_usage(store, &before));
	ASSERT_OK(store_compact(store, &sizes));
	ASSERT_OK(store_usage(store, &after));
	ck_assert_uint_eq(after.map_bytes, before.map_bytes);
	store_close(store);
}

TEST(a_store_that_is_read_only_is_left)
{
	struct store_options options = {.is_read_only = true};
	struct store *store = scratch_store(&scratch);
	struct store_sizes sizes;

	store_close(store);
	ASSERT_OK(store_open(&store, scratch.folder, &options));
	ck_assert_int_eq(store_compact(store, &sizes), ERR_ADDRESS_FORBIDDEN);
	store_close(store);
}

/* Another process that has the store open to read from begin to end. */
struct reader {
	pid_t process;
	int says; /* a byte when it is open */
	int ends; /* by a byte */
};

static void read_until(int says, int ends)
{
	struct store_options options = {.is_read_only = true};
	struct store *store = NULL;
	char byte = 0;
	bool is_good =
		store_open(&store, scratch.folder, &options) == ERR_NONE &&
		write(says, &byte, 1) == 1 && read(ends, &byte, 1) == 1;

	store_close(store);
	_exit(is_good ? 0 : 1);
}

/* No store is open in this process yet. */
static struct reader begin_reader(void)
{
	struct reader reader;
	int said[2];
	int heard[2];
	char byte;

	ck_assert_int_eq(pipe(said), 0);
	ck_assert_int_eq(pipe(heard), 0);
	reader = (struct reader){fork(), said[0], heard[1]};
	if (reader.process == 0)
		read_until(said[1], heard[0]);
	ck_assert_int_eq(read(reader.says, &byte, 1), 1);
	return reader;
}

static void end_reader(const struct reader *reader)
{
	char byte = 0;
	int status;

	ck_assert_int_eq(write(reader->ends, &byte, 1), 1);
	ck_assert_int_eq(waitpid(reader->process, &status, 0), reader->process);
	ck_assert_int_eq(status, 0);
}

TEST(a_store_that_another_process_reads_is_left)
{
	struct store *store = scratch_store(&scratch);
	struct store_sizes sizes;
	struct reader reader;

	put(store, 0, 3);
	store_close(store);
	reader = begin_reader();
	store = scratch_store(&scratch);
	ck_assert_int_eq(store_compact(store, &sizes), ERR_BUSY);
	ck_assert_uint_eq(rows(store), 3);
	put(store, 3, 4);
	end_reader(&reader);
	ASSERT_OK(store_compact(store, &sizes));
	ck_assert_uint_eq(rows(store), 4);
	store_close(store);
}

/* Each thread looks whether rows 0 and 1, written together, are alike. */
struct traffic {
	struct store *store;
	atomic_bool is_over;
	atomic_uint torn;
	atomic_uint seen;
};

static uint32_t number_of(struct txn *txn, uint32_t row)
{
	struct key key = key_small(row);
	struct slice value = txn_get(txn, TABLE_BODIES, key_slice(&key));
	uint32_t number = 0;

	if (value.size == sizeof(number))
		memcpy(&number, value.data, sizeof(number));
	return number;
}

static void *read_rows(void *context)
{
	struct traffic *traffic = context;

	while (!atomic_load(&traffic->is_over)) {
		struct txn txn = txn_begin_read(traffic->store);

		if (number_of(&txn, 0) != number_of(&txn, 1))
			atomic_fetch_add(&traffic->torn, 1);
		txn_abort(&txn);
		atomic_fetch_add(&traffic->seen, 1);
	}
	return NULL;
}

static void *write_rows(void *context)
{
	struct traffic *traffic = context;

	for (uint32_t i = 1; !atomic_load(&traffic->is_over); i++) {
		struct txn txn = txn_begin_write(traffic->store);

		for (uint32_t row = 0; row < 2; row++) {
			struct key key = key_small(row);

			txn_put(&txn, TABLE_BODIES, key_slice(&key),
				(struct slice){&i, sizeof(i)});
		}
		if (number_of(&txn, 2) + 1 != i)
			atomic_fetch_add(&traffic->torn, 1); /* one was lost */
		txn_put(&txn, TABLE_BODIES,
			(struct slice){"\0\0\0\2", sizeof(uint32_t)},
			(struct slice){&i, sizeof(i)});
		if (txn_end(&txn) != ERR_NONE)
			atomic_fetch_add(&traffic->torn, 1);
	}
	return NULL;
}

TEST(readers_and_a_writer_go_on)
{
	struct traffic traffic = {.store = scratch_store(&scratch)};
	pthread_t threads[3];
	struct store_sizes sizes;

	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, read_rows, &traffic),
			0);
	ck_assert_int_eq(
		pthread_create(&threads[2], NULL, write_rows, &traffic), 0);
	for (unsigned i = 0; i < 50; i++) {
		ASSERT_OK(store_compact(traffic.store, &sizes));
		store_check_readers(traffic.store);
	}
	atomic_store(&traffic.is_over, true);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(atomic_load(&traffic.torn), 0);
	ck_assert_uint_gt(atomic_load(&traffic.seen), 0);
	store_close(traffic.store);
}

struct replacement {
	struct store *store;
	atomic_bool is_reading;
	atomic_bool may_end;
	enum error error;
};

static void *read_long(void *context)
{
	struct replacement *replacement = context;
	struct txn txn = txn_begin_read(replacement->store);

	atomic_store(&replacement->is_reading, true);
	while (!atomic_load(&replacement->may_end))
		usleep(1000);
	txn_abort(&txn);
	return NULL;
}

static void *compact_behind(void *context)
{
	struct replacement *replacement = context;
	struct store_sizes sizes;

	replacement->error = store_compact(replacement->store, &sizes);
	return NULL;
}

/* Else these wait until it gives up. */
TEST(readers_begin_while_it_waits_for_a_long_one)
{
	struct replacement replacement = {.store = scratch_store(&scratch)};
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, read_long, &replacement);
	while (!atomic_load(&replacement.is_reading))
		usleep(1000);
	pthread_create(&threads[1], NULL, compact_behind, &replacement);
	for (unsigned i = 0; i < 50; i++) {
		struct txn txn = txn_begin_read(replacement.store);

		ASSERT_OK(txn_end(&txn));
		usleep(10000);
	}
	atomic_store(&replacement.may_end, true);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	ASSERT_OK(replacement.error);
	store_close(replacement.store);
}

TEST(what_a_killed_one_has_left_goes_at_the_next_start)
{
	struct store *store = scratch_store(&scratch);
	char path[SCRATCH_PATH_BYTES];
	FILE *file;

	store_close(store);
	snprintf(path, sizeof(path), "%s/data.mdb.new", scratch.folder);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fclose(file);
	store = scratch_store(&scratch);
	ck_assert_int_ne(access(path, F_OK), 0);
	store_close(store);
}
