/* The store as one file, and back. */
#include "store/store.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "store/key.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

enum { PAGE_BYTES = 4096 };

static struct scratch from;
static struct scratch to;

static void setup(void)
{
	scratch_make(&from);
	scratch_make(&to);
}

static void teardown(void)
{
	scratch_remove(&from, NULL);
	scratch_remove(&to, NULL);
}

static void put(struct store *store, uint32_t count, size_t size)
{
	static const char bytes[PAGE_BYTES];
	struct txn txn = txn_begin_write(store);

	for (uint32_t i = 0; i < count; i++) {
		struct key key = key_small(i);

		txn_put(&txn, TABLE_BODIES, key_slice(&key),
			(struct slice){bytes, size});
	}
	ASSERT_OK(txn_end(&txn));
}

/* The rows of the store in the folder; 0 when it cannot be opened. */
static uint64_t rows_in(const struct scratch *scratch)
{
	struct store_options options = {.is_read_only = true};
	struct store *store = NULL;
	struct store_usage usage = {0};

	if (store_open(&store, scratch->folder, &options) == ERR_NONE)
		store_usage(store, &usage);
	store_close(store);
	return usage.rows[TABLE_BODIES];
}

/* A copy of the store as "data.mdb" in the other folder. */
static enum error copy(struct store *store)
{
	int file = open(scratch_path(&to, "data.mdb"),
			O_RDWR | O_CREAT | O_TRUNC, 0600);
	enum error error;

	ck_assert_int_ge(file, 0);
	error = store_copy(store, file);
	close(file);
	return error;
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 120);

TEST(a_copy_opens_and_has_every_row)
{
	struct store *store = scratch_store(&from);

	put(store, 100, 100);
	ASSERT_OK(copy(store));
	put(store, 200, 100); /* not in it */
	ck_assert_uint_eq(rows_in(&to), 100);
	store_close(store);
}

TEST(a_copy_has_no_room_that_is_not_used)
{
	struct store *store = scratch_store(&from);
	struct slice all = {NULL, 0};
	struct stat status;
	struct txn txn;

	put(store, 1000, 3000);
	txn = txn_begin_write(store);
	ck_assert_uint_eq(txn_delete_prefix(&txn, TABLE_BODIES, all), 1000);
	ASSERT_OK(txn_end(&txn));
	ASSERT_OK(copy(store));
	ck_assert_int_eq(stat(scratch_path(&to, "data.mdb"), &status), 0);
	ck_assert_int_lt(status.st_size, (off_t)50 * PAGE_BYTES);
	store_close(store);
}

/* The number of the last page is in both heads of the file, 8 bytes before
 * that of the last transaction: 16 + 24 + 2 * 48. */
static void lose_a_page(const char *path)
{
	enum { LAST_PAGE = 16 + 24 + 2 * 48 };

	int file = open(path, O_RDWR);

	ck_assert_int_ge(file, 0);
	for (off_t head = 0; head < 2; head++) {
		off_t at = head * PAGE_BYTES + LAST_PAGE;
		uint64_t last;

		ck_assert_int_eq(pread(file, &last, sizeof(last), at),
				 sizeof(last));
		last++;
		ck_assert_int_eq(pwrite(file, &last, sizeof(last), at),
				 sizeof(last));
	}
	ck_assert_int_eq(ftruncate(file, (off_t)1 << 20), 0);
	close(file);
}

TEST(a_page_that_no_table_has_is_copied_too)
{
	struct store *store = scratch_store(&from);

	put(store, 10, 100);
	store_close(store);
	lose_a_page(scratch_path(&from, "data.mdb"));
	store = scratch_store(&from);
	ASSERT_OK(copy(store));
	ck_assert_uint_eq(rows_in(&to), 10);
	store_close(store);
}

TEST(a_file_of_its_own_has_no_name)
{
	struct store *store = scratch_store(&from);
	int file = store_scratch_file(store);

	ck_assert_int_ge(file, 0);
	ck_assert_int_ne(access(scratch_path(&from, "copy"), F_OK), 0);
	ASSERT_OK(store_copy(store, file));
	ck_assert_int_gt(lseek(file, 0, SEEK_END), 0);
	close(file);
	store_close(store);
}

/* `from` has 7 rows, `to` has 3. */
static struct store *open_both(void)
{
	struct store *store = scratch_store(&to);

	put(store, 3, 10);
	store_close(store);
	store = scratch_store(&from);
	put(store, 7, 10);
	return store;
}

TEST(an_empty_folder_gets_the_copy)
{
	struct store *store = scratch_store(&from);

	put(store, 7, 10);
	ASSERT_OK(store_restore(store, to.folder, NULL));
	ck_assert_uint_eq(rows_in(&to), 7);
	store_close(store);
}

TEST(a_store_is_not_overwritten)
{
	struct store *store = open_both();

	ck_assert_int_eq(store_restore(store, to.folder, NULL),
			 ERR_ADDRESS_FORBIDDEN);
	ck_assert_uint_eq(rows_in(&to), 3);
	store_close(store);
}

TEST(a_store_is_moved_aside)
{
	struct store *store = open_both();
	char aside[SCRATCH_PATH_BYTES];

	ASSERT_OK(store_restore(store, to.folder, "data.mdb.before"));
	ck_assert_uint_eq(rows_in(&to), 7);
	snprintf(aside, sizeof(aside), "%s/data.mdb.before", to.folder);
	ck_assert_int_eq(rename(aside, scratch_path(&to, "data.mdb")), 0);
	ck_assert_uint_eq(rows_in(&to), 3);
	store_close(store);
}

TEST(a_store_that_is_open_is_left)
{
	struct store *store = open_both();
	struct store *other = scratch_store(&to);

	ck_assert_int_eq(store_restore(store, to.folder, "aside"), ERR_BUSY);
	store_close(other);
	ASSERT_OK(store_restore(store, to.folder, "aside"));
	store_close(store);
}

TEST(a_failed_mkdir_is_reported)
{
	struct store *store = scratch_store(&from);

	ck_assert_int_eq(store_restore(store, scratch_path(&to, "a/b"), NULL),
			 ERR_IO);
	store_close(store);
}

/* Restore again and again until killed: each time 7 rows take the place of the
 * other 7. */
static void restore_for_ever(void)
{
	struct store *store = scratch_store(&from);
	char aside[64];

	for (unsigned i = 0;; i++) {
		snprintf(aside, sizeof(aside), "aside.%u.%d", i, getpid());
		if (store_restore(store, to.folder, aside) != ERR_NONE)
			_exit(1);
	}
}

TEST(killed_at_any_instant_one_of_both_is_there)
{
	uint64_t state = 1;

	store_close(open_both());
	for (unsigned i = 0; i < 20; i++) {
		uint64_t pause_us = scratch_random(&state) % 20000;
		pid_t child = fork();
		uint64_t rows;
		int status;

		if (child == 0)
			restore_for_ever();
		usleep((useconds_t)pause_us);
		kill(child, SIGKILL);
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert(WIFSIGNALED(status));
		rows = rows_in(&to);
		ck_assert(rows == 3 || rows == 7);
	}
}

TEST(the_data_are_there_at_any_instant)
{
	pid_t child;
	int status;

	store_close(open_both());
	child = fork();
	if (child == 0)
		restore_for_ever();
	scratch_path(&to, "data.mdb");
	for (unsigned i = 0; i < 300000; i++)
		ck_assert_int_eq(access(to.path, F_OK), 0);
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status));
}
