#include "daemon/http/exchange.h"

#include <assert.h>
#include <linux/sockios.h>
#include <nettle/base16.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "daemon/http/server.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/thread.h"

void entity_tag_make(struct slice body, char tag_out[ENTITY_TAG_BYTES])
{
	const struct hash128 hash =
		hash128(body.data == NULL ? "" : body.data, body.size);

	tag_out[0] = '"';
	base16_encode_update(tag_out + 1, sizeof(hash.bytes), hash.bytes);
	memcpy(tag_out + ENTITY_TAG_BYTES - 2, "\"", 2);
}

/*
 * Only a closing quote ends a tag in `list`, because a tag may contain commas.
 */
bool entity_tag_is_listed(const char *tag, const char *list)
{
	size_t length = strlen(tag);

	if (list == NULL)
		return false;
	list += strspn(list, " \t");
	if (strcmp(list, "*") == 0)
		return true;
	while (*list != '\0') {
		const char *end;

		list += strspn(list, " \t,");
		if (strncmp(list, "W/", 2) == 0)
			list += 2;
		end = *list == '"' ? strchr(list + 1, '"') : NULL;
		if (end == NULL)
			return false;
		if ((size_t)(end + 1 - list) == length &&
		    memcmp(list, tag, length) == 0)
			return true;
		list = end + 1;
	}
	return false;
}

enum {
	MAX_HEADER_BYTES = 1024,
	SMALL_REPLY = 64 * 1024, /* larger replies may be rejected */
};

const char *http_method(const struct http_exchange *exchange)
{
	return exchange->method;
}

const char *http_path(const struct http_exchange *exchange)
{
	return exchange->path;
}

const char *http_argument(const struct http_exchange *exchange,
			  const char *name)
{
	return MHD_lookup_connection_value(exchange->connection,
					   MHD_GET_ARGUMENT_KIND, name);
}

/* State of http_each_argument(). */
struct argument_visit {
	const char *name;
	bool (*take)(void *context, const char *value);
	void *context;
};

static enum MHD_Result visit_argument(void *context, enum MHD_ValueKind kind,
				      const char *name, const char *value)
{
	const struct argument_visit *visit = context;

	(void)kind;
	if (strcmp(name, visit->name) != 0)
		return MHD_YES;
	return visit->take(visit->context, value == NULL ? "" : value) ? MHD_YES
								       : MHD_NO;
}

void http_each_argument(const struct http_exchange *exchange, const char *name,
			bool (*take)(void *context, const char *value),
			void *context)
{
	struct argument_visit visit = {name, take, context};

	(void)MHD_get_connection_values(exchange->connection,
					MHD_GET_ARGUMENT_KIND, visit_argument,
					&visit);
}

const char *http_header(const struct http_exchange *exchange, const char *name)
{
	return MHD_lookup_connection_value(exchange->connection,
					   MHD_HEADER_KIND, name);
}

const char *http_cookie(const struct http_exchange *exchange, const char *name)
{
	return MHD_lookup_connection_value(exchange->connection,
					   MHD_COOKIE_KIND, name);
}

bool http_is_encrypted(const struct http_exchange *exchange)
{
	const struct tcp_listener *listener =
		exchange->server->options.listener;

	return listener != NULL && listener->certificate != NULL;
}

struct slice http_body(const struct http_exchange *exchange)
{
	return buffer_slice(&exchange->body);
}

