/*
 * daemon/api/api_forward.h - requests that concern other nodes. The first part
 * makes lists over all nodes: each node returns the sites that it owns, so the
 * list has no duplicates. The other parts forward pages of archives and
 * requests to the nodes that own their sites. Internal to api*.c.
 */
#ifndef DAEMON_API_API_FORWARD_H
#define DAEMON_API_API_FORWARD_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "daemon/api/api.h"
#include "daemon/engine/ingest.h"

struct forward_ingest;

/* The partitions whose sites this node returns in a list. */
struct listed_partitions {
	bool partitions[ALL_PARTITIONS];
	bool is_stale; /* the node has no lease, so the list includes all local
			  data, which may be outdated */
};

void call_listed(const struct call *call, struct listed_partitions *out);

/* Return whether the list includes the site `host`. */
bool listed_partitions_have(const struct call *call,
			    const struct listed_partitions *listed,
			    struct slice host);

/*
 * The other nodes that own a partition, if this request must query them;
 * otherwise none.
 */
struct fan_out {
	struct cluster_facts facts;
	size_t next;
	struct buffer missing; /* names of nodes that did not respond, with
				  commas between them */
};

/*
 * fan_out_begin() begins to query the other nodes. fan_out_end() adds headers
 * to the response, which name the missing nodes and state whether the list may
 * be outdated.
 */
void fan_out_begin(struct call *call, struct fan_out *others);
void fan_out_end(struct call *call, struct fan_out *others,
		 const struct listed_partitions *listed);

/* Return the name of the next node to query; NULL after the last one. */
const char *fan_out_next(struct fan_out *others);

/*
 * Send GET `target` to a node and return its response, which you must release.
 * Return NULL if there is no response. Then either the node was added to the
 * missing nodes because it did not respond, or *is_too_large_out is true
 * because its response is too large.
 */
json_t *fan_out_request(struct call *call, struct fan_out *others,
			const char *node, const char *target,
			bool *is_too_large_out);

/*
 * Forward the pages of an archive to the nodes that own their sites. Each page
 * is packed as a record. The records for a node are sent as archives of a
 * bounded size.
 */

/*
 * Begin. *options must stay valid; it also states which changes the owners may
 * make. Return NULL if there is no node group, or if a node sent the call.
 */
struct forward_ingest *
forward_ingest_begin(struct call *call, const struct ingest_options *options);

/* The function `take` of ingest_options. */
bool forward_ingest_add(void *context, const struct url *url,
			const struct warc_record *record,
			struct ingest_report *report);

/* Send the remaining records and count them in the report. NULL is a no-op. */
void forward_ingest_end(struct forward_ingest *hand_on,
			struct ingest_report *report);

/*
 * Forward requests to the node that owns the data.
 *
 * A request is forwarded at most once. A node that receives a forwarded request
 * handles it or rejects it with status 421; then the sender finds the new
 * owner. The forwarded request states the access of the client, which the first
 * node has checked and the owner enforces. Only nodes are trusted to state it.
 */

/* Headers of the requests and responses that nodes exchange. */
#define FORWARD_HEADER_ACCESS    "X-Templated-Right"
#define FORWARD_HEADER_EPOCH     "X-Templated-Epoch"
#define FORWARD_HEADER_OWNER     "X-Templated-Owner"
#define FORWARD_HEADER_NODE      "X-Templated-Node"
#define FORWARD_HEADER_REJECTION "X-Templated-Refusal"
#define FORWARD_HEADER_STALE     "X-Templated-Stale"
#define FORWARD_HEADER_LOG       "X-Templated-Log"
#define FORWARD_HEADER_MISSING   "X-Templated-Missing"
#define FORWARD_HEADER_REPEATED  "X-Templated-Repeated"

/*
 * The user data of an exchange (http_user_data()): the access of the client in
 * ACCESS_BITS, and the bit ACCESS_IS_FORWARDED if another node has forwarded
 * the request.
 */
enum { ACCESS_BITS = 7, ACCESS_IS_FORWARDED = 8 };

/* Return the user data of a forwarded request, read from its headers. */
uint64_t forward_read_access(const struct http_exchange *exchange);

/*
 * Set the quota owner that the sending node names, so that each client of that
 * node has its own quota. Return false if the request was rejected; the
 * response was sent.
 */
bool forward_set_owner(struct http_exchange *exchange);

/*
 * Make the server for nodes handle a request, like http_serve(). ERR_STOPPED:
 * this server is not running.
 */
enum error api_serve(struct api *api, struct slice request, size_t max_bytes,
		     uint32_t timeout_ms, struct buffer *answer);

/*
 * Return whether this node must handle the request. If not, *verdict_out is the
 * verdict for the server: the response of the owner was sent, or the exchange
 * is suspended or queued. call->host must be set if the route has a HOST.
 */
bool call_is_local(struct call *call, enum access access,
		   enum http_verdict *verdict_out);

/* A request that is forwarded to the node that owns its data. */
struct forwarded_request {
	struct call *call;
	enum access access;
	unsigned partition;
	struct partition_route where;
	bool is_read;   /* a possibly outdated response is acceptable */
	unsigned looks; /* how many times the owner was looked up again */
	/*
	 * steady clock: until then the new owner is looked up, because the last
	 * owner has left; 0: no owner has left
	 */
	uint64_t settle_ms;
	/* FORWARD_NO_RESPONSE until a node responds */
	enum forward_result result;
};

/* Return whether the client requests a stream of events. */
bool call_wants_stream(const struct call *call);

/*
 * A long poll is a request that waits for events (`wait`).
 * forward_is_long_poll() returns whether the request is one.
 * forward_has_no_event() returns true if the last response of the owner had no
 * event and the log of the partition has not grown since; then the exchange
 * remains suspended. forward_suspend_poll() returns whether the response
 * `answer` has no event, and suspends the exchange then.
 */
bool forward_is_long_poll(const struct forwarded_request *passage);
bool forward_has_no_event(const struct forwarded_request *passage);
bool forward_suspend_poll(struct forwarded_request *passage,
			  struct slice answer);

#endif
