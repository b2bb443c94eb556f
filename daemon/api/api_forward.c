#include "daemon/api/api_forward.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "crawl/url/host.h"
#include "crawl/warc_write.h"
#include "daemon/http/proxy.h"
#include "daemon/runtime/clock.h"
#include "page/robots_tag.h"
#include "store/partitions.h"
#include "template/version_json.h"

enum {
	MAX_PASSED_ONE = MAX_FORWARDED / 2, /* maximum number for one node,
					       because this node may be slow */
	READ_MS = 10000, /* time limit of a request that only reads */
	/* time limit of a request that waits for a commit */
	API_PASS_COMMIT_MS = 30000,
	/* additional time for the network in both directions */
	MARGIN_MS = 2000,
	SETTLE_MS = 3000,        /* how long a new owner is looked up before the
				    request fails */
	API_PASS_PAUSE_MS = 100, /* pause between two lookups of the owner */
	PATIENCE_MS = 60000,     /* time limit of a direct connection without a
				    received byte */
	MAX_LOOKS = 1, /* how many times the owner is looked up again */
};

/*
 * The word of http_handler_state() that keeps the state of a forwarded request,
 * and its bit.
 */
enum { MEMORY_PASS = 3, MEMORY_HAS_STALE = 1 };

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

/*
 * Return the partition of the host of the URL `text`; ALL_PARTITIONS if it is
 * not a URL.
 */
static unsigned partition_of_url(const struct node_client *peers,
				 const char *text)
{
	struct url url;

	if (text == NULL || url_parse(&url, slice_of(text), NULL) != ERR_NONE)
		return ALL_PARTITIONS;
	return peers->partition(slice_of(url.host));
}

static unsigned partition_of_body(struct call *call)
{
	struct slice body = http_body(call->exchange);
	json_t *value = json_read(body);
	unsigned partition = partition_of_url(call->api->peers,
					      json_member_text(value, "url"));

	json_decref(value);
	return partition;
}

/*
 * Return the partition of the URL or the host that the arguments of the request
 * name; ALL_PARTITIONS if they name neither.
 */
static unsigned partition_of_query(const struct call *call)
{
	const struct node_client *peers = call->api->peers;
	const char *url = call_argument(call, "url");
	const char *host = call_argument(call, "host");

	if (url != NULL)
		return partition_of_url(peers, url);
	if (host == NULL)
		host = call_argument(call, "site");
	return host == NULL ? ALL_PARTITIONS : peers->partition(slice_of(host));
}

static bool count_host(void *context, const char *host)
{
	unsigned *count = context;

	*count += strchr(host, '*') == NULL ? 1 : 2;
	return true;
}

/*
 * Return the partition of the argument `host` if it names exactly one host,
 * whose pages the archive then contains; otherwise ALL_PARTITIONS.
 */
static unsigned partition_of_hosts(const struct call *call)
{
	unsigned count = 0;

	http_each_argument(call->exchange, "host", count_host, &count);
	return count == 1 ? call->api->peers->partition(
				    slice_of(call_argument(call, "host")))
			  : ALL_PARTITIONS;
}

/*
 * Return the partition that the request concerns. The node that owns it handles
 * the request.
 */
static unsigned forward_partition(struct call *call)
{
	const struct api *api = call->api;

	if (call->host[0] != '\0')
		return api->peers->partition(slice_of(call->host));
	switch (call->route->flags & ROUTE_SUBJECT) {
	case ROUTE_OF_EVENT:
		return call->event == 0 ? ALL_PARTITIONS
					: store_partition_of_event(api->store,
								   call->event);
	case ROUTE_OF_QUERY:
		return partition_of_query(call);
	case ROUTE_OF_HOSTS:
		return partition_of_hosts(call);
	case ROUTE_OF_BODY:
		return partition_of_body(call);
	case ROUTE_OF_ALL:
		return PARTITION_COMMON;
	default:
		return ALL_PARTITIONS;
	}
}

/* Return whether the request neither fetches a page nor changes data. */
static bool is_read(const struct http_exchange *exchange)
{
	const char *method = http_method(exchange);
	const char *fetch = http_argument(exchange, "fetch");

	return (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0) &&
	       (fetch == NULL || strcmp(fetch, "never") == 0);
}

