#include "daemon/api/api_pass.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/api/api_passage.h"
#include "daemon/http/pass.h"
#include "daemon/runtime/clock.h"
#include "daemon/web/ui_form.h"
#include "store/partitions.h"

enum {
	MAX_PASSED_ONE =
		MAX_FORWARDED / 2, /* for one owner, which may be slow */
	READ_MS = 10000,           /* time for a response from the store */
	COMMIT_MS = 30000, /* time for a response that waits for a commit */
	MARGIN_MS = 2000,  /* for both ways through the network */
	SETTLE_MS = 3000,  /* until a new owner is ready */
	PAUSE_MS = 100,    /* between two lookups of the owner */
};

/* The word of http_handler_state() for forwarding, and its bits. */
enum { MEMORY_PASS = 3, MEMORY_HAS_STALE = 1 };

/* Where the body names the URL, for routes whose path and `url` do not. */
static const struct {
	const char *method;
	const char *path;
	enum { IN_OBJECT, IN_FORM } place; /* format of the body */
} bodies[] = {
	{"POST", "/v1/sites", IN_OBJECT},
	{"POST", "/ui/sites", IN_FORM},
	{"POST", "/ui/page/fetch", IN_FORM},
	{"POST", "/ui/page/delete", IN_FORM},
};

/* Routes that concern all sites. */
static const char *const common[] = {"/v1/hooks", "/v1/silences",
				     "/ui/silences"};

static const char *const rights[] = {
	[ACCESS_NONE] = "none",
	[ACCESS_READ] = "read",
	[ACCESS_WRITE] = "write",
	[ACCESS_OWNER] = "owner",
};

#define NO_OWNER "no node owns the site now%s; try again"

uint64_t forward_read_access(const struct http_exchange *exchange)
{
	const char *right = http_header(exchange, FORWARD_HEADER_ACCESS);

	for (unsigned i = 0; i < sizeof(rights) / sizeof(rights[0]); i++)
		if (right != NULL && strcmp(right, rights[i]) == 0)
			return i | ACCESS_IS_FORWARDED;
	return ACCESS_NONE | ACCESS_IS_FORWARDED;
}

bool forward_set_owner(struct http_exchange *exchange)
{
	const char *owner = http_header(exchange, FORWARD_HEADER_OWNER);

	return owner == NULL ||
	       http_set_owner(exchange, OWNER_BIT | strtoull(owner, NULL, 10));
}

bool api_admit_node(struct http_exchange *exchange, void *context)
{
	(void)context;
	*http_user_data(exchange) = forward_read_access(exchange);
	return forward_set_owner(exchange);
}

/* Return the partition of the URL's host, or ALL_PARTITIONS if it has none. */
static unsigned partition_of_url(const struct node_client *peers,
				 const char *text)
{
	struct url url;

	if (text == NULL || url_parse(&url, slice_of(text), NULL) != ERR_NONE)
		return ALL_PARTITIONS;
	return peers->partition(slice_of(url.host));
}

static unsigned partition_of_body(struct call *call, size_t row)
{
	struct slice body = http_body(call->exchange);
	json_t *value = bodies[row].place == IN_FORM
				? ui_form_read(body)
				: json_loadb(body.size == 0 ? "" : body.data,
					     body.size, 0, NULL);
	unsigned partition = partition_of_url(
		call->api->peers,
		json_string_value(json_object_get(value, "url")));

	json_decref(value);
	return partition;
}

/* Return whether the path names an event; its number contains the partition. */
static bool forward_is_event(const struct call *call)
{
	const char *path = http_path(call->exchange);

	return call->event != 0 &&
	       (strncmp(path, "/v1/events/", strlen("/v1/events/")) == 0 ||
		strncmp(path, "/ui/alerts/", strlen("/ui/alerts/")) == 0);
}

/*
 * Return whether the route concerns all sites. A silence always does, also if
 * it is made from an event of one site.
 */
