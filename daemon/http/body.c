#include "daemon/http/body.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/http/exchange.h"

/*
 * Maximum bytes of one send. On a Unix socket the server notices only after
 * each send whether the client reads (exchange.c), so sends must be small.
 */
enum { BLOCK_BYTES = 4 * 1024 };

bool http_listen(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;

	assert(!exchange->is_listener);
	lock_acquire(&server->lock);
	exchange->is_listener = exchange_take(exchange, &server->listeners, 1);
	if (exchange->is_listener)
		quota_release(&server->waiting, exchange->owner, 1);
	lock_release(&server->lock);
	return exchange->is_listener;
}

void http_reply_stream(struct http_exchange *exchange, unsigned status,
		       const char *media_type, const struct http_stream *stream)
{
	assert(exchange->status == 0 && status != 0);
	assert(exchange->is_listener);
	assert(stream->fill != NULL && stream->free != NULL);
	assert(stream->trailer_name == NULL || stream->is_broken != NULL);
	exchange->status = status;
	exchange->media_type = media_type;
	exchange->stream = mem_alloc(1, sizeof(*exchange->stream));
	exchange->stream->source = *stream;
}

/* Copy up to `max` unsent bytes of the chunk; return their number. */
static size_t stream_copy_chunk(struct stream *stream, char *out, size_t max)
{
	size_t size = stream->chunk.size - stream->sent;

	assert(stream->sent <= stream->chunk.size);
	if (size > max)
		size = max;
	if (size > 0)
		memcpy(out, stream->chunk.data + stream->sent, size);
	stream->sent += size;
	return size;
}

/* Add the trailer of the stream to its response. */
static void add_trailer(const struct stream *stream)
{
	const struct http_stream *source = &stream->source;
	char text[24];

	if (source->trailer_name == NULL)
		return;
	snprintf(text, sizeof(text), "%" PRIu64,
		 source->trailer(source->context));
	MHD_add_response_footer(stream->response, source->trailer_name, text);
}

/*
 * Return MHD's code for the end of the stream, or its code for an error if the
 * stream is incomplete. With the lock held.
 */
static ssize_t stream_end_code(const struct http_exchange *exchange)
{
	const struct stream *stream = exchange->stream;
	const struct http_stream *source = &stream->source;

	assert(lock_is_held(&exchange->server->lock));
	if (source->is_broken != NULL &&
	    (!stream->is_ended || source->is_broken(source->context)))
		return MHD_CONTENT_READER_END_WITH_ERROR;
	add_trailer(stream);
	return MHD_CONTENT_READER_END_OF_STREAM;
}

static ssize_t on_room(void *context, uint64_t position, char *out, size_t max)
{
	struct http_exchange *exchange = context;
	struct http_server *server = exchange->server;
	ssize_t size;

	assert(exchange->stream != NULL);
	(void)position;
	lock_acquire(&server->lock);
	/* MHD may pass a `max` over the block size of the response */
	size = (ssize_t)stream_copy_chunk(
		exchange->stream, out, max < BLOCK_BYTES ? max : BLOCK_BYTES);
	if (size == 0 && (exchange->stream->is_ended ||
			  exchange->stream->is_left || server->is_stopping))
		size = stream_end_code(exchange);
	else if (size == 0)
		work_suspend(exchange);
	lock_release(&server->lock);
	return size;
}

struct MHD_Response *stream_respond(struct http_exchange *exchange)
{
	struct stream *stream = exchange->stream;

	stream->response = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, BLOCK_BYTES, on_room, exchange, NULL);
	if (stream->response != NULL && stream->source.trailer_name != NULL)
		MHD_add_response_header(stream->response,
					MHD_HTTP_HEADER_TRAILER,
					stream->source.trailer_name);
	return stream->response;
}

