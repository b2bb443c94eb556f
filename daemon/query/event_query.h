/* daemon/query/event_query.h - select events of the store, in their order. */
#ifndef DAEMON_QUERY_EVENT_QUERY_H
#define DAEMON_QUERY_EVENT_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/url.h"
#include "daemon/query/event_kinds.h"
#include "store/rows_event.h"
#include "store/store.h"

struct event_query {
	char host[MAX_HOST_BYTES +
		  1]; /* only events of this site; "" = of any site */
	kind_set kinds;
	bool is_firing; /* only events that are not silenced and not
			 * acknowledged
			 */
	uint64_t since; /* after this number; advances as events are read */
	uint64_t limit; /* maximum number of further events */
};

/* Consume a matching event; return false to stop the query. */
typedef bool event_handler(void *context, uint64_t number,
			   const struct event_row *event);

/*
 * Pass matching events to `take`, up to the limit. Transactions stay short
 * however many events do not match.
 */
enum error event_query_run(struct event_query *query, struct store *store,
			   event_handler *take, void *context);

/* Return the number of the last event that was ever written; 0 = none. */
uint64_t event_last_number(struct store *store);

#endif
