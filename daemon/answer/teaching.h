/*
 * daemon/answer/teaching.h - has the workers learn the templates of sites whose
 * texts are asked for, when these have changed, so that nobody who asks has to
 * wait for it. Sites that nobody asks about cost nothing.
 */
#ifndef DAEMON_ANSWER_TEACHING_H
#define DAEMON_ANSWER_TEACHING_H

#include <stdbool.h>
#include <stdint.h>

#include "store/error.h"
#include "store/slice.h"
#include "store/store.h"
#include "template/text_answer.h"

struct pool;
struct teaching;

/*
 * Start a thread that looks every few seconds at the sites that were asked
 * about within an hour, the 64 last ones, and rests ten times as long as the
 * workers have learned for it. Of a site the largest templates are learned, for
 * the method that answers when none is asked for. Store and pool must outlive
 * it. ERR_IO when there can be no thread.
 */
enum error teaching_start(struct teaching **teaching_out, struct pool *pool,
			  struct store *store);

/* Waits for the task under way. NULL is a no-op. */
void teaching_stop(struct teaching *teaching);

/* A text of the host is computed by these rules, which are copied. Any thread;
 * cheap. NULL is a no-op. */
void teaching_note(struct teaching *teaching, const struct answer_rules *rules,
		   struct slice host);

/* A worker was given a sample to learn from. NULL is a no-op. */
void teaching_count(struct teaching *teaching, bool is_ahead);

struct teaching_stats {
	uint64_t ahead; /* samples that were learned from in the background */
	uint64_t asked; /* while somebody waited for a text */
};

/* Zeros for NULL. */
struct teaching_stats teaching_stats(struct teaching *teaching);

#endif
