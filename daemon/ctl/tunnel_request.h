/*
 * daemon/ctl/tunnel_request.h - the decision of the browser proxy about the
 * head of a request: forward it, log the browser in, or refuse it. A pure
 * function of the head, the keys and the time.
 */
#ifndef DAEMON_CTL_TUNNEL_REQUEST_H
#define DAEMON_CTL_TUNNEL_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"

enum {
	BROWSER_PROXY_KEY_CHARACTERS = 43, /* of 6 random bits each */
	BROWSER_PROXY_MAX_HEAD = 32 << 10,
	BROWSER_PROXY_MAX_BODY = 64 << 20,
	BROWSER_PROXY_TOKEN_MS = 5 * 60 * 1000, /* lifetime of the token */
};

/*
 * The proxy's keys. The printed address contains the token; the first browser
 * that uses it gets the session as a cookie, and the token becomes invalid.
 */
struct browser_proxy_keys {
	char token[BROWSER_PROXY_KEY_CHARACTERS + 1];
	char session[BROWSER_PROXY_KEY_CHARACTERS + 1];
	uint16_t port;
	uint64_t until_ms; /* steady clock: end of the token's lifetime */
	bool is_used;      /* the token is invalid */
};

enum browser_proxy_verdict {
	BROWSER_PROXY_FORWARD, /* send `head`, then the body, to the daemon */
	BROWSER_PROXY_ENTER,   /* `head` is the response: a redirect with the
				  cookie */
	BROWSER_PROXY_REFUSE,  /* `head` is the response */
};

struct browser_proxy_request {
	enum browser_proxy_verdict verdict;
	struct buffer head; /* buffer_free() it */
	uint64_t body_bytes;
};

/*
 * Decide about a head, which ends with an empty line. It is forwarded when
 *
 * - it is well-formed HTTP/1.1, GET, HEAD, POST or DELETE, and its body, if
 *   any, has a length, so that two servers cannot see two requests in it;
 * - Host is 127.0.0.1 or localhost with the proxy's port, not a foreign name
 * that resolves to it (DNS rebinding);
 * - it has the session cookie;
 * - Sec-Fetch-Site, if present, is same-origin or none (the user); and Origin
 * is the proxy's if the request changes something.
 *
 * The forwarded head has no session cookie and no headers of the connection,
 * which serves one request only.
 */
void browser_proxy_decide(struct browser_proxy_keys *keys, struct slice head,
			  uint64_t now_ms,
			  struct browser_proxy_request *request_out);

/* Append a complete error response. */
void browser_proxy_write_error(struct buffer *out, unsigned status,
			       const char *reason);

#endif