bool http_has_body(const struct http_exchange *exchange)
{
	const char *length =
		http_header(exchange, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return http_header(exchange, MHD_HTTP_HEADER_TRANSFER_ENCODING) !=
		       NULL ||
	       (length != NULL && length[strspn(length, "0")] != '\0');
}

size_t http_head_bytes(const struct http_exchange *exchange)
{
	return MHD_get_connection_info(exchange->connection,
				       MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)
		->header_size;
}

uint64_t http_arrival_ms(const struct http_exchange *exchange)
{
	return exchange->arrival_ms;
}

uint64_t *http_handler_state(struct http_exchange *exchange)
{
	return exchange->memory;
}

uint64_t *http_user_data(struct http_exchange *exchange)
{
	return &exchange->note;
}

bool http_set_owner(struct http_exchange *exchange, uint64_t owner)
{
	struct http_server *server = exchange->server;
	bool has_place;

	assert(!exchange->has_place && owner != QUOTA_UNLIMITED);
	lock_acquire(&server->lock);
	exchange->owner = owner;
	has_place = exchange_take(exchange, &server->clients, 1);
	exchange->has_place = has_place;
	lock_release(&server->lock);
	if (!has_place)
		exchange_refuse_busy(exchange,
				     "too many requests are in progress "
				     "(socket.max_connections); try again");
	return has_place;
}

void http_set_ticket(struct http_exchange *exchange, uint64_t ticket)
{
	lock_acquire(&exchange->server->lock);
	exchange->ticket = ticket;
	lock_release(&exchange->server->lock);
}

uint64_t http_owner(const struct http_exchange *exchange)
{
	return exchange->owner;
}

bool http_is_ended(const struct http_exchange *exchange)
{
	bool is_cut;

	lock_acquire(&exchange->server->lock);
	is_cut = exchange->is_cut;
	lock_release(&exchange->server->lock);
	return is_cut;
}

bool http_is_inline(const struct http_exchange *exchange)
{
	return exchange->is_inline;
}

void http_add_header(struct http_exchange *exchange, const char *name,
		     const char *value)
{
	size_t size = strnlen(value, MAX_HEADER_BYTES);
	char *copy;

	assert(exchange->header_count < MAX_EXCHANGE_HEADERS);
	assert(exchange->status == 0);
	if (size == 0)
		return;
	copy = mem_copy_text(value, size);
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)copy[i] < ' ' || copy[i] == 0x7f)
			copy[i] = ' ';
	exchange->headers[exchange->header_count++] =
		(struct exchange_header){name, copy};
}

const char *http_added_header(const struct http_exchange *exchange,
			      const char *name)
{
	for (size_t i = 0; i < exchange->header_count; i++)
		if (strcmp(exchange->headers[i].name, name) == 0)
			return exchange->headers[i].value;
	return NULL;
}

void http_reply(struct http_exchange *exchange, unsigned status,
		const char *media_type, struct buffer *body)
{
	assert(exchange->status == 0 && status != 0);
	assert(media_type != NULL);
	exchange->status = status;
	exchange->media_type = media_type;
	exchange->reply = *body;
	*body = (struct buffer){0};
}

void http_reply_file(struct http_exchange *exchange, unsigned status,
		     const char *media_type, int file, uint64_t size)
{
	assert(exchange->status == 0 && status != 0);
	assert(file >= 0);
	exchange->status = status;
	exchange->media_type = media_type;
	exchange->is_file = true;
	exchange->reply_file = file;
	exchange->reply_size = size;
}

unsigned http_busy_status(const struct http_exchange *exchange)
{
	return exchange->is_over ? MHD_HTTP_TOO_MANY_REQUESTS
				 : MHD_HTTP_SERVICE_UNAVAILABLE;
}

bool exchange_take(struct http_exchange *exchange, struct quota *quota,
		   size_t count)
{
	struct http_server *server = exchange->server;
	enum quota_result answer = quota_acquire(quota, exchange->owner, count);

	assert(lock_is_held(&server->lock));
	exchange->is_over = answer == QUOTA_SHARED;
	server->limited += answer == QUOTA_SHARED;
	server->refused += answer == QUOTA_FULL;
	return answer == QUOTA_ACQUIRED;
}

void exchange_refuse_busy(struct http_exchange *exchange, const char *message)
{
	exchange_refuse(exchange, http_busy_status(exchange),
			exchange->is_over ? "too_many" : "busy", message);
}

