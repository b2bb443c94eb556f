#include "daemon/privsep/seats.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "daemon/runtime/condition.h"

/* A waiting thread; on its stack. */
struct waiter {
	struct waiter *next;
	const struct seat_wish *wish;
	struct seat *given; /* NULL: still waiting */
	struct condition is_given;
};

struct seats {
	struct lock lock; /* guards all below except busy processes */
	struct waiter *first;
	size_t count;
	size_t long_count; /* busy seats with a long task */
	struct seat *items;
};

struct seats *seats_create(size_t count)
{
	struct seats *seats = mem_alloc(1, sizeof(*seats));

	assert(count > 0);
	lock_init(&seats->lock, LOCK_POOL);
	seats->items = mem_alloc(count, sizeof(*seats->items));
	seats->count = count;
	return seats;
}

void seats_destroy(struct seats *seats)
{
	assert(seats->first == NULL);
	lock_destroy(&seats->lock);
	free(seats->items);
	free(seats);
}

size_t seats_waiting(struct seats *seats)
{
	size_t count = 0;

	lock_acquire(&seats->lock);
	for (const struct waiter *at = seats->first; at != NULL; at = at->next)
		count++;
	lock_release(&seats->lock);
	return count;
}

struct seat *seats_at(struct seats *seats, size_t i)
{
	assert(i < seats->count);
	return &seats->items[i];
}

/* Return a free seat that fits `wish`; NULL if there is no such seat. */
static struct seat *find_free(struct seats *seats, const struct seat_wish *wish)
{
	struct seat *found = NULL;

	assert(lock_is_held(&seats->lock));
	if (wish->is_long && seats->count > 1 &&
	    seats->long_count + 1 >= seats->count)
		return NULL;
	for (size_t i = 0; i < seats->count; i++) {
		struct seat *seat = &seats->items[i];

		if (!seat->is_busy &&
		    (wish->only == NULL || wish->only == seat) &&
		    (found == NULL || seat->site == wish->site))
			found = seat;
	}
	return found;
}

static void occupy(struct seats *seats, struct seat *seat,
		   const struct seat_wish *wish)
{
	seat->is_busy = true;
	seat->is_long = wish->is_long;
	seat->site = wish->site;
	seats->long_count += seat->is_long;
}

/* Assign the free seats to waiting threads, the longest waiting first. */
static void give(struct seats *seats)
{
	struct waiter **link = &seats->first;

	assert(lock_is_held(&seats->lock));
	while (*link != NULL) {
		struct waiter *waiter = *link;
		struct seat *seat = find_free(seats, waiter->wish);

		if (seat == NULL) {
			link = &waiter->next;
			continue;
		}
		*link = waiter->next;
		occupy(seats, seat, waiter->wish);
		waiter->given = seat;
		condition_signal(&waiter->is_given);
	}
}

static struct seat *wait(struct seats *seats, const struct seat_wish *wish)
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

struct seat *seats_take(struct seats *seats, const struct seat_wish *wish)
{
	struct seat *seat;

	lock_acquire(&seats->lock);
	/* The waiting threads cannot use the seats that are free now. */
	seat = find_free(seats, wish);
	if (seat != NULL)
		occupy(seats, seat, wish);
	else
		seat = wait(seats, wish);
	lock_release(&seats->lock);
	return seat;
}

void seats_leave(struct seats *seats, struct seat *seat)
{
	lock_acquire(&seats->lock);
	assert(seat->is_busy && seats->long_count >= seat->is_long);
	seat->is_busy = false;
	seats->long_count -= seat->is_long;
	give(seats);
	lock_release(&seats->lock);
}
