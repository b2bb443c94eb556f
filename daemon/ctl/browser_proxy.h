/*
 * daemon/ctl/browser_proxy.h - a proxy from a port of 127.0.0.1 to the Unix
 * socket of the daemon, because browsers cannot open such a socket. Each
 * connection serves one request.
 */
#ifndef DAEMON_CTL_BROWSER_PROXY_H
#define DAEMON_CTL_BROWSER_PROXY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

struct browser_proxy;

/*
 * Listen on `port` of 127.0.0.1; if it is 0, on a free port. `socket` is the
 * path of the daemon's socket and must outlive the proxy. ERR_IO: see errno.
 * ERR_TOO_LARGE: the path is too long.
 */
enum error browser_proxy_open(struct browser_proxy **tunnel_out,
			      const char *socket, unsigned port);

/*
 * Return the address that a user opens in a browser. It gives access to one
 * browser, once.
 */
const char *browser_proxy_address(const struct browser_proxy *tunnel);

/*
 * Forward requests until poll() fails, then return ERR_IO. The number of
 * connections and the size of their buffers are limited; further connections
 * wait in the backlog of the socket.
 */
enum error browser_proxy_run(struct browser_proxy *tunnel);

/* NULL is a no-op. */
void browser_proxy_close(struct browser_proxy *tunnel);

/*
 * How the browser proxy treats a request: it forwards the request, logs the
 * browser in, or refuses. The decision depends only on the head of the request,
 * the keys and the time.
 */

enum {
	BROWSER_PROXY_KEY_CHARACTERS = 43, /* length of a key; a character
					      has 6 random bits */
	BROWSER_PROXY_MAX_HEAD = 32 << 10,
	BROWSER_PROXY_MAX_BODY = 64 << 20,
	BROWSER_PROXY_TOKEN_MS = 5 * 60 * 1000, /* lifetime of the token */
};

/*
 * The keys of the proxy. The printed address contains the token. The first
 * browser that opens this address gets the session key as a cookie; then the
 * token is invalid.
 */
struct browser_proxy_keys {
	char token[BROWSER_PROXY_KEY_CHARACTERS + 1];
	char session[BROWSER_PROXY_KEY_CHARACTERS + 1];
	uint16_t port;
	uint64_t until_ms; /* steady clock: end of the token's lifetime */
	bool is_used;      /* the token was used and is invalid */
};

enum browser_proxy_verdict {
	BROWSER_PROXY_FORWARD, /* send `head`, then the body, to the daemon */
	BROWSER_PROXY_ENTER,   /* `head` is the response, a redirect that
				  sets the cookie */
	BROWSER_PROXY_REFUSE,  /* `head` is the response */
};

struct browser_proxy_request {
	enum browser_proxy_verdict verdict;
	struct buffer head; /* the caller frees it with buffer_free() */
	uint64_t body_bytes;
};

/*
 * Decide about a head, which ends with an empty line. It is forwarded if all of
 * these conditions hold:
 *
 * - it is well-formed HTTP/1.1; the method is GET, HEAD, POST or DELETE; the
 *   length of a body is stated, so that the proxy and the daemon agree where
 *   the request ends;
 * - Host is 127.0.0.1 or localhost with the port of the proxy, not another name
 *   that resolves to this address (DNS rebinding);
 * - it has the session cookie;
 * - Sec-Fetch-Site, if present, is same-origin, or none (the user has entered
 *   the address);
 * - if the request changes something, Origin is the address of the proxy.
 *
 * The proxy removes the session cookie and the headers that concern only the
 * connection to the browser.
 */
void browser_proxy_decide(struct browser_proxy_keys *keys, struct slice head,
			  uint64_t now_ms,
			  struct browser_proxy_request *request_out);

/* Append a complete response with an error. */
void browser_proxy_write_error(struct buffer *out, unsigned status,
			       const char *reason);

#endif
