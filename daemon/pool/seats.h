/*
 * daemon/pool/seats.h - who gets which worker. Those who wait for one are in a
 * queue: the first of them that may have a seat gets it, so that nobody is
 * passed for ever. Long tasks leave one seat of several to the others. Internal
 * to the pool; any thread.
 */
#ifndef DAEMON_POOL_SEATS_H
#define DAEMON_POOL_SEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/process/process.h"

/* Who holds it may use its process; the rest is of seats.c. */
struct seat {
	struct process process;
	bool is_started;
	bool is_busy;
	bool is_long;  /* its task */
	uint64_t site; /* of its last task */
};

struct seats;

struct seats *seats_create(size_t count); /* > 0 */
void seats_destroy(struct seats *seats);  /* all of them are free */

/* Seat `i`, below the count: held by the caller, or used by nobody yet or any
 * more. */
struct seat *seats_at(struct seats *seats, size_t i);

struct seat_wish {
	uint64_t site;           /* a seat that had it last is preferred */
	const struct seat *only; /* this one; NULL: any */
	bool is_long;
};

/* Wait for a seat. */
struct seat *seats_take(struct seats *seats, const struct seat_wish *wish);
void seats_leave(struct seats *seats, struct seat *seat);

/* How many wait. */
size_t seats_waiting(struct seats *seats);

#endif