void exchange_refuse(struct http_exchange *exchange, unsigned status,
		     const char *code, const char *message)
{
	struct buffer body = {0};

	buffer_printf(&body,
		      "{\"error\":{\"code\":\"%s\",\"message\":\"%s\"}}\n",
		      code, message);
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE ||
	    status == MHD_HTTP_TOO_MANY_REQUESTS)
		http_add_header(exchange, "Retry-After", "1");
	http_reply(exchange, status, "application/json", &body);
}

static void free_headers(struct http_exchange *exchange)
{
	for (size_t i = 0; i < exchange->header_count; i++)
		free(exchange->headers[i].value);
	exchange->header_count = 0;
}

void exchange_hold_reply(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;
	size_t size = exchange->reply.size;
	size_t most = server->options.max_reply_bytes / 2;
	/*
	 * a client must always get the result of a change, so only replies to
	 * GET and HEAD may be rejected
	 */
	bool may_be_refused =
		size > SMALL_REPLY &&
		(strcmp(exchange->method, MHD_HTTP_METHOD_GET) == 0 ||
		 strcmp(exchange->method, MHD_HTTP_METHOD_HEAD) == 0);
	bool is_held = true;

	if (exchange->owner == QUOTA_UNLIMITED)
		return;
	if (size > most)
		size = most;
	lock_acquire(&server->lock);
	if (may_be_refused)
		is_held = exchange_take(exchange, &server->unread, size);
	else
		quota_add(&server->unread, exchange->owner, size);
	exchange->held_reply = is_held ? size : 0;
	lock_release(&server->lock);
	if (is_held)
		return;
	buffer_free(&exchange->reply);
	free_headers(exchange);
	exchange->status = 0;
	exchange_refuse_busy(exchange,
			     "too many responses are unread; read them first");
}

void exchange_end(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;

	lock_acquire(&server->lock);
	quota_release(&server->uploads, exchange->owner,
		      exchange->upload != NULL);
	quota_release(&server->listeners, exchange->owner,
		      exchange->is_listener);
	quota_release(&server->clients, exchange->owner, exchange->has_place);
	quota_release(&server->unread, exchange->owner, exchange->held_reply);
	if (exchange->is_admitted) {
		assert(server->admitted > 0);
		server->admitted--;
		condition_signal(&server->is_ended);
	}
	lock_release(&server->lock);
	free_headers(exchange);
	for (size_t i = 0; i < exchange->kept_count; i++)
		free(exchange->kept[i]);
	buffer_free(&exchange->body);
	buffer_free(&exchange->reply);
	upload_free(exchange->upload);
	stream_free(exchange->stream);
	if (exchange->is_file)
		close(exchange->reply_file);
	free(exchange);
}

enum {
	LOOK_MS = 250,
	PRESSED_MS = 1000,
	FIRST_HEAD_MS = 5000,
	PRESSED_UPLOAD_MS = 5000,
	PRESSED_RATE = 16 * 1024, /* minimum bytes of a body per second when
				     many connections are in use */
	TCP_TIMEOUT_FACTOR = 5,   /* over TCP the timeout for reading a reply is
				     multiplied by this */
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
	/*
	 * workers may be waiting without a timeout; wake one to check the new
	 * connection periodically
	 */
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

/*
 * With the lock held: cut the connection off and drop unsent bytes. The
 * server's thread detects this and closes the socket.
 */
static void client_connection_cut(const struct client_connection *connection)
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
 * Note whether the client has read bytes of the reply since the last check. It
 * has not if the socket holds as many bytes as at the last check and the server
 * has more bytes to send. This also works on a Unix socket: there libmicrohttpd
 * cannot send until the client has read most of the bytes in the socket.
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
 * Return whether the client sends its body too slowly while other clients may
 * need the connection or the upload. `is_pressed`: most of the connections are
 * in use. `age_ms`: how long the server has waited for the body.
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
 * With the lock held: if a check is due, cut off connections that are too slow.
 *
 * - The first head must arrive within 5 s, later heads within the server's
 *   timeout. If three quarters of all connections are in use, each head must
 *   arrive within 1 s.
 * - If three quarters of all connections are in use, the body must arrive at 16
 *   KiB/s. The same holds for an upload after the server has waited 5 s for it,
 *   also if all uploads are in use.
 * - The client must read some bytes of a reply within the timeout. Over TCP it
 *   has five times as long, because the client's kernel may buffer a few
 *   hundred KiB before the server can see that the client does not read.
 */
static void client_connections_check(struct http_server *server)
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
		if (!is_too_slow(server, connection, now_ms))
			continue;
		/*
		 * In other states use shutdown(), after which the kernel still
		 * delivers the bytes of the previous reply, however slowly the
		 * client reads.
		 */
		if (connection->state == CONNECTION_REPLY)
			client_connection_cut(connection);
		else
			shutdown(connection->file, SHUT_RDWR);
	}
}

