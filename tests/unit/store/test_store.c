#include "store/store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

static struct scratch scratch;
static char value[1 << 16];

static void setup(void)
{
	scratch_make(&scratch);
}

static void teardown(void)
{
	scratch_remove(&scratch, NULL);
}

/* A store of at most `max` bytes. */
static struct store *open_sized(size_t max)
{
	struct store *store = NULL;
	struct store_options options = {.max_map_bytes = max,
					.is_temporary = true};

	ASSERT_OK(store_open(&store, scratch.folder, &options));
	return store;
}

/* Put `count` values of 64 KiB in one transaction. */
static enum error fill(struct store *store, uint64_t first, uint64_t count)
{
	struct txn txn = txn_begin_write(store);

	for (uint64_t i = first; i < first + count; i++)
		txn_put(&txn, TABLE_BODIES, (struct slice){&i, sizeof(i)},
			(struct slice){value, sizeof(value)});
	return txn_end(&txn);
}

static size_t map_bytes(struct store *store)
{
	struct store_usage usage;

	ASSERT_OK(store_usage(store, &usage));
	return usage.map_bytes;
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_store_is_kept)
{
	struct store *store = open_sized(0);
	struct store_usage usage;

	ASSERT_OK(fill(store, 0, 3));
	store_close(store);
	store = open_sized(0);
	ASSERT_OK(store_usage(store, &usage));
	ck_assert_uint_eq(usage.rows[TABLE_BODIES], 3);
	ck_assert_uint_eq(usage.rows[TABLE_META], 1);
	ck_assert_uint_eq(usage.rows[TABLE_PAGES], 0);
	ck_assert_uint_gt(usage.live_bytes, 3 * sizeof(value));
	ck_assert_uint_eq(usage.map_bytes, (uint64_t)16 << 30);
	ck_assert_uint_eq(usage.max_map_bytes, (uint64_t)16 << 30);
	store_close(store);
}

/* The heads of 3 values of 64 KiB make a further page of each, and one leaf
 * refers to them. */
TEST(each_table_reports_the_bytes_of_its_pages)
{
	struct store *store = open_sized(0);
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct store_usage usage;
	uint64_t sum = 0;

	ASSERT_OK(fill(store, 0, 3));
	ASSERT_OK(store_usage(store, &usage));
	ck_assert_uint_eq(usage.bytes[TABLE_BODIES],
			  3 * sizeof(value) + 4 * page);
	ck_assert_uint_eq(usage.bytes[TABLE_META], page);
	ck_assert_uint_eq(usage.bytes[TABLE_PAGES], 0);
	for (int i = 0; i < TABLE_COUNT; i++)
		sum += usage.bytes[i];
	ck_assert_uint_lt(sum, usage.live_bytes);
	store_close(store);
}

