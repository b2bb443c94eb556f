/*
 * daemon/ctl/ordered_work.h - process a sequence of items in several threads;
 * the results come in the order of the items.
 */
#ifndef DAEMON_CTL_ORDERED_WORK_H
#define DAEMON_CTL_ORDERED_WORK_H

#include <stdbool.h>
#include <stddef.h>

enum { MAX_JOBS = 256 };

/* The steps for each item, in this order. */
struct ordered_work {
	/* Fill in the next item, which is zeroed; false if there is none. */
	bool (*next)(void *context, void *item);
	/* Any thread, several at the same time: may use only its item. */
	void (*work)(void *context, void *item);
	/*
	 * In the order of next(); frees the item's contents; false: stop
	 * calling next().
	 */
	bool (*done)(void *context, void *item);
	void *context;
	size_t item_bytes;
};

/* Return the number of processors that this process may use, 1 to MAX_JOBS. */
unsigned ordered_work_jobs(void);

/*
 * Process all items with `jobs` threads in addition to the caller's thread,
 * which calls next() and done(). With 1, use only the caller's thread. At most
 * four items per job are in progress. Return when all begun items are done and
 * the threads have exited.
 */
void ordered_work_run(const struct ordered_work *work, unsigned jobs);

#endif
