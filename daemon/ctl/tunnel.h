/*
 * daemon/ctl/tunnel.h - from a port of 127.0.0.1 to the daemon's Unix socket,
 * for browsers, which cannot open such a socket. One connection, one request.
 */
#ifndef DAEMON_CTL_TUNNEL_H
#define DAEMON_CTL_TUNNEL_H

#include "store/error.h"

struct tunnel;

/*
 * Listen on `port` of 127.0.0.1, or on a free one (0). `socket` must outlive
 * the tunnel. ERR_IO: errno says why; ERR_TOO_LARGE: the path of the socket.
 */
enum error tunnel_open(struct tunnel **tunnel_out, const char *socket,
		       unsigned port);

/* The address that lets one browser in, once. */
const char *tunnel_address(const struct tunnel *tunnel);

/*
 * Relay until poll() fails: ERR_IO. Bounded: so many connections, of each a few
 * buffers; more wait to be accepted.
 */
enum error tunnel_run(struct tunnel *tunnel);

/* NULL is a no-op. */
void tunnel_close(struct tunnel *tunnel);

#endif
