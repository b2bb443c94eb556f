#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/api/api.h"
#include "daemon/engine/commit_event.h"
#include "daemon/engine/incident.h"
#include "daemon/http/exchange.h"
#include "daemon/query/event.h"
#include "daemon/query/message.h"
#include "store/key.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/txn.h"
#include "template/version_json.h"

/* GET /v1/incidents, GET /v1/incidents/N, and POST /v1/incidents/N/ack. */

enum { DEFAULT_INCIDENTS = 1000, MAX_INCIDENTS = 100000 };

/* An incident in the store. Its host is valid during the transaction. */
struct incident_ref {
	uint64_t number;
	uint32_t site;
	struct slice host;
};

/* The incidents that a request asks for. */
struct incident_listing {
	struct txn *txn;
	const char *site; /* only incidents of this site; NULL = of all sites */
	bool is_open;     /* only incidents that have not ended */
	struct incident_ref *refs; /* [count] */
	size_t count;
	size_t capacity;
};

static void incident_listing_add_site(struct incident_listing *listing,
				      const struct site_row *site)
{
	struct scan scan = scan_site(listing->txn, TABLE_INCIDENTS, site->id);
	struct incident_row row;

	while (scan_next(&scan)) {
		if (!incident_row_decode(scan.value, &row) ||
		    (listing->is_open && row.state == INCIDENT_ENDED))
			continue;
		listing->refs =
			mem_grow(listing->refs, listing->count,
				 &listing->capacity, sizeof(*listing->refs));
		listing->refs[listing->count++] = (struct incident_ref){
			.number = key_u64(scan.key, sizeof(site->id)),
			.site = site->id,
			.host = site->host,
		};
	}
	scan_end(&scan);
}

static int incident_ref_order(const void *a, const void *b)
{
	const struct incident_ref *left = a;
	const struct incident_ref *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

/* Read which incidents there are, ascending by number. */
static void incident_listing_read(struct incident_listing *listing)
{
	struct scan scan = scan_begin(listing->txn, TABLE_SITES, slice_of(""));
	struct site_row site;

	while (scan_next(&scan))
		if (site_decode(scan.value, &site) &&
		    (listing->site == NULL ||
		     slice_equal(site.host, slice_of(listing->site))))
			incident_listing_add_site(listing, &site);
	scan_end(&scan);
	if (listing->count > 0)
		qsort(listing->refs, listing->count, sizeof(*listing->refs),
		      incident_ref_order);
}

/* Add the sentence for people, and the message of the incident. */
static void incident_add_texts(json_t *incident, const char *kind,
			       json_t *detail)
{
	static const struct {
		const char *member;
		void (*append)(const json_t *event, struct buffer *out);
	} texts[] = {{"summary", event_summary},
		     {"title", event_title},
		     {"text", event_text}};
	json_t *event =
		json_pack("{s:s, s:O?, s:O, s:O}", "kind", kind, "detail",
			  detail, "site", json_object_get(incident, "site"),
			  "url", json_object_get(incident, "url"));

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct buffer text = {0};

		texts[i].append(event, &text);
		json_object_set_new(incident, texts[i].member,
				    json_text(buffer_slice(&text)));
		buffer_free(&text);
	}
	json_decref(event);
}

static const char *incident_state_name(const struct incident_row *row)
{
	if (row->state == INCIDENT_COLLECTING)
		return "collecting";
	return row->state == INCIDENT_ENDED ? "ended" : "open";
}

/* Return the page and the times of the screenshots, or null. */
static json_t *incident_pictures_json(struct txn *txn,
				      const struct incident_ref *ref)
{
	struct incident_screenshots_row row;

	if (!incident_screenshots_row_get(txn, ref->site, ref->number, &row))
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "url", json_text(row.url), "before",
			 json_time(row.before_ms), "after",
			 json_time(row.after_ms));
}

/*
 * Return the incident as JSON; NULL if it does not exist. Only `is_whole` adds
 * the lists of its detail.
 */
