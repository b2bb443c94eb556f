/*
 * daemon/query/message.h - events as messages for people: a title, a text that
 * says what happened, where, and what to do next, and links. The API, hooks,
 * mail and feeds show the same message. The input is the JSON of the event
 * (event_json()). Pure.
 */
#ifndef DAEMON_QUERY_MESSAGE_H
#define DAEMON_QUERY_MESSAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * Return "alert", "notice" or "info": whether events of the kind need attention
 * at once, need attention, or only document what has happened.
 */
const char *event_severity(uint16_t kind);

/* Append one line, such as "shop.example: pages have a new design". */
void event_title(const json_t *event, struct buffer *out);

/* Append up to three lines: what happened, on which page, what to do next. */
void event_text(const json_t *event, struct buffer *out);

/*
 * Return the links of the event, the most useful one first: a list of objects
 * {"name", "url"}. `daemon_url` is the URL of the web interface without a slash
 * at its end, or "".
 */
json_t *event_links(const json_t *event, const char *daemon_url);

/*
 * Return whether the event ends what earlier events with the same key have
 * reported.
 */
bool event_is_resolved(const json_t *event);

/*
 * Append a text that the events of one incident have in common, and no other
 * event has.
 */
void event_key(const json_t *event, struct buffer *out);

#endif
