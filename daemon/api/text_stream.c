#include "daemon/api/text_stream.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "crawl/url.h"
#include "daemon/api/asking.h"
#include "daemon/privsep/pool.h"
#include "daemon/query/page_answer.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/ordered.h"

#define PROGRAM "templated " TEMPLATED_VERSION

enum {
	WINDOW = 64, /* pages queued or ready */
	MAX_READY_BYTES = 4
			  << 20, /* of their texts, plus one page per thread */
	CHUNK_BYTES = 64 * 1024, /* per chunk sent, plus one page */
	MAX_WAIT_MS = 200,       /* for a page; then the thread is released */
};

/* State that the threads share. */
struct text_query {
	struct shared_request asking;
	enum text_export_format form;
	bool is_raw;
	uint32_t site;
	uint32_t qualities;
	double min_confidence;
};

/* A page in progress. */
struct text_item {
	struct text_position place;
	enum error error;    /* of the store: ends the stream */
	bool has_failed;     /* of the page: the stream continues */
	struct buffer bytes; /* in the form to send */
};

struct text_stream {
	struct api *api;
	uint64_t owner;
	struct text_walk *walk;
	struct ordered_queue *ordered;
	enum text_export_format form;
	bool is_begun;
	bool is_walked; /* all pages were queued */
	bool is_broken;
	uint64_t left;   /* pages that may still be sent */
	uint64_t failed; /* pages */
	char host[MAX_HOST_BYTES + 1];
};

static size_t text_item_bytes(const void *memory)
{
	const struct text_item *item = memory;

	return item->bytes.size;
}

static void text_item_destroy(void *memory)
{
	struct text_item *item = memory;

	buffer_free(&item->bytes);
	free(item);
}

static bool text_query_matches(const struct text_query *search,
			       enum error error,
			       const struct text_result *answer)
{
	bool takes_all =
		search->qualities == UINT32_MAX && search->min_confidence <= 0;

	if (error != ERR_NONE)
		return takes_all;
	return (search->qualities >> answer->quality & 1U) != 0 &&
	       (search->min_confidence <= 0 ||
		(double)answer->confidence >= search->min_confidence);
}

static enum error text_stream_extract(const struct shared_request *asking,
				      const struct positioned_page *page,
				      struct text_result *answer)
{
	const struct api *api = asking->call.api;
	struct text_request request = asking->question->request;
	struct url url;
	enum error error = url_parse(&url, slice_of(page->url), NULL);
	unsigned tries = 0;
	bool is_tried;

	*answer = (struct text_result){.confidence = NAN};
	request.url = &url;
	is_tried = error == ERR_NONE;
	while (is_tried) {
		buffer_free(&answer->body);
		error = stored_text_get(api->pool, api->store, &asking->rules,
					&request, answer);
		is_tried = shared_request_should_retry(error, &tries);
	}
	shared_request_set_reason(error, answer);
	return error;
}

static enum error text_stream_find_page(const struct text_query *search,
					const struct text_item *item,
					struct positioned_page *page)
{
	unsigned tries = 0;
	enum error error;

	do
		error = text_position_page(search->asking.call.api->store,
					   search->site, item->place, page);
	while (shared_request_should_retry(error, &tries));
	return error;
}

/*
 * Extract one page. A page that was stored again meanwhile is skipped here; the
 * walk reaches its new position later.
 */
static void text_stream_process_item(void *context, void *memory)
{
	const struct text_query *search = context;
	const struct shared_request *asking = &search->asking;
	struct text_item *item = memory;
	struct positioned_page page;
	struct text_result answer;
	enum error error = text_stream_find_page(search, item, &page);

	if (error != ERR_NONE) {
		item->error = error == ERR_NOT_FOUND ? ERR_NONE : error;
		return;
	}
	error = text_stream_extract(asking, &page, &answer);
	item->has_failed = shared_request_has_failed(error);
	if (text_query_matches(search, error, &answer))
		text_export_append(
			search->form,
			&(struct text_export_row){
				.place = item->place,
				.page = &page,
				.host = asking->call.host,
				.url = page.url,
				.format = asking->question->request.format,
				.is_raw = search->is_raw,
				.error = error,
				.answer = &answer,
			},
			&item->bytes);
	buffer_free(&answer.body);
}

static void end_search(void *context)
{
	struct text_query *search = context;

	shared_request_end(&search->asking);
	free(search);
}

/* Queue as many pages as fit. */
static enum error text_stream_queue_pages(struct text_stream *stream)
{
	enum error error = ERR_NONE;