/*
 * Return whether the request may be sent twice: its method is safe or
 * idempotent (RFC 9110, 9.2.2), or the route is ROUTE_REPEATABLE. An upload is
 * not repeatable.
 */
static bool is_repeatable(const struct call *call)
{
	if (http_is_upload(call->exchange))
		return false; /* a part of the body may have been read */
	return strcmp(http_method(call->exchange), "POST") != 0 ||
	       (call->route->flags & ROUTE_REPEATABLE) != 0;
}

static bool wants_stale(const struct http_exchange *exchange)
{
	const char *word = http_argument(exchange, "stale");

	if (word == NULL)
		word = http_header(exchange, FORWARD_HEADER_STALE);
	return word != NULL && strcmp(word, "ok") == 0;
}

/*
 * Add headers to the response, which state that it comes from a replica and may
 * be outdated, and name the last log entry of the replica.
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
 * Acquire a slot for a request to the node `owner`. Return its index, or
 * MAX_FORWARDED if no slot is free for this node and this client.
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
	return passage->is_read
		       ? READ_MS
		       : API_PASS_COMMIT_MS +
				 (uint32_t)
					 passage->call->config->ask_timeout_ms;
}

/*
 * Respond that the owner cannot handle the request. `message` has one "%s" for
 * the name of the owner.
 */
static enum http_verdict
forward_fail_no_owner(struct forwarded_request *passage, const char *code,
		      const char *message)
{
	http_add_header(passage->call->exchange, "Retry-After", "1");
	return call_fail(passage->call, 503, code, message,
			 passage->where.owner);
}

static enum http_verdict
forward_fail_no_response(struct forwarded_request *passage, enum error error)
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

static enum http_verdict forward_fail_moved(struct forwarded_request *passage)
{
	return forward_fail_no_owner(
		passage, "no_owner",
		"the site moves from node %s to another one; try again");
}

static enum http_verdict forward_fail_cut_off(struct forwarded_request *passage)
{
	return call_fail(passage->call, 502, "network",
			 "the response of node %s was cut off",
			 passage->where.owner);
}

/*
 * Append the headers that state the access and the quota owner of the client.
 */
static void forward_write_access(const struct call *call, enum access access,
				 struct buffer *out)
{
	uint64_t owner = call_owner(call);

	buffer_printf(out, FORWARD_HEADER_ACCESS ": %s\r\n", rights[access]);
	if (owner != QUOTA_UNLIMITED)
		buffer_printf(out, FORWARD_HEADER_OWNER ": %" PRIu64 "\r\n",
			      call->api->random ^ owner);
}

/* Append the headers that only other nodes may send. */
static void forward_write_headers(const struct forwarded_request *passage,
				  struct buffer *out)
{
	forward_write_access(passage->call, passage->access, out);
	buffer_printf(out, FORWARD_HEADER_EPOCH ": %" PRIu64 "\r\n",
		      passage->where.epoch);
}

/* Add the headers to the response that name the node that owns the data. */
static void forward_add_owner(struct forwarded_request *passage)
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

/*
 * Return whether the lookup is still current (no node has acquired the
 * partition since then) and the client still has access. `context` is a struct
 * forwarded_request.
 */
static bool forward_is_current(const void *context)
{
	const struct forwarded_request *passage = context;
	struct partition_route where;

	find_owner(passage, &where);
	return !http_is_ended(passage->call->exchange) &&
	       where.epoch == passage->where.epoch;
}

/*
 * Look up the owner again after the owner in `where` has failed with this
 * error. ERR_STOPPED: it got the request but no longer owns the partition; then
 * wait a moment for the next owner. Return false if the request must not be
 * sent again, or if the client has lost its access.
 */
static bool forward_refind_owner(struct forwarded_request *passage,
				 enum error error)
{
	uint64_t now_ms = clock_steady_ms();

	passage->looks++;
	if (http_is_ended(passage->call->exchange))
		return false;
	if (error == ERR_STOPPED && !is_repeatable(passage->call))
		return false;
	if (error == ERR_STOPPED && passage->settle_ms == 0) {
		passage->settle_ms = now_ms + SETTLE_MS;
		if (!passage->is_read) /* the first node may have executed the
					  request, too */
			http_add_header(passage->call->exchange,
					FORWARD_HEADER_REPEATED, "true");
	}
	if (passage->looks > MAX_LOOKS && now_ms >= passage->settle_ms)
		return false;
	if (passage->settle_ms != 0)
		nanosleep(&(struct timespec){.tv_nsec = API_PASS_PAUSE_MS *
							1000000L},
			  NULL);
	find_owner(passage, &passage->where);
	return true;
}

