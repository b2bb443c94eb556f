#include "daemon/api/api_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/api/api.h"
#include "daemon/api/api_forward.h"
#include "daemon/engine/commit_event.h"
#include "daemon/http/proxy.h"
#include "daemon/query/event.h"
#include "daemon/runtime/clock.h"
#include "store/key.h"
#include "store/rows.h"
#include "template/version_json.h"

/*
 * Long polls for the events of a site that another node owns (GET
 * /v1/events?site=HOST&wait=S). The owner responds to a node immediately, even
 * if there is no event. Therefore the node that the client called waits: it
 * suspends the exchange, and it repeats the request when the log of the
 * partition has grown. The broker reports this to every node.
 */

/*
 * The words of http_handler_state(), which keep the state of a suspended
 * exchange:
 */
enum {
	MEMORY_IS_LISTENING,
	MEMORY_SINCE,
	/* last log entry when the owner was last queried, plus 1 */
	MEMORY_ASKED,
};

static bool long_poll_is_over(const struct http_exchange *exchange)
{
	const char *wait = http_argument(exchange, "wait");
	uint64_t wait_s = strtoull(wait, NULL, 10);

	return wait_s > MAX_WAIT_S ||
	       clock_steady_ms() >= http_arrival_ms(exchange) + wait_s * 1000U;
}

bool call_wants_stream(const struct call *call)
{
	const char *accept = http_header(call->exchange, "Accept");

	return (call->route->flags & ROUTE_EVENTS) != 0 && accept != NULL &&
	       strstr(accept, "text/event-stream") != NULL;
}

bool forward_is_long_poll(const struct forwarded_request *passage)
{
	const struct http_exchange *exchange = passage->call->exchange;

	return (passage->call->route->flags & ROUTE_EVENTS) != 0 &&
	       http_argument(exchange, "wait") != NULL;
}

bool forward_has_no_event(const struct forwarded_request *passage)
{
	struct http_exchange *exchange = passage->call->exchange;

	return forward_is_long_poll(passage) && !long_poll_is_over(exchange) &&
	       http_handler_state(exchange)[MEMORY_ASKED] ==
		       passage->where.last + 1;
}

/*
 * Count the call as an open event stream, unless it is already counted. Return
 * false if there are too many.
 */
static bool call_listen(struct call *call)
{
	uint64_t *memory = http_handler_state(call->exchange);

	if (memory[MEMORY_IS_LISTENING] == 0 && !http_listen(call->exchange))
		return false;
	memory[MEMORY_IS_LISTENING] = 1;
	return true;
}

bool forward_suspend_poll(struct forwarded_request *passage,
			  struct slice answer)
{
	struct call *call = passage->call;
	struct http_head head;

	if (!forward_is_long_poll(passage) ||
	    long_poll_is_over(call->exchange) ||
	    !http_read_head(answer, &head) || head.status != 200 ||
	    answer.size > head.size || !call_listen(call))
		return false;
	http_handler_state(call->exchange)[MEMORY_ASKED] =
		passage->where.last + 1;
	return true;
}

/* The counts of all events up to the event `last`. */
struct event_snapshot {
	uint64_t last; /* number of the last event that was read */
	uint64_t events[EVENT_KINDS];
	/* numbers of the open alerts as uint64_t, ascending */
	struct buffer open;
};

struct event_counters {
	struct store *store;
	uint64_t first;   /* number of the first event to count */
	struct lock lock; /* guards the fields below */
	struct event_snapshot known;
};

struct event_counters *event_counters_create(struct store *store)
{
	struct event_counters *tally = mem_alloc(1, sizeof(*tally));

	tally->store = store;
	tally->first = event_last_number(store) + 1;
	lock_init(&tally->lock, LOCK_EVENT_COUNTERS);
	return tally;
}

void event_counters_destroy(struct event_counters *tally)
{
	if (tally == NULL)
		return;
	lock_destroy(&tally->lock);
	buffer_free(&tally->known.open);
	free(tally);
}

static size_t count_open(const struct event_snapshot *known)
{
	return known->open.size / sizeof(uint64_t);
}

static struct event_snapshot event_counters_copy(struct event_counters *tally)
{
	struct event_snapshot known;

	lock_acquire(&tally->lock);
	known = tally->known;
	known.open = (struct buffer){0};
	buffer_append(&known.open, tally->known.open.data,
		      tally->known.open.size);
	lock_release(&tally->lock);
	return known;
}

/*
 * Store `known`, unless another thread has stored counts of more events
 * meanwhile. Takes ownership of the contents of *known.
 */