enum http_verdict stream_fill(struct stream *stream)
{
	buffer_free(&stream->chunk);
	stream->sent = 0;
	stream->is_ended =
		!stream->source.fill(stream->source.context, &stream->chunk);
	return stream->is_ended || stream->chunk.size > 0 ? HTTP_ANSWERED
							  : HTTP_SUSPENDED;
}

void stream_free(struct stream *stream)
{
	if (stream == NULL)
		return;
	stream->source.free(stream->source.context);
	buffer_free(&stream->chunk);
	free(stream);
}

enum {
	UPLOAD_BYTES = 1 << 20,
	/*
	 * limit of the bytes that a client may send after the reply without
	 * reading the reply
	 */
	MAX_DROPPED = 64 << 20,
};

bool upload_begin(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;
	bool is_free;

	assert(exchange->upload == NULL);
	lock_acquire(&server->lock);
	is_free = exchange_take(exchange, &server->uploads, 1);
	if (is_free)
		exchange->upload = mem_alloc(1, sizeof(*exchange->upload));
	lock_release(&server->lock);
	if (is_free)
		exchange->upload->ring = mem_alloc(UPLOAD_BYTES, 1);
	return is_free;
}

void upload_free(struct upload *upload)
{
	if (upload == NULL)
		return;
	free(upload->ring);
	free(upload);
}

/* Copy as many bytes as fit into the ring; return their number. */
static size_t upload_ring_put(struct upload *upload, const char *data,
			      size_t size)
{
	size_t room = UPLOAD_BYTES - upload->count;
	size_t taken = size < room ? size : room;
	size_t end = (upload->begin + upload->count) % UPLOAD_BYTES;
	size_t part = UPLOAD_BYTES - end < taken ? UPLOAD_BYTES - end : taken;

	assert(upload->count <= UPLOAD_BYTES && upload->begin < UPLOAD_BYTES);
	memcpy(upload->ring + end, data, part);
	memcpy(upload->ring, data + part, taken - part);
	upload->count += taken;
	assert(upload->count <= UPLOAD_BYTES);
	return taken;
}

static size_t upload_ring_take(struct upload *upload, char *out,
			       size_t capacity)
{
	size_t taken = upload->count < capacity ? upload->count : capacity;
	size_t rest = UPLOAD_BYTES - upload->begin;
	size_t part = rest < taken ? rest : taken;

	assert(upload->begin < UPLOAD_BYTES);
	memcpy(out, upload->ring + upload->begin, part);
	memcpy(out + part, upload->ring, taken - part);
	upload->begin = (upload->begin + taken) % UPLOAD_BYTES;
	upload->count -= taken;
	return taken;
}

/*
 * Suspend the connection, so that nothing is received until it is resumed. Call
 * it on the server's thread with the lock held.
 */
static void upload_suspend(struct http_exchange *exchange)
{
	assert(lock_is_held(&exchange->server->lock));
	assert(!exchange->upload->is_suspended);
	MHD_suspend_connection(exchange->connection);
	exchange->upload->is_suspended = true;
	client_connection_set_state(exchange->client, CONNECTION_BUSY);
}

/*
 * Drop bytes that arrive after the reply is ready. Return MHD_NO, which closes
 * the connection, if there are too many.
 */
static enum MHD_Result upload_drop(struct upload *upload, size_t *size)
{
	upload->dropped += *size;
	*size = 0;
	return upload->dropped > MAX_DROPPED ? MHD_NO : MHD_YES;
}

/*
 * Queue the exchange with its connection suspended, so that the worker may read
 * the head of the request until it begins to read the body. MHD keeps the
 * received bytes and passes them again after the suspension. Return false if
 * the exchange was rejected.
 */
static bool upload_submit(struct http_exchange *exchange, bool is_ended)
{
	struct upload *upload = exchange->upload;

	assert(!upload->is_submitted);
	upload->is_submitted = true;
	upload->is_ended = is_ended;
	upload->is_suspended = true;
	client_connection_enter(exchange->server, exchange->client,
				CONNECTION_BUSY);
	if (work_submit(exchange))
		return true;
	client_connection_enter(exchange->server, exchange->client,
				CONNECTION_BODY);
	upload->is_suspended = false;
	exchange->state = EXCHANGE_REPLIED;
	return false;
}

