#include "daemon/http/exchange.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/http/tcp.h"

enum {
	MAX_HEADER_BYTES = 1024,
	SMALL_REPLY = 64 * 1024, /* is never rejected */
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
	return exchange->is_quick;
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

/*
 * Return whether the response is large and repeatable. The client must always
 * get the result of a change.
 */
static bool may_be_refused(const struct http_exchange *exchange)
{
	return exchange->reply.size > SMALL_REPLY &&
	       (strcmp(exchange->method, MHD_HTTP_METHOD_GET) == 0 ||
		strcmp(exchange->method, MHD_HTTP_METHOD_HEAD) == 0);
}

void exchange_hold_reply(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;
	size_t size = exchange->reply.size;
	size_t most = server->options.max_reply_bytes / 2;
	bool is_held = true;

	if (exchange->owner == QUOTA_UNLIMITED)
		return;
	if (size > most)
		size = most;
	lock_acquire(&server->lock);
	if (may_be_refused(exchange))
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

void exchange_destroy(struct http_exchange *exchange)
{
	if (exchange == NULL)
		return;
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
	exchange_destroy(exchange);
}
