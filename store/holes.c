#include "store/holes.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/log.h"
#include "store/txn.h"

/*
 * One step. The caller holds the write lock of the store, so no free page
 * becomes used. `txn` only reads, because LMDB does not let a writer read the
 * lists of free pages.
 */
struct holes_step {
	struct store *store;
	struct txn *txn;
	struct holes_walk *walk;
	MDB_cursor *cursor; /* in the table of the lists */
	int file;
	uint64_t page_bytes;
	uint64_t last_page;  /* LMDB's last page */
	uint64_t kept_bytes; /* the step ends at this size on the disk */
	struct timespec begin;
};

/*
 * Read the transaction of a reader from a line of LMDB's list, "pid thread
 * transaction"; it is "-" if the reader has none. The heading has no number.
 */
static int note_reader(const char *line, void *context)
{
	const char *last = strrchr(line, ' ');
	uint64_t *oldest = context;

	if (last != NULL && isdigit((unsigned char)last[1])) {
		uint64_t transaction = strtoull(last + 1, NULL, 10);

		if (transaction < *oldest)
			*oldest = transaction;
	}
	return 0;
}

/*
 * Return the newest transaction whose freed pages LMDB may overwrite now. This
 * is the rule of mdb_page_alloc() and mdb_find_oldest(): the pages that
 * transaction N has freed are in use in the state before N. A reader may need
 * this state; so may LMDB after a crash, if N is the last transaction and its
 * meta page is damaged. A new reader reads the last state.
 */
static uint64_t newest_safe_list(const struct holes_step *step)
{
	/* the last one, because there is no writer */
	uint64_t oldest = mdb_txn_id(step->txn->mdb);

	mdb_reader_list(step->store->env, note_reader, &oldest);
	return oldest == 0 ? 0 : oldest - 1;
}

/*
 * Find the list of the newest transaction up to walk->transaction. Return false
 * if there is none.
 */
static bool holes_find_list(struct holes_step *step, MDB_val *list_out)
{
	struct holes_walk *walk = step->walk;
	size_t transaction = walk->transaction;
	MDB_val key = {sizeof(transaction), &transaction};
	int rc = mdb_cursor_get(step->cursor, &key, list_out, MDB_SET_RANGE);

	if (rc == MDB_SUCCESS)
		memcpy(&transaction, key.mv_data, sizeof(transaction));
	if (rc == MDB_NOTFOUND || transaction != walk->transaction) {
		rc = mdb_cursor_get(step->cursor, &key, list_out,
				    rc == MDB_NOTFOUND ? MDB_LAST : MDB_PREV);
		walk->position = 0;
	}
	if (rc == MDB_SUCCESS)
		memcpy(&walk->transaction, key.mv_data, sizeof(transaction));
	else if (rc != MDB_NOTFOUND)
		txn_check(step->txn, rc);
	return rc == MDB_SUCCESS;
}

/* Return the disk space that the file takes. */
static uint64_t holes_allocated_bytes(struct holes_step *step)
{
	enum { BLOCK_BYTES = 512 }; /* unit of st_blocks */
	struct stat status = {0};

	if (fstat(step->file, &status) != 0)
		txn_check(step->txn, errno);
	return (uint64_t)status.st_blocks * BLOCK_BYTES;
}

/* Return whether the step must end, so that writers do not wait longer. */
static bool holes_step_is_over(const struct holes_step *step)
{
	const int64_t second_ns = 1000000000;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return step->txn->error != ERR_NONE || step->walk->is_ended ||
	       (now.tv_sec - step->begin.tv_sec) * second_ns + now.tv_nsec -
			       step->begin.tv_nsec >
		       HOLES_STEP_NS;
}

/* Handle that fallocate() has failed. */
static void holes_fail(struct holes_step *step)
{
	int cause = errno;

	if (cause == EINTR) /* the next call tries again */
		return;
	if (cause != EOPNOTSUPP && cause != ENOSYS && cause != EPERM) {
		txn_check(step->txn, cause);
		return;
	}
	step->walk->is_ended = true;
	atomic_store(&step->store->has_no_holes, true);
	log_info("store %s: its file system cannot free a part of a file; use "
		 "templatectl compact to free disk space",
		 step->store->path);
}

/*
 * Make a hole for the consecutive pages of the list from walk->position on. A
 * list is sorted from the last page to the first one, `pages` is [count].
 */
