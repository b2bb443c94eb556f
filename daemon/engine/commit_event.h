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
	HOOK_DELETE, /* delete a hook and its queued events */
	/*
	 * emit EVENT_HOOK_TEST for this hook only; send it immediately, even if
	 * the hook waits for a retry
	 */
	HOOK_TEST,
	HOOK_RETRY,   /* queue the refused events of a hook again */
	HOOKS_REPORT, /* store the results of deliveries */
	EVENT_ACK,
	/* add a silence for events like this one, and acknowledge this event */
	EVENT_SILENCE,
	SILENCE_DELETE,
	/* add a comment to the incident whose event this is */
	INCIDENT_COMMENT,
};

/* maximum number of comments of an incident, and bytes of one */
enum { MAX_COMMENTS = 200, MAX_COMMENT_BYTES = 4096 };

enum { HOOK_REPORT_EVENTS = 64 };

/* maximum number of refused events that are kept for each hook */
enum { MAX_REFUSED_EVENTS = 100 };

/*
 * The state of a hook, and the events that it has received or refused since its
 * last report.
 */
struct hook_report {
	uint32_t hook;
	uint64_t numbers[HOOK_REPORT_EVENTS]; /* events that were delivered or
						 refused, [number_count] */
	size_t number_count;
	/* the one of these events that was refused; 0 = none */
	uint64_t refused;
	uint16_t refused_status;     /* HTTP status of the refusal */
	struct slice refused_answer; /* the beginning of its answer */
	uint64_t delivered_ms;       /* time of the last delivery */
	uint64_t next_ms;            /* do not retry before this time */
	uint32_t failures;           /* number of consecutive failures */
	/* HTTP status of the last attempt; 0 = no response */
	uint16_t http_status;
	struct slice error; /* error of the last attempt; empty = success */
};

struct alert_change {
	enum alert_change_action action;
	uint64_t number; /* number of the hook, silence or event */
	/*
	 * out: number of the new hook (HOOK_ADD), of the test event
	 * (HOOK_TEST), or of the new silence (EVENT_SILENCE); or the number of
	 * events that were queued (HOOK_RETRY)
	 */
	uint64_t made;
	struct slice host;    /* INCIDENT_COMMENT: the site */
	struct slice text;    /* INCIDENT_COMMENT: UTF-8 */
	struct hook_row hook; /* HOOK_ADD: target, secret, host, kinds */
	/*
	 * EVENT_SILENCE: kind, host, cluster and guard of an event that another
	 * node has acknowledged. If its host is empty, the event is read from
	 * this store.
	 */
	struct event_row event;
	/* HOOKS_REPORT: the reports, [report_count] */
	const struct hook_report *reports;
	size_t report_count;
};

/*
 * The silences and the filters of the hooks in memory, so that writing an event
 * need not scan TABLE_SILENCES and TABLE_HOOKS. They are read when first
 * needed. Code that writes or rolls back these tables must reset them.
 */

/* The filter of one hook. */
struct hook_filter {
	uint32_t hook;
	bool is_default; /* the hook names no kinds: it gets only alerts */
	kind_set kinds;
	/* only events of this site; empty = of all sites; a copy */
	struct slice host;
};

struct event_subscriptions {
	bool is_read;
	struct silence_row
		*silences; /* [silence_count]; their hosts are copies */
	size_t silence_count;
	size_t silence_capacity;
	struct hook_filter *wishes; /* [wish_count], ascending by hook */
	size_t wish_count;
	size_t wish_capacity;
};

/* Read the subscriptions if they are not in memory. Ignore damaged rows. */
void subscriptions_read(struct event_subscriptions *audience, struct txn *txn);

/*
 * Free the subscriptions, so that they are read again. Call this after a change
 * of the tables.
 */
void subscriptions_reset(struct event_subscriptions *audience);

/*
 * Return whether a silence matches the event. Call subscriptions_read() first.
 */
bool subscriptions_silence(const struct event_subscriptions *audience,
			   const struct event_row *event);
bool hook_filter_matches(const struct hook_filter *wish,
			 const struct event_row *event);

/*
 * Template updates are the results of a site check, which are committed
 * together. They are plain data and belong to the check.
 */

struct sample_page_entry {
	uint64_t page;
	struct sample_page_row row;
};

struct template_update {
	uint32_t cluster;
	struct template_row row;
	bool has_version; /* version row.version is new or replaced */
	struct version_row version;
	/* sample[] replaces the old sample */
	bool has_sample;
	const struct sample_page_entry *sample; /* [sample_count] */
	size_t sample_count;
};

/* The values of a page, or that its row must be deleted. */
struct field_values_entry {
	uint64_t page;
	bool is_deleted;
	struct field_values_row row;
};

/*
 * What the watcher found on the pages of a template with fields. It is dropped
 * if the fields were changed since it read them.
 */
struct fields_update {
	uint32_t cluster;
	struct slice sets; /* fields_row.sets when the watcher read them */
	/*
	 * the fields and their values move to this template, which has none;
	 * then the members below are not set. 0 = they stay
	 */
	uint32_t moved_to;
	struct fields_row row;
	const struct field_values_entry *values; /* [value_count] */
	size_t value_count;
	const struct event_row *events; /* [event_count] */
	size_t event_count;
};

/* A name that was derived for a cluster, or that must be deleted. */
struct name_update {
	uint32_t cluster;
	bool is_deleted;
	/* the name of a client moves to or from this cluster */
	bool is_moved;
	struct name_row row;
};

/* A page to fetch now. */
struct requested_page {
	uint64_t page;
	/* the server may answer that the page is not modified */
	bool is_conditional;
};

/* A page to render, to decide whether the pages of its template are. */
struct render_sample {
	uint32_t cluster;
	uint64_t page;
};

/* Two clusters that exchange their numbers. */
struct cluster_swap {
	uint32_t a;
	uint32_t b;
};

struct judged_visit {
	uint64_t page;
	uint64_t time_ms; /* time of the visit, as in its waiting_row */
};

struct template_updates {
	uint16_t threshold; /* threshold of the site when the check read it */
	const struct template_update *templates; /* [template_count] */
	size_t template_count;
	/* names of clusters, [name_count]; one that a client gave stays */
	const struct name_update *names;
	size_t name_count;
	const struct fields_update *fields; /* [fields_count] */
	size_t fields_count;
	/*
	 * events to write, [event_count]; the commit sets their time and host
	 */
	const struct event_row *events;
	size_t event_count;
	const struct cluster_swap *swaps; /* [swap_count] */
	size_t swap_count;
	const struct requested_page *visits; /* [visit_count] */
	size_t visit_count;
	const struct render_sample *renders; /* [render_count] */
	size_t render_count;
	/*
	 * waiting visits that become the stored pages, [accepted_count], and
	 * that are deleted, [dropped_count]
	 */
	const struct judged_visit *accepted;
	size_t accepted_count;
	const struct judged_visit *dropped;
	size_t dropped_count;
	/*
	 * the new health of the site; its counts are ignored. NULL = unchanged
	 */
	const struct health_row *health;
	/* incidents of the site must be reported or end */
	bool has_incidents;
	/* templates are being checked, so incidents wait for their results */
	bool is_busy;
	uint32_t set_flags; /* flags of SITE_FINDINGS to set */
	uint32_t clear_flags;
};

#endif
