/*
 * daemon/ctl/ordered_work.h - work on a sequence of items by several threads,
 * whose results come in the order of the items, whatever the threads do.
 */
#ifndef DAEMON_CTL_ORDERED_WORK_H
#define DAEMON_CTL_ORDERED_WORK_H

#include <stdbool.h>
#include <stddef.h>

enum { MAX_JOBS = 256 };

/* What is done with each item, in this order. */
struct ordered_work {
	/* Fill in the next item, which is zeroed; false: there is none. */
	bool (*next)(void *context, void *item);
	/* Any thread, several at a time: touches nothing but its item. */
	void (*work)(void *context, void *item);
	/* In the order of next(), and frees what the item owns; false: call no
	   next() any more. */
	bool (*done)(void *context, void *item);
	void *context;
	size_t item_bytes;
};

/* The processors that this process may use, 1 to MAX_JOBS. */
unsigned ordered_work_jobs(void);

/*
 * Do all of it by `jobs` threads besides the caller's, which runs next() and
 * done() alone; with 1 by the caller's alone. At most four items a job are
 * under way. Returns when all that were begun are done and the threads are
 * gone.
 */
void ordered_work_run(const struct ordered_work *work, unsigned jobs);

#endif