static json_t *incident_json(struct txn *txn, const struct incident_ref *ref,
			     bool is_whole)
{
	const struct finding_kind *main;
	struct incident_row row;
	struct event_row alert = {0};
	const char *kind;
	json_t *detail;
	json_t *value;

	if (!incident_row_get(txn, ref->site, ref->number, &row))
		return NULL;
	main = finding_kind_of(row.kind);
	kind = event_kind_name(main == NULL ? row.kind : (uint16_t)main->alert);
	detail = json_read(row.detail);
	if (row.alert != 0)
		event_get(txn, row.alert, &alert);
	value = json_pack(
		"{s:I, s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:o, s:b, "
		"s:b, s:o}",
		"id", (json_int_t)ref->number, "site", json_text(ref->host),
		"kind", kind, "state", incident_state_name(&row), "severity",
		event_severity(main == NULL ? 0 : (uint16_t)main->alert),
		"began", json_time(row.begin_ms), "last_finding",
		json_time(row.last_ms), "sent", json_time(row.sent_ms), "ended",
		json_time(row.end_ms), "findings", (json_int_t)row.events,
		"alert",
		row.alert == 0 ? json_null()
			       : json_integer((json_int_t)row.alert),
		"acknowledged", (alert.flags & EVENT_IS_ACKED) != 0, "silenced",
		(alert.flags & EVENT_IS_SILENCED) != 0, "url",
		json_text_or_null(row.url));
	incident_add_texts(value, kind, detail);
	if (is_whole) {
		json_object_set(value, "detail", detail);
		json_object_set_new(value, "screenshots",
				    incident_pictures_json(txn, ref));
	}
	json_decref(detail);
	return value;
}

enum http_verdict api_get_incidents(struct call *call)
{
	struct incident_listing listing = {
		.site = http_argument(call->exchange, "site"),
	};
	json_t *list;
	struct txn txn;
	uint64_t is_open;
	uint64_t limit;
	size_t first;
	enum error error;

	if (!call_number(call, "open", 0, 1, &is_open) ||
	    !call_number(call, "limit", DEFAULT_INCIDENTS, MAX_INCIDENTS,
			 &limit))
		return HTTP_ANSWERED;
	listing.is_open = is_open != 0;
	txn = txn_begin_read(call->api->store);
	listing.txn = &txn;
	incident_listing_read(&listing);
	list = json_array();
	first = listing.count > limit ? listing.count - (size_t)limit : 0;
	for (size_t i = first; i < listing.count; i++)
		json_array_append_new(
			list, incident_json(&txn, &listing.refs[i], false));
	free(listing.refs);
	error = txn_end(&txn);
	if (error == ERR_NONE)
		return call_reply_json(call, 200,
				       json_pack("{s:o}", "incidents", list));
	json_decref(list);
	return call_fail_with(call, error, "the store");
}

/*
 * Find incident call->event, and return its row. *ref_out belongs to the
 * transaction.
 */
static bool call_find_incident(const struct call *call, struct txn *txn,
			       struct incident_ref *ref_out,
			       struct incident_row *row_out)
{
	struct scan scan = scan_begin(txn, TABLE_SITES, slice_of(""));
	bool is_found = false;
	struct site_row site;

	*ref_out = (struct incident_ref){.number = call->event};
	while (!is_found && scan_next(&scan)) {
		if (!site_decode(scan.value, &site) ||
		    !incident_row_get(txn, site.id, call->event, row_out))
			continue;
		is_found = true;
		ref_out->site = site.id;
		ref_out->host = site.host;
	}
	scan_end(&scan);
	return is_found;
}

enum http_verdict api_get_incident(struct call *call)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct incident_ref ref;
	struct incident_row row;
	json_t *value = NULL;
	enum error error;

	if (call_find_incident(call, &txn, &ref, &row))
		value = incident_json(&txn, &ref, true);
	error = txn_end(&txn);
	if (error == ERR_NONE && value != NULL)
		return call_reply_json(call, 200, value);
	json_decref(value);
	return call_fail_with(call, error == ERR_NONE ? ERR_NOT_FOUND : error,
			      "the incident");
}

enum http_verdict api_ack_incident(struct call *call)
{
	struct alert_change alert = {.action = EVENT_ACK};
	struct txn txn = txn_begin_read(call->api->store);
	struct incident_ref ref;
	struct incident_row row = {0};
	bool is_found = call_find_incident(call, &txn, &ref, &row);
	enum error error = txn_end(&txn);

	if (error == ERR_NONE && !is_found)
		error = ERR_NOT_FOUND;
	if (error == ERR_NONE && row.alert == 0)
		return call_fail(call, 409, "not_sent",
				 "the incident was not reported yet");
	alert.number = row.alert;
	if (error == ERR_NONE)
		error = call_alert(call, &alert);
	return error == ERR_NONE ? api_get_incident(call)
				 : call_fail_with(call, error, "the incident");
}
