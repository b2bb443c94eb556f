/*
 * daemon/api/api_passage.h - one request that is forwarded to the owner of its
 * subject. Internal to api_pass.c and api_direct.c.
 */
#ifndef DAEMON_API_API_PASSAGE_H
#define DAEMON_API_API_PASSAGE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "daemon/api/api_call.h"

enum { MAX_LOOKS = 1 /* how often the owner is looked up again */ };

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

/*
 * Look up the owner again, after the one in `where` rejected the request with
 * this error. ERR_STOPPED: it got the request but no longer owns the partition;
 * then wait a moment for the next owner. Return false if the request must not
 * be sent again, or if the client's access was revoked.
 */
bool forward_refind_owner(struct forwarded_request *passage, enum error error);

/*
 * `context` is a struct forwarded_request. Return whether no node has acquired
 * the partition since the lookup, and the client still has access.
 */
bool forward_is_current(const void *context);

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

/* Append the headers that only other nodes may send. */
void forward_write_headers(const struct forwarded_request *passage,
			   struct buffer *out);

/* Add the header that names the owner to the response. */
void forward_add_owner(struct forwarded_request *passage);

/*
 * Error responses. _later: there is no owner now; 503 with Retry-After
 * (`message` has one "%s", for the owner). _asking: the owner did not respond.
 * _moved: the owner has changed. _direct: the client must send the request to
 * the owner. _cut: the owner's response was cut off.
 */
enum http_verdict forward_fail_no_owner(struct forwarded_request *passage,
					const char *code, const char *message);
enum http_verdict forward_fail_no_response(struct forwarded_request *passage,
					   enum error error);
enum http_verdict forward_fail_moved(struct forwarded_request *passage);
enum http_verdict forward_fail_direct(struct forwarded_request *passage);
enum http_verdict forward_fail_cut_off(struct forwarded_request *passage);

/*
 * Send the request to the owner over a direct connection and, if it has moved,
 * once to the next owner. Return true if this node must handle it because it
 * has become the owner; otherwise set *verdict_out.
 */
bool forward_send_direct(struct forwarded_request *passage,
			 enum http_verdict *verdict_out);

#endif