	while (!stream->is_walked &&
	       ordered_queue_is_not_full(stream->ordered)) {
		struct text_item *item;
		struct text_position place;
		bool is_there;
		unsigned tries = 0;

		do
			error = text_walk_next(stream->walk, &place, &is_there);
		while (shared_request_should_retry(error, &tries));
		if (error != ERR_NONE)
			break;
		stream->is_walked = !is_there;
		if (!is_there)
			break;
		item = mem_alloc(1, sizeof(*item));
		item->place = place;
		ordered_queue_put(stream->ordered, item);
	}
	return error;
}

/* Move ready pages to `out`; wait for the first one. */
static enum error text_stream_drain(struct text_stream *stream,
				    uint64_t until_ms, struct buffer *out)
{
	enum error error = ERR_NONE;

	while (error == ERR_NONE && out->size < CHUNK_BYTES &&
	       stream->left > 0) {
		struct text_item *item = ordered_queue_take(
			stream->ordered, out->size == 0 ? until_ms : 0);

		if (item == NULL)
			break;
		error = item->error;
		stream->failed += item->has_failed;
		stream->left -= item->bytes.size > 0;
		buffer_append_slice(out, buffer_slice(&item->bytes));
		text_item_destroy(item);
	}
	return error;
}

static bool text_stream_fill(void *context, struct buffer *out)
{
	struct text_stream *stream = context;
	uint64_t until_ms = clock_steady_ms() + MAX_WAIT_MS;
	bool is_over = false;
	enum error error;

	if (!stream->is_begun)
		text_export_begin(stream->form, PROGRAM, clock_wall_ms(), out);
	stream->is_begun = true;
	do {
		size_t before = out->size;

		error = text_stream_queue_pages(stream);
		if (error == ERR_NONE)
			error = text_stream_drain(stream, until_ms, out);
		is_over = stream->left == 0 ||
			  (stream->is_walked &&
			   ordered_queue_is_empty(stream->ordered));
		if (out->size == before && out->size > 0)
			break;
	} while (error == ERR_NONE && !is_over && out->size < CHUNK_BYTES &&
		 clock_steady_ms() < until_ms);
	if (error == ERR_NONE)
		return !is_over;
	log_error_limited_about(
		(struct log_subject){.site = slice_of(stream->host)},
		"a stream of its texts was aborted: %s", error_text(error));
	stream->is_broken = true;
	return false;
}

static bool text_stream_is_broken(const void *context)
{
	const struct text_stream *stream = context;

	return stream->is_broken;
}

static uint64_t count_failed(const void *context)
{
	const struct text_stream *stream = context;

	return stream->failed;
}

static void text_stream_destroy(void *context)
{
	struct text_stream *stream = context;

	ordered_queue_close(stream->ordered);
	text_walk_end(stream->walk);
	api_end_work(stream->api, WORK_TEXTS, stream->owner);
	free(stream);
}

static enum error text_stream_start(struct text_stream *stream,
				    const struct call *call,
				    const struct text_params *question,
				    const struct text_wish *wish)
{
	struct text_query *search = mem_alloc(1, sizeof(*search));
	const struct ordered_queue_options options = {
		.threads = call_threads(call),
		.window = WINDOW,
		.max_bytes = MAX_READY_BYTES,
		.work = text_stream_process_item,
		.size = text_item_bytes,
		.discard = text_item_destroy,
		.end = end_search,
		.context = search,
	};
	enum error error;

	search->form = wish->form;
	search->site = text_walk_site(stream->walk);
	search->is_raw = wish->is_raw;
	search->qualities = wish->qualities;
	search->min_confidence = wish->min_confidence;
	shared_request_begin(&search->asking, call, question);
	error = ordered_queue_open(&stream->ordered, &options);
	if (error != ERR_NONE)
		end_search(search);
	return error;
}

enum error text_stream_create(struct call *call,
			      const struct text_params *question,
			      const struct text_wish *wish,
			      struct http_stream *stream_out)
{
	struct text_stream *stream;
	enum error error;

	if (!call_begin_work(call, WORK_TEXTS))
		return ERR_BUSY;
	stream = mem_alloc(1, sizeof(*stream));
	stream->api = call->api;
	stream->owner = call_owner(call);
	stream->form = wish->form;
	stream->is_begun = wish->is_resumed;
	stream->left = wish->limit == 0 ? UINT64_MAX : wish->limit;
	snprintf(stream->host, sizeof(stream->host), "%s", call->host);
	*stream_out = (struct http_stream){
		.fill = text_stream_fill,
		.free = text_stream_destroy,
		.is_broken = text_stream_is_broken,
		.context = stream,
		.trailer_name = SHARED_REQUEST_FAILED_HEADER,
		.trailer = count_failed,
	};
	error = text_walk_begin(&stream->walk, call->api->store, &wish->filter);
	if (error == ERR_NONE)
		error = text_stream_start(stream, call, question, wish);
	if (error != ERR_NONE)
		text_stream_destroy(stream);
	return error;
}