static bool is_common(const char *path)
{
	const char *end = strrchr(path, '/');

	if (end != NULL && strcmp(end, "/silence") == 0)
		return true;
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		if (strncmp(path, common[i], strlen(common[i])) == 0)
			return true;
	return false;
}

static bool count_host(void *context, const char *host)
{
	unsigned *count = context;

	*count += strchr(host, '*') == NULL ? 1 : 2;
	return true;
}

/*
 * Return whether the archive contains pages of one host only, which it names.
 */
static bool is_of_one_host(const struct http_exchange *exchange)
{
	unsigned count = 0;

	http_each_argument(exchange, "host", count_host, &count);
	return count == 1;
}

static unsigned forward_partition(struct call *call)
{
	const struct http_exchange *exchange = call->exchange;
	const struct node_client *peers = call->api->peers;
	const char *path = http_path(exchange);
	const char *url = http_argument(exchange, "url");
	const char *host = http_argument(exchange, "host");

	if (call->host[0] != '\0')
		return peers->partition(slice_of(call->host));
	if (forward_is_event(call) && !is_common(path))
		return store_partition_of_event(call->api->store, call->event);
	if (strcmp(path, "/v1/ingest") == 0)
		return host != NULL && is_of_one_host(exchange)
			       ? peers->partition(slice_of(host))
			       : ALL_PARTITIONS;
	if (url != NULL)
		return partition_of_url(peers, url);
	if (host == NULL)
		host = http_argument(exchange, "site");
	if (host != NULL)
		return peers->partition(slice_of(host));
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		if (strcmp(bodies[i].path, path) == 0 &&
		    strcmp(bodies[i].method, http_method(exchange)) == 0)
			return partition_of_body(call, i);
	return is_common(path) ? PARTITION_COMMON : ALL_PARTITIONS;
}

/* Return whether the request neither fetches nor changes anything. */
static bool is_read(const struct http_exchange *exchange)
{
	const char *method = http_method(exchange);
	const char *fetch = http_argument(exchange, "fetch");

	return (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0) &&
	       (fetch == NULL || strcmp(fetch, "never") == 0);
}

/*
 * POST routes that may be repeated although the first request may have been
 * executed: a repetition stores the same data again.
 */
static const char *const repeated[] = {"/v1/sites", "/v1/extract",
				       "/v1/ingest"};

/* Return whether the method is safe or idempotent (RFC 9110, 9.2.2). */
static bool is_repeatable(const struct http_exchange *exchange)
{
	if (http_is_upload(exchange))
		return false; /* part of the body was read */
	if (strcmp(http_method(exchange), "POST") != 0)
		return true;
	for (size_t i = 0; i < sizeof(repeated) / sizeof(repeated[0]); i++)
		if (strcmp(http_path(exchange), repeated[i]) == 0)
			return true;
	return false;
}

static bool wants_stale(const struct http_exchange *exchange)
{
	const char *word = http_argument(exchange, "stale");

	if (word == NULL)
		word = http_header(exchange, FORWARD_HEADER_STALE);
	return word != NULL && strcmp(word, "ok") == 0;
}

/*
 * Mark the response as possibly stale, and state the log entry that it
 * includes.
 */
static void add_stale(struct forwarded_request *passage)
{
	struct call *call = passage->call;
	const struct node_client *peers = call->api->peers;
	uint64_t *memory = http_handler_state(call->exchange);
	struct cluster_facts facts;
	char number[24];

	passage->result = FORWARD_REPLICA;
	if ((memory[MEMORY_PASS] & MEMORY_HAS_STALE) != 0)
		return;
	memory[MEMORY_PASS] |= MEMORY_HAS_STALE;
	peers->facts(peers->cluster, &facts);
	free(facts.nodes);
	(void)snprintf(number, sizeof(number), "%" PRIu64,
		       facts.partitions[passage->partition].applied);
	http_add_header(call->exchange, FORWARD_HEADER_STALE, "true");
	http_add_header(call->exchange, FORWARD_HEADER_LOG, number);
}

