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
#include "base/memory.h"
#include "store/txn.h"

enum { FREE_TREE = 0, FIRST_PAGE = 2, WORD_BITS = 64 };

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
	uint64_t last_page; /* LMDB's last page */
	uint64_t *is_free;  /* a bit for each page */
	/* number of pages that may become holes after the next commit */
	uint64_t waiting;
	uint64_t kept_bytes; /* the walk ends at this size on the disk */
	struct timespec begin;
};

/*
 * Read the transaction of a reader from a line of LMDB's list, "pid thread
 * transaction"; it is "-" if the reader has none. The heading has no number.
 */
static int holes_note_reader(const char *line, void *context)
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
static uint64_t holes_newest_list(const struct holes_step *step)
{
	/* the last one, because there is no writer */
	uint64_t oldest = mdb_txn_id(step->txn->mdb);

	mdb_reader_list(step->store->env, holes_note_reader, &oldest);
	return oldest == 0 ? 0 : oldest - 1;
}

/* Return the number of pages of a list of free pages. It is the first word. */
static uint64_t holes_count(struct holes_step *step, MDB_val list)
{
	const uint64_t *numbers = list.mv_data;
	uint64_t room = list.mv_size / sizeof(*numbers);

	if (room > 0 && numbers[0] < room)
		return numbers[0];
	txn_fail(step->txn, ERR_CORRUPT);
	return 0;
}

/* Mark the pages of a list. */
static void holes_mark(struct holes_step *step, MDB_val list)
{
	const uint64_t *numbers = list.mv_data;
	uint64_t count = holes_count(step, list);

	for (uint64_t i = 1; i <= count; i++) {
		uint64_t page = numbers[i];

		if (page < FIRST_PAGE || page > step->last_page) {
			txn_fail(step->txn, ERR_CORRUPT);
			return;
		}
		step->is_free[page / WORD_BITS] |= 1ULL << page % WORD_BITS;
	}
}

/* Mark all free pages that LMDB may overwrite now. */
static void holes_mark_all(struct holes_step *step)
{
	uint64_t newest = holes_newest_list(step);
	MDB_cursor *cursor = NULL;
	size_t transaction;
	MDB_val key;
	MDB_val list;
	int rc = mdb_cursor_open(step->txn->mdb, FREE_TREE, &cursor);

	if (rc == MDB_SUCCESS)
		rc = mdb_cursor_get(cursor, &key, &list, MDB_FIRST);
	while (rc == MDB_SUCCESS && step->txn->error == ERR_NONE) {
		memcpy(&transaction, key.mv_data, sizeof(transaction));
		if (transaction > newest) {
			if (newest + 1 == mdb_txn_id(step->txn->mdb))
				step->waiting = holes_count(step, list);
			break;
		}
		holes_mark(step, list);
		rc = mdb_cursor_get(cursor, &key, &list, MDB_NEXT);
	}
	if (rc != MDB_NOTFOUND)
		txn_check(step->txn, rc);
	if (cursor != NULL)
		mdb_cursor_close(cursor);
}

static bool holes_is_free(const struct holes_step *step, uint64_t page)
{
	return (step->is_free[page / WORD_BITS] >> page % WORD_BITS & 1) != 0;
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

/* Make a hole for the next free pages below walk->below. */
static void holes_punch(struct holes_step *step)
{
	uint64_t end = step->walk->below;
	uint64_t first;

	while (end > FIRST_PAGE && !holes_is_free(step, end - 1))
		end--;
	first = end;
	while (first > FIRST_PAGE && end - first < HOLES_MAX_PAGES &&
	       holes_is_free(step, first - 1))
		first--;
	if (first < end &&
	    fallocate(step->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      (off_t)(first * step->page_bytes),
		      (off_t)((end - first) * step->page_bytes)) != 0) {
		holes_fail(step);
		return;
	}
	step->walk->below = first;
	step->walk->has_seen_all = first == FIRST_PAGE;
	step->walk->is_ended = step->walk->has_seen_all ||
			       holes_allocated_bytes(step) <= step->kept_bytes;
}

/* Run the step, in the read transaction. */
static void holes_step_run(struct holes_step *step)
{
	struct holes_walk *walk = step->walk;
	MDB_stat stat = {0};
	MDB_envinfo info = {0};
	uint64_t before;
	uint64_t after;

	mdb_env_stat(step->store->env, &stat);
	mdb_env_info(step->store->env, &info);
	mdb_env_get_fd(step->store->env, &step->file);
	step->page_bytes = stat.ms_psize;
	step->last_page = info.me_last_pgno;
	step->is_free = mem_alloc(step->last_page / WORD_BITS + 1,
				  sizeof(*step->is_free));
	holes_mark_all(step);
	if (walk->below == 0 || walk->below > step->last_page + 1)
		walk->below = step->last_page + 1;
	before = holes_allocated_bytes(step);
	clock_gettime(CLOCK_MONOTONIC, &step->begin);
	while (!holes_step_is_over(step))
		holes_punch(step);
	after = holes_allocated_bytes(step);
	walk->bytes += before > after ? before - after : 0;
	free(step->is_free);
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
	if (walk->below == 0)
		kept += HOLES_MIN_BYTES;
	walk->is_ended = error != ERR_NONE || usage.allocated_bytes <= kept ||
			 atomic_load(&store->has_no_holes) ||
			 store->is_read_only;
	return error;
}

/*
 * Commit a transaction that changes nothing, so that LMDB may overwrite the
 * pages that the last transaction has freed.
 */
static enum error holes_commit(struct store *store, struct txn *txn)
{
	*txn = txn_begin_write(store);
	store_touch(txn);
	return txn_end(txn);
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
		holes_step_run(&step);
	error = txn_end(&txn);
	pthread_mutex_unlock(&store->write_lock);
	if (error == ERR_NONE && walk->has_seen_all &&
	    step.waiting >= HOLES_MIN_WAITING) {
		error = holes_commit(store, &txn);
		*walk = (struct holes_walk){.bytes = walk->bytes};
	}
	if (error != ERR_NONE)
		holes_log(store, &txn);
	walk->is_ended = walk->is_ended || error != ERR_NONE;
	return error;
}
