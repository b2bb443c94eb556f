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

struct passage {
	struct call *call;
	enum access access;
	unsigned partition;
	struct whereabouts where;
	bool is_read;       /* a stale response is acceptable */
	unsigned looks;     /* number of repeated lookups */
	uint64_t settle_ms; /* steady clock: an owner left, and until then its
			       successor is looked up; 0: no owner left */
	enum pass_result result; /* PASSED_NOBODY until a node responds */
};

/*
 * Look up the owner again, after the one in `where` rejected the request with
 * this error. ERR_STOPPED: it got the request but no longer owns the partition;
 * then wait a moment for the next owner. Return false if the request must not
 * be sent again, or if the client's access was revoked.
 */
bool passage_look(struct passage *passage, enum error error);

/*
 * `context` is a struct passage. Return whether no node has acquired the
 * partition since the lookup, and the client still has access.
 */
bool passage_is_current(const void *context);

/*
 * passage_is_long_poll(): the request waits for events (`wait`).
 * passage_has_no_news(): the owner had no event and the log has not grown
 * since, so that the exchange stays suspended. passage_waits(): suspend it
 * because this response of the owner has no event.
 */
bool passage_is_long_poll(const struct passage *passage);
bool passage_has_no_news(const struct passage *passage);
bool passage_waits(struct passage *passage, struct slice answer);

/* Append the headers that only other nodes may send. */
void passage_write_lines(const struct passage *passage, struct buffer *out);

/* Add the header that names the owner to the response. */
void passage_add_owner(struct passage *passage);

/*
 * Error responses. _later: there is no owner now; 503 with Retry-After
 * (`message` has one "%s", for the owner). _asking: the owner did not respond.
 * _moved: the owner has changed. _direct: the client must send the request to
 * the owner. _cut: the owner's response was cut off.
 */
enum http_verdict passage_fail_later(struct passage *passage, const char *code,
				     const char *message);
enum http_verdict passage_fail_asking(struct passage *passage,
				      enum error error);
enum http_verdict passage_fail_moved(struct passage *passage);
enum http_verdict passage_fail_direct(struct passage *passage);
enum http_verdict passage_fail_cut(struct passage *passage);

/*
 * Send the request to the owner over a direct connection and, if it has moved,
 * once to the next owner. Return true if this node must handle it because it
 * has become the owner; otherwise set *verdict_out.
 */
bool passage_direct(struct passage *passage, enum http_verdict *verdict_out);

#endif
