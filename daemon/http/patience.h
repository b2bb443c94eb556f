/*
 * daemon/http/patience.h - the connections of a server, and time limits for
 * their requests: a client that sends a byte now and then is not idle, but
 * occupies a place that others need. Internal to the server.
 */
#ifndef DAEMON_HTTP_PATIENCE_H
#define DAEMON_HTTP_PATIENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_server;

enum client_connection_state {
	CONNECTION_HEAD, /* waiting for the head of a request */
	CONNECTION_BODY,
	CONNECTION_BUSY,  /* the server must continue */
	CONNECTION_REPLY, /* sending the reply */
};

struct client_connection {
	struct client_connection *next;
	struct client_connection *previous;
	int file;
	struct http_exchange *exchange; /* current exchange, or NULL */
	enum client_connection_state state;
	uint64_t since_ms; /* steady clock: begin of the state, or time when the
			      client last read */
	int unread; /* bytes of the reply in the socket at the last check */
	uint64_t received; /* of the body */
	bool is_known;     /* it has had a response */
};

/*
 * Begin a connection of a client on the socket `file`. Each of these functions
 * acquires the lock of the server, except as noted.
 */
struct client_connection *client_connection_begin(struct http_server *server,
						  int file);

/* Call it before its socket is closed. */
void client_connection_end(struct http_server *server,
			   struct client_connection *connection);

void client_connection_enter(struct http_server *server,
			     struct client_connection *connection,
			     enum client_connection_state state);

/* Call it with the lock held. */
void client_connection_set_state(struct client_connection *connection,
				 enum client_connection_state state);

/* Set the exchange of the connection, until the next head. */
void client_connection_set_exchange(struct http_server *server,
				    struct client_connection *connection,
				    struct http_exchange *exchange);

/*
 * With the lock held: cut the connection off and drop unsent bytes. The
 * server's thread detects this and closes the socket.
 */
void client_connection_cut(const struct client_connection *connection);

/* Count received bytes of the body. */
void client_connection_count(struct http_server *server,
			     struct client_connection *connection, size_t size);

/*
 * With the lock held: if a check is due, cut off connections that are too slow.
 * A first head must arrive within 5 s, later heads within the server's timeout.
 * When three quarters of all places are used, each head must arrive within 1 s,
 * and a body at 16 KiB/s. An upload must reach this rate after the server has
 * waited 5 s for it, if three quarters of all places or all places of uploads
 * are used. The client must read some bytes of a reply within the timeout; over
 * TCP within five times the timeout, because the other kernel buffers a few
 * hundred KiB before it reports that the client reads little or nothing.
 */
void client_connections_check(struct http_server *server);

/*
 * With the lock held: return the time of the next check; UINT64_MAX without
 * connections.
 */
uint64_t client_connections_check_ms(const struct http_server *server);

#endif