static enum error forward_connect(struct forwarded_request *passage,
				  struct http_proxy **relay_out)
{
	const struct node_client *peers = passage->call->api->peers;
	struct buffer lines = {0};
	enum error error;

	forward_write_headers(passage, &lines);
	error = http_proxy_begin(
		relay_out, passage->call->exchange,
		&(struct http_proxy_options){
			.address = passage->where.address,
			.token = peers->token,
			.ca_file = peers->ca_file,
			.certificate_file = peers->certificate_file,
			.key_file = peers->key_file,
			.headers = lines.data,
			.patience_ms = PATIENCE_MS,
			.goes_on = forward_is_current,
			.context = passage,
		});
	buffer_free(&lines);
	return error;
}

static enum http_verdict
forward_reply_streamed(struct forwarded_request *passage,
		       struct http_proxy *relay)
{
	struct call *call = passage->call;
	int spool;
	enum error error;

	if (http_proxy_status(relay) == 401) {
		http_proxy_end(relay);
		return call_fail(call, 502, "unauthorized",
				 "node %s does not accept the token or the "
				 "certificate of this node (nodes.token_file, "
				 "nodes.certificate_file)",
				 passage->where.owner);
	}
	spool = http_is_upload(call->exchange)
			? store_spool_file(call->api->store)
			: -1;
	forward_add_owner(passage);
	error = http_proxy_reply(relay, call->exchange, spool);
	if (error == ERR_NONE)
		passage->result = FORWARD_OWNER;
	if (error == ERR_BUSY)
		return call_fail_busy(
			call,
			"too many event streams are open (socket.max_streams)");
	return error == ERR_NONE ? HTTP_ANSWERED
				 : forward_fail_cut_off(passage);
}

/*
 * Send the request to the owner over a direct connection. If the partition has
 * moved, also send it once to the next owner. Return true if this node must
 * handle the request because it has become the owner; otherwise set
 * *verdict_out.
 */
static bool forward_send_direct(struct forwarded_request *passage,
				enum http_verdict *verdict_out)
{
	bool is_upload = http_is_upload(passage->call->exchange);
	enum error error = ERR_NOT_FOUND;
	struct http_proxy *relay;

	do {
		if (passage->where.owner[0] == '\0')
			continue; /* no owner yet: look up the owner again */
		if (passage->where.address[0] == '\0') {
			*verdict_out = call_fail(
				passage->call, 421, "ask_owner",
				"node %s owns the site, and the request cannot "
				"be forwarded without its address "
				"(nodes.advertise_address): send it to that "
				"node",
				passage->where.owner);
			return false;
		}
		error = forward_connect(passage, &relay);
		if (error != ERR_NONE && error != ERR_STOPPED)
			break;
		if (error == ERR_NONE &&
		    !http_proxy_has_header(relay, FORWARD_HEADER_REJECTION,
					   "misdirected")) {
			*verdict_out = forward_reply_streamed(passage, relay);
			return false;
		}
		if (error == ERR_NONE) {
			http_proxy_end(relay);
			error = ERR_NOT_FOUND;
		}
		/*
		 * do not send an upload again, because a part of its body was
		 * read
		 */
	} while (!is_upload && forward_refind_owner(passage, error) &&
		 !passage->where.is_own);
	if (passage->where.is_own)
		return true;
	*verdict_out = error == ERR_NOT_FOUND
			       ? forward_fail_moved(passage)
			       : forward_fail_no_response(passage, error);
	return false;
}

/* Return whether the owner rejected the request for the reason `why`. */
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
	struct buffer lines = {0};
	enum error error = ERR_TOO_LARGE;

	forward_write_headers(passage, &lines);
	http_write_request(passage->call->exchange, lines.data, &question);
	buffer_free(&lines);
	if (question.size <= peers->max_bytes(peers->cluster))
		error = peers->ask(peers->cluster, passage->partition, NULL,
				   buffer_slice(&question),
				   patience_ms(passage), answer);
	/*
	 * an empty response means that the node does not serve requests yet, or
	 * no longer
	 */
	if (error == ERR_NONE && answer->size == 0)
		error = ERR_NOT_FOUND;
	buffer_free(&question);
	return error;
}

