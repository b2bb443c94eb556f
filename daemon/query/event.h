/*
 * daemon/query/event.h - events as JSON and as sentences, for the API and for
 * hooks.
 */
#ifndef DAEMON_QUERY_EVENT_H
#define DAEMON_QUERY_EVENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "crawl/url/url.h"
#include "store/rows.h"
#include "store/store.h"

/*
 * The member with the name that the template had when the event was emitted. In
 * the store it is a member of the detail.
 */
#define EVENT_NAME_MEMBER "template_name"

/*
 * Return the event as one object with the members seq, time, kind, site,
 * template_name (or null), cluster, other, url, pages, alert, silenced,
 * acknowledged, guard, detail (an object or null), severity, title and text
 * (daemon/query/message.h).
 */
json_t *event_json(uint64_t number, const struct event_row *event);

/* Append the JSON of the event as one line without the line end. */
void event_append(uint64_t number, const struct event_row *event,
		  struct buffer *out);

/* The same with the member summary, the sentence of event_summary(). */
void event_append_told(uint64_t number, const struct event_row *event,
		       struct buffer *out);

/*
 * A filter for kinds of events. Its text is a list of items such as
 * "template.*,guard.firing". An item is the name of a kind, a prefix of names
 * followed by '*', or "alerts".
 */

enum { MAX_KINDS_BYTES = 512 };

/*
 * One bit for each kind of EVENT_LIST; the number of the bit is the number of
 * the kind.
 */
typedef uint64_t kind_set;

/*
 * Parse the list. If it is too long, or an item is empty or matches no kind,
 * return false and set *wrong_out to that item.
 */
bool kind_set_parse(struct slice list, kind_set *kinds_out,
		    struct slice *wrong_out);

/*
 * Return the kinds that are alerts, that is, events that need attention. The
 * other kinds only record what the daemon did.
 */
kind_set kind_set_alerts(void);
bool event_kind_is_alert(uint16_t kind);

bool kind_set_has(kind_set kinds, uint16_t kind);

/* Queries for the events of the store, in the order of their numbers. */

struct event_query {
	/* only events of this site; "" = of any site */
	char host[MAX_HOST_BYTES + 1];
	kind_set kinds;
	bool is_firing; /* only events that are not silenced and not
			 * acknowledged
			 */
	uint64_t since; /* only events with larger numbers; advances as events
			   are read */
	uint64_t until; /* only events up to this number; 0 = to the last */
	uint64_t limit; /* maximum number of events that may still be passed */
};

/* Process a matching event. Return false to stop the query. */
typedef bool event_handler(void *context, uint64_t number,
			   const struct event_row *event);

/*
 * Pass matching events to `take`, up to the limit. Each transaction is short,
 * even if few of many events match.
 */
enum error event_query_run(struct event_query *query, struct store *store,
			   event_handler *take, void *context);

/*
 * Return the number of the last event that was written to the store, even if it
 * was deleted; 0 = none was written.
 */
uint64_t event_last_number(struct store *store);

/*
 * An event as one human-readable sentence. The input is the JSON of the event,
 * so that the daemon and templatectl can share the code.
 */

/*
 * Append what the event is about: "NAME (HOST/N)", or HOST/N if the template
 * has no name, or the site.
 */
void event_subject(const json_t *event, struct buffer *out);

/*
 * Append the sentence without the name of the template (HOST/N) and without a
 * full stop. Missing details are omitted.
 */
void event_summary(const json_t *event, struct buffer *out);

#endif