static void event_counters_publish(struct event_counters *tally,
				   struct event_snapshot *known)
{
	struct event_snapshot old = *known;

	lock_acquire(&tally->lock);
	if (known->last >= tally->known.last) {
		old = tally->known;
		tally->known = *known;
	}
	lock_release(&tally->lock);
	buffer_free(&old.open);
}

static void read_new(struct event_snapshot *known, struct txn *txn,
		     uint64_t first)
{
	struct key from = key_number(known->last + 1);
	struct scan scan =
		scan_begin_at(txn, TABLE_EVENTS, key_slice(&from), 0);
	struct event_row row;

	while (scan_next(&scan)) {
		uint64_t number = key_u64(scan.key, 0);

		known->last = number;
		if (!event_decode(scan.value, &row) || row.kind >= EVENT_KINDS)
			continue;
		known->events[row.kind] += number >= first;
		if (event_kind_is_alert(row.kind) &&
		    count_open(known) < MAX_OPEN_ALERTS)
			buffer_append(&known->open, &number, sizeof(number));
	}
	scan_end(&scan);
}

/*
 * Remove the alerts from known->open that are no longer open, and count the
 * others by kind.
 */
static void count_alerts(struct event_snapshot *known, struct txn *txn,
			 uint64_t *open_alerts)
{
	uint64_t *numbers = (uint64_t *)(void *)known->open.data;
	size_t count = count_open(known);
	size_t kept = 0;
	struct event_row row;

	for (size_t i = 0; i < count; i++) {
		if (!event_get(txn, numbers[i], &row) ||
		    row.kind >= EVENT_KINDS ||
		    (row.flags & (EVENT_IS_ACKED | EVENT_IS_SILENCED)) != 0)
			continue;
		open_alerts[row.kind]++;
		numbers[kept++] = numbers[i];
	}
	known->open.size = kept * sizeof(uint64_t);
}

enum error event_counters_read(struct event_counters *tally,
			       struct event_counts *counts_out)
{
	struct event_snapshot known = event_counters_copy(tally);
	struct txn txn = txn_begin_read(tally->store);
	enum error error;

	*counts_out = (struct event_counts){0};
	read_new(&known, &txn, tally->first);
	count_alerts(&known, &txn, counts_out->open_alerts);
	memcpy(counts_out->events, known.events, sizeof(known.events));
	error = txn_end(&txn);
	if (error == ERR_NONE)
		event_counters_publish(tally, &known);
	else
		buffer_free(&known.open);
	return error;
}

/* GET /v1/events: stored events, a long poll, or a stream. */

enum {
	DEFAULT_EVENTS = 1000,
	MAX_NEWEST = 1000,          /* events with newest=1 */
	NEWEST_AMONG = 1000 * 1000, /* newest=1 looks only at so many events */
	MAX_EVENTS = 100000,
	MAX_CHUNK_BYTES = 65536, /* when a chunk of a stream has this size, it
				    ends with the next event */
};

bool call_read_kinds(struct call *call, struct slice list, kind_set *kinds_out)
{
	struct slice wrong;

	if (kind_set_parse(list, kinds_out, &wrong))
		return true;
	return call_refuse(
		call,
		"kinds: \"%.*s\" is not a kind of event; use, for example, "
		"template.changed, guard.* or alerts",
		(int)(wrong.size < 64 ? wrong.size : 64),
		wrong.size == 0 ? "" : (const char *)wrong.data);
}

static bool read_kinds(struct call *call, struct event_query *query)
{
	const char *kinds = call_argument(call, "kinds");

	query->kinds = ~(kind_set)0;
	return kinds == NULL ||
	       call_read_kinds(call, slice_of(kinds), &query->kinds);
}

static bool events_read_site(struct call *call, struct event_query *query)
{
	const char *site = call_argument(call, "site");

	if (site == NULL)
		return true;
	if (*site == '\0' || strlen(site) > MAX_HOST_BYTES)
		return call_refuse(call, "site: not a host");
	snprintf(query->host, sizeof(query->host), "%s", site);
	return true;
}

/*
 * Read the arguments of the request. If one is invalid, respond with the error
 * and return false.
 */
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

	event_append_told(number, event, out);
	buffer_append_byte(out, '\n');
	return true;
}

/* The numbers of the last `limit` of the events that were passed. */
struct newest_events {
	uint64_t *numbers; /* [limit], a ring */
	uint64_t limit;
	uint64_t total;
};

/* Number of the last events that newest=1 reads first. */
enum { NEWEST_FIRST = 256 };

