/*
 * daemon/ctl/browser_proxy.h - a proxy from a port of 127.0.0.1 to the daemon's
 * Unix socket, for browsers, which cannot open such a socket. One request per
 * connection.
 */
#ifndef DAEMON_CTL_BROWSER_PROXY_H
#define DAEMON_CTL_BROWSER_PROXY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

struct browser_proxy;

/*
 * Listen on `port` of 127.0.0.1, or on a free one (0). `socket` must outlive
 * the proxy. ERR_IO: see errno. ERR_TOO_LARGE: the path of the socket is too
 * long.
 */
enum error browser_proxy_open(struct browser_proxy **tunnel_out,
			      const char *socket, unsigned port);

/* Return the address that gives access to one browser, once. */
const char *browser_proxy_address(const struct browser_proxy *tunnel);

/*
 * Forward until poll() fails: ERR_IO. The number of connections and the buffers
 * of each are bounded; further connections wait in the backlog.
 */
enum error browser_proxy_run(struct browser_proxy *tunnel);

/* NULL is a no-op. */
void browser_proxy_close(struct browser_proxy *tunnel);

/*
 * The decision of the browser proxy about the head of a request: forward it,
 * log the browser in, or refuse it. A pure function of the head, the keys and
 * the time.
 */

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
