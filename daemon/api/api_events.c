/* Events: stored ones, by long polling, or as a stream. */
#include "daemon/api/api_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/engine/alert_change.h"
#include "daemon/query/event_json.h"
#include "daemon/query/event_query.h"
#include "daemon/runtime/clock.h"

enum {
	DEFAULT_EVENTS = 1000,
	MAX_EVENTS = 100000,
	MAX_CHUNK_BYTES = 65536, /* buffer of a stream, plus one event */
};

/* State of a suspended exchange: words of http_handler_state(). */
enum { MEMORY_IS_LISTENING, MEMORY_SINCE };

bool call_read_kinds(struct call *call, struct slice list, kind_set *kinds_out)
{
	struct slice wrong;

	if (kind_set_parse(list, kinds_out, &wrong))
		return true;
	call_fail(call, 400, "bad_request",
		  "kinds: \"%.*s\" is not a kind of event; use, for example, "
		  "template.changed, guard.* or alerts",
		  (int)(wrong.size < 64 ? wrong.size : 64),
		  wrong.size == 0 ? "" : (const char *)wrong.data);
	return false;
}

static bool read_kinds(struct call *call, struct event_query *query)
{
	const char *kinds = http_argument(call->exchange, "kinds");

	query->kinds = ~(kind_set)0;
	return kinds == NULL ||
	       call_read_kinds(call, slice_of(kinds), &query->kinds);
}

static bool events_read_site(struct call *call, struct event_query *query)
{
	const char *site = http_argument(call->exchange, "site");

	if (site == NULL)
		return true;
	if (*site == '\0' || strlen(site) > MAX_HOST_BYTES) {
		call_fail(call, 400, "bad_request", "site: not a host");
		return false;
	}
	snprintf(query->host, sizeof(query->host), "%s", site);
	return true;
}

/* If an argument is wrong, respond with the error and return false. */
static bool read_query(struct call *call, struct event_query *query)
{
	uint64_t is_firing;

	*query = (struct event_query){.limit = DEFAULT_EVENTS};
	if (!call_number(call, "since", 0, UINT64_MAX - 1, &query->since) ||
	    !call_number(call, "limit", DEFAULT_EVENTS, MAX_EVENTS,
			 &query->limit) ||
	    !call_number(call, "firing", 0, 1, &is_firing) ||
	    !events_read_site(call, query) || !read_kinds(call, query))
		return false;
	query->is_firing = is_firing != 0;
	return true;
}

static enum http_verdict refuse_listener(struct call *call)
{
	return call_fail_busy(
		call, "too many event streams are open (socket.max_streams)");
}

static bool events_append_line(void *context, uint64_t number,
			       const struct event_row *event)
{
	struct buffer *out = context;

	event_append(number, event, out);
	buffer_append_byte(out, '\n');
	return true;
}

static enum http_verdict reply_lines(struct call *call,
				     const struct event_query *query,
				     struct buffer *lines)
{
	char last[24];

	snprintf(last, sizeof(last), "%llu", (unsigned long long)query->since);
	http_add_header(call->exchange, "X-Templated-Last", last);
	http_reply(call->exchange, 200, "application/x-ndjson", lines);
	return HTTP_ANSWERED;
}

bool call_listen(struct call *call)
{
	uint64_t *memory = http_handler_state(call->exchange);

	if (memory[MEMORY_IS_LISTENING] == 0 && !http_listen(call->exchange))
		return false;
	memory[MEMORY_IS_LISTENING] = 1;
	return true;
}

/* Respond with the stored events or, with `wait`, with the next ones. */
static enum http_verdict
answer_lines(struct call *call, struct event_query *query, uint64_t wait_ms)
{
	uint64_t *memory = http_handler_state(call->exchange);
	struct buffer lines = {0};
	enum error error;

	if (query->since < memory[MEMORY_SINCE])
		query->since = memory[MEMORY_SINCE];
	error = event_query_run(query, call->api->store, events_append_line,
				&lines);
	if (error != ERR_NONE) {
		buffer_free(&lines);
		return call_fail_with(call, error, "the store");
	}
	memory[MEMORY_SINCE] = query->since;
	if (lines.size > 0 || query->limit == 0 ||
	    clock_steady_ms() >= http_arrival_ms(call->exchange) + wait_ms)
		return reply_lines(call, query, &lines);
	return call_listen(call) ? HTTP_SUSPENDED : refuse_listener(call);
}