enum {
	TICK_MS = 200,
	WORKERS_LEFT = 2 /* number of workers that never handle long requests */
};

static void exchange_queue_push(struct exchange_queue *queue,
				struct http_exchange *exchange)
{
	assert((queue->first == NULL) == (queue->count == 0));
	exchange->next = NULL;
	if (queue->last == NULL)
		queue->first = exchange;
	else
		queue->last->next = exchange;
	queue->last = exchange;
	queue->count++;
}

/*
 * Remove and return the exchange after `previous`, or the first exchange if
 * `previous` is NULL. Return NULL if the queue has no such exchange.
 */
static struct http_exchange *pop_behind(struct exchange_queue *queue,
					struct http_exchange *previous)
{
	struct http_exchange **link =
		previous == NULL ? &queue->first : &previous->next;
	struct http_exchange *exchange = *link;

	if (exchange == NULL)
		return NULL;
	*link = exchange->next;
	if (queue->last == exchange)
		queue->last = previous;
	assert(queue->count > 0);
	queue->count--;
	return exchange;
}

static struct http_exchange *exchange_queue_pop(struct exchange_queue *queue)
{
	return pop_behind(queue, NULL);
}

static void push_ready(struct http_server *server,
		       struct http_exchange *exchange)
{
	exchange_queue_push((exchange->traits & HTTP_SLOW) != 0
				    ? &server->ready_long
				    : &server->ready,
			    exchange);
}

/* With the lock held: queue all suspended exchanges for the workers again. */
static void exchanges_requeue_suspended(struct http_server *server)
{
	struct http_exchange *exchange;

	assert(lock_is_held(&server->lock));
	server->tick_ms = clock_steady_ms() + TICK_MS;
	if (server->parked.first == NULL)
		return;
	while ((exchange = exchange_queue_pop(&server->parked)) != NULL)
		push_ready(server, exchange);
	condition_broadcast(&server->is_wanted);
}

void http_wake(struct http_server *server)
{
	lock_acquire(&server->lock);
	server->wakes++;
	exchanges_requeue_suspended(server);
	lock_release(&server->lock);
}

void http_end_owner(struct http_server *server, uint64_t owner)
{
	lock_acquire(&server->lock);
	for (struct client_connection *connection = server->connections;
	     connection != NULL; connection = connection->next) {
		struct http_exchange *exchange = connection->exchange;

		if (exchange == NULL ||
		    (exchange->owner != owner && exchange->ticket != owner))
			continue;
		exchange->is_cut = true;
		client_connection_cut(connection);
	}
	server->wakes++;
	exchanges_requeue_suspended(server);
	condition_broadcast(&server->is_fed);
	lock_release(&server->lock);
}

/*
 * Wait for work, at most until the next tick. Call it with the lock held; the
 * lock is released meanwhile.
 */
static void wait_for_tick(struct http_server *server)
{
	uint64_t until_ms =
		server->connections == NULL ? UINT64_MAX : server->look_ms;

	assert(lock_is_held(&server->lock));
	if (server->parked.first != NULL && server->tick_ms < until_ms)
		until_ms = server->tick_ms;
	if (until_ms == UINT64_MAX)
		condition_wait(&server->is_wanted, &server->lock);
	else
		condition_wait_until(&server->is_wanted, &server->lock,
				     until_ms);
}

