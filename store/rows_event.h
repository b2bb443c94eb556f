/*
 * store/rows_event.h - the rows of events, in the journal and in the outboxes
 * of hooks (see store/row.h).
 */
#ifndef STORE_ROWS_EVENT_H
#define STORE_ROWS_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/txn.h"

/* Constant, stored number, human-readable name. */
#define EVENT_LIST(X)                                       \
	X(EVENT_SITE_ADDED, 1, "site.added")                \
	X(EVENT_SITE_DELETED, 2, "site.removed")            \
	X(EVENT_SITE_CRAWLED, 3, "site.crawled")            \
	X(EVENT_PAGE_ADDED, 4, "page.added")                \
	X(EVENT_PAGE_CHANGED, 5, "page.changed")            \
	X(EVENT_PAGE_GONE, 6, "page.removed")               \
	X(EVENT_CLUSTER_NEW, 7, "cluster.added")            \
	X(EVENT_CLUSTER_MERGED, 8, "cluster.merged")        \
	X(EVENT_CLUSTER_SPLIT, 9, "cluster.split")          \
	X(EVENT_CLUSTER_GONE, 10, "cluster.removed")        \
	X(EVENT_SITE_RECUT, 11, "site.threshold_changed")   \
	X(EVENT_TEMPLATE_NEW, 12, "template.added")         \
	X(EVENT_TEMPLATE_CHANGED, 13, "template.changed")   \
	X(EVENT_TEMPLATE_REPLACED, 14, "template.replaced") \
	X(EVENT_TEMPLATE_MERGED, 15, "template.merged")     \
	X(EVENT_TEMPLATE_SPLIT, 16, "template.split")       \
	X(EVENT_TEMPLATE_VANISHED, 17, "template.removed")  \
	X(EVENT_SITE_STALE, 18, "site.stale")               \
	X(EVENT_SITE_BLOCKED, 19, "site.blocked")           \
	X(EVENT_GUARD_BROKEN, 20, "guard.firing")           \
	X(EVENT_GUARD_OK, 21, "guard.resolved")             \
	X(EVENT_HOOK_TEST, 22, "hook.test")                 \
	X(EVENT_INQUIRY_CLOSED, 23, "incident.closed")      \
	X(EVENT_GUARD_SUSPENDED, 24, "guard.suspended")

enum event_kind {
#define X(name, value, text) name = (value),
	EVENT_LIST(X)
#undef X
};

const char *event_kind_name(uint16_t kind);

struct event_row {
	uint64_t time_ms;
	uint16_t kind;    /* enum event_kind */
	uint16_t flags;   /* EVENT_IS_* */
	uint32_t cluster; /* 0 = none */
	uint32_t other; /* the cluster that it was merged into or split from, or
			   the page's previous one; 0 = none */
	uint32_t guard; /* number of the guard; 0 = none */
	uint32_t pages; /* number of pages concerned */
	struct slice host;
	struct slice url;    /* or empty */
	struct slice detail; /* JSON object with the evidence of an alert, or
				empty */
};

enum {
	EVENT_IS_SILENCED =
		1, /* a silence existed when it was added: not delivered */
	EVENT_IS_ACKED = 2, /* acknowledged */
};

/* Write the event under the next number. */
uint64_t event_add(struct txn *txn, const struct event_row *row);
bool event_decode(struct slice value, struct event_row *row_out);
bool event_get(struct txn *txn, uint64_t number, struct event_row *row_out);
/* Read the last event with a smaller number, and set *number to it. */
bool event_get_before(struct txn *txn, uint64_t *number,
		      struct event_row *row_out);
void event_put(struct txn *txn, uint64_t number, const struct event_row *row);

/*
 * Add the event to the outbox of the hook. The caller counts it in the hook's
 * row.
 */
void outbox_put(struct txn *txn, uint32_t hook, uint64_t number,
		const struct event_row *row);

#endif