/*
 * Return whether the node did not handle the request, so that another node
 * must.
 */
static bool is_turned_away(enum error error, const struct buffer *answer)
{
	return error == ERR_NOT_FOUND || error == ERR_STOPPED ||
	       (error == ERR_NONE && is_refused(answer, "misdirected"));
}

/*
 * Send the request to the owner through the broker. If the partition has moved,
 * also send it once to the next owner. Return true if this node must handle the
 * request because it has become the owner or may respond from its replica;
 * otherwise set *verdict_out.
 */
static bool forward_send(struct forwarded_request *passage,
			 enum http_verdict *verdict_out)
{
	struct buffer answer = {0};
	enum error error = ERR_NOT_FOUND;
	bool is_ours;

	do {
		if (passage->where.owner[0] == '\0')
			continue; /* no owner yet: look up the owner again */
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
 * Return whether the request needs a direct connection, because its body or its
 * response is streamed.
 */
static bool is_stream(const struct call *call)
{
	return http_is_upload(call->exchange) ||
	       (call->route->flags & ROUTE_STREAM) != 0 ||
	       call_wants_stream(call);
}

/*
 * Acquire a slot and forward the request. If no slot is free, suspend the
 * exchange until one is. Return value as of forward_send().
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
		is_ours = is_stream(call)
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

/*
 * Return whether this node owns the data of a request that another node has
 * forwarded. If not, reject the request, so that the other node finds the
 * owner.
 */
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

/* Append the response to a request of another node that cannot be handled. */
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
	timeout_ms = API_PASS_COMMIT_MS + (uint32_t)api->config->ask_timeout_ms;
	lock_release(&api->lock);
	error = api_serve(api, question, peers->max_bytes(peers->cluster),
			  timeout_ms - MARGIN_MS, answer);
	if (error == ERR_TOO_LARGE)
		refuse_node(answer, 421, "too_large", error);
	else if (error != ERR_NONE)
		refuse_node(answer, 503, "", error);
}

enum { API_GATHER_GATHER_MS = 3000 };

void call_listed(const struct call *call, struct listed_partitions *out)
{
	const struct node_client *peers = call->api->peers;
	struct cluster_facts facts;

	*out = (struct listed_partitions){0};
	if (peers == NULL)
		return;
	peers->facts(peers->cluster, &facts);
	free(facts.nodes);
	out->is_stale = !facts.has_lease;
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		enum partition_state state = facts.partitions[i].state;

		out->partitions[i] =
			state == PARTITION_OWNED ||
			state == PARTITION_LEAVING ||
			(out->is_stale && state != PARTITION_NOT_HERE);
	}
}

bool listed_partitions_have(const struct call *call,
			    const struct listed_partitions *listed,
			    struct slice host)
{
	const struct node_client *peers = call->api->peers;

	return peers == NULL || listed->partitions[peers->partition(host)];
}

void fan_out_begin(struct call *call, struct fan_out *others)
{
	const struct node_client *peers = call->api->peers;

	*others = (struct fan_out){0};
	if (peers != NULL && !call->is_passed)
		peers->facts(peers->cluster, &others->facts);
}

void fan_out_end(struct call *call, struct fan_out *others,
		 const struct listed_partitions *listed)
{
	if (others->missing.size > 0)
		http_add_header(call->exchange, FORWARD_HEADER_MISSING,
				others->missing.data);
	if (listed->is_stale && !call->is_passed)
		http_add_header(call->exchange, FORWARD_HEADER_STALE, "true");
	free(others->facts.nodes);
	buffer_free(&others->missing);
}

const char *fan_out_next(struct fan_out *others)
{
	while (others->next < others->facts.node_count) {
		const struct node_facts *node =
			&others->facts.nodes[others->next++];

		if (!node->is_self && node->owned > 0)
			return node->name;
	}
	return NULL;
}

