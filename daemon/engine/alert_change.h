/*
 * daemon/engine/alert_change.h - changes of hooks, deliveries, silences and
 * acknowledgements. Plain data; slices belong to the caller.
 */
#ifndef DAEMON_ENGINE_ALERT_CHANGE_H
#define DAEMON_ENGINE_ALERT_CHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "store/rows_event.h"
#include "store/rows_hook.h"

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

#endif
