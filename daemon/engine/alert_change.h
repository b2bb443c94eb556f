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

enum alert_action {
	HOOK_ADD,
	HOOK_DELETE,  /* and its queued events */
	HOOK_TEST,    /* an event EVENT_HOOK_TEST for this hook alone, sent now
			 even if the hook pauses */
	HOOKS_REPORT, /* results of deliveries */
	EVENT_ACK,
	EVENT_SILENCE, /* a silence for events like this one, which is
			* acknowledged
			*/
	SILENCE_DELETE,
};

enum { HOOK_REPORT_EVENTS = 64 };

/* A hook since its last report. */
struct hook_report {
	uint32_t hook;
	uint64_t numbers[HOOK_REPORT_EVENTS]; /* of the events that were
						 delivered, [number_count] */
	size_t number_count;
	uint64_t delivered_ms; /* the last of them */
	uint64_t next_ms;      /* not tried again before this */
	uint32_t failures;     /* in a row */
	uint16_t http_status;  /* of the last try; 0: none */
	struct slice error;    /* of the last try; or empty */
};

struct alert_change {
	enum alert_action action;
	uint64_t number; /* of the hook, silence or event */
	uint64_t made; /* out: of the new hook (ADD), event (TEST) or silence */
	struct hook_row hook;   /* HOOK_ADD: target, secret, host, kinds */
	struct event_row event; /* EVENT_SILENCE, of one that another node of a
				   cluster has acknowledged: kind, host,
				   cluster, guard; without a host: it is here */
	const struct hook_report *reports; /* HOOKS_REPORT: [report_count] */
	size_t report_count;
};

#endif
