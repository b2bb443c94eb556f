/*
 * daemon/engine/commit_event.h - changes of hooks, deliveries, silences and
 * acknowledgements. Plain data; slices belong to the caller.
 */
#ifndef DAEMON_ENGINE_COMMIT_EVENT_H
#define DAEMON_ENGINE_COMMIT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/query/event.h"
#include "store/rows.h"
#include "store/txn.h"

enum alert_change_action {
	HOOK_ADD,
	HOOK_DELETE,  /* delete a hook and its queued events */
	HOOK_TEST,    /* emit EVENT_HOOK_TEST for this hook only, and send it
			 immediately even if the hook backs off */
	HOOKS_REPORT, /* store the results of deliveries */
	EVENT_ACK,
	EVENT_SILENCE, /* add a silence for events like this one, and
			  acknowledge it */
	SILENCE_DELETE,
};

enum { HOOK_REPORT_EVENTS = 64 };

/* The state of a hook since its last report. */
struct hook_report {
	uint32_t hook;
	uint64_t numbers[HOOK_REPORT_EVENTS]; /* events that were delivered,
						 [number_count] */
	size_t number_count;
	uint64_t delivered_ms; /* time of the last delivery */
	uint64_t next_ms;      /* do not retry before this time */
	uint32_t failures;     /* consecutive failures */
	uint16_t http_status;  /* of the last attempt; 0 = none */
	struct slice error;    /* of the last attempt; or empty */
};

struct alert_change {
	enum alert_change_action action;
	uint64_t number; /* of the hook, silence or event */
	uint64_t made;   /* out: number of the new hook (ADD), event (TEST) or
			    silence */
	struct hook_row hook;   /* HOOK_ADD: target, secret, host, kinds */
	struct event_row event; /* EVENT_SILENCE of an event that another node
				   has acknowledged: kind, host, cluster, guard;
				   without a host, the event is in this store */
	const struct hook_report *reports; /* HOOKS_REPORT: [report_count] */
	size_t report_count;
};

/*
 * The subscriptions in memory: the rules of TABLE_SILENCES and the filters of
 * the hooks in TABLE_HOOKS, so that an event scans neither table. They are
 * read on demand; code that writes or rolls back these tables must reset them.
 */

/* The filter of one hook. */
struct hook_filter {
	uint32_t hook;
	bool is_default; /* only alerts: the hook names no kinds */
	kind_set kinds;
	struct slice host; /* only events of this site; or empty; a copy */
};

struct event_subscriptions {
	bool is_read;
	struct silence_row
		*silences; /* [silence_count]; the hosts are copies */
	size_t silence_count;
	size_t silence_capacity;
	struct hook_filter *wishes; /* [wish_count], ascending by hook */
	size_t wish_count;
	size_t wish_capacity;
};

/* Read the subscriptions if they are not in memory. Ignore damaged rows. */
void subscriptions_read(struct event_subscriptions *audience, struct txn *txn);

/* Reset after a change of the tables; frees the memory. */
void subscriptions_reset(struct event_subscriptions *audience);

/* Return whether a silence matches. The subscriptions must be in memory. */
bool subscriptions_silence(const struct event_subscriptions *audience,
			   const struct event_row *event);
bool hook_filter_matches(const struct hook_filter *wish,
			 const struct event_row *event);

/*
 * Template updates: the results of a site check, committed together. Plain
 * data; the check owns everything.
 */

struct sample_page_entry {
	uint64_t page;
	struct sample_page_row row;
};

struct template_update {
	uint32_t cluster;
	struct template_row row;
	bool has_version; /* version row.version, new or replaced */
	struct version_row version;
	bool has_sample;                        /* replaces the old sample */
	const struct sample_page_entry *sample; /* [sample_count] */
	size_t sample_count;
};

struct template_updates {
	uint16_t threshold; /* of the site when it was read */
	const struct template_update *templates; /* [template_count] */
	size_t template_count;
	const struct event_row
		*events; /* [event_count], without time and host */
	size_t event_count;
	const uint64_t *visits; /* [visit_count], pages to visit now */
	size_t visit_count;
	uint32_t set_flags; /* of SITE_FINDINGS */
	uint32_t clear_flags;
};

#endif
