/*
 * daemon/ctl/tunnel_request.h - what a tunnel does with the head of a request
 * from a browser: forward it, let its sender in, or refuse it. A pure function
 * of the head, the keys and the time.
 */
#ifndef DAEMON_CTL_TUNNEL_REQUEST_H
#define DAEMON_CTL_TUNNEL_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/slice.h"

enum {
	TUNNEL_KEY_CHARACTERS = 43, /* of 6 random bits each */
	TUNNEL_MAX_HEAD = 32 << 10,
	TUNNEL_MAX_BODY = 64 << 20,
	TUNNEL_TOKEN_MS = 5 * 60 * 1000, /* so long the token works */
};

/*
 * Who may come in. The token is in the address that is printed; whoever comes
 * with it first gets the session as a cookie, and it is void from then on.
 */
struct tunnel_keys {
	char token[TUNNEL_KEY_CHARACTERS + 1];
	char session[TUNNEL_KEY_CHARACTERS + 1];
	uint16_t port;
	uint64_t until_ms; /* steady clock: the token works before that */
	bool is_used;      /* it is void */
};

enum tunnel_verdict {
	TUNNEL_FORWARD, /* `head` goes to the daemon, then the body */
	TUNNEL_ENTER,   /* `head` is the answer: a redirect with the cookie */
	TUNNEL_REFUSE,  /* `head` is the answer */
};

struct tunnel_request {
	enum tunnel_verdict verdict;
	struct buffer head; /* buffer_free() it */
	uint64_t body_bytes;
};

/*
 * Judge a head, which ends with an empty line. It is forwarded when
 *
 * - it is well-formed HTTP/1.1, GET, HEAD, POST or DELETE, and its body, if
 *   any, has a length: two servers cannot see two requests in it;
 * - Host is 127.0.0.1 or localhost with our port: no name of others that leads
 *   here (DNS rebinding);
 * - it has the cookie of the session;
 * - Sec-Fetch-Site, when there is one, says that it comes from our own page or
 *   from the user; and Origin is ours when it changes something.
 *
 * What is forwarded has neither the cookie nor what concerns the connection,
 * which serves one request alone.
 */
void tunnel_judge(struct tunnel_keys *keys, struct slice head, uint64_t now_ms,
		  struct tunnel_request *request_out);

/* Append a whole answer that refuses. */
void tunnel_refuse(struct buffer *out, unsigned status, const char *reason);

#endif
