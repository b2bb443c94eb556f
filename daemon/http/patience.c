#include "daemon/http/patience.h"

#include <assert.h>
#include <stdlib.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/memory.h"
#include "daemon/http/exchange.h"
#include "daemon/runtime/clock.h"

enum {
	LOOK_MS = 250,
	PRESSED_MS = 1000,
	FIRST_HEAD_MS = 5000,
	PRESSED_UPLOAD_MS = 5000,
	PRESSED_RATE = 16 * 1024, /* minimum bytes of a body per second, if
				     places are scarce */
	TCP_TIMEOUT_FACTOR = 5,   /* factor of the timeout over TCP */
};

struct client_connection *client_connection_begin(struct http_server *server,
						  int file)
{
	struct client_connection *connection =
		mem_alloc(1, sizeof(*connection));

	connection->file = file;
	connection->since_ms = clock_steady_ms();
	lock_acquire(&server->lock);
	connection->next = server->connections;
	if (server->connections != NULL)
		server->connections->previous = connection;
	server->connections = connection;
	server->connection_count++;
	/* the workers may wait without a timeout */
	if (server->connection_count == 1)
		condition_signal(&server->is_wanted);
	lock_release(&server->lock);
	return connection;
}

void client_connection_end(struct http_server *server,
			   struct client_connection *connection)
{
	if (connection == NULL)
		return;
	lock_acquire(&server->lock);
	if (connection->previous == NULL)
		server->connections = connection->next;
	else
		connection->previous->next = connection->next;
	if (connection->next != NULL)
		connection->next->previous = connection->previous;
	assert(server->connection_count > 0);
	server->connection_count--;
	lock_release(&server->lock);
	free(connection);
}

void client_connection_enter(struct http_server *server,
			     struct client_connection *connection,
			     enum client_connection_state state)
{
	lock_acquire(&server->lock);
	client_connection_set_state(connection, state);
	lock_release(&server->lock);
}

void client_connection_set_state(struct client_connection *connection,
				 enum client_connection_state state)
{
	connection->is_known |= connection->state == CONNECTION_BUSY ||
				connection->state == CONNECTION_REPLY;
	connection->state = state;
	connection->since_ms = clock_steady_ms();
	connection->received = 0;
	connection->unread = 0;
	if (state == CONNECTION_HEAD)
		connection->exchange = NULL;
}

void client_connection_set_exchange(struct http_server *server,
				    struct client_connection *connection,
				    struct http_exchange *exchange)
{
	lock_acquire(&server->lock);
	connection->exchange = exchange;
	lock_release(&server->lock);
}

void client_connection_cut(const struct client_connection *connection)
{
	const struct linger none = {.l_onoff = 1, .l_linger = 0};

	setsockopt(connection->file, SOL_SOCKET, SO_LINGER, &none,
		   sizeof(none));
	shutdown(connection->file, SHUT_RDWR);
}

void client_connection_count(struct http_server *server,
			     struct client_connection *connection, size_t size)
{
	lock_acquire(&server->lock);
	connection->received += size;
	lock_release(&server->lock);
}

/*
 * Note whether the client of a reply has read bytes since the last check. It
 * has not if the socket holds as many bytes as before and the server has more
 * to send: libmicrohttpd checks how many bytes it could send, and on a Unix
 * socket it can send nothing until the client has read most bytes.
 */
static void look_at_reader(struct client_connection *connection,
			   uint64_t now_ms)
{
	const struct http_exchange *exchange = connection->exchange;
	int unread = 0;

	if (ioctl(connection->file, SIOCOUTQ, &unread) == 0 && unread > 0 &&
	    unread == connection->unread && exchange != NULL &&
	    exchange->state != EXCHANGE_WAITS)
		return;
	connection->unread = unread;
	connection->since_ms = now_ms;
}

/*
 * Check a body, while the server waits for the client and others need the
 * place.
 */
static bool is_too_slow_body(const struct http_server *server,
			     const struct client_connection *connection,
			     bool is_pressed, uint64_t age_ms)
{
	const struct http_exchange *exchange = connection->exchange;
	bool is_upload = exchange != NULL && exchange->upload != NULL;
	uint64_t patience_ms = is_upload ? PRESSED_UPLOAD_MS : PRESSED_MS;

	if (is_upload)
		is_pressed |= server->uploads.used >= server->uploads.max;
	return is_pressed && age_ms > patience_ms &&
	       connection->received * 1000U / age_ms < PRESSED_RATE;
}

static bool is_too_slow(const struct http_server *server,
			const struct client_connection *connection,
			uint64_t now_ms)
{
	bool is_pressed =
		server->connection_count * 4 >= server->options.max_clients * 3;
	uint64_t age_ms = now_ms - connection->since_ms;
	uint64_t patience_ms = server->options.timeout_ms;

	if (connection->state == CONNECTION_BODY)
		return is_too_slow_body(server, connection, is_pressed, age_ms);
	if (connection->state == CONNECTION_BUSY)
		return false;
	if (connection->state == CONNECTION_REPLY)
		return age_ms > (server->options.listener == NULL
					 ? patience_ms
					 : TCP_TIMEOUT_FACTOR * patience_ms);
	if (!connection->is_known && patience_ms > FIRST_HEAD_MS)
		patience_ms = FIRST_HEAD_MS;
	if (is_pressed && patience_ms > PRESSED_MS)
		patience_ms = PRESSED_MS;
	return age_ms > patience_ms;
}

/*
 * Bytes sent before the next head are the client's, however slowly it reads:
 * the kernel still delivers them.
 */
static void connection_end_slow(const struct client_connection *connection)
{
	if (connection->state == CONNECTION_REPLY)
		client_connection_cut(connection);
	else
		shutdown(connection->file, SHUT_RDWR);
}

void client_connections_check(struct http_server *server)
{
	uint64_t now_ms = clock_steady_ms();

	assert(lock_is_held(&server->lock));
	if (now_ms < server->look_ms)
		return;
	server->look_ms = now_ms + LOOK_MS;
	for (struct client_connection *connection = server->connections;
	     connection != NULL; connection = connection->next) {
		if (connection->state == CONNECTION_REPLY)
			look_at_reader(connection, now_ms);
		if (is_too_slow(server, connection, now_ms))
			connection_end_slow(connection);
	}
}

uint64_t client_connections_check_ms(const struct http_server *server)
{
	return server->connections == NULL ? UINT64_MAX : server->look_ms;
}
