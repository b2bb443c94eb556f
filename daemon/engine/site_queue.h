/*
 * daemon/engine/site_queue.h - the sites with URLs to lease: ready ones in
 * turns, and later ones, the earliest first. Internal to the engine.
 */
#ifndef DAEMON_ENGINE_SITE_QUEUE_H
#define DAEMON_ENGINE_SITE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/engine/site.h"

struct site_queue {
	struct site **ready; /* [ready_count] */
	size_t ready_count;
	size_t ready_capacity;
	struct site **later; /* [later_count], a heap by wake_ms */
	size_t later_count;
	size_t later_capacity;
};

/* Queue the site for `wake_ms`; UINT64_MAX = remove it. O(log n). */
void site_queue_put(struct site_queue *queue, struct site *site,
		    uint64_t wake_ms, uint64_t now_ms);

/* Move the sites whose time has come to the ready ones. */
void site_queue_wake(struct site_queue *queue, uint64_t now_ms);

/*
 * Return the earliest time; one in the past if some are ready; UINT64_MAX if
 * the queue is empty.
 */
uint64_t site_queue_next(const struct site_queue *queue);

void site_queue_free(struct site_queue *queue);

#endif
