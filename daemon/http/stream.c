#include "daemon/http/stream.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/http/exchange.h"

/*
 * A Unix socket reports a slow reader with the granularity of a send
 * (patience.c).
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

/* Copy up to `max` bytes of the chunk. */
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

/* Add the trailer after the body. */
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
 * Return the end of the stream, or an error if it is incomplete. With the lock
 * held.
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
	/* MHD may offer more bytes than the declared block size */
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