static void note_missing(struct fan_out *others, const char *node)
{
	if (others->missing.size > 0)
		buffer_append_text(&others->missing, ", ");
	buffer_append_text(&others->missing, node);
}

static json_t *fan_out_parse_response(const struct buffer *answer,
				      bool *is_too_large_out)
{
	struct slice refusal =
		http_head_value(buffer_slice(answer), FORWARD_HEADER_REJECTION);
	struct http_head head;

	*is_too_large_out = slice_equal(refusal, slice_of("too_large"));
	if (!http_read_head(buffer_slice(answer), &head) || head.status != 200)
		return NULL;
	return json_loadb(answer->data + head.size, answer->size - head.size, 0,
			  NULL);
}

json_t *fan_out_request(struct call *call, struct fan_out *others,
			const char *node, const char *target,
			bool *is_too_large_out)
{
	const struct node_client *peers = call->api->peers;
	struct buffer question = {0};
	struct buffer answer = {0};
	json_t *value = NULL;

	*is_too_large_out = false;
	buffer_printf(&question,
		      "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: "
		      "close\r\n" FORWARD_HEADER_ACCESS ": write\r\n\r\n",
		      target, node);
	if (peers->ask(peers->cluster, ALL_PARTITIONS, node,
		       buffer_slice(&question), API_GATHER_GATHER_MS,
		       &answer) == ERR_NONE)
		value = fan_out_parse_response(&answer, is_too_large_out);
	if (value == NULL && !*is_too_large_out)
		note_missing(others, node);
	buffer_free(&question);
	buffer_free(&answer);
	return value;
}

enum {
	/* records for this many nodes are collected at the same time */
	NODES = 8,
	RECORDS = 256,
	BATCH_BYTES = 512 * 1024, /* a batch is sent when its packed records
				     have this many bytes */
	HEAD_BYTES = 512,         /* maximum bytes of the head of the request */
	API_HAND_ON_COMMIT_MS = 30000,
	RETRY_MS = 5000, /* time limit of retries while the node does not accept
			    archives */
	API_HAND_ON_PAUSE_MS = 100,
};

/* Where a record comes from, for error messages. */
struct record_source {
	char *url;
	uint64_t offset;
};

/* The records that are collected for one node. */
struct record_batch {
	char node[NODE_NAME_BYTES]; /* "" = not used */
	struct buffer bytes;
	struct record_source origins[RECORDS]; /* [count] */
	size_t count;
};

struct forward_ingest {
	struct call *call;
	const struct ingest_options *options;
	struct buffer query; /* the options as arguments, such as "&host=..."
				for each host */
	size_t next; /* index of the batch that is sent when another node needs
			its place */
	struct record_batch batches[NODES];
};

struct forward_ingest *
forward_ingest_begin(struct call *call, const struct ingest_options *options)
{
	struct forward_ingest *hand_on;

	if (call->api->peers == NULL || call->is_passed)
		return NULL;
	hand_on = mem_alloc(1, sizeof(*hand_on));
	hand_on->call = call;
	hand_on->options = options;
	if (options->replaces)
		buffer_append_text(&hand_on->query, "&replace=1");
	for (size_t i = 0; i < options->hosts->count; i++) {
		buffer_append_text(&hand_on->query, "&host=");
		buffer_append_slice(&hand_on->query, options->hosts->texts[i]);
	}
	return hand_on;
}

static void record_batch_write(const struct warc_record *record,
			       struct buffer *out)
{
	struct buffer head = {0};
	struct warc_exchange exchange = {
		.url = slice_of(record->url),
		.time_ms = record->time_ms,
		.body = record->body,
		.is_cut = record->is_cut,
		.cut_reason = "length",
	};

	warc_visit_identity(slice_of(record->url), record->time_ms,
			    exchange.identity);
	buffer_printf(&head, "HTTP/1.1 %u OK\r\nContent-Type: %s\r\n",
		      record->http_status, record->content_type);
	if ((record->robots_tag & ROBOTS_TAG_NOFOLLOW) != 0)
		buffer_append_text(&head, "X-Robots-Tag: nofollow\r\n");
	if ((record->robots_tag & ROBOTS_TAG_NOINDEX) != 0)
		buffer_append_text(&head, "X-Robots-Tag: noindex\r\n");
	exchange.headers = buffer_slice(&head);
	warc_write_exchange(&exchange, out);
	buffer_free(&head);
}