void work_close(struct http_server *server, int file)
{
	lock_acquire(&server->lock);
	server->old_files =
		mem_grow(server->old_files, server->old_count,
			 &server->old_capacity, sizeof(*server->old_files));
	server->old_files[server->old_count++] = file;
	condition_signal(&server->is_wanted);
	lock_release(&server->lock);
}

size_t work_long(size_t workers)
{
	return workers <= WORKERS_LEFT ? workers : workers - WORKERS_LEFT;
}

/*
 * With the lock held: return whether the owner of the exchange may use one more
 * worker, so that one owner cannot occupy all workers.
 */
static bool exchange_may_begin(const struct http_server *server,
			       const struct http_exchange *exchange)
{
	return quota_check(&server->busy, exchange->owner, 1) ==
		       QUOTA_ACQUIRED &&
	       ((exchange->traits & HTTP_SLOW) == 0 ||
		quota_check(&server->busy_long, exchange->owner, 1) ==
			QUOTA_ACQUIRED);
}

/*
 * With the lock held: return whether the queue has an exchange that may be
 * handled now. Set *previous_out to the exchange before the first of these.
 */
static bool exchange_queue_has_ready(const struct http_server *server,
				     const struct exchange_queue *queue,
				     struct http_exchange **previous_out)
{
	bool is_full = queue == &server->ready_long &&
		       server->busy_long.used >= server->busy_long.max;
	struct http_exchange *exchange = is_full ? NULL : queue->first;

	*previous_out = NULL;
	while (exchange != NULL && !exchange_may_begin(server, exchange)) {
		*previous_out = exchange;
		exchange = exchange->next;
	}
	return exchange != NULL;
}

/*
 * With the lock held: return the next exchange that may be handled now, or
 * NULL.
 */
static struct http_exchange *pop_ready(struct http_server *server)
{
	struct exchange_queue *queue = &server->ready;
	struct http_exchange *previous;
	struct http_exchange *exchange;

	if (!exchange_queue_has_ready(server, queue, &previous))
		queue = &server->ready_long;
	if (queue == &server->ready_long &&
	    !exchange_queue_has_ready(server, queue, &previous))
		return NULL;
	exchange = pop_behind(queue, previous);
	quota_acquire(&server->busy, exchange->owner, 1);
	if ((exchange->traits & HTTP_SLOW) != 0)
		quota_acquire(&server->busy_long, exchange->owner, 1);
	return exchange;
}

/*
 * With the lock held: release the worker that has handled an exchange of this
 * owner.
 */
static void end_work(struct http_server *server, uint64_t owner, bool took_long)
{
	quota_release(&server->busy, owner, 1);
	if (took_long)
		quota_release(&server->busy_long, owner, 1);
}

/*
 * With the lock held: return whether a worker waits and there is an exchange
 * for it. A worker checks this after it has taken an exchange: the end of its
 * last one may have freed a place for more than that.
 */
static bool exchange_queue_wants_worker(const struct http_server *server)
{
	struct http_exchange *previous;

	return server->idle_count > 0 &&
	       (exchange_queue_has_ready(server, &server->ready, &previous) ||
		exchange_queue_has_ready(server, &server->ready_long,
					 &previous));
}

/* With the lock held: return the next exchange to handle; NULL at the end. */
static struct http_exchange *exchange_queue_next(struct http_server *server)
{
	assert(lock_is_held(&server->lock));
	while (!server->is_stopping) {
		struct http_exchange *exchange;

		client_connections_check(server);
		if (server->parked.first != NULL &&
		    clock_steady_ms() >= server->tick_ms)
			exchanges_requeue_suspended(server);
		exchange = pop_ready(server);
		if (exchange != NULL)
			return exchange;
		if (server->old_count > 0) {
			int file = server->old_files[--server->old_count];

			lock_release(&server->lock);
			close(file);
			lock_acquire(&server->lock);
		} else {
			server->idle_count++;
			wait_for_tick(server);
			server->idle_count--;
		}
	}
	return NULL;
}

