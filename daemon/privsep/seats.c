#include "daemon/privsep/seats.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "daemon/runtime/condition.h"

/* A waiting thread; on its stack. */
struct waiter {
	struct waiter *next;
	const struct worker_slot_request *wish;
	struct worker_slot *given; /* NULL: still waiting */
	struct condition is_given;
};

struct worker_slots {
	struct lock lock; /* guards all below except busy processes */
	struct waiter *first;
	size_t count;
	size_t long_count; /* busy seats with a long task */
	struct worker_slot *items;
};

struct worker_slots *worker_slots_create(size_t count)
{
	struct worker_slots *seats = mem_alloc(1, sizeof(*seats));

	assert(count > 0);
	lock_init(&seats->lock, LOCK_POOL);
	seats->items = mem_alloc(count, sizeof(*seats->items));
	seats->count = count;
	return seats;
}

void worker_slots_destroy(struct worker_slots *seats)
{
	assert(seats->first == NULL);
	lock_destroy(&seats->lock);
	free(seats->items);
	free(seats);
}

size_t worker_slots_waiting(struct worker_slots *seats)
{
	size_t count = 0;

	lock_acquire(&seats->lock);
	for (const struct waiter *at = seats->first; at != NULL; at = at->next)
		count++;
	lock_release(&seats->lock);
	return count;
}

struct worker_slot *worker_slots_at(struct worker_slots *seats, size_t i)
{
	assert(i < seats->count);
	return &seats->items[i];
}

/* Return a free seat that fits `wish`; NULL if there is no such seat. */
static struct worker_slot *find_free(struct worker_slots *seats,
				     const struct worker_slot_request *wish)
{
	struct worker_slot *found = NULL;

	assert(lock_is_held(&seats->lock));
	if (wish->is_long && seats->count > 1 &&
	    seats->long_count + 1 >= seats->count)
		return NULL;
	for (size_t i = 0; i < seats->count; i++) {
		struct worker_slot *seat = &seats->items[i];

		if (!seat->is_busy &&
		    (wish->only == NULL || wish->only == seat) &&
		    (found == NULL || seat->site == wish->site))
			found = seat;
	}
	return found;
}

static void worker_slot_occupy(struct worker_slots *seats,
			       struct worker_slot *seat,
			       const struct worker_slot_request *wish)
{
	seat->is_busy = true;
	seat->is_long = wish->is_long;
	seat->site = wish->site;
	seats->long_count += seat->is_long;
}

/* Assign the free seats to waiting threads, the longest waiting first. */
static void worker_slots_assign(struct worker_slots *seats)
{
	struct waiter **link = &seats->first;

	assert(lock_is_held(&seats->lock));
	while (*link != NULL) {
		struct waiter *waiter = *link;
		struct worker_slot *seat = find_free(seats, waiter->wish);

		if (seat == NULL) {
			link = &waiter->next;
			continue;
		}
		*link = waiter->next;
		worker_slot_occupy(seats, seat, waiter->wish);
		waiter->given = seat;
		condition_signal(&waiter->is_given);
	}
}

static struct worker_slot *
worker_slots_wait(struct worker_slots *seats,
		  const struct worker_slot_request *wish)
{
	struct waiter own = {.wish = wish};
	struct waiter **last = &seats->first;

	assert(lock_is_held(&seats->lock));
	condition_init(&own.is_given);
	while (*last != NULL)
		last = &(*last)->next;
	*last = &own;
	while (own.given == NULL)
		condition_wait(&own.is_given, &seats->lock);
	condition_destroy(&own.is_given);
	return own.given;
}

struct worker_slot *worker_slots_acquire(struct worker_slots *seats,
					 const struct worker_slot_request *wish)
{
	struct worker_slot *seat;

	lock_acquire(&seats->lock);
	/* The waiting threads cannot use the seats that are free now. */
	seat = find_free(seats, wish);
	if (seat != NULL)
		worker_slot_occupy(seats, seat, wish);
	else
		seat = worker_slots_wait(seats, wish);
	lock_release(&seats->lock);
	return seat;
}

void worker_slots_release(struct worker_slots *seats, struct worker_slot *seat)
{
	lock_acquire(&seats->lock);
	assert(seat->is_busy && seats->long_count >= seat->is_long);
	seat->is_busy = false;
	seats->long_count -= seat->is_long;
	worker_slots_assign(seats);
	lock_release(&seats->lock);
}
