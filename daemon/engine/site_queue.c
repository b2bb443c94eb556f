#include "daemon/engine/site_queue.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

static void set_later(struct site_queue *queue, size_t at, struct site *site)
{
	queue->later[at] = site;
	site->place = at;
}

static void sift_up(struct site_queue *queue, size_t at, struct site *site)
{
	while (at > 0 && queue->later[(at - 1) / 2]->wake_ms > site->wake_ms) {
		set_later(queue, at, queue->later[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	set_later(queue, at, site);
}

static void site_queue_sift_down(struct site_queue *queue, size_t at,
				 struct site *site)
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < queue->later_count &&
		    queue->later[child + 1]->wake_ms <
			    queue->later[child]->wake_ms)
			child++;
		if (child >= queue->later_count ||
		    queue->later[child]->wake_ms >= site->wake_ms)
			break;
		set_later(queue, at, queue->later[child]);
		at = child;
	}
	set_later(queue, at, site);
}

static void remove_later(struct site_queue *queue, size_t at)
{
	struct site *last = queue->later[--queue->later_count];

	if (at == queue->later_count)
		return;
	if (at > 0 && queue->later[(at - 1) / 2]->wake_ms > last->wake_ms)
		sift_up(queue, at, last);
	else
		site_queue_sift_down(queue, at, last);
}

static void remove_ready(struct site_queue *queue, size_t at)
{
	struct site *last = queue->ready[--queue->ready_count];

	queue->ready[at] = last;
	last->place = at;
}

static void site_queue_remove(struct site_queue *queue, struct site *site)
{
	if (site->waits == SITE_WAITS_LATER) {
		assert(queue->later[site->place] == site);
		remove_later(queue, site->place);
	} else if (site->waits == SITE_WAITS_READY) {
		assert(queue->ready[site->place] == site);
		remove_ready(queue, site->place);
	}
	site->waits = SITE_WAITS_NOT;
}

static void put_ready(struct site_queue *queue, struct site *site)
{
	queue->ready = mem_grow(queue->ready, queue->ready_count,
				&queue->ready_capacity, sizeof(struct site *));
	site->place = queue->ready_count;
	site->waits = SITE_WAITS_READY;
	queue->ready[queue->ready_count++] = site;
}

static void put_later(struct site_queue *queue, struct site *site)
{
	queue->later = mem_grow(queue->later, queue->later_count,
				&queue->later_capacity, sizeof(struct site *));
	site->waits = SITE_WAITS_LATER;
	sift_up(queue, queue->later_count++, site);
}

void site_queue_put(struct site_queue *queue, struct site *site,
		    uint64_t wake_ms, uint64_t now_ms)
{
	/* a ready site keeps its turn */
	if (site->waits == SITE_WAITS_READY && wake_ms <= now_ms) {
		site->wake_ms = wake_ms;
		return;
	}
	site_queue_remove(queue, site);
	site->wake_ms = wake_ms;
	if (wake_ms == UINT64_MAX)
		return;
	if (wake_ms <= now_ms)
		put_ready(queue, site);
	else
		put_later(queue, site);
}

void site_queue_wake(struct site_queue *queue, uint64_t now_ms)
{
	while (queue->later_count > 0 && queue->later[0]->wake_ms <= now_ms) {
		struct site *site = queue->later[0];

		site_queue_remove(queue, site);
		put_ready(queue, site);
	}
}

uint64_t site_queue_next(const struct site_queue *queue)
{
	if (queue->ready_count > 0)
		return queue->ready[0]->wake_ms;
	return queue->later_count > 0 ? queue->later[0]->wake_ms : UINT64_MAX;
}

void site_queue_free(struct site_queue *queue)
{
	free(queue->ready);
	free(queue->later);
}