/*
 * Acquire a slot for a request to `owner`; return MAX_FORWARDED if there is
 * none.
 */
static size_t begin_passing(const struct call *call, const char *owner)
{
	struct api *api = call->api;
	size_t place = MAX_FORWARDED;
	size_t same = 0;

	lock_acquire(&api->lock);
	for (size_t i = 0; i < MAX_FORWARDED; i++) {
		same += strcmp(api->passed[i], owner) == 0;
		if (api->passed[i][0] == '\0')
			place = i;
	}
	if (same >= MAX_PASSED_ONE ||
	    quota_acquire(&api->passing, call_owner(call), 1) != QUOTA_ACQUIRED)
		place = MAX_FORWARDED;
	if (place < MAX_FORWARDED)
		(void)snprintf(api->passed[place], NODE_NAME_BYTES, "%s",
			       owner);
	else
		api->is_passing_awaited = true;
	lock_release(&api->lock);
	return place;
}

static void end_passing(struct forwarded_request *passage, size_t place,
			uint64_t begin_us)
{
	struct api *api = passage->call->api;
	uint64_t time_us = clock_read_us(CLOCK_MONOTONIC) - begin_us;
	bool is_awaited;

	assert(place < MAX_FORWARDED);
	lock_acquire(&api->lock);
	time_histogram_add(&api->pass_times, time_us);
	api->pass_results[passage->result]++;
	api->passed[place][0] = '\0';
	quota_release(&api->passing, call_owner(passage->call), 1);
	is_awaited = api->is_passing_awaited;
	api->is_passing_awaited = false;
	for (int i = 0; i < LISTENERS; i++)
		if (is_awaited && api->servers[i] != NULL)
			http_wake(api->servers[i]);
	lock_release(&api->lock);
}

static uint32_t patience_ms(const struct forwarded_request *passage)
{
	return passage->is_read ? READ_MS
				: COMMIT_MS + (uint32_t)passage->call->config
						      ->ask_timeout_ms;
}

enum http_verdict forward_fail_no_owner(struct forwarded_request *passage,
					const char *code, const char *message)
{
	http_add_header(passage->call->exchange, "Retry-After", "1");
	return call_fail(passage->call, 503, code, message,
			 passage->where.owner);
}

enum http_verdict forward_fail_no_response(struct forwarded_request *passage,
					   enum error error)
{
	if (!passage->is_read && error == ERR_STOPPED)
		return call_fail(passage->call, 504, "timeout",
				 "the node no longer owns the site and did not "
				 "respond; the request may have been executed");
	if (passage->where.owner[0] == '\0')
		return forward_fail_no_owner(passage, "no_owner", NO_OWNER);
	if (!passage->is_read && (error == ERR_TIMEOUT || error == ERR_NETWORK))
		return call_fail(passage->call, 504, "timeout",
				 "node %s did not respond; the request may "
				 "have been executed",
				 passage->where.owner);
	return forward_fail_no_owner(
		passage, "no_response",
		"node %s, which owns the site, does not respond; try again");
}

enum http_verdict forward_fail_moved(struct forwarded_request *passage)
{
	return forward_fail_no_owner(
		passage, "no_owner",
		"the site moves from node %s to another one; try again");
}

enum http_verdict forward_fail_direct(struct forwarded_request *passage)
{
	return call_fail(passage->call, 421, "ask_owner",
			 "node %s owns the site, and the request cannot be "
			 "forwarded without its address "
			 "(nodes.advertise_address): send it to that node",
			 passage->where.owner);
}

enum http_verdict forward_fail_cut_off(struct forwarded_request *passage)
{
	return call_fail(passage->call, 502, "network",
			 "the response of node %s was cut off",
			 passage->where.owner);
}

void forward_write_access(const struct call *call, enum access access,
			  struct buffer *out)
{
	uint64_t owner = call_owner(call);

