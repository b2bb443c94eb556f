/*
 * daemon/http/patience.h - the connections of a server, and how long they may
 * take for their requests: one byte now and then is not idle, and holds a place
 * that others wait for. Internal to the server.
 */
#ifndef DAEMON_HTTP_PATIENCE_H
#define DAEMON_HTTP_PATIENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_server;

enum connection_state {
	CONNECTION_HEAD, /* the head of a request is awaited */
	CONNECTION_BODY,
	CONNECTION_BUSY,  /* it is ours to go on */
	CONNECTION_REPLY, /* its reply is being sent */
};

struct connection {
	struct connection *next;
	struct connection *previous;
	int file;
	struct http_exchange *exchange; /* the one that is under way, or NULL */
	enum connection_state state;
	uint64_t since_ms; /* steady clock: it is in that state; or its client
			      has read something of the reply */
	int unread;        /* bytes of that in the socket, when looked last */
	uint64_t received; /* of the body */
	bool is_known;     /* it has had an answer */
};

/* A client has connected by the socket `file`. Any of these takes the lock of
 * the server. */
struct connection *connection_begin(struct http_server *server, int file);

/* Before its socket is closed. */
void connection_end(struct http_server *server, struct connection *connection);

void connection_enter(struct http_server *server, struct connection *connection,
		      enum connection_state state);

/* The same with the lock held. */
void connection_turn(struct connection *connection,
		     enum connection_state state);

/* The connection has an exchange, until it awaits the next head. */
void connection_take(struct http_server *server, struct connection *connection,
		     struct http_exchange *exchange);

/*
 * With the lock held: cut the connection off; what was not sent yet is dropped.
 * The server's thread sees that, and closes the socket.
 */
void connection_cut(const struct connection *connection);

/* So many bytes of its body have come. */
void connection_count(struct http_server *server, struct connection *connection,
		      size_t size);

/*
 * With the lock held: cut those off that take too long, when it is time to look
 * again. A first head has 5 s, another the timeout of the server; when three
 * quarters of all places are taken both have a second, and a body must come at
 * 16 KiB a second; so must an upload after 5 s of its turn, also when all
 * places of uploads are taken. Of a reply something must be read within the
 * timeout, however little; over TCP within five times that, since the other
 * kernel takes a few hundred KiB before it tells that nothing, or little, is
 * read of them.
 */
void connections_look(struct http_server *server);

/* With the lock held: when to look again; UINT64_MAX: there is nobody. */
uint64_t connections_look_ms(const struct http_server *server);

#endif
