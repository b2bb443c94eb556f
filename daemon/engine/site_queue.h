/*
 * daemon/engine/site_queue.h - which sites have something to be leased: those
 * that have it now, each in its turn, and those that will, the earliest first.
 * Internal to the engine.
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

/* The site is to be asked at `wake_ms`; UINT64_MAX: not at all. O(log n). */
void site_queue_put(struct site_queue *queue, struct site *site,
		    uint64_t wake_ms, uint64_t now_ms);

/* Those whose time has come are ready. */
void site_queue_wake(struct site_queue *queue, uint64_t now_ms);

/* The earliest time; one that has passed when some are ready; UINT64_MAX. */
uint64_t site_queue_next(const struct site_queue *queue);

void site_queue_free(struct site_queue *queue);

#endif
