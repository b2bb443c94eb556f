#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawl/address_filter.h"
#include "daemon/api/api.h"
#include "daemon/api/api_forward.h"
#include "daemon/engine/commit_event.h"
#include "daemon/http/proxy.h"
#include "daemon/notify/notifier.h"
#include "daemon/query/event.h"
#include "daemon/query/hook_form.h"
#include "daemon/query/stored_site.h"
#include "store/encryption.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows.h"
#include "template/version_json.h"

/*
 * POST silences for an event of another node. A silence concerns all sites, but
 * an event belongs to one site. Therefore the node that owns the silences sends
 * a request to the node that owns the event. That node acknowledges the event
 * and returns it, and the silence is made from the returned event.
 */

enum { ASK_MS = 30000 /* time limit of a request that waits for a commit */ };

#define X(name, value, text) name,
static const uint16_t api_silence_kinds[] = {EVENT_LIST(X)};
#undef X

/*
 * Return the kind of the event; 0 if it is unknown, because a later version has
 * added it.
 */
static uint16_t read_kind(const json_t *event)
{
	const char *name = json_member_text(event, "kind");

	for (size_t i = 0;
	     i < sizeof(api_silence_kinds) / sizeof(api_silence_kinds[0]); i++)
		if (name != NULL &&
		    strcmp(event_kind_name(api_silence_kinds[i]), name) == 0)
			return api_silence_kinds[i];
	return 0;
}

/*
 * Return the number of the event's cluster: 17 for "example.org/17", 0 for
 * null.
 */
static uint32_t read_cluster(const json_t *event)
{
	const char *id = json_member_text(event, "cluster");
	const char *slash = id == NULL ? NULL : strrchr(id, '/');

	return slash == NULL ? 0 : (uint32_t)strtoul(slash + 1, NULL, 10);
}

/*
 * Read the members that a silence is made from. The texts of *out belong to the
 * JSON. Return false if a silence cannot be made from the event.
 */
static bool read_event(const json_t *event, struct event_row *out)
{
	const char *site = json_member_text(event, "site");

	*out = (struct event_row){
		.kind = read_kind(event),
		.cluster = read_cluster(event),
		.guard = (uint32_t)json_member_whole(event, "guard"),
	};
	if (site == NULL || out->kind == 0)
		return false;
	out->host = slice_of(site);
	return true;
}

/*
 * Make the owner acknowledge call->event, and return the event as JSON. Return
 * NULL if this failed; then the error was sent, and *verdict_out is set.
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
	/* if the owner responded, its response states why there is no event */
	if (event == NULL &&
	    (error != ERR_NONE ||
	     !http_reply_raw(call->exchange, buffer_slice(&answer)))) {
		http_add_header(call->exchange, "Retry-After", "1");
		*verdict_out = call_fail(call, 503, "no_response",
					 "node %s, which owns the event, does "
					 "not respond; try again",
					 where.owner);
	}
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
 * Set call->event from the body {"event": N}. If the body is invalid, respond
 * with the error and return false.
 */
static bool read_number(struct call *call, const json_t *request)
{
	json_int_t number = json_member_whole(request, "event");

	if (number <= 0)
		return call_refuse(call,
				   "event: must be the number of an event");
	call->event = (uint64_t)number;
	return true;
}

static enum http_verdict silence_add(struct call *call)
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

/* Add a silence from its members, as GET /v1/silences shows them. */
static enum http_verdict silence_add_site(struct call *call,
					  const json_t *request)
{
	struct alert_change alert = {.action = EVENT_SILENCE};
	struct url url;
	enum error error;

	if (!read_event(request, &alert.event) ||
	    url_parse(&url, alert.event.host, NULL) != ERR_NONE)
		return call_fail(call, 400, "bad_request",
				 "the body must be {\"event\": N} or "
				 "{\"site\": HOST, \"kind\": KIND, ...}");
	alert.event.host = slice_of(url.host);
	error = call_alert(call, &alert);
	return error == ERR_NONE
		       ? call_reply_json(call, 200,
					 json_pack("{s:I}", "silence",
						   (json_int_t)alert.made))
		       : call_fail_with(call, error, "the silence");
}