/*
 * Return whether the client has closed its socket. A Unix client that only
 * stopped sending has not closed it. Over TCP the server cannot distinguish the
 * two before it sends bytes.
 */
static bool exchange_client_has_left(const struct http_exchange *exchange)
{
	struct pollfd file = {.fd = exchange->file};

	return poll(&file, 1, 0) == 1 &&
	       (file.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

/*
 * Return whether the TCP client of a stream has stopped sending. Such a client
 * has left, for example a browser that has closed the page, and other clients
 * may need its stream.
 */
static bool has_left_stream(const struct http_exchange *exchange)
{
	struct pollfd file = {.fd = exchange->file, .events = POLLRDHUP};
	bool is_tcp = exchange->server->options.listener != NULL;

	return exchange_client_has_left(exchange) ||
	       (is_tcp && poll(&file, 1, 0) == 1 &&
		(file.revents & POLLRDHUP) != 0);
}

/*
 * Return the exchange with its reply to the server's thread. The exchange may
 * be freed as soon as its connection is resumed or, if it is an upload in
 * progress, as soon as the lock is released.
 */
static void exchange_return(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;
	struct MHD_Connection *connection = exchange->connection;
	struct upload *upload = exchange->upload;
	bool is_suspended;
	bool is_abandoned;

	assert(exchange->status != 0);
	lock_acquire(&server->lock);
	assert(exchange->state == EXCHANGE_WAITS);
	exchange->state = EXCHANGE_REPLIED;
	quota_release(&server->waiting, exchange->owner,
		      !exchange->is_listener);
	assert(exchange->status / 100 < HTTP_CLASSES);
	server->replies[exchange->status / 100]++;
	if (!exchange->is_listener && upload == NULL)
		time_histogram_add(&server->answers,
				   clock_read_us(CLOCK_MONOTONIC) -
					   exchange->begin_us);
	is_suspended = upload == NULL || upload_close(exchange);
	is_abandoned = upload != NULL && upload->failure != ERR_NONE;
	lock_release(&server->lock);
	if (is_abandoned)
		exchange_end(exchange);
	else if (is_suspended)
		MHD_resume_connection(connection);
}

static enum http_verdict exchange_handle(struct http_exchange *exchange,
					 bool is_cut)
{
	const struct http_options *options = &exchange->server->options;

	assert(exchange->state == EXCHANGE_WAITS);
	if (exchange->stream != NULL) {
		if (!is_cut && !has_left_stream(exchange))
			return stream_fill(exchange->stream);
		exchange->stream->is_left = true;
		return HTTP_ANSWERED;
	}
	if (is_cut) {
		exchange_refuse(exchange, MHD_HTTP_UNAUTHORIZED, "unauthorized",
				"the token was removed");
		return HTTP_ANSWERED;
	}
	if (exchange->was_parked && exchange_client_has_left(exchange)) {
		exchange_refuse(exchange, MHD_HTTP_SERVICE_UNAVAILABLE,
				"stopped", "the client has disconnected");
		return HTTP_ANSWERED;
	}
	return options->handle(exchange, options->context);
}

static void *exchange_worker(void *argument)
{
	struct http_server *server = argument;
	struct http_exchange *exchange;

	lock_acquire(&server->lock);
	while ((exchange = exchange_queue_next(server)) != NULL) {
		uint64_t wakes = server->wakes;
		bool took_long = (exchange->traits & HTTP_SLOW) != 0;
		uint64_t owner = exchange->owner;
		bool is_cut = exchange->is_cut;
		bool wants_another = exchange_queue_wants_worker(server);
		enum http_verdict verdict;

		lock_release(&server->lock);
		/* not before: the other worker would wait for the lock */
		if (wants_another)
			condition_signal(&server->is_wanted);
		verdict = exchange_handle(exchange, is_cut);
		assert(verdict == HTTP_SUSPENDED || exchange->status != 0);
		if (verdict == HTTP_ANSWERED)
			exchange_return(exchange);
		lock_acquire(&server->lock);
		end_work(server, owner, took_long);
		if (verdict == HTTP_ANSWERED)
			continue;
		exchange->was_parked = true;
		/*
		 * a call of http_wake() during the handler missed this
		 * exchange, because it was not in the queue
		 */
		if (wakes == server->wakes)
			exchange_queue_push(&server->parked, exchange);
		else
			push_ready(server, exchange);
	}
	lock_release(&server->lock);
	return NULL;
}

bool work_start(struct http_server *server)
{
	assert(server->worker_count == 0);
	server->workers =
		mem_alloc(server->options.workers, sizeof(*server->workers));
	while (server->worker_count < server->options.workers) {
		if (!thread_start(&server->workers[server->worker_count], NULL,
				  exchange_worker, server))
			return false;
		server->worker_count++;
	}
	return true;
}

static void refuse_stopped(struct http_exchange *exchange)
{
	exchange_refuse(exchange, MHD_HTTP_SERVICE_UNAVAILABLE, "stopped",
			"the daemon is stopping");
}

/*
 * Do the same as work_suspend(), but if the function returns true, the caller
 * must signal server->is_wanted.
 */
static bool exchange_suspend(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;

	assert(lock_is_held(&server->lock));
	assert(exchange->state != EXCHANGE_WAITS);
	MHD_suspend_connection(exchange->connection);
	exchange->state = EXCHANGE_WAITS;
	push_ready(server, exchange);
	/* if not, the worker that frees a place takes the exchange */
	return exchange_may_begin(server, exchange);
}

void work_suspend(struct http_exchange *exchange)
{
	if (exchange_suspend(exchange))
		condition_signal(&exchange->server->is_wanted);
}

bool work_submit(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;
	bool is_stopping;
	bool is_full = false;
	bool is_wanted = false;

	assert(!lock_is_held(&server->lock));
	assert(!exchange->is_admitted);
	/* until the exchange is pushed, no other thread can access it */
	exchange->begin_us = clock_read_us(CLOCK_MONOTONIC);
	lock_acquire(&server->lock);
	is_stopping = server->is_stopping;
	if (is_stopping)
		server->refused++;
	else
		is_full = !exchange_take(exchange, &server->waiting, 1);
	if (!is_stopping && !is_full) {
		exchange->is_admitted = true;
		server->admitted++;
		is_wanted = exchange_suspend(exchange);
	}
	lock_release(&server->lock);
	if (is_wanted)
		condition_signal(&server->is_wanted);
	if (is_stopping)
		refuse_stopped(exchange);
	else if (is_full)
		exchange_refuse_busy(
			exchange, "too many requests are waiting "
				  "(pipeline.max_pending_requests); try again");
	return !is_stopping && !is_full;
}

void work_stop(struct http_server *server)
{
	struct http_exchange *exchange;

	assert(!lock_is_held(&server->lock));
	lock_acquire(&server->lock);
	server->is_stopping = true;
	condition_broadcast(&server->is_wanted);
	condition_broadcast(&server->is_fed);
	lock_release(&server->lock);
	for (size_t i = 0; i < server->worker_count; i++)
		pthread_join(server->workers[i], NULL);
	/* from here on no thread pushes an exchange */
	while ((exchange = exchange_queue_pop(&server->ready)) != NULL ||
	       (exchange = exchange_queue_pop(&server->ready_long)) != NULL ||
	       (exchange = exchange_queue_pop(&server->parked)) != NULL) {
		/* a stream has already begun its reply, so it only ends */
		if (exchange->stream == NULL)
			refuse_stopped(exchange);
		exchange_return(exchange);
	}
}