enum MHD_Result upload_receive(struct http_exchange *exchange, const char *data,
			       size_t *size, bool *is_over_out)
{
	struct http_server *server = exchange->server;
	struct upload *upload = exchange->upload;
	enum MHD_Result result = MHD_YES;

	assert(upload != NULL);
	*is_over_out = false;
	if (!upload->is_submitted && upload_submit(exchange, *size == 0))
		return MHD_YES;
	lock_acquire(&server->lock);
	if (exchange->state == EXCHANGE_REPLIED) {
		*is_over_out = *size == 0;
		result = upload_drop(upload, size);
	} else if (*size == 0) {
		upload->is_ended = true;
		upload_suspend(exchange);
	} else {
		*size -= upload_ring_put(upload, data, *size);
		if (*size > 0)
			upload_suspend(exchange);
	}
	condition_broadcast(&server->is_fed);
	lock_release(&server->lock);
	return result;
}

bool upload_abandon(struct http_exchange *exchange, enum error failure)
{
	struct http_server *server = exchange->server;
	bool is_ours;

	assert(exchange->upload != NULL);
	lock_acquire(&server->lock);
	is_ours = exchange->state != EXCHANGE_WAITS;
	exchange->upload->failure = failure;
	condition_broadcast(&server->is_fed);
	lock_release(&server->lock);
	return is_ours;
}

/*
 * With the lock held: return whether the connection was suspended, and mark it
 * as resumed. The caller must then resume it; a suspended connection cannot end
 * before that.
 */
static bool give_turn(struct http_exchange *exchange)
{
	bool was_suspended = exchange->upload->is_suspended;

	if (was_suspended)
		client_connection_set_state(exchange->client, CONNECTION_BODY);
	exchange->upload->is_suspended = false;
	return was_suspended;
}

bool upload_close(struct http_exchange *exchange)
{
	exchange->upload->count = 0;
	return give_turn(exchange);
}

/*
 * If the connection is suspended and the body is incomplete, resume it, so that
 * the client can continue to send. Return whether it was resumed. Call it with
 * the lock held; the lock is released meanwhile.
 */
static bool upload_resume(struct http_exchange *exchange)
{
	struct http_server *server = exchange->server;

	assert(lock_is_held(&server->lock));
	if (exchange->upload->is_ended || !give_turn(exchange))
		return false;
	lock_release(&server->lock);
	MHD_resume_connection(exchange->connection);
	lock_acquire(&server->lock);
	return true;
}

static bool has_news(const struct http_exchange *exchange)
{
	const struct upload *upload = exchange->upload;

	assert(lock_is_held(&exchange->server->lock));
	return upload->count > 0 || upload->is_ended ||
	       upload->failure != ERR_NONE || exchange->is_cut ||
	       exchange->server->is_stopping;
}

enum error http_body_read(struct http_exchange *exchange, char *out,
			  size_t capacity, size_t *size_out)
{
	struct http_server *server = exchange->server;
	struct upload *upload = exchange->upload;
	enum error error = ERR_NONE;

	assert(upload != NULL && capacity > 0);
	*size_out = 0;
	lock_acquire(&server->lock);
	while (!has_news(exchange))
		if (!upload_resume(exchange))
			condition_wait(&server->is_fed, &server->lock);
	if (server->is_stopping)
		error = ERR_STOPPED;
	else if (exchange->is_cut)
		error = ERR_NETWORK;
	else if (upload->count == 0)
		error = upload->failure;
	else
		*size_out = upload_ring_take(upload, out, capacity);
	if (upload->count <= UPLOAD_BYTES / 2)
		upload_resume(exchange);
	lock_release(&server->lock);
	return error;
}