enum http_verdict api_post_silence(struct call *call)
{
	enum http_verdict verdict;
	json_t *request;

	if (call->event != 0)
		return silence_add(call);
	if (!call_read_object(call, &request))
		return HTTP_ANSWERED;
	if (json_object_get(request, "site") != NULL)
		verdict = silence_add_site(call, request);
	else
		verdict = read_number(call, request) ? silence_add(call)
						     : HTTP_ANSWERED;
	json_decref(request);
	return verdict;
}

/* Hooks and silences. */

enum { MAX_SECRET_BYTES = 1024 };

/* Return the refused events of the hook that this node owns as a list. */
static json_t *hook_refused_json(struct txn *txn, uint32_t hook)
{
	struct scan scan = scan_begin(txn, TABLE_REFUSED, KEY(key_small(hook)));
	json_t *list = json_array();
	struct refused_row row;
	struct event_row event;

	while (scan_next(&scan)) {
		uint64_t number = key_u64(scan.key, sizeof(hook));
		json_t *value;

		if (!store_owns_event(txn->store, number) ||
		    !refused_row_decode(scan.value, &row) ||
		    !event_decode(row.event, &event))
			continue;
		value = event_json(number, &event);
		json_array_append_new(
			list, json_pack("{s:I, s:o, s:i, s:o, s:s, s:o, s:O}",
					"seq", (json_int_t)number, "refused",
					json_time(row.refused_ms), "status",
					(int)row.http_status, "answer",
					json_text(row.answer), "kind",
					event_kind_name(event.kind), "site",
					json_text_or_null(event.host), "title",
					json_object_get(value, "title")));
		json_decref(value);
	}
	scan_end(&scan);
	return list;
}

/* Return a hook as JSON, with its target redacted. */
static json_t *hook_json(struct txn *txn, uint32_t number,
			 const struct hook_row *row)
{
	bool is_locked = !secret_text_read(txn->store, row->target, NULL) ||
			 !secret_text_read(txn->store, row->secret, NULL);
	struct slice target = secret_text_redacted(row->target);
	json_t *settings = hook_target_settings(target);
	json_t *value = json_pack(
		"{s:I, s:s, s:o, s:o, s:o, s:b, s:b, s:o, s:I, s:I, s:I, s:I, "
		"s:o, s:I, s:o, s:i, s:o}",
		"id", (json_int_t)number, "form",
		hook_target_form(settings, target), "target", json_text(target),
		"site", json_text_or_null(row->host), "kinds",
		row->kinds.size == 0 ? json_string("alerts")
				     : json_text(row->kinds),
		"signed", row->secret.size > 0, "no_credentials", is_locked,
		"created", json_time(row->created_ms), "queued",
		(json_int_t)row->waiting, "delivered",
		(json_int_t)row->delivered, "dropped", (json_int_t)row->dropped,
		"refused", (json_int_t)hook_count_refused(txn, number),
		"last_delivered", json_time(row->delivered_ms), "failures",
		(json_int_t)row->failures, "next_try", json_time(row->next_ms),
		"http_status", (int)row->http_status, "error",
		json_text_or_null(row->error));

	/* the fields of the form, such as the target, without secrets */
	json_object_update(value, settings);
	json_decref(settings);
	return value;
}

static json_t *hook_row_json(struct call_rows *rows)
{
	struct hook_row row;

	return hook_row_decode(rows->scan.value, &row)
		       ? hook_json(&rows->txn, key_u32(rows->scan.key, 0), &row)
		       : NULL;
}

enum http_verdict api_get_hooks(struct call *call)
{
	return call_reply_rows(call, TABLE_HOOKS, "hooks", SIZE_MAX,
			       hook_row_json);
}

/* Respond with a hook and its refused events. */
static enum http_verdict reply_hook(struct call *call, unsigned status,
				    uint32_t number)
{
	struct txn txn = txn_begin_read(call->api->store);
	json_t *value = NULL;
	struct hook_row row;

	if (hook_row_get(&txn, number, &row)) {
		value = hook_json(&txn, number, &row);
		json_object_set_new(value, "refused_events",
				    hook_refused_json(&txn, number));
	}
	txn_abort(&txn);
	if (value == NULL)
		return call_fail_with(call, ERR_NOT_FOUND, "the hook");
	return call_reply_json(call, status, value);
}

