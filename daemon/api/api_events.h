/*
 * daemon/api/api_events.h - alerts of a site as an Atom feed (RFC 4287): titles
 * are summaries, contents the evidence as HTML.
 */
#ifndef DAEMON_API_API_EVENTS_H
#define DAEMON_API_API_EVENTS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "daemon/runtime/lock.h"
#include "store/store.h"

struct event_counters;

struct atom_site {
	struct slice host;
	struct slice seed;   /* URL of the site */
	uint64_t updated_ms; /* time of the newest entry, or of the site */
};

void atom_begin(const struct atom_site *site, struct buffer *out);

/*
 * Append an entry. `event` has the form of daemon/query/event.h and
 * happened at `time_ms`. At most 100 items of each list of its evidence are
 * written.
 */
void atom_entry(const struct atom_site *site, const json_t *event,
		uint64_t time_ms, struct buffer *out);
void atom_end(struct buffer *out);

/*
 * Counts events by kind since the start, and open alerts, for the metrics.
 * Each call reads only the new events, and the alerts that were open at the
 * previous call.
 */

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
