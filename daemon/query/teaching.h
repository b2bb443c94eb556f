/*
 * daemon/query/teaching.h - the cache warmer: when templates of requested
 * sites have changed, it makes the workers build their models, so that clients
 * need not wait. Sites without requests cost nothing.
 */
#ifndef DAEMON_QUERY_TEACHING_H
#define DAEMON_QUERY_TEACHING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"
#include "store/store.h"
#include "template/text_answer.h"

struct pool;
struct teaching;

/*
 * Start a thread that checks, every few seconds, the last 64 sites requested
 * within one hour, and then rests ten times as long as the workers took. For
 * the largest templates of a site it builds the models of the default method.
 * Store and pool must outlive it. ERR_IO: cannot create the thread.
 */
enum error teaching_start(struct teaching **teaching_out, struct pool *pool,
			  struct store *store);

/* Wait for the current task and stop the thread. NULL is a no-op. */
void teaching_stop(struct teaching *teaching);

/*
 * Note that a text of the host is computed by these rules, which are copied.
 * Any thread may call this; cheap. NULL is a no-op.
 */
void teaching_note(struct teaching *teaching, const struct answer_rules *rules,
		   struct slice host);

/* Count a sample that a worker got for building a model. NULL is a no-op. */
void teaching_count(struct teaching *teaching, bool is_ahead);

struct teaching_stats {
	uint64_t ahead; /* models built in the background */
	uint64_t asked; /* models built while a client waited */
};

/* All 0 for NULL. */
struct teaching_stats teaching_stats(struct teaching *teaching);

#endif
