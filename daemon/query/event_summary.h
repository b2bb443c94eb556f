/*
 * daemon/query/event_summary.h - an event as one human-readable sentence, made
 * from the JSON of daemon/query/event_json.h, so that daemon and templatectl
 * can share it.
 */
#ifndef DAEMON_QUERY_EVENT_SUMMARY_H
#define DAEMON_QUERY_EVENT_SUMMARY_H

#include <jansson.h>

#include "base/buffer.h"

/*
 * Append the sentence, without HOST/N before it and without a full stop.
 * Missing details are omitted.
 */
void event_summary(const json_t *event, struct buffer *out);

#endif
