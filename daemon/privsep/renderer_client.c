#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/privsep/channel.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/process_table.h"
#include "daemon/privsep/renderer.h"
#include "daemon/runtime/clock.h"

enum {
	RENDERER_START_MS = 40 * 1000, /* of the browser */
	RENDERER_GRACE_MS = 5 * 1000,  /* after the real time of a page */
	LOOK_MS = 200,                 /* between two looks at is_stopping */
	/* an answer with longer header lines is refused */
	MAX_ANSWER_HEAD_BYTES = 64 * 1024,
};

struct renderer {
	struct renderer_options options;
	struct process process;
	bool is_running;
	uint32_t pages;        /* that the browser has rendered */
	struct buffer version; /* of the browser that was started last */
};

struct renderer *renderer_create(const struct renderer_options *options)
{
	struct renderer *renderer = mem_alloc(1, sizeof(*renderer));

	renderer->options = *options;
	return renderer;
}

void renderer_rest(struct renderer *renderer)
{
	if (renderer->is_running)
		process_end(renderer->options.launcher, &renderer->process,
			    NULL);
	renderer->is_running = false;
}

void renderer_destroy(struct renderer *renderer)
{
	if (renderer == NULL)
		return;
	renderer_rest(renderer);
	buffer_free(&renderer->version);
	free(renderer);
}

void renderer_page_free(struct renderer_page *page)
{
	buffer_free(&page->dom);
	buffer_free(&page->url);
	buffer_free(&page->reason);
}

/* Stop a renderer that has exited or broken the protocol. */
static void renderer_lose(struct renderer *renderer, const char *what)
{
	char end[PROCESS_END_BYTES];

	process_end(renderer->options.launcher, &renderer->process, end);
	renderer->is_running = false;
	log_warn_limited("the renderer %s%s",
			 what == NULL ? "has exited: " : "was stopped: it ",
			 what == NULL ? end : what);
}

/*
 * Receive a frame before `until_ms`. ERR_STOPPED: the daemon stops, or the
 * renderer has exited.
 */
static enum error renderer_receive(struct renderer *renderer, uint64_t until_ms,
				   struct channel_frame *frame_out)
{
	struct channel *channel = &renderer->process.channel;
	enum error error = ERR_TIMEOUT;
	uint64_t now_ms;

	while (error == ERR_TIMEOUT) {
		now_ms = clock_steady_ms();
		*frame_out = (struct channel_frame){.file = -1};
		if (*renderer->options.is_stopping)
			return ERR_STOPPED;
		if (now_ms >= until_ms)
			return ERR_TIMEOUT;
		error = channel_receive(channel, LOOK_MS, frame_out);
	}
	return error;
}

/* Append the text without control characters. */
static void append_printable(struct slice text, struct buffer *out)
{
	for (size_t i = 0; i < text.size && i < 400; i++) {
		char byte = slice_byte(text, i);

		if (byte < ' ' || byte > '~')
			byte = ' ';
		buffer_append_byte(out, byte);
	}
}

/* Log the name and version of the browser, if it is another one. */
static void renderer_log_version(struct renderer *renderer,
				 struct slice version)
{
	struct buffer text = {0};

	append_printable(version, &text);
	if (text.size > 0 &&
	    !slice_equal(buffer_slice(&text), buffer_slice(&renderer->version)))
		log_info("pages are rendered by %s", text.data);
	buffer_free(&renderer->version);
	renderer->version = text;
}

/* Wait until the renderer has started its browser. */
static enum error renderer_greet(struct renderer *renderer,
				 struct buffer *reason)
{
	struct channel_frame frame;
	struct renderer_ready ready = {.error = ERR_MALFORMED};
	struct sandbox_report walls;
	enum error error = renderer_receive(
		renderer, clock_steady_ms() + RENDERER_START_MS, &frame);

