/*
 * daemon/api/event_tally.h - counts events by kind since the start, and open
 * alerts, for the metrics. Each call reads only the new events, and the alerts
 * that were open at the previous call.
 */
#ifndef DAEMON_API_EVENT_TALLY_H
#define DAEMON_API_EVENT_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/runtime/lock.h"
#include "store/store.h"

enum {
	EVENT_KINDS = 64,        /* all kinds are below this number */
	MAX_OPEN_ALERTS = 10000, /* tracked; if more, the oldest */
};

/* The counts at one moment. */
struct event_counts {
	uint64_t events[EVENT_KINDS];      /* since the start */
	uint64_t open_alerts[EVENT_KINDS]; /* not acknowledged and not silenced
					    */
};

struct event_counters;

/* Events that `store` already has are not counted. */
struct event_counters *event_counters_create(struct store *store);

/* NULL is a no-op. */
void event_counters_destroy(struct event_counters *tally);

/*
 * Read the counts. Any thread. O(new events + open alerts); the first call
 * reads all events. ERR_IO, ERR_CORRUPT.
 */
enum error event_counters_read(struct event_counters *tally,
			       struct event_counts *counts_out);

#endif