enum http_verdict api_get_hook(struct call *call)
{
	return reply_hook(call, 200, call->number);
}

/*
 * Read the optional member `name`. If it is not a text of at most `max` bytes,
 * respond with the error and return false.
 */
static bool hook_read_text(struct call *call, const json_t *request,
			   const char *name, size_t max, struct slice *text_out)
{
	const json_t *value = json_object_get(request, name);

	*text_out = slice_of("");
	if (value == NULL || json_is_null(value))
		return true;
	if (json_is_string(value) && json_string_length(value) <= max) {
		*text_out = (struct slice){json_string_value(value),
					   json_string_length(value)};
		return true;
	}
	return call_refuse(call, "%s: must be a text of at most %zu bytes",
			   name, max);
}

static bool check_kinds(struct call *call, struct slice kinds)
{
	kind_set set;

	return kinds.size == 0 || call_read_kinds(call, kinds, &set);
}

/*
 * Reject a server that the notifier would not connect to. The address of a name
 * is known only to the notifier, which checks it at each delivery.
 */
static bool hook_check_server(struct call *call, struct slice target)
{
	const struct network_list *networks = &call->config->hook_networks;
	char host[MAX_HOST_BYTES + 1];
	struct url url;
	size_t length;

	if (!hook_target_server(target, &url))
		return call_refuse(call, "target: not a URL");
	length = url.host[0] == '[' ? strcspn(url.host, "]")
				    : strcspn(url.host, ":");
	snprintf(host, sizeof(host), "%.*s",
		 (int)(length - (url.host[0] == '[')),
		 url.host + (url.host[0] == '['));
	if (!address_filter_is_private_name(url.host) ||
	    address_filter_allows_text(
		    strcmp(host, "localhost") == 0 ? "127.0.0.1" : host,
		    networks->items, networks->count))
		return true;
	call_fail(call, 403, "forbidden",
		  "target: %s is a private address: add its network to "
		  "hooks.allowed_networks",
		  host);
	return false;
}

static bool hook_check_target(struct call *call, struct slice target)
{
	char message[256];

	if (slice_byte(target, 0) != '{' &&
	    !hook_target_check(target, message, sizeof(message)))
		return call_refuse(call, "target: %s", message);
	if (!hook_target_is_command(target))
		return hook_check_server(call, target);
	if (call->config->allows_exec)
		return true;
	call_fail(call, 403, "forbidden",
		  "target: commands are disabled; to allow them, set "
		  "hooks.allow_commands: yes");
	return false;
}

/*
 * Read all members of the request. If one is invalid, respond with the error
 * and return false.
 */
static bool read_hook(struct call *call, const json_t *request,
		      struct buffer *target, struct hook_row *hook)
{
	const char *kinds;
	char message[256];

	if (!hook_target_make(request, target, &kinds,
			      &(struct failure_text){message, sizeof(message)}))
		return call_refuse(call, "%s", message);
	hook->target = buffer_slice(target);
	if (!hook_read_text(call, request, "secret", MAX_SECRET_BYTES,
			    &hook->secret) ||
	    !hook_read_text(call, request, "site", MAX_HOST_BYTES,
			    &hook->host) ||
	    !hook_read_text(call, request, "kinds", MAX_KINDS_BYTES,
			    &hook->kinds))
		return false;
	if (hook->kinds.size == 0)
		hook->kinds = slice_of(kinds);
	return check_kinds(call, hook->kinds) &&
	       hook_check_target(call, hook->target);
}

enum http_verdict api_post_hook(struct call *call)
{
	struct alert_change alert = {.action = HOOK_ADD};
	struct buffer target = {0};
	json_t *request;
	enum error error;
	bool is_read;