/* Send the archive to the node once; `answer` gets the response. */
static enum error ask_once(const struct node_client *peers,
			   const struct record_batch *batch,
			   struct slice question, struct buffer *answer)
{
	struct http_head head;
	enum error error;

	buffer_clear(answer);
	error = peers->ask(peers->cluster, ALL_PARTITIONS, batch->node,
			   question, API_HAND_ON_COMMIT_MS, answer);
	if (error != ERR_NONE)
		return error;
	if (!http_read_head(buffer_slice(answer), &head))
		return ERR_NOT_FOUND; /* no head of a response: the node does
					 not serve requests yet */
	if (head.status == 503 || head.status == 429)
		return ERR_BUSY;
	return head.status == 200 ? ERR_NONE : ERR_ADDRESS_FORBIDDEN;
}

/*
 * Send the records of the batch to their node, with retries. The node may add
 * up to `new_sites` sites that the request does not name.
 */
static enum error record_batch_send(struct forward_ingest *hand_on,
				    const struct record_batch *batch,
				    uint64_t new_sites, struct buffer *answer)
{
	uint64_t until_ms = clock_steady_ms() + RETRY_MS;
	struct buffer question = {0};
	enum error error;

	buffer_printf(&question, "POST /v1/ingest?new_sites=%" PRIu64,
		      new_sites);
	buffer_append_slice(&question, buffer_slice(&hand_on->query));
	buffer_printf(&question,
		      " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
		      "Content-Length: %zu\r\n",
		      batch->bytes.size);
	forward_write_access(hand_on->call, ACCESS_WRITE, &question);
	buffer_append_text(&question, "\r\n");
	buffer_append_slice(&question, buffer_slice(&batch->bytes));
	while (error = ask_once(hand_on->call->api->peers, batch,
				buffer_slice(&question), answer),
	       (error == ERR_BUSY || error == ERR_NOT_FOUND) &&
		       clock_steady_ms() < until_ms)
		nanosleep(&(struct timespec){.tv_nsec = API_HAND_ON_PAUSE_MS *
							1000000L},
			  NULL);
	buffer_free(&question);
	return error;
}

/* Return the record of the batch with this URL, or NULL. */
static const struct record_source *
record_batch_source(const struct record_batch *batch, const char *url)
{
	for (size_t i = 0; i < batch->count; i++)
		if (strcmp(batch->origins[i].url, url) == 0)
			return &batch->origins[i];
	return &batch->origins[0];
}

static void count_errors(const json_t *answer, const struct record_batch *batch,
			 struct ingest_report *report)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(answer, "errors"), i, row)
	{
		const char *url = json_member_text(row, "url");
		const char *message = json_member_text(row, "message");
		const struct record_source *origin =
			record_batch_source(batch, url == NULL ? "" : url);

		ingest_note_error(report, origin->offset, origin->url,
				  ERR_ADDRESS_FORBIDDEN,
				  message == NULL ? "" : message);
	}
}

static uint64_t hand_on_number(const json_t *object, const char *name,
			       uint64_t max)
{
	json_int_t number = json_member_whole(object, name);

	if (number < 0)
		return 0;
	return (uint64_t)number < max ? (uint64_t)number : max;
}

/*
 * Count the pages that the node did not import, because their hosts are not
 * sites of that node or would exceed its limit of sites.
 */
static void count_hosts(const json_t *answer, struct ingest_report *report)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(answer, "hosts"), i, row)
	{
		const char *host = json_member_text(row, "host");
		const char *error = json_member_text(row, "error");

		if (host == NULL || error == NULL)
			continue;
		host_tally_add(strcmp(error, "no_site") == 0
				       ? &report->no_site
				       : &report->over_limit,
			       host, hand_on_number(row, "pages", RECORDS));
	}
}

/*
 * Count the results that the node reports. Records that it does not mention
 * count as rejected.
 */
static void count_answer(const struct buffer *bytes,
			 const struct record_batch *batch,
			 struct ingest_report *report)
{
	struct http_head head = {0};
	uint64_t left = batch->count;
	uint64_t pages;
	uint64_t kept;
	uint64_t new_sites;
	json_t *answer;

