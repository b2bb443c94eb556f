/*
 * Make a silence, which concerns all sites, from an event, which belongs to one
 * site: the owner of the silences requests the owner of the event to
 * acknowledge it, and makes the silence from the response.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/api/api_call.h"
#include "daemon/api/api_pass.h"
#include "daemon/engine/alert_change.h"
#include "daemon/http/pass.h"
#include "store/partitions.h"

enum { ASK_MS = 30000 /* time for a response that waits for a commit */ };

#define X(name, value, text) name,
static const uint16_t kinds[] = {EVENT_LIST(X)};
#undef X

/* Return 0 if the kind belongs to a later version. */
static uint16_t read_kind(const json_t *event)
{
	const char *name = json_string_value(json_object_get(event, "kind"));

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (name != NULL &&
		    strcmp(event_kind_name(kinds[i]), name) == 0)
			return kinds[i];
	return 0;
}

/* Map "example.org/17" to 17 and null to 0. */
static uint32_t read_cluster(const json_t *event)
{
	const char *id = json_string_value(json_object_get(event, "cluster"));
	const char *slash = id == NULL ? NULL : strrchr(id, '/');

	return slash == NULL ? 0 : (uint32_t)strtoul(slash + 1, NULL, 10);
}

/*
 * The texts belong to the JSON. Return false if the event names nothing that
 * can be silenced.
 */
static bool read_event(const json_t *event, struct event_row *out)
{
	const char *site = json_string_value(json_object_get(event, "site"));

	*out = (struct event_row){
		.kind = read_kind(event),
		.cluster = read_cluster(event),
		.guard = (uint32_t)json_integer_value(
			json_object_get(event, "guard")),
	};
	if (site == NULL || out->kind == 0)
		return false;
	out->host = slice_of(site);
	return true;
}

static enum http_verdict fail_asking(struct call *call, const char *owner)
{
	http_add_header(call->exchange, "Retry-After", "1");
	return call_fail(
		call, 503, "no_response",
		"node %s, which owns the event, does not respond; try again",
		owner);
}

/*
 * Request the owner to acknowledge the event and return the event; NULL if that
 * failed and the response states why.
 */
static json_t *have_acked(struct call *call, unsigned partition,
			  enum http_verdict *verdict_out)
{
	const struct node_client *peers = call->api->peers;
	struct buffer question = {0};
	struct buffer answer = {0};
	struct partition_route where;
	struct http_head head = {0};
	json_t *event = NULL;
	enum error error;

	peers->find(peers->cluster, partition, &where);
	buffer_printf(&question,
		      "POST /v1/events/%" PRIu64 "/ack HTTP/1.1\r\nHost: x\r\n"
		      "Connection: close\r\n" FORWARD_HEADER_ACCESS
		      ": write\r\n" FORWARD_HEADER_EPOCH ": %" PRIu64
		      "\r\nContent-Length: 0\r\n\r\n",
		      call->event, where.epoch);
	*verdict_out = HTTP_ANSWERED;
	error = peers->ask(peers->cluster, partition, NULL,
			   buffer_slice(&question), ASK_MS, &answer);
	if (error == ERR_NONE && http_read_head(buffer_slice(&answer), &head) &&
	    head.status == 200)
		event = json_loadb(answer.data + head.size,
				   answer.size - head.size, 0, NULL);
	/* the owner's response states why there is no event */
	if (event == NULL &&
	    (error != ERR_NONE ||
	     !http_reply_raw(call->exchange, buffer_slice(&answer))))
		*verdict_out = fail_asking(call, where.owner);
	buffer_free(&question);
	buffer_free(&answer);
	return event;
}

static enum http_verdict silence_another(struct call *call, unsigned partition)
{
	struct alert_change alert = {.action = EVENT_SILENCE,
				     .number = call->event};
	enum http_verdict verdict;
	enum error error = ERR_NOT_FOUND;
	json_t *event = have_acked(call, partition, &verdict);

	if (event == NULL)
		return verdict;
	if (read_event(event, &alert.event))
		error = call_alert(call, &alert);
	if (error != ERR_NONE) {
		json_decref(event);
		return call_fail_with(call, error, "the event");
	}
	json_object_set_new(event, "silence",
			    json_integer((json_int_t)alert.made));
	return call_reply_json(call, 200, event);
}

/*
 * Set call->event from the body {"event": N}; the route of the UI has set it
 * already. If the body is wrong, respond with the error and return false.
 */
static bool read_number(struct call *call)
{
	json_t *request;
	json_int_t number;

	if (call->event != 0)
		return true;
	if (!call_read_object(call, &request))
		return false;
	number = json_integer_value(json_object_get(request, "event"));
	json_decref(request);
	if (number <= 0) {
		call_fail(call, 400, "bad_request",
			  "event: must be the number of an event");
		return false;
	}
	call->event = (uint64_t)number;
	return true;
}

static enum http_verdict silence(struct call *call)
{
	const struct node_client *peers = call->api->peers;
	unsigned partition =
		store_partition_of_event(call->api->store, call->event);
	struct alert_change alert = {.action = EVENT_SILENCE,
				     .number = call->event};
	struct partition_route where = {.is_own = true};
	enum error error;

	if (peers != NULL && partition < ALL_PARTITIONS)
		peers->find(peers->cluster, partition, &where);
	if (!where.is_own)
		return silence_another(call, partition);
	error = call_alert(call, &alert);
	return error == ERR_NONE ? call_reply_event(call, "silence", alert.made)
				 : call_fail_with(call, error, "the event");
}

enum http_verdict api_post_silence(struct call *call)
{
	return read_number(call) ? silence(call) : HTTP_ANSWERED;
}
