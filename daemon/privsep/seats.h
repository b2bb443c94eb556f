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
struct worker_slot {
	struct process process;
	bool is_started;
	bool is_busy;
	bool is_long;  /* the seat runs a long task */
	uint64_t site; /* of its last task */
};

struct worker_slots;

struct worker_slots *worker_slots_create(size_t count); /* > 0 */
void worker_slots_destroy(
	struct worker_slots *seats); /* all seats must be free */

/*
 * Return seat `i`, which must be below the count. The caller must hold the
 * seat, or no thread may use it.
 */
struct worker_slot *worker_slots_at(struct worker_slots *seats, size_t i);

struct worker_slot_request {
	uint64_t site; /* prefer a seat that had this site last */
	const struct worker_slot *only; /* this seat; NULL: any */
	bool is_long;
};

/* Acquire a seat; block until one is free. */
struct worker_slot *
worker_slots_acquire(struct worker_slots *seats,
		     const struct worker_slot_request *wish);
void worker_slots_release(struct worker_slots *seats, struct worker_slot *seat);

/* Return the number of waiting threads. */
size_t worker_slots_waiting(struct worker_slots *seats);

#endif
