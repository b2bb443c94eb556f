/*
 * daemon/api/api_events.h - the alerts of sites as Atom feeds (RFC 4287),
 * and counters of events for the metrics. The title and the
 * text of an entry are the message (daemon/query/message.h); the evidence
 * follows as HTML.
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
	struct slice host;   /* empty: the feed is of all sites */
	struct slice seed;   /* seed URL of the site; empty for all sites */
	const char *origin;  /* the URL of the web interface, or "" */
	const char *path;    /* of the feed */
	uint64_t updated_ms; /* time of the newest entry; if there are no
				entries, when the site was added */
};

void atom_begin(const struct atom_site *site, struct buffer *out);

/*
 * Append an entry for `event`, JSON in the form of daemon/query/event.h, which
 * happened at `time_ms`. Of each list in its evidence at most 100 items are
 * written.
 */
void atom_entry(const struct atom_site *site, const json_t *event,
		uint64_t time_ms, struct buffer *out);
void atom_end(struct buffer *out);

/*
 * Counters of the events since the start, by kind, and of open alerts, for the
 * metrics. An alert is open while it is neither acknowledged nor silenced. Each
 * call reads only the new events and the alerts that were open at the previous
 * call.
 */

enum {
	EVENT_KINDS = 64, /* the number of every kind is less than this */
	MAX_OPEN_ALERTS = 10000, /* if there are more open alerts, only the
				    newest are counted */
};

/* The counts at one time. */
struct event_counts {
	uint64_t events[EVENT_KINDS];      /* [kind], since the start */
	uint64_t open_alerts[EVENT_KINDS]; /* [kind] */
};

/* Create counters. Events that the store already has are not counted. */
struct event_counters *event_counters_create(struct store *store);

/* NULL is a no-op. */
void event_counters_destroy(struct event_counters *tally);

/*
 * Update and read the counts. Any thread. O(new events + open alerts), but the
 * first call reads all events. ERR_IO, ERR_CORRUPT.
 */
enum error event_counters_read(struct event_counters *tally,
			       struct event_counts *counts_out);

#endif