	buffer_printf(out, FORWARD_HEADER_ACCESS ": %s\r\n", rights[access]);
	if (owner != QUOTA_UNLIMITED)
		buffer_printf(out, FORWARD_HEADER_OWNER ": %" PRIu64 "\r\n",
			      call->api->random ^ owner);
}

void forward_write_headers(const struct forwarded_request *passage,
			   struct buffer *out)
{
	forward_write_access(passage->call, passage->access, out);
	buffer_printf(out, FORWARD_HEADER_EPOCH ": %" PRIu64 "\r\n",
		      passage->where.epoch);
}

void forward_add_owner(struct forwarded_request *passage)
{
	char epoch[24];

	(void)snprintf(epoch, sizeof(epoch), "%" PRIu64, passage->where.epoch);
	http_add_header(passage->call->exchange, FORWARD_HEADER_NODE,
			passage->where.owner);
	http_add_header(passage->call->exchange, FORWARD_HEADER_EPOCH, epoch);
}

static void find_owner(const struct forwarded_request *passage,
		       struct partition_route *out)
{
	const struct node_client *peers = passage->call->api->peers;

	peers->find(peers->cluster, passage->partition, out);
}

bool forward_is_current(const void *context)
{
	const struct forwarded_request *passage = context;
	struct partition_route where;

	find_owner(passage, &where);
	return !http_is_ended(passage->call->exchange) &&
	       where.epoch == passage->where.epoch;
}

bool forward_refind_owner(struct forwarded_request *passage, enum error error)
{
	uint64_t now_ms = clock_steady_ms();

	passage->looks++;
	if (http_is_ended(passage->call->exchange))
		return false;
	if (error == ERR_STOPPED && !is_repeatable(passage->call->exchange))
		return false;
	if (error == ERR_STOPPED && passage->settle_ms == 0) {
		passage->settle_ms = now_ms + SETTLE_MS;
		if (!passage->is_read) /* the second node may respond */
			http_add_header(passage->call->exchange,
					FORWARD_HEADER_REPEATED, "true");
	}
	if (passage->looks > MAX_LOOKS && now_ms >= passage->settle_ms)
		return false;
	if (passage->settle_ms != 0)
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L},
			  NULL);
	find_owner(passage, &passage->where);
	return true;
}

static void forward_write_request(const struct forwarded_request *passage,
				  struct buffer *out)
{
	struct buffer lines = {0};

	forward_write_headers(passage, &lines);
	http_write_request(passage->call->exchange, lines.data, out);
	buffer_free(&lines);
}

/* Return why the owner rejected the request; "" if it handled it. */
static bool is_refused(const struct buffer *answer, const char *why)
{
	struct slice said =
		http_head_value(buffer_slice(answer), FORWARD_HEADER_REJECTION);

	return said.size == strlen(why) &&
	       memcmp(said.data, why, said.size) == 0;
}

static bool forward_reply(struct forwarded_request *passage, enum error error,
			  struct buffer *answer, enum http_verdict *verdict_out)
{
	bool is_moved = error == ERR_NONE && is_refused(answer, "misdirected");

	*verdict_out = HTTP_ANSWERED;
	if (error == ERR_TOO_LARGE ||
	    (error == ERR_NONE && is_refused(answer, "too_large")))
		return forward_send_direct(passage, verdict_out);
	if (error == ERR_NONE && !is_moved) {
		passage->result = FORWARD_OWNER;
		if (forward_suspend_poll(passage, buffer_slice(answer))) {
			*verdict_out = HTTP_SUSPENDED;
			return false;
		}
		forward_add_owner(passage);
		if (!http_reply_raw(passage->call->exchange,
				    buffer_slice(answer)))
			*verdict_out = forward_fail_cut_off(passage);
		return false;
	}
	if (passage->is_read && passage->where.is_copy) {
		add_stale(passage);
		return true;
	}
	*verdict_out = is_moved ? forward_fail_moved(passage)
				: forward_fail_no_response(passage, error);
	return false;
}