static bool newest_events_add(void *context, uint64_t number,
			      const struct event_row *event)
{
	struct newest_events *newest = context;

	(void)event;
	newest->numbers[newest->total++ % newest->limit] = number;
	return true;
}

/*
 * Find the newest events that match. Read the last events, and four times
 * as many until there are enough, so that the time depends on the limit and not
 * on the number of events; only a rare match takes longer.
 */
static enum error newest_events_find(struct store *store,
				     struct event_query *query,
				     struct newest_events *newest)
{
	const uint64_t last = event_last_number(store);
	const uint64_t first =
		last > NEWEST_AMONG && query->since < last - NEWEST_AMONG
			? last - NEWEST_AMONG
			: query->since;
	enum error error = ERR_NONE;
	bool is_all = first >= last;

	for (uint64_t span = NEWEST_FIRST;
	     error == ERR_NONE && !is_all && newest->total < newest->limit;
	     span *= 4) {
		is_all = span >= last - first;
		query->since = is_all ? first : last - span;
		query->until = last;
		query->limit = UINT64_MAX;
		newest->total = 0;
		error = event_query_run(query, store, newest_events_add,
					newest);
	}
	query->since = last > query->since ? last : query->since;
	return error;
}

/* Append the newest events that match, the oldest of them first. */
static enum error append_newest(struct call *call, struct event_query *query,
				struct buffer *lines)
{
	struct newest_events newest = {.limit = query->limit};
	struct txn txn;
	enum error error;

	if (newest.limit == 0)
		return ERR_NONE;
	newest.numbers = mem_alloc(newest.limit, sizeof(uint64_t));
	error = newest_events_find(call->api->store, query, &newest);
	txn = txn_begin_read(call->api->store);
	for (uint64_t i = newest.total < newest.limit
				  ? 0
				  : newest.total - newest.limit;
	     error == ERR_NONE && i < newest.total; i++) {
		uint64_t number = newest.numbers[i % newest.limit];
		struct event_row event;

		if (event_get(&txn, number, &event))
			events_append_line(lines, number, &event);
	}
	txn_abort(&txn);
	free(newest.numbers);
	return error;
}

enum error events_append_newest(struct call *call, const char *host,
				uint64_t limit, struct buffer *lines)
{
	struct event_query query = {.kinds = ~(kind_set)0, .limit = limit};

	snprintf(query.host, sizeof(query.host), "%s", host);
	return append_newest(call, &query, lines);
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

/*
 * Respond with the stored events that match. If no event matches, wait up to
 * `wait_ms` for the next one.
 */
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

/* A stream of events in the format of server-sent events. */
struct event_stream {
	struct store *store;
	struct event_query query;
	uint32_t heartbeat_ms;
	uint64_t said_ms; /* when bytes were last appended to the stream; 0 =
			     never */
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

/*
 * Set query->since to the event after which the stream begins: the last event
 * that the client received (Last-Event-ID), otherwise the newest event. Return
 * false if the header is invalid.
 */
static bool find_begin(struct call *call, struct event_query *query)
{
	const char *last = http_header(call->exchange, "Last-Event-ID");
	char *end;

	if (last == NULL) {
		if (call_argument(call, "since") == NULL)
			query->since = event_last_number(call->api->store);
		return true;
	}
	query->since = strtoull(last, &end, 10);
	if (*last >= '0' && *last <= '9' && *end == '\0' &&
	    query->since < UINT64_MAX)
		return true;
	return call_refuse(
		call, "Last-Event-ID: %.64s: not the number of an event", last);
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

static enum http_verdict answer_newest(struct call *call,
				       struct event_query *query)
{
	struct buffer lines = {0};
	enum error error;

	if (query->limit > MAX_NEWEST)
		query->limit = MAX_NEWEST;
	error = append_newest(call, query, &lines);
	if (error == ERR_NONE)
		return reply_lines(call, query, &lines);
	buffer_free(&lines);
	return call_fail_with(call, error, "the store");
}

enum http_verdict api_get_events(struct call *call)
{
	struct event_query query;
	uint64_t is_newest;
	uint64_t wait_s;

	if (!read_query(call, &query) ||
	    !call_number(call, "newest", 0, 1, &is_newest) ||
	    !call_number(call, "wait", 0, MAX_WAIT_S, &wait_s))
		return HTTP_ANSWERED;
	if (is_newest != 0)
		return answer_newest(call, &query);
	if (call->is_passed)
		wait_s = 0; /* respond immediately, because the forwarding node
			       waits */
	return call_wants_stream(call)
		       ? answer_stream(call, &query)
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
