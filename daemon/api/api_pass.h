/*
 * daemon/api/api_pass.h - questions about what another node of the cluster
 * owns: which they are, and how they get there and back. Internal to api*.c.
 *
 * A question goes on once at most: what came from another node is answered here
 * or refused by 421, and who asked looks again where it belongs. With it goes
 * what its sender may do, which the first node has found out and the owner
 * holds it to; of anybody but a node that is not believed.
 */
#ifndef DAEMON_API_API_PASS_H
#define DAEMON_API_API_PASS_H

#include <stdbool.h>

#include "daemon/api/api_call.h"

/* What a node tells another one of a question; and of an answer. */
#define PASS_RIGHT    "X-Templated-Right"
#define PASS_EPOCH    "X-Templated-Epoch"
#define PASS_OWNER    "X-Templated-Owner"
#define PASS_NODE     "X-Templated-Node"
#define PASS_REFUSAL  "X-Templated-Refusal"
#define PASS_STALE    "X-Templated-Stale"
#define PASS_LOG      "X-Templated-Log"
#define PASS_MISSING  "X-Templated-Missing"
#define PASS_REPEATED "X-Templated-Repeated"

/* In the note of an exchange, beside who asks: it comes from a node. */
enum { ACCESS_BITS = 7, ACCESS_IS_PASSED = 8 };

/* The note of a request that comes from a node, by what it says there. */
uint64_t pass_note(const struct http_exchange *exchange);

/*
 * Whose it is there, so that it shares nothing with others of that node. False:
 * it has its reply.
 */
bool pass_own(struct http_exchange *exchange);

/* Append the lines of a request to a node that say so: what its sender may do,
 * and whose it is. */
void pass_write_rights(const struct call *call, enum access access,
		       struct buffer *out);

/*
 * Have the server for nodes answer a request, as http_serve(). ERR_STOPPED:
 * there is none (any more).
 */
enum error api_serve(struct api *api, struct slice request, size_t max_bytes,
		     uint32_t timeout_ms, struct buffer *answer);

/*
 * Whether it is answered here. Otherwise *verdict_out says how it stands: it
 * has the answer of the owner, or is parked or deferred as by a handler. The
 * HOST of the route is known.
 */
bool call_is_ours(struct call *call, enum access access,
		  enum http_verdict *verdict_out);

#endif
