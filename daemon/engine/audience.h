/*
 * daemon/engine/audience.h - the subscriptions in memory: the rules of
 * TABLE_SILENCES and the filters of the hooks in TABLE_HOOKS, so that an event
 * scans neither table. They are read on demand; code that writes or rolls back
 * these tables must reset them. Internal to the engine.
 */
#ifndef DAEMON_ENGINE_AUDIENCE_H
#define DAEMON_ENGINE_AUDIENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/query/event_kinds.h"
#include "store/rows_event.h"
#include "store/rows_hook.h"
#include "store/txn.h"

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

#endif
