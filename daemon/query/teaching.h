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

struct worker_pool;
struct cache_warmer;

/*
 * Start a thread that checks, every few seconds, the last 64 sites requested
 * within one hour, and then rests ten times as long as the workers took. For
 * the largest templates of a site it builds the models of the default method.
 * Store and pool must outlive it. ERR_IO: cannot create the thread.
 */
enum error cache_warmer_start(struct cache_warmer **teaching_out,
			      struct worker_pool *pool, struct store *store);

/* Wait for the current task and stop the thread. NULL is a no-op. */
void cache_warmer_stop(struct cache_warmer *teaching);

/*
 * Note that a text of the host is computed by these rules, which are copied.
 * Any thread may call this; cheap. NULL is a no-op.
 */
void cache_warmer_note(struct cache_warmer *teaching,
		       const struct extraction_options *rules,
		       struct slice host);

/* Count a sample that a worker got for building a model. NULL is a no-op. */
void cache_warmer_count(struct cache_warmer *teaching, bool is_ahead);

struct teaching_stats {
	uint64_t ahead; /* models built in the background */
	uint64_t asked; /* models built while a client waited */
};

/* All 0 for NULL. */
struct teaching_stats cache_warmer_stats(struct cache_warmer *teaching);

#endif