/* Return the size of the pages in LMDB's lists of free pages. */
static uint64_t listed_bytes(struct store *store)
{
	struct txn txn = txn_begin_read(store);
	MDB_cursor *cursor = NULL;
	uint64_t pages = 0;
	MDB_val key;
	MDB_val list;

	ASSERT_OK(txn.error);
	ck_assert_int_eq(mdb_cursor_open(txn.mdb, 0, &cursor), 0);
	while (mdb_cursor_get(cursor, &key, &list, MDB_NEXT) == 0)
		pages += *(const uint64_t *)list.mv_data;
	mdb_cursor_close(cursor);
	ASSERT_OK(txn_end(&txn));
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

TEST(free_pages_are_not_live)
{
	struct store *store = open_sized(0);
	struct store_usage full;
	struct store_usage usage;
	struct txn txn;

	ASSERT_OK(fill(store, 0, 100));
	ASSERT_OK(store_usage(store, &full));
	ck_assert_uint_gt(full.live_bytes, 100 * sizeof(value));
	txn = txn_begin_write(store);
	txn_delete_prefix(&txn, TABLE_BODIES, slice_of(""));
	ASSERT_OK(txn_end(&txn));

	ASSERT_OK(store_usage(store, &usage));
	ck_assert_uint_lt(usage.live_bytes, sizeof(value));
	ck_assert_uint_gt(usage.free_bytes, 100 * sizeof(value));
	ck_assert_uint_eq(usage.free_bytes, listed_bytes(store));
	ck_assert_uint_ge(usage.file_bytes, full.file_bytes);
	ck_assert_uint_ge(usage.allocated_bytes, 100 * sizeof(value));
	store_close(store);
}

TEST(a_missing_folder_is_made_for_its_owner_alone)
{
	static const char *const inner[] = {"new", NULL};
	char path[SCRATCH_PATH_BYTES];
	struct store *store = NULL;
	struct stat status;

	snprintf(path, sizeof(path), "%s/new", scratch.folder);
	ASSERT_OK(store_open(&store, path, &(struct store_options){0}));
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_uint_eq(status.st_mode & 0777, 0700);
	snprintf(path, sizeof(path), "%s/new/data.mdb", scratch.folder);
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_uint_eq(status.st_mode & 0777, 0600);
	store_close(store);
	scratch_remove(&scratch, inner);
	scratch_make(&scratch);
}

TEST(a_failed_open_leaves_the_pointer_alone)
{
	struct store *store = NULL;

	ck_assert_int_eq(store_open(&store, "/no/such/folder",
				    &(struct store_options){0}),
			 ERR_IO);
	ck_assert_int_eq(
		store_open(&store, scratch.folder,
			   &(struct store_options){.is_read_only = true}),
		ERR_NOT_FOUND);
	ck_assert_ptr_null(store);
	store_close(store);
}

TEST(another_schema_is_refused)
{
	struct store *store = open_sized(0);
	struct txn txn = txn_begin_write(store);
	uint64_t schema = STORE_SCHEMA + 1;

	txn_put(&txn, TABLE_META, slice_of("schema"),
		(struct slice){&schema, sizeof(schema)});
	ASSERT_OK(txn_end(&txn));
	store_close(store);
	store = NULL;
	ck_assert_int_eq(
		store_open(&store, scratch.folder, &(struct store_options){0}),
		ERR_VERSION);
	ck_assert_int_eq(
		store_open(&store, scratch.folder,
			   &(struct store_options){.is_read_only = true}),
		ERR_VERSION);
	ck_assert_ptr_null(store);
}

TEST(a_file_that_is_no_store_is_refused)
{
	struct store *store = NULL;

	memset(value, 'x', sizeof(value));
	ASSERT_OK(file_write(scratch_path(&scratch, "data.mdb"),
			     (struct slice){value, sizeof(value)}));
	ck_assert_int_eq(
		store_open(&store, scratch.folder, &(struct store_options){0}),
		ERR_CORRUPT);
	ck_assert_ptr_null(store);
}

TEST(a_second_writer_gets_a_busy_error)
{
	struct store *store = open_sized(0);
	struct store *second = NULL;

	ck_assert_int_eq(
		store_open(&second, scratch.folder, &(struct store_options){0}),
		ERR_BUSY);
	ck_assert_ptr_null(second);
	store_close(store);
	second = open_sized(0);
	store_close(second);
}

TEST(a_full_store_is_reported)
{
	struct store *store = open_sized(3 << 20);

	ck_assert_uint_eq(map_bytes(store), 3 << 20);
	/* 48 * 64 KiB do not fit into 3 MiB next to the other pages */
	ck_assert_int_eq(fill(store, 0, 48), ERR_STORE_FULL);
	ASSERT_OK(fill(store, 0, 32));
	store_close(store);
	store = open_sized(1 << 20); /* the existing data fits, and no more */
	ck_assert_uint_gt(map_bytes(store), 2 << 20);
	ck_assert_int_eq(fill(store, 32, 8), ERR_STORE_FULL);
	store_close(store);
	store = open_sized(8 << 20);
	ASSERT_OK(fill(store, 32, 48));
	store_close(store);
}

TEST(small_batches_never_see_a_full_store)
{
	struct store *store = open_sized(32 << 20);

	for (uint64_t i = 0; i < 256; i++) /* 16 MiB */
		ASSERT_OK(fill(store, i, 1));
	store_close(store);
}

struct reader {
	struct store *store;
	atomic_int is_open;
	atomic_int may_end;
	bool was_safe;
};

static void *hold_snapshot(void *argument)
{
	struct reader *reader = argument;
	struct txn txn = txn_begin_read(reader->store);
	uint64_t key = 0;
	struct slice row;

	atomic_store(&reader->is_open, 1);
	while (atomic_load(&reader->may_end) == 0)
		usleep(1000);
	row = txn_get(&txn, TABLE_BODIES, (struct slice){&key, sizeof(key)});
	reader->was_safe = row.size == sizeof(value) &&
			   memcmp(row.data, value, sizeof(value)) == 0;
	txn_end(&txn);
	return NULL;
}

/* A backup is such a reader. */
TEST(it_grows_while_a_reader_is_open_and_blocks_nothing)
{
	struct reader reader = {.store = open_sized(64 << 20)};
	struct txn txn;
	pthread_t thread;

	memset(value, 'v', sizeof(value));
	ASSERT_OK(fill(reader.store, 0, 1));
	ck_assert_int_eq(pthread_create(&thread, NULL, hold_snapshot, &reader),
			 0);
	while (atomic_load(&reader.is_open) == 0)
		usleep(1000);
	for (uint64_t i = 1; i < 33; i++) { /* 32 MiB */
		ASSERT_OK(fill(reader.store, i * 16, 16));
		txn = txn_begin_read(reader.store);
		ASSERT_OK(txn_end(&txn));
	}
	atomic_store(&reader.may_end, 1);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert(reader.was_safe);
	store_close(reader.store);
}

struct traffic {
	struct store *store;
	atomic_int is_over;
	atomic_int failures;
};

static void *read_often(void *argument)
{
	struct traffic *traffic = argument;

	while (atomic_load(&traffic->is_over) == 0) {
		struct txn txn = txn_begin_read(traffic->store);
		struct scan scan = scan_begin(&txn, TABLE_BODIES, slice_of(""));
		unsigned sum = 0;

		while (scan_next(&scan))
			sum += ((const unsigned char *)scan.value.data)[9];
		scan_end(&scan);
		if (txn_end(&txn) != ERR_NONE || sum % 'v' != 0)
			atomic_fetch_add(&traffic->failures, 1);
	}
	return NULL;
}

TEST(readers_do_not_starve_the_writer)
{
	struct traffic traffic = {.store = open_sized(32 << 20)};
	pthread_t threads[4];

	memset(value, 'v', sizeof(value));
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, read_often, &traffic),
			0);
	for (uint64_t i = 0; i < 128; i++)
		ASSERT_OK(fill(traffic.store, i, 1));
	atomic_store(&traffic.is_over, 1);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	ck_assert_int_eq(atomic_load(&traffic.failures), 0);
	store_close(traffic.store);
}