/* A stream of server-sent events. */
struct event_stream {
	struct store *store;
	struct event_query query;
	uint32_t heartbeat_ms;
	uint64_t said_ms; /* when bytes were last appended; 0 = never */
};

static bool append_sent(void *context, uint64_t number,
			const struct event_row *event)
{
	struct buffer *out = context;

	buffer_printf(out,
		      "id: %llu\nevent: %s\ndata: ", (unsigned long long)number,
		      event_kind_name(event->kind));
	event_append(number, event, out);
	buffer_append_text(out, "\n\n");
	return out->size < MAX_CHUNK_BYTES;
}

static bool fill_stream(void *context, struct buffer *out)
{
	struct event_stream *stream = context;
	uint64_t now_ms = clock_steady_ms();
	enum error error;

	if (stream->said_ms == 0)
		buffer_append_text(out, "retry: 1000\n\n");
	stream->query.limit = MAX_EVENTS;
	error = event_query_run(&stream->query, stream->store, append_sent,
				out);
	if (error != ERR_NONE) {
		log_error_limited("events: a stream was aborted: %s",
				  error_text(error));
		return false;
	}
	if (out->size == 0 && now_ms >= stream->said_ms + stream->heartbeat_ms)
		buffer_append_text(out, ":\n\n");
	if (out->size > 0)
		stream->said_ms = now_ms;
	return true;
}

static bool wants_stream(const struct call *call)
{
	const char *accept = http_header(call->exchange, "Accept");

	return accept != NULL && strstr(accept, "text/event-stream") != NULL;
}

/*
 * Find where the stream begins: after the last event that the client received,
 * otherwise now.
 */
static bool find_begin(struct call *call, struct event_query *query)
{
	const char *last = http_header(call->exchange, "Last-Event-ID");
	char *end;

	if (last == NULL) {
		if (http_argument(call->exchange, "since") == NULL)
			query->since = event_last_number(call->api->store);
		return true;
	}
	query->since = strtoull(last, &end, 10);
	if (*last >= '0' && *last <= '9' && *end == '\0' &&
	    query->since < UINT64_MAX)
		return true;
	call_fail(call, 400, "bad_request",
		  "Last-Event-ID: %.64s: not the number of an event", last);
	return false;
}

static enum http_verdict answer_stream(struct call *call,
				       struct event_query *query)
{
	struct event_stream *stream;

	if (!find_begin(call, query))
		return HTTP_ANSWERED;
	if (!http_listen(call->exchange))
		return refuse_listener(call);
	stream = mem_alloc(1, sizeof(*stream));
	stream->store = call->api->store;
	stream->query = *query;
	stream->heartbeat_ms = call->config->heartbeat_ms;
	http_add_header(call->exchange, "Cache-Control", "no-cache");
	http_reply_stream(call->exchange, 200, "text/event-stream",
			  &(struct http_stream){.fill = fill_stream,
						.free = free,
						.context = stream});
	return HTTP_ANSWERED;
}

enum http_verdict api_get_events(struct call *call)
{
	struct event_query query;
	uint64_t wait_s;

	if (!read_query(call, &query) ||
	    !call_number(call, "wait", 0, MAX_WAIT_S, &wait_s))
		return HTTP_ANSWERED;
	if (call->is_passed)
		wait_s = 0; /* the forwarding node waits instead */
	return wants_stream(call) ? answer_stream(call, &query)
				  : answer_lines(call, &query, wait_s * 1000U);
}

/* Commit a change of hooks or silences. */
enum error call_alert(struct call *call, struct alert_change *alert)
{
	struct change change = {.kind = CHANGE_ALERTS, .alert = alert};

	return pipeline_command(call->api->pipeline, &change);
}

enum http_verdict call_reply_event(struct call *call, const char *rule,
				   uint64_t made)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct event_row event;
	json_t *value = NULL;

	if (event_get(&txn, call->event, &event))
		value = event_json(call->event, &event);
	txn_abort(&txn);
	if (value == NULL)
		return call_fail_with(call, ERR_NOT_FOUND, "the event");
	if (rule != NULL)
		json_object_set_new(value, rule,
				    json_integer((json_int_t)made));
	return call_reply_json(call, 200, value);
}

enum http_verdict api_post_ack(struct call *call)
{
	struct alert_change alert = {.action = EVENT_ACK,
				     .number = call->event};
	enum error error = call_alert(call, &alert);

	return error == ERR_NONE ? call_reply_event(call, NULL, 0)
				 : call_fail_with(call, error, "the event");
}
