/*
 * daemon/api/event_tally.h - how many events there were of each kind since the
 * start, and which alerts nobody has seen to, for the metrics. Each look reads
 * only what is new, and the alerts that were open the last time.
 */
#ifndef DAEMON_API_EVENT_TALLY_H
#define DAEMON_API_EVENT_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/runtime/lock.h"
#include "store/store.h"

enum {
	EVENT_KINDS = 64,        /* all numbers are below */
	MAX_OPEN_ALERTS = 10000, /* that are kept in mind; of more the first */
};

/* A moment of it. */
struct event_counts {
	uint64_t events[EVENT_KINDS];      /* since the start */
	uint64_t open_alerts[EVENT_KINDS]; /* neither acknowledged nor silenced
					    */
};

struct event_tally;

/* Events that `store` has now are not counted. */
struct event_tally *event_tally_create(struct store *store);

/* NULL is a no-op. */
void event_tally_destroy(struct event_tally *tally);

/*
 * Any thread. O(new events + open alerts); the first one reads all events.
 * ERR_IO, ERR_CORRUPT.
 */
enum error event_tally_look(struct event_tally *tally,
			    struct event_counts *counts_out);

#endif
