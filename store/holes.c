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
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
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
	int file;
	uint64_t page_bytes;
	/* unit in which the file system allocates space, at least a page */
	uint64_t unit;
	/* LMDB's last page */
	uint64_t last_page;
	/* [count], the numbers of free pages */
	uint64_t *pages;
	size_t count;
	/* size of the holes that this step may still add */
	uint64_t wanted_bytes;
	unsigned holes; /* number of holes that this step has made */
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
 * Return the newest transaction whose freed pages LMDB could use now. This is
 * LMDB's own rule: the pages that transaction N has freed are in use in the
 * state before N. This state may still be needed by a reader, or after a crash
 * if N is the last one and its meta page is damaged.
 */
static uint64_t newest_safe_list(const struct holes_step *step)
{
	/* the last one, because there is no writer */
	uint64_t oldest = mdb_txn_id(step->txn->mdb);

	mdb_reader_list(step->store->env, note_reader, &oldest);
	return oldest == 0 ? 0 : oldest - 1;
}

/* Add pages of a list from walk->position on. Return false if it is damaged. */
static bool holes_read_list(struct holes_step *step, MDB_val list)
{
	const uint64_t *numbers = list.mv_data;
	uint64_t room = list.mv_size / sizeof(*numbers);
	uint64_t count;

	if (room == 0 || numbers[0] >= room)
		return false;
	count = numbers[0];
	for (uint64_t i = step->walk->position; i < count; i++) {
		if (step->count == HOLES_STEP_PAGES) {
			step->walk->position = i;
			return true;
		}
		if (numbers[i + 1] < 2 || numbers[i + 1] > step->last_page)
			return false;
		step->pages[step->count++] = numbers[i + 1];
	}
	step->walk->position = 0;
	step->walk->transaction--;
	return true;
}

/*
 * Move to the list of the newest transaction up to walk->transaction. Return
 * false if there is none.
 */
static bool holes_find_list(struct holes_step *step, MDB_cursor *cursor,
			    MDB_val *list_out)
{
	size_t wanted = step->walk->transaction;
	MDB_val key = {sizeof(wanted), &wanted};
	size_t found = 0;
	int rc = mdb_cursor_get(cursor, &key, list_out, MDB_SET_RANGE);

	if (rc == MDB_SUCCESS)
		memcpy(&found, key.mv_data, sizeof(found));
	if (rc == MDB_NOTFOUND)
		rc = mdb_cursor_get(cursor, &key, list_out, MDB_LAST);
	else if (rc == MDB_SUCCESS && found != wanted)
		rc = mdb_cursor_get(cursor, &key, list_out, MDB_PREV);
	if (rc != MDB_SUCCESS) {
		if (rc != MDB_NOTFOUND)
			txn_check(step->txn, rc);
		return false;
	}
	memcpy(&found, key.mv_data, sizeof(found));
	if (found != wanted)
		step->walk->position = 0;
	step->walk->transaction = found;
	return true;
}

/* Read the numbers of the next free pages. */
static void holes_read_lists(struct holes_step *step)
{
	enum { FREE_TREE = 0 };
	struct holes_walk *walk = step->walk;
	MDB_cursor *cursor = NULL;
	MDB_val list;

	txn_check(step->txn,
		  mdb_cursor_open(step->txn->mdb, FREE_TREE, &cursor));
	while (step->txn->error == ERR_NONE && step->count < HOLES_STEP_PAGES) {
		if (walk->transaction == 0 ||
		    !holes_find_list(step, cursor, &list)) {
			walk->is_ended = true;
			break;
		}
		if (!holes_read_list(step, list))
			txn_fail(step->txn, ERR_CORRUPT);
	}
	if (cursor != NULL)
		mdb_cursor_close(cursor);
}

static int by_descending_number(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a < b) - (a > b);
}

/* Handle that fallocate() has failed. */
static void holes_fail(struct holes_step *step)
{
	int cause = errno;

	step->walk->is_ended = true;
	if (cause != EOPNOTSUPP && cause != ENOSYS && cause != EPERM) {
		log_warn_limited("store %s: cannot free disk space: %s; "
				 "retrying",
				 step->store->path, strerrordesc_np(cause));
		txn_fail(step->txn, ERR_IO);
		return;
	}
	atomic_store(&step->store->has_no_holes, true);
	log_info("store %s: its file system cannot free a part of a file; use "
		 "templatectl compact to free disk space",
		 step->store->path);
}

/*
 * Make a hole from the offset `from` to `to`, or at the end of this range if
 * less is wanted. Return false after an error.
 */
static bool holes_punch(struct holes_step *step, uint64_t from, uint64_t to)
{
	int result;

	if (to > from + step->wanted_bytes)
		from = to - step->wanted_bytes / step->unit * step->unit;
	if (to <= from)
		return true;
	do {
		result = fallocate(step->file,
				   FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				   (off_t)from, (off_t)(to - from));
	} while (result != 0 && errno == EINTR);
	if (result != 0) {
		holes_fail(step);
		return false;
	}
	step->holes++;
	step->walk->bytes += to - from;
	step->wanted_bytes -= to - from;
	return true;
}

/*
 * Find the first part of the file from *from on, up to `to`, that is no hole.
 * Return false if the range is a hole. The position of the file changes; LMDB
 * sets it before each use.
 */