static void holes_punch(struct holes_step *step, const uint64_t *pages,
			uint64_t count)
{
	enum { FIRST_PAGE = 2 }; /* the pages before are the meta pages */
	struct holes_walk *walk = step->walk;
	uint64_t last = pages[walk->position];
	uint64_t size = 1;

	if (last < FIRST_PAGE || last > step->last_page) {
		txn_fail(step->txn, ERR_CORRUPT);
		return;
	}
	while (size < HOLES_MAX_PAGES && size <= last - FIRST_PAGE &&
	       walk->position + size < count &&
	       pages[walk->position + size] == last - size)
		size++;
	if (fallocate(step->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      (off_t)((last - size + 1) * step->page_bytes),
		      (off_t)(size * step->page_bytes)) != 0) {
		holes_fail(step);
		return;
	}
	walk->position += size;
	walk->is_ended = holes_allocated_bytes(step) <= step->kept_bytes;
}

/* Make holes for the pages of the list, until the step is over. */
static void holes_punch_list(struct holes_step *step, MDB_val list)
{
	const uint64_t *numbers = list.mv_data; /* the count comes first */
	uint64_t room = list.mv_size / sizeof(*numbers);
	struct holes_walk *walk = step->walk;

	if (room == 0 || numbers[0] >= room) {
		txn_fail(step->txn, ERR_CORRUPT);
		return;
	}
	while (walk->position < numbers[0]) {
		holes_punch(step, numbers + 1, numbers[0]);
		if (holes_step_is_over(step))
			return;
	}
	walk->position = 0;
	walk->transaction--;
}

/* Read the properties of the file from LMDB. */
static void holes_step_describe(struct holes_step *step)
{
	enum { FREE_TREE = 0 };
	MDB_stat stat = {0};
	MDB_envinfo info = {0};
	mdb_filehandle_t file = -1;

	mdb_env_stat(step->store->env, &stat);
	mdb_env_info(step->store->env, &info);
	mdb_env_get_fd(step->store->env, &file);
	step->file = file;
	step->page_bytes = stat.ms_psize;
	step->last_page = info.me_last_pgno;
	clock_gettime(CLOCK_MONOTONIC, &step->begin);
	txn_check(step->txn,
		  mdb_cursor_open(step->txn->mdb, FREE_TREE, &step->cursor));
}

/* Run the step, in the read transaction. */
static void holes_step_run(struct holes_step *step)
{
	struct holes_walk *walk = step->walk;
	uint64_t newest = newest_safe_list(step);
	uint64_t before = holes_allocated_bytes(step);
	uint64_t after;
	MDB_val list;

	if (walk->transaction == 0 || walk->transaction > newest) {
		walk->transaction = newest;
		walk->position = 0;
	}
	while (!holes_step_is_over(step)) {
		if (walk->transaction != 0 && holes_find_list(step, &list))
			holes_punch_list(step, list);
		else
			walk->is_ended = walk->has_read_all = true;
	}
	after = holes_allocated_bytes(step);
	walk->bytes += before > after ? before - after : 0;
	mdb_cursor_close(step->cursor);
}

/*
 * Return how much disk space the file may keep: its live pages and the reserve.
 * If it takes too little more for a walk, end the walk.
 */
static enum error holes_plan(struct store *store, struct holes_walk *walk,
			     uint64_t *kept_bytes_out)
{
	struct store_usage usage;
	enum error error = store_usage(store, &usage);
	uint64_t kept = usage.live_bytes +
			usage.live_bytes / HOLES_RESERVE_DIVISOR +
			HOLES_RESERVE_BYTES;

	*kept_bytes_out = kept;
	if (walk->transaction == 0)
		kept += HOLES_MIN_BYTES;
	walk->is_ended = error != ERR_NONE || usage.allocated_bytes <= kept ||
			 atomic_load(&store->has_no_holes) ||
			 store->is_read_only;
	return error;
}

static void holes_log(const struct store *store, const struct txn *txn)
{
	log_warn_limited("store %s: cannot free disk space: %s; retrying",
			 store->path,
			 txn->cause != 0 ? strerrordesc_np(txn->cause)
					 : error_text(txn->error));
}

enum error store_make_holes(struct store *store, struct holes_walk *walk)
{
	struct txn txn;
	struct holes_step step = {.store = store, .txn = &txn, .walk = walk};
	enum error error = holes_plan(store, walk, &step.kept_bytes);

	if (walk->is_ended)
		return error;
	pthread_mutex_lock(&store->write_lock);
	txn = txn_begin_read(store);
	if (txn.error == ERR_NONE)
		holes_step_describe(&step);
	if (txn.error == ERR_NONE)
		holes_step_run(&step);
	error = txn_end(&txn);
	pthread_mutex_unlock(&store->write_lock);
	if (error != ERR_NONE)
		holes_log(store, &txn);
	walk->is_ended = walk->is_ended || error != ERR_NONE;
	return error;
}