	(void)http_read_head(buffer_slice(bytes), &head);
	answer = json_loadb(bytes->data + head.size, bytes->size - head.size, 0,
			    NULL);
	pages = hand_on_number(answer, "pages", left);
	left -= pages;
	kept = hand_on_number(answer, "kept", left);
	left -= kept;
	left -= hand_on_number(json_object_get(answer, "skipped"), "no-site",
			       left);
	new_sites = hand_on_number(answer, "new_sites", batch->count);
	report->pages += pages;
	report->kept += kept;
	report->cut += hand_on_number(answer, "cut", pages);
	report->refused += left;
	report->new_sites += new_sites;
	report->new_hosts += new_sites;
	count_hosts(answer, report);
	count_errors(answer, batch, report);
	json_decref(answer);
}

static void count_lost(const struct record_batch *batch, enum error error,
		       struct ingest_report *report)
{
	char message[160];

	(void)snprintf(
		message, sizeof(message),
		"node %s owns the site, but did not confirm the page: %s",
		batch->node, error_text(error));
	report->refused += batch->count;
	for (size_t i = 0; i < batch->count; i++)
		ingest_note_error(report, batch->origins[i].offset,
				  batch->origins[i].url, error, message);
}

static void record_batch_flush(struct forward_ingest *hand_on,
			       struct record_batch *batch,
			       struct ingest_report *report)
{
	struct buffer answer = {0};
	enum error error;

	if (batch->count > 0) {
		uint64_t max = hand_on->options->max_new_sites;

		error = record_batch_send(
			hand_on, batch,
			report->new_hosts < max ? max - report->new_hosts : 0,
			&answer);
		if (error == ERR_NONE)
			count_answer(&answer, batch, report);
		else
			count_lost(batch, error, report);
	}
	for (size_t i = 0; i < batch->count; i++)
		free(batch->origins[i].url);
	buffer_free(&answer);
	buffer_free(&batch->bytes);
	*batch = (struct record_batch){0};
}

static struct record_batch *batch_of(struct forward_ingest *hand_on,
				     const char *node,
				     struct ingest_report *report)
{
	struct record_batch *batch = NULL;

	for (size_t i = 0; i < NODES; i++) {
		if (strcmp(hand_on->batches[i].node, node) == 0)
			return &hand_on->batches[i];
		if (hand_on->batches[i].node[0] == '\0')
			batch = &hand_on->batches[i];
	}
	if (batch == NULL) {
		batch = &hand_on->batches[hand_on->next];
		hand_on->next = (hand_on->next + 1) % NODES;
		record_batch_flush(hand_on, batch, report);
	}
	(void)snprintf(batch->node, sizeof(batch->node), "%s", node);
	return batch;
}

bool forward_ingest_add(void *context, const struct url *url,
			const struct warc_record *record,
			struct ingest_report *report)
{
	struct forward_ingest *hand_on = context;
	const struct node_client *peers = hand_on->call->api->peers;
	size_t max = peers->max_bytes(peers->cluster);
	size_t head = HEAD_BYTES + hand_on->query.size;
	struct buffer packed = {0};
	struct partition_route where;
	struct record_batch *batch;

	peers->find(peers->cluster, peers->partition(slice_of(url->host)),
		    &where);
	if (where.is_own || where.owner[0] == '\0')
		return false;
	max = max < head ? 0 : max - head;
	max = max < BATCH_BYTES ? max : BATCH_BYTES;
	record_batch_write(record, &packed);
	batch = batch_of(hand_on, where.owner, report);
	if (batch->count == RECORDS || batch->bytes.size + packed.size > max) {
		record_batch_flush(hand_on, batch, report);
		batch = batch_of(hand_on, where.owner, report);
	}
	buffer_append_slice(&batch->bytes, buffer_slice(&packed));
	batch->origins[batch->count++] = (struct record_source){
		mem_copy_text(record->url, strlen(record->url)),
		record->offset};
	buffer_free(&packed);
	return true;
}

void forward_ingest_end(struct forward_ingest *hand_on,
			struct ingest_report *report)
{
	if (hand_on == NULL)
		return;
	for (size_t i = 0; i < NODES; i++)
		record_batch_flush(hand_on, &hand_on->batches[i], report);
	buffer_free(&hand_on->query);
	free(hand_on);
}