static void wait_byte(int fd)
{
	char byte;

	ck_assert_int_eq(read(fd, &byte, 1), 1);
}

static void send_byte(int fd)
{
	ck_assert_int_eq(write(fd, "", 1), 1);
}

static uint64_t body_rows(struct store *store)
{
	struct store_usage usage;

	if (store_usage(store, &usage) != ERR_NONE)
		return UINT64_MAX;
	return usage.rows[TABLE_BODIES];
}

/* Another process: open, see 1 row, wait for more, see 65. */
static int look_on(int from_writer, int to_writer)
{
	struct store *store = NULL;
	struct store_options options = {.is_read_only = true};
	struct txn txn;
	int status = 0;

	wait_byte(from_writer);
	if (store_open(&store, scratch.folder, &options) != ERR_NONE)
		return 1;
	if (body_rows(store) != 1)
		status = 2;
	txn = txn_begin_write(store);
	txn_put(&txn, TABLE_META, slice_of("x"), slice_of("y"));
	if (txn_end(&txn) == ERR_NONE)
		status = 3;
	send_byte(to_writer);
	wait_byte(from_writer);
	if (body_rows(store) != 65)
		status = 4;
	store_close(store);
	return status;
}

TEST(a_reader_process_follows_the_growth_by_the_writer)
{
	struct store *store;
	int down[2];
	int up[2];
	int status;
	pid_t child;

	ck_assert_int_eq(pipe(down), 0);
	ck_assert_int_eq(pipe(up), 0);
	child = fork(); /* before any store is open */
	if (child == 0)
		_exit(look_on(down[0], up[1]));
	store = open_sized(64 << 20);
	ASSERT_OK(fill(store, 0, 1));
	send_byte(down[1]);
	wait_byte(up[0]);
	for (uint64_t i = 1; i <= 64; i++)
		ASSERT_OK(fill(store, i, 1));
	send_byte(down[1]);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	store_close(store);
}

/* Another process: hold a snapshot until it is killed. */
static int hold_until_killed(int to_writer)
{
	struct store *store = NULL;
	struct store_options options = {.is_read_only = true};
	struct txn txn;

	if (store_open(&store, scratch.folder, &options) != ERR_NONE)
		return 1;
	txn = txn_begin_read(store);
	send_byte(to_writer);
	pause();
	txn_abort(&txn);
	return 0;
}

/* A process that dies with a snapshot open would pin every old page. */
TEST(a_killed_reader_does_not_hold_pages_for_ever)
{
	struct store *store = open_sized(0);
	struct store_usage usage;
	int up[2];
	pid_t child;

	ASSERT_OK(fill(store, 0, 1));
	store_close(store);
	ck_assert_int_eq(pipe(up), 0);
	child = fork();
	if (child == 0)
		_exit(hold_until_killed(up[1]));
	wait_byte(up[0]);
	store = open_sized(0);
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	store_check_readers(store);
	for (int i = 0; i < 200; i++)
		ASSERT_OK(fill(store, 0, 1));
	/* 200 * 64 KiB would be 13 MB */
	ASSERT_OK(store_usage(store, &usage));
	ck_assert_uint_lt(usage.file_bytes, 2 << 20);
	store_close(store);
}

TEST(numbers_count_from_one)
{
	struct store *store = open_sized(0);
	struct txn txn = txn_begin_write(store);

	ck_assert_uint_eq(store_next_number(&txn, "site"), 1);
	ck_assert_uint_eq(store_next_number(&txn, "site"), 2);
	ck_assert_uint_eq(store_next_number(&txn, "event"), 1);
	ASSERT_OK(txn_end(&txn));

	txn = txn_begin_write(store);
	ck_assert_uint_eq(store_next_number(&txn, "site"), 3);
	txn_abort(&txn);

	txn = txn_begin_write(store);
	ck_assert_uint_eq(store_next_number(&txn, "site"), 3);
	txn_put(&txn, TABLE_META, slice_of("site"), slice_of("7 bytes"));
	ck_assert_uint_eq(store_next_number(&txn, "site"), 0);
	ck_assert_int_eq(txn_end(&txn), ERR_CORRUPT);
	store_close(store);
}
