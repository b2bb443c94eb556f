/*
 * daemon/answer/event_query.h - selecting events of the store, in their order.
 */
#ifndef DAEMON_ANSWER_EVENT_QUERY_H
#define DAEMON_ANSWER_EVENT_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/url/url.h"
#include "daemon/answer/event_kinds.h"
#include "store/rows_event.h"
#include "store/store.h"

struct event_query {
	char host[MAX_HOST_BYTES + 1]; /* of this site alone; "": of any */
	kind_set kinds;
	bool is_open;   /* neither silenced nor acknowledged */
	uint64_t since; /* behind this number; moves on as events are read */
	uint64_t limit; /* number of further events */
};

/* Gets an event that matches; false ends the query. */
typedef bool event_taker(void *context, uint64_t number,
			 const struct event_row *event);

/*
 * Pass matching events to `take`, up to the limit. Transactions stay short
 * however many events do not match.
 */
enum error event_query_run(struct event_query *query, struct store *store,
			   event_taker *take, void *context);

/* The number of the last event ever written; 0: none yet. */
uint64_t event_last_number(struct store *store);

#endif
