/*
 * daemon/ctl/tunnel.h - a proxy from a port of 127.0.0.1 to the daemon's Unix
 * socket, for browsers, which cannot open such a socket. One request per
 * connection.
 */
#ifndef DAEMON_CTL_TUNNEL_H
#define DAEMON_CTL_TUNNEL_H

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

#endif
