/* daemon/query/event_json.h - an event as JSON, for the API and for hooks. */
#ifndef DAEMON_QUERY_EVENT_JSON_H
#define DAEMON_QUERY_EVENT_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "base/buffer.h"
#include "store/rows_event.h"

/*
 * Return one object: seq, time, kind, site, cluster, other, url, pages, alert,
 * silenced, acknowledged, guard, detail (an object, or null).
 */
json_t *event_json(uint64_t number, const struct event_row *event);

/* Append the event as one line, without the line end. */
void event_append(uint64_t number, const struct event_row *event,
		  struct buffer *out);

#endif
