#include <assert.h>
#include <stdio.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "crawl/schedule.h"
#include "daemon/privsep/channel.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/process_table.h"
#include "daemon/privsep/renderer.h"
#include "daemon/runtime/clock.h"

enum {
	RENDERER_START_MS = 40 * 1000, /* of the browser */
	LOOK_MS = 200,                 /* between two checks of is_stopping */
	/* until the next try after a start that has failed */
	FIRST_START_PAUSE_MS = 5 * 1000,
	MAX_START_PAUSE_MS = 10 * 60 * 1000,
	/* an answer with longer header lines is refused */
	MAX_ANSWER_HEAD_BYTES = 64 * 1024,
};

struct renderer {
	struct renderer_options options;
	struct process process;
	bool is_running;
	struct channel_frame frame; /* of the last event */
	uint32_t failures;          /* to start, in a row */
	uint64_t next_ms;           /* no start before; steady clock */
	struct buffer reason;       /* of the last failure */
	struct buffer version;      /* of the browser that was started last */
};

struct renderer *renderer_create(const struct renderer_options *options)
{
	struct renderer *renderer = mem_alloc(1, sizeof(*renderer));

	renderer->options = *options;
	renderer->frame.file = -1;
	return renderer;
}

/* End the process, if it is running. `end` as `why_out` of process_end(). */
static void renderer_end(struct renderer *renderer, char *end)
{
	frame_free(&renderer->frame);
	renderer->frame = (struct channel_frame){.file = -1};
	if (renderer->is_running)
		process_end(renderer->options.launcher, &renderer->process,
			    end);
	renderer->is_running = false;
}

void renderer_rest(struct renderer *renderer)
{
	renderer_end(renderer, NULL);
}

bool renderer_is_running(const struct renderer *renderer)
{
	return renderer->is_running;
}

int renderer_file(const struct renderer *renderer)
{
	return renderer->is_running ? renderer->process.channel.socket : -1;
}

bool renderer_wait_for_room(const struct renderer *renderer, int wait_ms)
{
	struct pollfd file = {renderer_file(renderer), POLLOUT, 0};

	return poll(&file, 1, wait_ms) != 0;
}

void renderer_destroy(struct renderer *renderer)
{
	if (renderer == NULL)
		return;
	renderer_rest(renderer);
	buffer_free(&renderer->reason);
	buffer_free(&renderer->version);
	free(renderer);
}

void renderer_page_free(struct renderer_page *page)
{
	buffer_free(&page->dom);
	buffer_free(&page->url);
	buffer_free(&page->screenshot);
}

void renderer_lose(struct renderer *renderer, const char *what)
{
	char end[PROCESS_END_BYTES];

	if (!renderer->is_running)
		return;
	renderer_end(renderer, end);
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

static enum error renderer_start_process(struct renderer *renderer,
					 struct buffer *reason)
{
	const struct process_options process = {
		.role = ROLE_RENDERER,
		.max_body = renderer->options.max_dom_bytes + MAX_RENDER_BODY,
	};
	enum error error;

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
	renderer_end(renderer, NULL);
	return *renderer->options.is_stopping ? ERR_STOPPED : ERR_IO;
}

/* Note why the browser did not start; log it if it has started before. */
static void renderer_note_failure(struct renderer *renderer)
{
	const uint64_t pause_ms =
		backoff_ms(FIRST_START_PAUSE_MS, MAX_START_PAUSE_MS,
			   ++renderer->failures, 0);

	renderer->next_ms = clock_steady_ms() + pause_ms;
	if (renderer->failures == 1)
		log_warn("the browser does not start: %.*s; it is tried again "
			 "later, at most every %d minutes",
			 (int)renderer->reason.size, renderer->reason.data,
			 MAX_START_PAUSE_MS / (60 * 1000));
}

enum error renderer_start(struct renderer *renderer, struct buffer *reason)
{
	enum error error = ERR_IO;

	if (renderer->is_running)
		return ERR_NONE;
	if (renderer->failures == 0 || clock_steady_ms() >= renderer->next_ms) {
		buffer_clear(&renderer->reason);
		error = renderer_start_process(renderer, &renderer->reason);
		if (error == ERR_IO)
			renderer_note_failure(renderer);
	}
	if (error == ERR_IO)
		buffer_append_slice(reason, buffer_slice(&renderer->reason));
	else if (error == ERR_NONE)
		renderer->failures = 0;
	return error;
}

/* Send a frame whose head is a row, if the renderer has room for it. */
static enum error renderer_offer(struct renderer *renderer, uint32_t kind,
				 const struct row_codec *layout,
				 const void *row, struct slice body)
{
	struct buffer head = row_codec_encode(layout, row);
	enum error error = ERR_STOPPED;

	if (renderer->is_running)
		error = channel_offer(&renderer->process.channel,
				      &(struct frame_parts){
					      .kind = kind,
					      .head = buffer_slice(&head),
					      .body = body,
					      .file = -1,
				      });
	buffer_free(&head);
	return error;
}

enum error renderer_open(struct renderer *renderer, uint32_t page,
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
		.page = page,
		.url = message_text(options->url),
		.wait = message_text(options->wait),
		.click = message_text(options->click),
		.scroll = options->scroll,
		.screenshot = options->screenshot,
	};

	return renderer_offer(renderer, RENDERER_PAGE, &renderer_order_layout,
			      &order, (struct slice){NULL, 0});
}

