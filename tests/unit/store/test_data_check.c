/* What LMDB wrote is whole by our own reading of its pages, and what is cut
 * short or damaged is found before LMDB may touch it. */
#include "store/lmdb_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "store/key.h"
#include "store/store.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

enum {
	ROUNDS = 40,
	CHANGES = 400,
	KEYS = 900,
	MAX_VALUE_BYTES = 20000,
	CUTS = 100,
	PAGE_BYTES = 4096,
	HEAD_BITS = 16 * 8,
};

static struct scratch scratch;
static char value_bytes[MAX_VALUE_BYTES];

static void set_up(void)
{
	scratch_make(&scratch);
}

static void tear_down(void)
{
	scratch_remove(&scratch, NULL);
}

/* Small values mostly, and keys that are not as long as each other. */
static void change(struct txn *txn, uint64_t *state)
{
	enum table table = (enum table)(1 + scratch_random(state) % 5);
	uint64_t number = scratch_random(state) % KEYS;
	uint64_t size = scratch_random(state) % 100;
	struct key key = number % 3 == 0 ? key_small((uint32_t)number)
					 : key_number(number);

	if (size > 96)
		size = scratch_random(state) % MAX_VALUE_BYTES;
	if (scratch_random(state) % 3 == 0)
		txn_delete(txn, table, key_slice(&key));
	else
		txn_put(txn, table, key_slice(&key),
			(struct slice){value_bytes, size});
}

static void fill(uint64_t seed, int rounds)
{
	struct store *store = scratch_store(&scratch);
	uint64_t state = seed;

	for (int i = 0; i < rounds; i++) {
		struct txn txn = txn_begin_write(store);

		for (int j = 0; j < CHANGES; j++)
			change(&txn, &state);
		ASSERT_OK(txn_end(&txn));
		ASSERT_OK(lmdb_file_check(scratch.folder, LMDB_PAGES));
	}
	store_close(store);
}

FIXTURE(.setup = set_up, .teardown = tear_down, .timeout_s = 60);

TEST(what_lmdb_wrote_is_whole)
{
	for (uint64_t seed = 1; seed <= 3; seed++)
		fill(seed, ROUNDS);
	ASSERT_OK(lmdb_file_check(scratch.folder, LMDB_ROOTS));
}

TEST(a_new_store_is_whole)
{
	ASSERT_OK(lmdb_file_check(scratch.folder, LMDB_PAGES));
	store_close(scratch_store(&scratch));
	ASSERT_OK(lmdb_file_check(scratch.folder, LMDB_PAGES));
}

static enum error open_it(bool is_read_only)
{
	struct store_options options = {.is_temporary = true,
					.is_read_only = is_read_only};
	struct store *store = NULL;
	enum error error = store_open(&store, scratch.folder, &options);

	store_close(store);
	return error;
}

/* A file of this many bytes is refused, and stays unchanged. */
static void cut(off_t size)
{
	const char *name = scratch_path(&scratch, "data.mdb");
	struct stat status;

	ck_assert_int_eq(truncate(name, size), 0);
	ck_assert_int_eq(open_it(true), ERR_CORRUPT);
	ck_assert_int_eq(open_it(false), ERR_CORRUPT);
	ck_assert_int_eq(stat(name, &status), 0);
	ck_assert_int_eq(status.st_size, size);
}

TEST(a_file_that_is_cut_short_is_refused_unmapped)
{
	struct stat status;
	uint64_t state = 7;
	uint64_t step;

	fill(1, 4);
	ck_assert_int_eq(stat(scratch_path(&scratch, "data.mdb"), &status), 0);
	step = 1 + 2 * (uint64_t)status.st_size / CUTS;
	for (off_t size = status.st_size - PAGE_BYTES; size > 0;
	     size -= 1 + (off_t)(scratch_random(&state) % step))
		cut(size);
}

static void flip(int file, off_t at, unsigned bit)
{
	unsigned char byte;

	ck_assert_int_eq(pread(file, &byte, 1, at), 1);
	byte ^= (unsigned char)(1U << bit);
	ck_assert_int_eq(pwrite(file, &byte, 1, at), 1);
}

/* Positions in a meta page, after the head of the page. */
enum { META_MAP_BYTES = 32, META_LAST_PAGE = 136 };

/* The size in the meta pages decides nothing without the rest. */
TEST(a_file_that_says_it_is_huge_is_damaged)
{
	const uint64_t map_bytes = UINT64_C(1) << 61;
	const uint64_t last_page = UINT64_C(1) << 48;
	int file;

	fill(1, 1);
	file = open(scratch_path(&scratch, "data.mdb"), O_RDWR);
	for (off_t page = 0; page < 2; page++) {
		ck_assert_int_eq(pwrite(file, &map_bytes, sizeof(map_bytes),
					page * PAGE_BYTES + META_MAP_BYTES),
				 sizeof(map_bytes));
		ck_assert_int_eq(pwrite(file, &last_page, sizeof(last_page),
					page * PAGE_BYTES + META_LAST_PAGE),
				 sizeof(last_page));
	}
	close(file);
	ck_assert_int_eq(lmdb_file_check(scratch.folder, LMDB_ROOTS),
			 ERR_CORRUPT);
	ck_assert_int_eq(lmdb_file_check(scratch.folder, LMDB_PAGES),
			 ERR_CORRUPT);
	ck_assert_int_eq(open_it(false), ERR_CORRUPT);
}

