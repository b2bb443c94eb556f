/*
 * daemon/ctl/tunnel.h - a proxy from a port of 127.0.0.1 to the daemon's Unix
 * socket, for browsers, which cannot open such a socket. One request per
 * connection.
 */
#ifndef DAEMON_CTL_TUNNEL_H
#define DAEMON_CTL_TUNNEL_H

#include "base/error.h"

struct tunnel;

/*
 * Listen on `port` of 127.0.0.1, or on a free one (0). `socket` must outlive
 * the proxy. ERR_IO: see errno. ERR_TOO_LARGE: the path of the socket is too
 * long.
 */
enum error tunnel_open(struct tunnel **tunnel_out, const char *socket,
		       unsigned port);

/* Return the address that gives access to one browser, once. */
const char *tunnel_address(const struct tunnel *tunnel);

/*
 * Forward until poll() fails: ERR_IO. The number of connections and the buffers
 * of each are bounded; further connections wait in the backlog.
 */
enum error tunnel_run(struct tunnel *tunnel);

/* NULL is a no-op. */
void tunnel_close(struct tunnel *tunnel);

#endif