static enum error ask_owner(struct forwarded_request *passage,
			    struct buffer *answer)
{
	const struct node_client *peers = passage->call->api->peers;
	struct buffer question = {0};
	enum error error = ERR_TOO_LARGE;

	forward_write_request(passage, &question);
	if (question.size <= peers->max_bytes(peers->cluster))
		error = peers->ask(peers->cluster, passage->partition, NULL,
				   buffer_slice(&question),
				   patience_ms(passage), answer);
	/* the node does not serve requests yet, or no longer */
	if (error == ERR_NONE && answer->size == 0)
		error = ERR_NOT_FOUND;
	buffer_free(&question);
	return error;
}

/* Return whether the request must be sent to another node. */
static bool is_turned_away(enum error error, const struct buffer *answer)
{
	return error == ERR_NOT_FOUND || error == ERR_STOPPED ||
	       (error == ERR_NONE && is_refused(answer, "misdirected"));
}

/*
 * Send the request to the owner and, if it has moved, once to the next owner.
 * Return true if this node has become the owner or may respond from its
 * replica.
 */
static bool forward_send(struct forwarded_request *passage,
			 enum http_verdict *verdict_out)
{
	struct buffer answer = {0};
	enum error error = ERR_NOT_FOUND;
	bool is_ours;

	do {
		if (passage->where.owner[0] == '\0')
			continue; /* this node or that one gets the partition */
		buffer_clear(&answer);
		error = ask_owner(passage, &answer);
	} while (is_turned_away(error, &answer) &&
		 forward_refind_owner(passage, error) &&
		 !passage->where.is_own);
	is_ours = passage->where.is_own ||
		  forward_reply(passage, error, &answer, verdict_out);
	buffer_free(&answer);
	return is_ours;
}

/*
 * Return whether the response may be endless or the request does not fit in
 * memory.
 */
static bool is_stream(const struct http_exchange *exchange)
{
	const char *path = http_path(exchange);
	const char *end = strrchr(path, '/');
	const char *accept = http_header(exchange, "Accept");

	return http_is_upload(exchange) ||
	       (end != NULL && strcmp(end, "/texts") == 0 &&
		strncmp(path, "/v1/", strlen("/v1/")) == 0) ||
	       (strcmp(path, "/v1/events") == 0 && accept != NULL &&
		strstr(accept, "text/event-stream") != NULL);
}

/*
 * Like forward_send(), with a slot; if none is free, suspend the exchange until
 * one is.
 */
static bool pass_in_turn(struct forwarded_request *passage,
			 enum http_verdict *verdict_out)
{
	struct call *call = passage->call;
	uint64_t begin_us = clock_read_us(CLOCK_MONOTONIC);
	size_t place = begin_passing(call, passage->where.owner);
	bool is_ours;

	*verdict_out = HTTP_SUSPENDED;
	if (place < MAX_FORWARDED) {
		is_ours = is_stream(call->exchange)
				  ? forward_send_direct(passage, verdict_out)
				  : forward_send(passage, verdict_out);
		end_passing(passage, place, begin_us);
		return is_ours;
	}
	if (!forward_is_long_poll(passage) &&
	    clock_steady_ms() >= http_arrival_ms(call->exchange) + READ_MS)
		*verdict_out = forward_fail_no_owner(
			passage, "busy",
			"too many requests wait for node %s; try again");
	return false;
}

/* Handle a request of another node that treats this node as the owner. */
static bool answer_node(struct forwarded_request *passage,
			enum http_verdict *verdict_out)
{
	struct call *call = passage->call;
	const char *epoch = http_header(call->exchange, FORWARD_HEADER_EPOCH);

	if (passage->where.is_own &&
	    (epoch == NULL ||
	     strtoull(epoch, NULL, 10) == passage->where.epoch))
		return true;
	http_add_header(call->exchange, FORWARD_HEADER_REJECTION,
			"misdirected");
	*verdict_out = call_fail(call, 421, "misdirected",
				 "this node does not own the site");
	return false;
}