	if (!call_read_object(call, &request))
		return HTTP_ANSWERED;
	is_read = read_hook(call, request, &target, &alert.hook);
	error = is_read ? call_alert(call, &alert) : ERR_NONE;
	json_decref(request);
	buffer_free(&target);
	if (!is_read)
		return HTTP_ANSWERED;
	if (error == ERR_BUSY)
		return call_fail(
			call, 503, "busy",
			"the limit hooks.max_hooks is reached; raise the "
			"limit, or delete a hook");
	if (error != ERR_NONE)
		return call_fail_with(call, error, "the hook was not added");
	return reply_hook(call, 201, (uint32_t)alert.made);
}

/* Commit a change of the hook or the silence whose number is in the path. */
static enum http_verdict
hook_change(struct call *call, struct alert_change alert, const char *name)
{
	enum error error;

	alert.number = call->number;
	error = call_alert(call, &alert);
	if (error != ERR_NONE)
		return call_fail_with(call, error, name);
	return call_reply_json(
		call, 200,
		json_pack("{s:I}", "deleted", (json_int_t)call->number));
}

enum http_verdict api_delete_hook(struct call *call)
{
	return hook_change(call, (struct alert_change){.action = HOOK_DELETE},
			   "the hook");
}

enum http_verdict api_retry_hook(struct call *call)
{
	struct alert_change alert = {.action = HOOK_RETRY,
				     .number = call->number};
	enum error error = call_alert(call, &alert);

	if (error != ERR_NONE)
		return call_fail_with(call, error, "the hook");
	return call_reply_json(
		call, 200,
		json_pack("{s:I}", "queued", (json_int_t)alert.made));
}

/*
 * Emit a test event, and wait for the answer of the receiver to this event, or
 * to an earlier one that fails.
 */
enum http_verdict api_test_hook(struct call *call)
{
	struct alert_change alert = {.action = HOOK_TEST,
				     .number = call->number};
	struct hook_answer answer = {0};
	enum error error = call_alert(call, &alert);
	bool is_answered;
	json_t *value;

	if (error != ERR_NONE)
		return call_fail_with(call, error, "the hook");
	is_answered = call->api->delivery != NULL &&
		      store_owns_event(call->api->store, alert.made) &&
		      delivery_wait(call->api->delivery, call->number,
				    alert.made, &answer);
	if (!is_answered)
		snprintf(answer.error, sizeof(answer.error),
			 "the receiver has not answered yet");
	value = json_pack(
		"{s:I, s:b, s:o, s:o, s:o}", "seq", (json_int_t)alert.made,
		"delivered", *answer.error == '\0', "status",
		answer.http_status == 0
			? json_null()
			: json_integer((json_int_t)answer.http_status),
		"body", json_text(buffer_slice(&answer.body)), "error",
		json_text_or_null(slice_of(answer.error)));
	buffer_free(&answer.body);
	return call_reply_json(call, is_answered ? 200 : 202, value);
}

enum http_verdict api_get_hook_forms(struct call *call)
{
	return call_reply_json(call, 200,
			       json_pack("{s:o}", "forms", hook_forms_json()));
}

enum http_verdict api_delete_silence(struct call *call)
{
	return hook_change(call,
			   (struct alert_change){.action = SILENCE_DELETE},
			   "the rule");
}

static json_t *silence_json(struct call_rows *rows)
{
	struct silence_row row;
	struct site_row site;
	bool is_known;

	if (!silence_row_decode(rows->scan.value, &row))
		return NULL;
	is_known = row.cluster != 0 && site_get(&rows->txn, row.host, &site);
	return json_pack(
		"{s:I, s:o, s:s, s:o, s:o, s:o, s:I, s:o}", "id",
		(json_int_t)key_u32(rows->scan.key, 0), "site",
		json_text_or_null(row.host), "kind", event_kind_name(row.kind),
		"template_name",
		is_known ? stored_name_json(&rows->txn, site.id, row.cluster)
			 : json_null(),
		"cluster", json_cluster_id(row.host, row.cluster), "guard",
		row.guard == 0 ? json_null()
			       : json_integer((json_int_t)row.guard),
		"event", (json_int_t)row.event, "created",
		json_time(row.created_ms));
}

enum http_verdict api_get_silences(struct call *call)
{
	return call_reply_rows(call, TABLE_SILENCES, "silences", SIZE_MAX,
			       silence_json);
}
