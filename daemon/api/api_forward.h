/*
 * daemon/api/api_forward.h - lists over all nodes: each node returns the sites
 * that it owns, so that the list has no duplicate. Internal to api*.c.
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

/* The partitions that a list of this node includes. */
struct listed_partitions {
	bool partitions[ALL_PARTITIONS];
	bool is_stale; /* includes all local data, because the node has no lease
			*/
};

void call_listed(const struct call *call, struct listed_partitions *out);

/* Return whether the list includes the site of this host. */
bool listed_partitions_have(const struct call *call,
			    const struct listed_partitions *listed,
			    struct slice host);

/* The other nodes that own a partition, if this request must query them. */
struct fan_out {
	struct cluster_facts facts;
	size_t next;
	struct buffer missing; /* names of nodes without a response, separated
				  by commas */
};

/*
 * Begin. Call fan_out_end() at the end: it adds headers to the response that
 * name the missing nodes and state whether the list is stale.
 */
void fan_out_begin(struct call *call, struct fan_out *others);
void fan_out_end(struct call *call, struct fan_out *others,
		 const struct listed_partitions *listed);

/* Return the name of the next node; NULL after the last one. */
const char *fan_out_next(struct fan_out *others);

/*
 * Send GET `target` to a node and return its response, which you release.
 * Return NULL if the node does not respond: it is added to the missing nodes,
 * unless only its response is too large (*is_too_large_out).
 */
json_t *fan_out_request(struct call *call, struct fan_out *others,
			const char *node, const char *target,
			bool *is_too_large_out);

/*
 * Forward pages of an archive to the nodes that own their sites. Each page is
 * packed as a record; the records for a node are sent as archives of a bounded
 * size.
 */

/*
 * Return NULL without a node group, or if the call comes from a node. Keeps
 * `options`, which also state the changes that the owners may make.
 */
struct forward_ingest *
forward_ingest_begin(struct call *call, const struct ingest_options *options);

/* For ingest_options.take. */
bool forward_ingest_add(void *context, const struct url *url,
			const struct warc_record *record,
			struct ingest_report *report);

/* Send the remaining records and count them. NULL is a no-op. */
void forward_ingest_end(struct forward_ingest *hand_on,
			struct ingest_report *report);

/*
 * Forward requests for data of another node to its owner.
 *
 * A request is forwarded at most once: a node that gets a forwarded request
 * handles it or rejects it with 421; then the sender finds the new owner. The
 * request states the access of the client, which the first node has checked
 * and the owner enforces. Only nodes are trusted to state it.
 */

/* Headers of requests and responses between nodes. */
#define FORWARD_HEADER_ACCESS    "X-Templated-Right"
#define FORWARD_HEADER_EPOCH     "X-Templated-Epoch"
#define FORWARD_HEADER_OWNER     "X-Templated-Owner"
#define FORWARD_HEADER_NODE      "X-Templated-Node"
#define FORWARD_HEADER_REJECTION "X-Templated-Refusal"
#define FORWARD_HEADER_STALE     "X-Templated-Stale"
#define FORWARD_HEADER_LOG       "X-Templated-Log"
#define FORWARD_HEADER_MISSING   "X-Templated-Missing"
#define FORWARD_HEADER_REPEATED  "X-Templated-Repeated"

/* Bit in the note of an exchange, next to its access: it comes from a node. */
enum { ACCESS_BITS = 7, ACCESS_IS_FORWARDED = 8 };

/* Return the note of a node's request, from its headers. */
uint64_t forward_read_access(const struct http_exchange *exchange);

/*
 * Set the owner that the sending node names, so that the request does not share
 * the quotas of other clients of that node. False: the response was sent.
 */
bool forward_set_owner(struct http_exchange *exchange);

/*
 * Run a request at the server for nodes, like http_serve(). ERR_STOPPED: this
 * server does not run.
 */
enum error api_serve(struct api *api, struct slice request, size_t max_bytes,
		     uint32_t timeout_ms, struct buffer *answer);

/*
 * Return whether this node handles the request. Otherwise *verdict_out states
 * the outcome: the owner's response was sent, or the exchange is suspended or
 * queued as by a handler. The HOST of the route must be set.
 */
bool call_is_local(struct call *call, enum access access,
		   enum http_verdict *verdict_out);

/* One request that is forwarded to the owner of its subject. */
struct forwarded_request {
	struct call *call;
	enum access access;
	unsigned partition;
	struct partition_route where;
	bool is_read;       /* a stale response is acceptable */
	unsigned looks;     /* number of repeated lookups */
	uint64_t settle_ms; /* steady clock: an owner left, and until then its
			       successor is looked up; 0: no owner left */
	enum forward_result
		result; /* FORWARD_NO_RESPONSE until a node responds */
};

/* Return whether the response is a stream of events. */
bool call_wants_stream(const struct call *call);

/*
 * forward_is_long_poll(): the request waits for events (`wait`).
 * forward_has_no_event(): the owner had no event and the log has not grown
 * since, so that the exchange stays suspended. forward_suspend_poll(): suspend
 * it because this response of the owner has no event.
 */
bool forward_is_long_poll(const struct forwarded_request *passage);
bool forward_has_no_event(const struct forwarded_request *passage);
bool forward_suspend_poll(struct forwarded_request *passage,
			  struct slice answer);

#endif