static bool forward_find_owner(struct forwarded_request *passage,
			       enum http_verdict *verdict_out)
{
	struct call *call = passage->call;
	const struct partition_route *where = &passage->where;

	if (call->is_passed)
		return answer_node(passage, verdict_out);
	if (where->is_own)
		return true;
	if (passage->is_read && where->is_copy &&
	    (where->owner[0] == '\0' || wants_stale(call->exchange))) {
		add_stale(passage);
		return true;
	}
	if (where->owner[0] == '\0') {
		*verdict_out =
			forward_fail_no_owner(passage, "no_owner", NO_OWNER);
		return false;
	}
	*verdict_out = HTTP_QUEUED;
	if (http_is_inline(call->exchange))
		return false;
	*verdict_out = HTTP_SUSPENDED;
	return !forward_has_no_event(passage) &&
	       pass_in_turn(passage, verdict_out);
}

bool call_is_local(struct call *call, enum access access,
		   enum http_verdict *verdict_out)
{
	struct forwarded_request passage = {.call = call, .access = access};

	if (call->api->peers == NULL)
		return true;
	passage.partition = forward_partition(call);
	if (passage.partition == ALL_PARTITIONS)
		return true;
	passage.is_read = is_read(call->exchange);
	find_owner(&passage, &passage.where);
	return forward_find_owner(&passage, verdict_out);
}

/* Write the response of a node that cannot handle a request, as bytes. */
static void refuse_node(struct buffer *answer, unsigned status,
			const char *refusal, enum error error)
{
	struct buffer body = {0};

	buffer_printf(&body,
		      "{\"error\":{\"code\":\"%s\",\"message\":\"%s\"}}\n",
		      error_code(error), error_text(error));
	buffer_printf(answer,
		      "HTTP/1.1 %u Refused\r\nContent-Type: "
		      "application/json\r\nContent-Length: %zu\r\n",
		      status, body.size);
	if (*refusal != '\0')
		buffer_printf(answer, FORWARD_HEADER_REJECTION ": %s\r\n",
			      refusal);
	buffer_append_text(answer, "\r\n");
	buffer_append_slice(answer, buffer_slice(&body));
	buffer_free(&body);
}

enum error api_serve(struct api *api, struct slice request, size_t max_bytes,
		     uint32_t timeout_ms, struct buffer *answer)
{
	struct http_server *server;
	enum error error = ERR_STOPPED;

	lock_acquire(&api->lock);
	server = api->servers[LISTENER_NODES];
	api->served += server != NULL;
	lock_release(&api->lock);
	if (server == NULL)
		return error;
	error = http_serve(server, request, max_bytes, timeout_ms, answer);
	lock_acquire(&api->lock);
	assert(api->served > 0);
	if (--api->served == 0)
		condition_broadcast(&api->is_quiet);
	lock_release(&api->lock);
	return error;
}

void api_end_nodes(struct api *api)
{
	lock_acquire(&api->lock);
	if (api->servers[LISTENER_NODES] != NULL)
		http_serve_no_more(api->servers[LISTENER_NODES]);
	api->servers[LISTENER_NODES] = NULL;
	while (api->served > 0)
		condition_wait(&api->is_quiet, &api->lock);
	lock_release(&api->lock);
}

void api_handle_node(void *context, struct slice question,
		     struct buffer *answer)
{
	struct api *api = context;
	const struct node_client *peers = api->peers;
	uint32_t timeout_ms;
	enum error error;

	lock_acquire(&api->lock);
	timeout_ms = COMMIT_MS + (uint32_t)api->config->ask_timeout_ms;
	lock_release(&api->lock);
	error = api_serve(api, question, peers->max_bytes(peers->cluster),
			  timeout_ms - MARGIN_MS, answer);
	if (error == ERR_TOO_LARGE)
		refuse_node(answer, 421, "too_large", error);
	else if (error != ERR_NONE)
		refuse_node(answer, 503, "", error);
}