/* Decode a request. Return false if a correct renderer cannot have sent it. */
static bool read_request(const struct channel_frame *frame,
			 struct renderer_event *event_out)
{
	struct renderer_request row;

	if (!row_codec_decode(&renderer_request_layout, frame->head, &row) ||
	    frame->body.size > MAX_RENDER_BODY || row.method.size == 0 ||
	    !message_is_text(row.method) || row.url.size == 0 ||
	    row.url.size > MAX_RENDER_URL + 1 || !message_is_text(row.url) ||
	    row.kind == 0 || row.kind > RENDER_OTHER ||
	    (row.kind & (row.kind - 1)) != 0)
		return false;
	event_out->page = row.page;
	event_out->request = (struct page_request){
		.number = row.number,
		.is_new = true,
		.method = message_text_of(row.method),
		.url = message_text_of(row.url),
		.head = row.head,
		.body = frame->body,
		.kind = (enum render_kind)row.kind,
		.is_page = row.is_page != 0,
	};
	return true;
}

enum error renderer_answer(struct renderer *renderer, uint32_t page,
			   uint32_t number, const struct page_answer *answer)
{
	struct renderer_answer row = {
		.page = page, .number = number, .status = answer->status};
	struct buffer body = {0};
	enum error error;

	if (answer->head.size > MAX_ANSWER_HEAD_BYTES ||
	    answer->body.size > MAX_RENDERER_ANSWER_BYTES)
		row.status = 0;
	if (row.status != 0) {
		row.head_bytes = (uint32_t)answer->head.size;
		buffer_append_slice(&body, answer->head);
		buffer_append_slice(&body, answer->body);
	}
	error = renderer_offer(renderer, RENDERER_ANSWER,
			       &renderer_answer_layout, &row,
			       buffer_slice(&body));
	buffer_free(&body);
	return error;
}

/* Read the result. Return false if it is invalid. */
static bool read_result(const struct channel_frame *frame, size_t max_dom_bytes,
			struct renderer_event *event_out)
{
	struct renderer_page *page = &event_out->result;
	struct slice dom = frame->body;
	struct slice screenshot;
	struct renderer_result row;

	if (!row_codec_decode(&renderer_result_layout, frame->head, &row) ||
	    row.end >= RENDER_END_COUNT || !message_is_text(row.url) ||
	    row.url.size > MAX_RENDER_URL + 1 ||
	    row.screenshot_end >= SCREENSHOT_END_COUNT ||
	    !item_cut(&dom, row.screenshot_bytes, &screenshot) ||
	    (screenshot.size > 0 && !screenshot_is_valid(screenshot)) ||
	    dom.size > max_dom_bytes)
		return false;
	event_out->page = row.page;
	event_out->is_end = true;
	page->end = (enum render_end)row.end;
	page->screenshot_end = (enum screenshot_end)row.screenshot_end;
	buffer_append_slice(&page->screenshot, screenshot);
	page->time_ms = row.time_ms;
	buffer_append_slice(&page->url, row.url);
	if (render_has_dom(page->end))
		buffer_append_slice(&page->dom, dom);
	return true;
}

enum error renderer_next(struct renderer *renderer,
			 struct renderer_event *event_out)
{
	struct channel_frame *frame = &renderer->frame;
	enum error error;
	bool is_right;

	*event_out = (struct renderer_event){0};
	if (!renderer->is_running)
		return ERR_STOPPED;
	frame_free(frame);
	*frame = (struct channel_frame){.file = -1};
	error = channel_receive(&renderer->process.channel, 0, frame);
	if (error != ERR_NONE)
		return error;
	if (frame->kind == RENDERER_DONE)
		is_right = read_result(frame, renderer->options.max_dom_bytes,
				       event_out);
	else
		is_right = frame->kind == RENDERER_ASK &&
			   read_request(frame, event_out);
	return is_right ? ERR_NONE : ERR_MALFORMED;
}