static bool holes_find_data(const struct holes_step *step, uint64_t *from,
			    uint64_t to, uint64_t *end_out)
{
	off_t begin = lseek(step->file, (off_t)*from, SEEK_DATA);
	off_t end = begin < 0 ? -1 : lseek(step->file, begin, SEEK_HOLE);

	*end_out = to;
	if (begin < 0)
		return errno != ENXIO;
	if (end >= 0 && (uint64_t)end < to)
		*end_out = (uint64_t)end;
	*from = (uint64_t)begin;
	return *from < to;
}

/*
 * Make holes for the pages from `first` to below `end`. Return false after an
 * error.
 */
static bool holes_punch_run(struct holes_step *step, uint64_t first,
			    uint64_t end)
{
	uint64_t from = first * step->page_bytes;
	uint64_t to = end * step->page_bytes;
	uint64_t hole;

	from = (from + step->unit - 1) / step->unit * step->unit;
	to = to / step->unit * step->unit;
	for (; from < to; from = hole)
		if (!holes_find_data(step, &from, to, &hole))
			break;
		else if (!holes_punch(step, from, hole))
			return false;
	return true;
}

/* Return whether the step must end, so that writers do not wait longer. */
static bool holes_step_is_over(const struct holes_step *step)
{
	const int64_t second_ns = 1000000000;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return step->holes >= HOLES_STEP_HOLES ||
	       (now.tv_sec - step->begin.tv_sec) * second_ns + now.tv_nsec -
			       step->begin.tv_nsec >
		       HOLES_STEP_NS;
}

/*
 * Make holes for the runs of consecutive pages that the step has read, from the
 * last page of the file on, because LMDB uses the first ones first. Return the
 * first page of the last run if there are more runs than a step may handle;
 * otherwise 0.
 */
static uint64_t holes_punch_runs(struct holes_step *step)
{
	size_t begin = 0;

	qsort(step->pages, step->count, sizeof(*step->pages),
	      by_descending_number);
	while (begin < step->count && step->walk->below != 0 &&
	       step->pages[begin] >= step->walk->below)
		begin++;
	for (size_t i = begin + 1; i <= step->count; i++) {
		uint64_t first = step->pages[i - 1];

		if (i < step->count && step->pages[i] + 1 >= first)
			continue;
		if (!holes_punch_run(step, first, step->pages[begin] + 1))
			return 0;
		if (holes_step_is_over(step))
			return first;
		begin = i;
	}
	return 0;
}

/*
 * Return how many bytes of disk space the file has in excess of its live pages
 * and of the reserve.
 */
static enum error holes_excess(struct store *store, uint64_t *excess_out)
{
	struct store_usage usage;
	enum error error = store_usage(store, &usage);
	uint64_t wanted = usage.live_bytes +
			  usage.live_bytes / HOLES_RESERVE_DIVISOR +
			  HOLES_RESERVE_BYTES;

	*excess_out = usage.allocated_bytes > wanted
			      ? usage.allocated_bytes - wanted
			      : 0;
	return error;
}

/* Read the properties of the file from LMDB and the file system. */
static void holes_step_describe(struct holes_step *step)
{
	MDB_stat stat = {0};
	MDB_envinfo info = {0};
	struct stat status = {0};
	mdb_filehandle_t file = -1;

	mdb_env_stat(step->store->env, &stat);
	mdb_env_info(step->store->env, &info);
	mdb_env_get_fd(step->store->env, &file);
	if (fstat(file, &status) != 0)
		txn_fail(step->txn, ERR_IO);
	step->file = file;
	step->page_bytes = stat.ms_psize;
	step->last_page = info.me_last_pgno;
	step->unit = stat.ms_psize;
	if ((uint64_t)status.st_blksize > step->unit)
		step->unit = (uint64_t)status.st_blksize;
}

/* Run the step, in the read transaction. */
static void holes_step_run(struct holes_step *step)
{
	struct holes_walk *walk = step->walk;
	uint64_t newest = newest_safe_list(step);
	struct holes_walk begin;

	clock_gettime(CLOCK_MONOTONIC, &step->begin);
	if (walk->transaction == 0 || walk->transaction > newest)
		*walk = (struct holes_walk){.transaction = newest,
					    .bytes = walk->bytes};
	begin = *walk;
	step->pages = mem_alloc(HOLES_STEP_PAGES, sizeof(*step->pages));
	holes_read_lists(step);
	if (step->txn->error == ERR_NONE && step->count > 0)
		begin.below = holes_punch_runs(step);
	else
		begin.below = 0;
	if (begin.below != 0) {
		walk->transaction = begin.transaction;
		walk->position = begin.position;
		walk->is_ended = false;
	}
	walk->below = begin.below;
	free(step->pages);
}

enum error store_make_holes(struct store *store, struct holes_walk *walk)
{
	struct txn txn;
	struct holes_step step = {.store = store, .txn = &txn, .walk = walk};
	uint64_t least =
		walk->transaction == 0 ? HOLES_MIN_BYTES : HOLES_END_BYTES;
	enum error error = holes_excess(store, &step.wanted_bytes);

	walk->is_ended = error != ERR_NONE || step.wanted_bytes < least ||
			 atomic_load(&store->has_no_holes) ||
			 store->is_read_only;
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
	return error;
}
