/* Free pages return their disk space, and no page that is in use does. */
#include "store/holes.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/hash.h"
#include "store/key.h"
#include "store/lmdb_file.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

enum {
	ROWS = 400,
	ROW_BYTES = 60000,
	KILLS = 10,
	PAGE = 4096,
	HOLE_BYTES = HOLES_MAX_PAGES * PAGE
};

static const uint64_t all_bytes = (uint64_t)ROWS * ROW_BYTES;

static struct scratch scratch;
static int refusal; /* errno of fallocate(); 0 = it works */
static unsigned calls;
static useconds_t delay_us; /* time that each call takes */

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
int fallocate(int file, int mode, off_t offset, off_t size)
{
	calls++;
	usleep(delay_us);
	if (refusal == 0)
		return (int)syscall(SYS_fallocate, file, mode, offset, size);
	errno = refusal;
	return -1;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

static void setup(void)
{
	refusal = 0;
	calls = 0;
	delay_us = 0;
	scratch_make(&scratch);
}

static void teardown(void)
{
	scratch_remove(&scratch, NULL);
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 120);

static struct slice value_of(uint32_t row, uint32_t round)
{
	static uint64_t words[ROW_BYTES / sizeof(uint64_t)];

	for (size_t i = 0; i < ROW_BYTES / sizeof(uint64_t); i++)
		words[i] = (uint64_t)round << 48 | (uint64_t)row << 16 | i;
	return (struct slice){words, sizeof(words)};
}

static void put(struct store *store, uint32_t from, uint32_t to, uint32_t round)
{
	struct txn txn = txn_begin_write(store);

	for (uint32_t i = from; i < to; i++) {
		struct key key = key_small(i);

		txn_put(&txn, TABLE_BODIES, key_slice(&key),
			value_of(i, round));
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

/* The rows, each of which is checked by its checksum. */
static uint64_t count_rows(struct store *store)
{
	struct txn txn = txn_begin_read(store);
	struct scan scan = scan_begin(&txn, TABLE_BODIES, slice_of(""));
	uint64_t count = 0;

	while (scan_next(&scan)) {
		ck_assert_uint_eq(scan.value.size, ROW_BYTES /
							   sizeof(uint64_t) *
							   sizeof(uint64_t));
		count++;
	}
	scan_end(&scan);
	ASSERT_OK(txn_end(&txn));
	return count;
}

static uint64_t make_holes(struct store *store)
{
	struct holes_walk walk = {0};

	while (!walk.is_ended)
		ASSERT_OK(store_make_holes(store, &walk));
	return walk.bytes;
}

static struct store_usage usage_of(struct store *store)
{
	struct store_usage usage;

	ASSERT_OK(store_usage(store, &usage));
	return usage;
}

TEST(free_pages_return_their_disk_space)
{
	struct store *store = scratch_store(&scratch);
	struct store_usage full;
	struct store_usage usage;

	put(store, 0, ROWS, 1);
	full = usage_of(store);
	ck_assert_uint_gt(full.allocated_bytes, all_bytes);
	ck_assert_uint_eq(make_holes(store), 0);
	drop(store, 10, ROWS);
	put(store, 0, 1, 2);
	ck_assert_uint_gt(make_holes(store), all_bytes / 2);
	usage = usage_of(store);
	ck_assert_uint_ge(usage.file_bytes, full.file_bytes);
	ck_assert_uint_le(usage.allocated_bytes,
			  usage.live_bytes +
				  usage.live_bytes / HOLES_RESERVE_DIVISOR +
				  HOLES_RESERVE_BYTES + HOLES_MIN_BYTES);
	/* the reserve is left */
	ck_assert_uint_ge(usage.allocated_bytes + HOLE_BYTES,
			  usage.live_bytes + HOLES_RESERVE_BYTES);
	ck_assert_uint_eq(count_rows(store), 10);
	ASSERT_OK(lmdb_file_check(scratch.folder, LMDB_PAGES));
	ck_assert_uint_eq(make_holes(store), 0);

	put(store, 0, ROWS, 3); /* into the holes */
	ck_assert_uint_eq(count_rows(store), ROWS);
	ck_assert_uint_le(usage_of(store).file_bytes,
			  full.file_bytes + all_bytes / 25);
	store_close(store);
	ASSERT_OK(lmdb_file_check(scratch.folder, LMDB_PAGES));
}

/*
 * A step that has worked for 5 ms makes no further hole. Each second row is
 * left, so each hole has the size of a row.
 */
TEST(a_step_is_bounded)
{
	struct store *store = scratch_store(&scratch);
	struct holes_walk walk = {0};
	unsigned before = 0;

	delay_us = 2000;

	put(store, 0, ROWS, 1);
	for (uint32_t i = 0; i < ROWS; i += 2)
		drop(store, i, i + 1);
	put(store, 1, 2, 2);
	while (!walk.is_ended) {
		ASSERT_OK(store_make_holes(store, &walk));
		ck_assert_uint_le(calls - before, 3);
		before = calls;
	}
	ck_assert_uint_gt(calls, 30);
	ck_assert_uint_gt(walk.bytes, all_bytes / 8);
	ck_assert_uint_eq(count_rows(store), ROWS / 2);
	store_close(store);
	ASSERT_OK(lmdb_file_check(scratch.folder, LMDB_PAGES));
}

TEST(pages_of_a_reader_stay)
{
	struct store *store = scratch_store(&scratch);
	MDB_txn *reader = NULL;
	MDB_stat stat;
	MDB_val value;

	put(store, 0, ROWS, 1);
	ck_assert_int_eq(mdb_txn_begin(store->env, NULL, MDB_RDONLY, &reader),
			 0);
	drop(store, 0, ROWS);
	for (uint32_t round = 2; round < 5; round++)
		put(store, 0, 1, round);
	ck_assert_uint_lt(make_holes(store), ROW_BYTES);
	ck_assert_int_eq(mdb_stat(reader, store->tables[TABLE_BODIES], &stat),
			 0);
	ck_assert_uint_eq(stat.ms_entries, ROWS);
	for (uint32_t i = 0; i < ROWS; i++) {
		struct key key = key_small(i);
		MDB_val k = val_from_slice(key_slice(&key));
		struct slice wanted = value_of(i, 1);

		ck_assert_int_eq(mdb_get(reader, store->tables[TABLE_BODIES],
					 &k, &value),
				 0);
		ck_assert_uint_ge(value.mv_size, wanted.size);
		ck_assert_mem_eq(value.mv_data, wanted.data, wanted.size);
	}
	mdb_txn_abort(reader);
	ck_assert_uint_gt(make_holes(store), all_bytes / 2);
	store_close(store);
}

static void count_damage(void *context, const struct lmdb_damage *damage)
{
	(void)damage;
	++*(unsigned *)context;
}

/* After the loss of the last meta page, LMDB uses the one before. */
TEST(pages_of_the_older_meta_page_stay)
{
	struct store *store = scratch_store(&scratch);
	struct holes_walk walk = {0};
	unsigned damages = 0;
	const struct lmdb_visitor visitor = {.damage = count_damage,
					     .context = &damages};
	struct lmdb_file data;
	struct buffer why = {0};
	char zeros[PAGE] = {0};
	uint64_t last;
	int file;

	put(store, 0, ROWS, 1);
	drop(store, 0, ROWS);
	ASSERT_OK(store_make_holes(store, &walk));
	ck_assert_uint_lt(walk.bytes, ROW_BYTES);
	store_close(store);
	ASSERT_OK(lmdb_file_open(&data, scratch_path(&scratch, "data.mdb"),
				 &why));
	last = data.meta.transaction;
	lmdb_file_close(&data);
	file = open(scratch_path(&scratch, "data.mdb"), O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(pwrite(file, zeros, PAGE, (off_t)(last % 2 * PAGE)),
			 PAGE);
	close(file);
	ck_assert_int_eq(
		lmdb_file_open(&data, scratch_path(&scratch, "data.mdb"), &why),
		ERR_CORRUPT);
	ck_assert(data.has_meta);
	ck_assert_uint_eq(data.meta.transaction, last - 1);
	ASSERT_OK(lmdb_file_walk(&data, &visitor));
	ck_assert_uint_eq(damages, 0);
	lmdb_file_close(&data);
	buffer_free(&why);
}

TEST(pages_that_wait_for_a_commit_get_one)
{
	struct store *store = scratch_store(&scratch);

	put(store, 0, ROWS, 1);
	drop(store, 0, ROWS);
	ck_assert_uint_gt(make_holes(store), all_bytes / 2);
	ck_assert_uint_eq(make_holes(store), 0);
	store_close(store);
	ASSERT_OK(lmdb_file_check(scratch.folder, LMDB_PAGES));
}

TEST(a_file_system_without_holes_is_left_alone)
{
	struct store *store = scratch_store(&scratch);

	put(store, 0, ROWS, 1);
	drop(store, 0, ROWS);
	put(store, 0, 1, 2);
	refusal = EOPNOTSUPP;
	ck_assert_uint_eq(make_holes(store), 0);
	ck_assert_uint_eq(calls, 1);
	ck_assert_uint_eq(make_holes(store), 0);
	ck_assert_uint_eq(calls, 1);
	ck_assert_uint_eq(count_rows(store), 1);
	store_close(store);
}

TEST(a_failed_hole_is_an_error_and_is_tried_again)
{
	struct store *store = scratch_store(&scratch);
	struct holes_walk walk = {0};

	put(store, 0, ROWS, 1);
	drop(store, 0, ROWS);
	put(store, 0, 1, 2);
	refusal = EIO;
	ck_assert_int_eq(store_make_holes(store, &walk), ERR_IO);
	ck_assert(walk.is_ended);
	refusal = ENOSPC;
	ck_assert_int_eq(store_make_holes(store, &walk), ERR_STORE_FULL);
	refusal = EINTR;
	ASSERT_OK(store_make_holes(store, &walk));
	ck_assert(!walk.is_ended);
	ck_assert_uint_eq(walk.bytes, 0);
	refusal = 0;
	ck_assert_uint_gt(make_holes(store), all_bytes / 2);
	store_close(store);
}

TEST(holes_change_only_the_allocated_size)
{
	struct store *store = scratch_store(&scratch);
	struct store_usage usage;
	struct store_usage before;

	put(store, 0, ROWS, 1);
	drop(store, 0, ROWS);
	put(store, 0, 1, 2);
	before = usage_of(store);
	ck_assert_uint_gt(make_holes(store), all_bytes / 2);
	usage = usage_of(store);
	ck_assert_uint_eq(usage.free_bytes, before.free_bytes);
	ck_assert_uint_eq(usage.live_bytes, before.live_bytes);
	ck_assert_uint_eq(usage.file_bytes, before.file_bytes);
	store_close(store);
}

static atomic_bool is_over;

static void change_rows(struct store *store, uint32_t round, uint64_t *seed)
{
	uint32_t from = (uint32_t)(scratch_random(seed) % ROWS) / 2;

	if (round % 2 == 0)
		put(store, from, from + ROWS / 2, round);
	else
		drop(store, from, from + ROWS / 2);
}

static void *write_rows(void *store)
{
	uint64_t seed = 1;

	for (uint32_t round = 0; !atomic_load(&is_over); round++)
		change_rows(store, round, &seed);
	return NULL;
}

static void *read_rows(void *store)
{
	while (!atomic_load(&is_over))
		count_rows(store);
	return NULL;
}

TEST(holes_damage_no_row_that_others_write_and_read)
{
	struct store *store = scratch_store(&scratch);
	pthread_t writer;
	pthread_t reader;
	uint64_t freed = 0;

	atomic_store(&is_over, false);
	ck_assert_int_eq(pthread_create(&writer, NULL, write_rows, store), 0);
	ck_assert_int_eq(pthread_create(&reader, NULL, read_rows, store), 0);
	while (freed < 3 * all_bytes)
		freed += make_holes(store);
	atomic_store(&is_over, true);
	pthread_join(writer, NULL);
	pthread_join(reader, NULL);
	count_rows(store);
	store_close(store);
	ASSERT_OK(lmdb_file_check(scratch.folder, LMDB_PAGES));
}

/* Write, delete and make holes until the parent kills the process. */
static int work_until_killed(uint64_t seed)
{
	struct store *store = NULL;

	ASSERT_OK(
		store_open(&store, scratch.folder, &(struct store_options){0}));
	for (uint32_t round = 0;; round++) {
		struct holes_walk walk = {0};

		change_rows(store, round, &seed);
		ASSERT_OK(store_make_holes(store, &walk));
	}
}

TEST(a_killed_process_leaves_a_whole_store)
{
	struct store *store = NULL;

	for (uint64_t kill_number = 1; kill_number <= KILLS; kill_number++) {
		uint64_t seed = kill_number;
		pid_t child = fork();

		if (child == 0)
			_exit(work_until_killed(seed));
		usleep(100000 + (useconds_t)(scratch_random(&seed) % 400000));
		kill(child, SIGKILL);
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
		ASSERT_OK(lmdb_file_check(scratch.folder, LMDB_PAGES));
	}
	ASSERT_OK(
		store_open(&store, scratch.folder, &(struct store_options){0}));
	count_rows(store);
	put(store, 0, ROWS, 1);
	ck_assert_uint_eq(count_rows(store), ROWS);
	store_close(store);
}