/* Pages that are in use, by what a check of a store says without them. */
TEST(each_bit_of_the_head_of_a_page_counts)
{
	int file;
	int found = 0;
	int tried = 0;
	struct stat status;

	fill(1, 2);
	file = open(scratch_path(&scratch, "data.mdb"), O_RDWR);
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(fstat(file, &status), 0);
	for (off_t page = 2; page < status.st_size / PAGE_BYTES; page += 5) {
		int of_page = 0;

		for (unsigned bit = 0; bit < HEAD_BITS; bit++) {
			off_t at = page * PAGE_BYTES + bit / 8;

			flip(file, at, bit % 8);
			of_page += lmdb_file_check(scratch.folder,
						   LMDB_PAGES) == ERR_CORRUPT;
			flip(file, at, bit % 8);
		}
		/* not one, of a page that no table has */
		if (of_page > 0)
			tried += HEAD_BITS;
		found += of_page;
	}
	close(file);
	ck_assert_int_gt(tried, 0);
	ck_assert_int_eq(found, tried);
}

TEST(a_meta_page_is_judged)
{
	static const off_t places[] = {8 + 2,
				       16,
				       16 + 4,
				       16 + 24,
				       16 + 120,
				       16 + 128,
				       PAGE_BYTES + 16 + 129};
	int file;

	fill(1, 2);
	file = open(scratch_path(&scratch, "data.mdb"), O_RDWR);
	ck_assert_int_ge(file, 0);
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		/* the highest bit, that no number of a small file has */
		unsigned bit = places[i] == 8 + 2 ? 3 : 7;

		if (places[i] == 16 + 120)
			flip(file, places[i] + 7, bit);
		else
			flip(file, places[i], bit);
		ck_assert_int_eq(open_it(true), ERR_CORRUPT);
		if (places[i] == 16 + 120)
			flip(file, places[i] + 7, bit);
		else
			flip(file, places[i], bit);
	}
	close(file);
	ASSERT_OK(open_it(true));
}

/* Damage a page that opening does not read. */
static void damage_a_leaf(void)
{
	int file = open(scratch_path(&scratch, "data.mdb"), O_RDWR);
	off_t page = 2;

	ck_assert_int_ge(file, 0);
	for (;; page++) {
		flip(file, page * PAGE_BYTES, 0);
		if (lmdb_file_check(scratch.folder, LMDB_PAGES) ==
			    ERR_CORRUPT &&
		    lmdb_file_check(scratch.folder, LMDB_ROOTS) == ERR_NONE)
			break;
		flip(file, page * PAGE_BYTES, 0);
	}
	close(file);
}

/* A process opens the store, and exits. */
static void leave_it(void)
{
	struct store_options options = {0};
	struct store *store = NULL;
	pid_t pid = fork();

	if (pid == 0)
		_exit(store_open(&store, scratch.folder, &options) != ERR_NONE);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

static enum error open_as_the_daemon(void)
{
	struct store_options options = {0};
	struct store *store = NULL;
	enum error error = store_open(&store, scratch.folder, &options);

	store_close(store);
	return error;
}

/* Otherwise it would be created again, over the existing data. */
TEST(a_file_without_bytes_is_a_new_store_only_once)
{
	int file = open(scratch_path(&scratch, "data.mdb"), O_RDWR | O_CREAT,
			0600);

	ck_assert_int_ge(file, 0);
	ASSERT_OK(open_as_the_daemon());
	ASSERT_OK(open_as_the_daemon());
	ck_assert_int_eq(ftruncate(file, 0), 0);
	ck_assert_int_eq(open_as_the_daemon(), ERR_CORRUPT);
	close(file);
}

TEST(all_of_a_store_that_was_not_closed_is_looked_at)
{
	fill(1, 4);
	leave_it();
	damage_a_leaf();
	ck_assert_int_eq(open_as_the_daemon(), ERR_CORRUPT);
	ck_assert_int_eq(open_as_the_daemon(), ERR_CORRUPT); /* and again */
	ASSERT_OK(open_it(true)); /* verify tells more */
}

/* Which reads all of it through the map. */
TEST(a_damaged_store_is_neither_copied_nor_compacted)
{
	struct store *store;
	struct store_sizes sizes;
	struct stat before;
	struct stat after;
	int file;

	fill(1, 4);
	damage_a_leaf();
	ck_assert_int_eq(stat(scratch_path(&scratch, "data.mdb"), &before), 0);
	store = scratch_store(&scratch);
	file = store_scratch_file(store);
	ck_assert_int_eq(store_copy(store, file), ERR_CORRUPT);
	ck_assert_int_eq(lseek(file, 0, SEEK_END), 0);
	ck_assert_int_eq(store_compact(store, &sizes), ERR_CORRUPT);
	close(file);
	store_close(store);
	ck_assert_int_eq(stat(scratch_path(&scratch, "data.mdb"), &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
}

TEST(a_store_that_was_closed_opens_at_once)
{
	fill(1, 4);
	leave_it();
	ASSERT_OK(open_as_the_daemon()); /* whole: it closes */
	damage_a_leaf();
	ASSERT_OK(open_as_the_daemon());
}
