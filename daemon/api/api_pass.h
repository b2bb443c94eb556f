/*
 * daemon/api/api_pass.h - forward requests for data of another node to its
 * owner. Internal to api*.c.
 *
 * A request is forwarded at most once: a node that gets a forwarded request
 * handles it or rejects it with 421; then the sender finds the new owner. The
 * request states the access of the client, which the first node has checked and
 * the owner enforces. Only nodes are trusted to state it.
 */
#ifndef DAEMON_API_API_PASS_H
#define DAEMON_API_API_PASS_H

#include <stdbool.h>

#include "daemon/api/api_call.h"

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
 * Append the headers of a node request that state the access of the client and
 * its owner.
 */
void forward_write_access(const struct call *call, enum access access,
			  struct buffer *out);

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

#endif