	if (error == ERR_NONE &&
	    (frame.kind != RENDERER_READY ||
	     !row_codec_decode(&renderer_ready_layout, frame.head, &ready)))
		ready = (struct renderer_ready){.error = ERR_MALFORMED};
	if (error == ERR_NONE && ready.error != ERR_NONE) {
		append_printable(ready.reason, reason);
		error = ERR_IO;
	}
	if (error == ERR_NONE)
		renderer_log_version(renderer, ready.reason);
	walls = (struct sandbox_report){ready.holds, ready.lacks};
	if (error == ERR_NONE)
		process_table_change(
			spawner_process_table(renderer->options.launcher),
			renderer->process.pid, &walls);
	frame_free(&frame);
	return error;
}

static enum error renderer_start(struct renderer *renderer,
				 struct buffer *reason)
{
	const struct process_options process = {
		.role = ROLE_RENDERER,
		.max_body = renderer->options.max_dom_bytes + MAX_RENDER_BODY,
	};
	enum error error;

	if (renderer->is_running)
		return ERR_NONE;
	renderer->pages = 0;
	if (process_start(renderer->options.launcher, &process,
			  &renderer->process) != ERR_NONE) {
		buffer_append_text(reason, "the renderer cannot be started");
		return ERR_IO;
	}
	renderer->is_running = true;
	error = renderer_greet(renderer, reason);
	if (error == ERR_NONE)
		return ERR_NONE;
	if (reason->size == 0)
		buffer_append_text(reason, "the browser did not start");
	renderer_lose(renderer, "could not start its browser");
	return *renderer->options.is_stopping ? ERR_STOPPED : ERR_IO;
}

static bool renderer_send_order(struct renderer *renderer,
				const struct page_render_options *options)
{
	const struct renderer_order order = {
		.date_ms = options->date_ms,
		.max_bytes = options->max_bytes,
		.max_dom_bytes = options->max_dom_bytes,
		.seed = options->seed,
		.time_ms = options->time_ms,
		.max_wall_ms = options->max_wall_ms,
		.max_requests = options->max_requests,
		.blocked = options->blocked,
		.url = message_text(options->url),
		.wait = message_text(options->wait),
	};

	return channel_send_row(&renderer->process.channel, RENDERER_PAGE,
				&renderer_order_layout, &order, -1) == ERR_NONE;
}

/* Decode a request. Return false if a correct renderer cannot have sent it. */
static bool read_request(const struct channel_frame *frame,
			 struct page_request *request_out)
{
	struct renderer_request row;

	if (!row_codec_decode(&renderer_request_layout, frame->head, &row) ||
	    frame->body.size > MAX_RENDER_BODY || row.method.size == 0 ||
	    !message_is_text(row.method) || row.url.size == 0 ||
	    row.url.size > MAX_RENDER_URL + 1 || !message_is_text(row.url) ||
	    row.kind == 0 || row.kind > RENDER_OTHER ||
	    (row.kind & (row.kind - 1)) != 0)
		return false;
	*request_out = (struct page_request){
		.method = message_text_of(row.method),
		.url = message_text_of(row.url),
		.head = row.head,
		.body = frame->body,
		.kind = (enum render_kind)row.kind,
		.is_page = row.is_page != 0,
	};
	return true;
}

/*
 * Send a frame before `until_ms`, although the renderer may not read it. Return
 * false otherwise, or if the daemon stops.
 */
static bool renderer_send(struct renderer *renderer, uint64_t until_ms,
			  const struct frame_parts *parts)
{
	const struct channel *channel = &renderer->process.channel;
	enum error error = channel_offer(channel, parts);

	while (error == ERR_BUSY && !*renderer->options.is_stopping &&
	       clock_steady_ms() < until_ms) {
		struct pollfd room = {.fd = channel->socket, .events = POLLOUT};

		poll(&room, 1, LOOK_MS);
		error = channel_offer(channel, parts);
	}
	return error == ERR_NONE;
}

