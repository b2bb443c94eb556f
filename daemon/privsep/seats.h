/*
 * daemon/privsep/seats.h - assign workers to threads. Waiting threads form a
 * queue: the first thread that may use a free seat gets it, so that no thread
 * waits forever. Long tasks leave at least one of several seats to others.
 * Internal to the pool; any thread.
 */
#ifndef DAEMON_PRIVSEP_SEATS_H
#define DAEMON_PRIVSEP_SEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/privsep/process.h"

/*
 * A seat of a worker. Its holder may use the process; the other fields belong
 * to seats.c.
 */
struct seat {
	struct process process;
	bool is_started;
	bool is_busy;
	bool is_long;  /* the seat runs a long task */
	uint64_t site; /* of its last task */
};

struct seats;

struct seats *seats_create(size_t count); /* > 0 */
void seats_destroy(struct seats *seats);  /* all seats must be free */

/*
 * Return seat `i`, which must be below the count. The caller must hold the
 * seat, or no thread may use it.
 */
struct seat *seats_at(struct seats *seats, size_t i);

struct seat_wish {
	uint64_t site;           /* prefer a seat that had this site last */
	const struct seat *only; /* this seat; NULL: any */
	bool is_long;
};

/* Acquire a seat; block until one is free. */
struct seat *seats_take(struct seats *seats, const struct seat_wish *wish);
void seats_leave(struct seats *seats, struct seat *seat);

/* Return the number of waiting threads. */
size_t seats_waiting(struct seats *seats);

#endif