/* Send the answer; its header lines are before its body. */
static bool send_answer(struct renderer *renderer, uint64_t until_ms,
			const struct page_answer *answer)
{
	struct renderer_answer row = {.status = answer->status};
	struct buffer body = {0};
	struct buffer head;
	bool is_sent;

	if (answer->head.size > MAX_ANSWER_HEAD_BYTES ||
	    answer->body.size > MAX_RENDERER_ANSWER_BYTES)
		row.status = 0;
	if (row.status != 0) {
		row.head_bytes = (uint32_t)answer->head.size;
		buffer_append_slice(&body, answer->head);
		buffer_append_slice(&body, answer->body);
	}
	head = row_codec_encode(&renderer_answer_layout, &row);
	is_sent = renderer_send(renderer, until_ms,
				&(struct frame_parts){
					.kind = RENDERER_ANSWER,
					.head = buffer_slice(&head),
					.body = buffer_slice(&body),
					.file = -1,
				});
	buffer_free(&head);
	buffer_free(&body);
	return is_sent;
}

/* Read the result. Return false if it is invalid. */
static bool read_result(const struct channel_frame *frame, size_t max_dom_bytes,
			struct renderer_page *page)
{
	struct renderer_result row;

	if (!row_codec_decode(&renderer_result_layout, frame->head, &row) ||
	    row.end >= RENDER_END_COUNT || !message_is_text(row.url) ||
	    row.url.size > MAX_RENDER_URL + 1 ||
	    frame->body.size > max_dom_bytes)
		return false;
	page->end = (enum render_end)row.end;
	page->time_ms = row.time_ms;
	buffer_append_slice(&page->url, row.url);
	if (render_has_dom(page->end))
		buffer_append_slice(&page->dom, frame->body);
	return true;
}

/*
 * Answer the requests of the page until it has ended. ERR_TIMEOUT; ERR_STOPPED:
 * the renderer has exited, or the daemon stops; ERR_MALFORMED.
 */
static enum error renderer_serve(struct renderer *renderer,
				 const struct page_render_options *options,
				 render_source *source, void *context,
				 struct renderer_page *page)
{
	const uint64_t until_ms =
		clock_steady_ms() + options->max_wall_ms + RENDERER_GRACE_MS;
	uint32_t asked = 0;
	bool is_done = false;

	while (!is_done) {
		struct page_request request;
		struct page_answer answer = {0};
		struct channel_frame frame;
		enum error error = renderer_receive(renderer, until_ms, &frame);
		bool is_right = error == ERR_NONE;

		if (is_right && frame.kind == RENDERER_DONE) {
			is_done = true;
			is_right = read_result(&frame, options->max_dom_bytes,
					       page);
		} else if (is_right) {
			is_right = frame.kind == RENDERER_ASK &&
				   asked++ < options->max_requests &&
				   read_request(&frame, &request);
			if (is_right)
				source(context, &request, &answer);
			is_right = is_right &&
				   send_answer(renderer, until_ms, &answer);
		}
		frame_free(&frame);
		if (!is_right)
			return error == ERR_NONE ? ERR_MALFORMED : error;
	}
	return ERR_NONE;
}

/* Return whether the browser must be replaced after this page. */
static bool must_rest(const struct renderer *renderer, enum render_end end)
{
	return renderer->pages >= renderer->options.max_pages ||
	       (!render_has_dom(end) && end != RENDER_NOT_LOADED &&
		end != RENDER_SELECTOR);
}

enum error renderer_run(struct renderer *renderer,
			const struct page_render_options *options,
			render_source *source, void *context,
			struct renderer_page *page_out)
{
	enum error error;

	*page_out = (struct renderer_page){.end = RENDER_BROWSER_ENDED};
	error = renderer_start(renderer, &page_out->reason);
	if (error != ERR_NONE)
		return error;
	error = ERR_MALFORMED;
	if (renderer_send_order(renderer, options))
		error = renderer_serve(renderer, options, source, context,
				       page_out);
	renderer->pages++;
	if (error == ERR_TIMEOUT)
		page_out->end = RENDER_TIMEOUT;
	if (error == ERR_NONE && !must_rest(renderer, page_out->end))
		return ERR_NONE;
	if (error == ERR_NONE || *renderer->options.is_stopping)
		renderer_rest(renderer);
	else
		renderer_lose(renderer,
			      error == ERR_TIMEOUT     ? "does not respond"
			      : error == ERR_MALFORMED ? "broke the protocol"
						       : NULL);
	return *renderer->options.is_stopping ? ERR_STOPPED : ERR_NONE;
}
