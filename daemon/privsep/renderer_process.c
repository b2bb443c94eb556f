#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/privsep/channel.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/renderer.h"
#include "daemon/privsep/sandbox.h"

const struct row_codec renderer_ready_layout =
	MESSAGE(renderer_ready, reserved, reason, 1);

const struct row_codec renderer_order_layout =
	MESSAGE(renderer_order, reserved, url, 2);

const struct row_codec renderer_request_layout =
	MESSAGE(renderer_request, is_page, method, 3);

const struct row_codec renderer_answer_layout =
	MESSAGE_PLAIN(renderer_answer, head_bytes);

const struct row_codec renderer_result_layout =
	MESSAGE(renderer_result, time_ms, url, 1);

enum {
	MAX_FRAME_BYTES = MAX_RENDERER_ANSWER_BYTES + FETCH_MAX_HEAD_BYTES,
	/* address space of the renderer, in addition to its start */
	RENDERER_BYTES = 768 * 1024 * 1024,
};

static const char variable[] = "TEMPLATED_BROWSER";

void renderer_variable(const struct browser_options *options,
		       char out[RENDERER_VARIABLE_BYTES])
{
	snprintf(out, RENDERER_VARIABLE_BYTES, "%s=%d %" PRIu64 " %s", variable,
		 options->insecure, options->memory_bytes,
		 options->endpoint == NULL ? options->program
					   : options->endpoint);
}

/* Read the options of the browser from the environment. */
static bool read_variable(struct browser_options *options_out)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): the process has one thread */
	const char *text = getenv(variable);
	char *end;

	*options_out = browser_options_default;
	if (text == NULL)
		return false;
	options_out->insecure = strtoul(text, &end, 10) != 0;
	options_out->memory_bytes = strtoull(end, &end, 10);
	if (*end != ' ')
		return false;
	if (strstr(end + 1, "://") != NULL)
		options_out->endpoint = end + 1;
	else
		options_out->program = end + 1;
	return options_out->endpoint != NULL || end[1] == '/';
}

/* The renderer, with the answer to the last request of its page. */
struct renderer_state {
	struct channel channel;
	struct channel answers; /* with its own buffer, so that the order of
				   the page stays valid */
	struct channel_frame answer;
	bool has_ended; /* the channel is closed or invalid */
};

/* Send the request to the main process, and wait for its answer. */
static void answer_request(void *context, const struct page_request *request,
			   struct page_answer *answer_out)
{
	struct renderer_state *state = context;
	const struct renderer_request row = {
		.kind = request->kind,
		.is_page = request->is_page,
		.method = message_text(request->method),
		.url = message_text(request->url),
		.head = request->head,
	};
	struct buffer head = row_codec_encode(&renderer_request_layout, &row);
	const struct frame_parts parts = {.kind = RENDERER_ASK,
					  .head = buffer_slice(&head),
					  .body = request->body,
					  .file = -1};
	struct renderer_answer answer;

	frame_free(&state->answer);
	state->answer = (struct channel_frame){.file = -1};
	if (!state->has_ended &&
	    channel_send(&state->channel, &parts) == ERR_NONE &&
	    channel_receive(&state->answers, -1, &state->answer) == ERR_NONE &&
	    state->answer.kind == RENDERER_ANSWER &&
	    row_codec_decode(&renderer_answer_layout, state->answer.head,
			     &answer) &&
	    answer.head_bytes <= state->answer.body.size) {
		answer_out->status = (uint16_t)answer.status;
		answer_out->body = state->answer.body;
		item_cut(&answer_out->body, answer.head_bytes,
			 &answer_out->head);
	} else {
		state->has_ended = true;
	}
	buffer_free(&head);
}

static bool read_order(const struct channel_frame *frame,
		       struct page_render_options *options_out)
{
	struct renderer_order order;

	if (frame->kind != RENDERER_PAGE ||
	    !row_codec_decode(&renderer_order_layout, frame->head, &order) ||
	    order.url.size == 0 || !message_is_text(order.url) ||
	    !message_is_text(order.wait))
		return false;
	*options_out = (struct page_render_options){
		.url = message_text_of(order.url),
		.date_ms = order.date_ms,
		.seed = order.seed,
		.wait = message_text_of(order.wait),
		.time_ms = order.time_ms,
		.max_wall_ms = order.max_wall_ms,
		.max_requests = order.max_requests,
		.max_bytes = order.max_bytes,
		.max_dom_bytes = (size_t)order.max_dom_bytes,
		.blocked = order.blocked,
	};
	return true;
}

/* Render the page of the order. Return false after a failure of the channel. */
static bool serve_page(struct renderer_state *state, struct browser *browser,
		       const struct channel_frame *frame)
{
	struct page_render_options options;
	struct page_render *page;
	struct render_result result;
	struct renderer_result row;
	struct buffer head;
	bool is_sent;

	if (!read_order(frame, &options))
		return false;
	page = browser_render(browser, &options, answer_request, state);
	result = page_render_result(page);
	row = (struct renderer_result){
		.end = result.end,
		.time_ms = result.time_ms,
		.url = message_text(result.url),
	};
	head = row_codec_encode(&renderer_result_layout, &row);
	is_sent = !state->has_ended &&
		  channel_send(&state->channel,
			       &(struct frame_parts){
				       .kind = RENDERER_DONE,
				       .head = buffer_slice(&head),
				       .body = result.dom,
				       .file = -1,
			       }) == ERR_NONE;
	buffer_free(&head);
	page_render_destroy(page);
	return is_sent && browser_is_alive(browser);
}

/*
 * Start the browser; then give up all rights that only its start needs. Report
 * the result to the main process.
 */
static bool renderer_begin(const struct channel *channel,
			   struct browser **browser_out)
{
	struct browser_options options;
	struct sandbox_report report = {0};
	struct renderer_ready ready = {.error = ERR_NOT_FOUND};
	struct buffer reason = {0};
	struct buffer head;
	bool is_sent;

	if (read_variable(&options))
		ready.error = browser_start(&options, browser_out, &reason);
	if (ready.error == ERR_NONE)
		ready.error = sandbox_enter(
			&(struct sandbox_options){
				.role = ROLE_WORKER,
				.memory_bytes = RENDERER_BYTES,
			},
			&report);
	ready.holds = report.holds;
	ready.lacks = report.lacks;
	ready.reason = buffer_slice(&reason);
	head = row_codec_encode(&renderer_ready_layout, &ready);
	is_sent =
		channel_send(channel,
			     &(struct frame_parts){.kind = RENDERER_READY,
						   .head = buffer_slice(&head),
						   .file = -1}) == ERR_NONE;
	buffer_free(&head);
	buffer_free(&reason);
	return is_sent && ready.error == ERR_NONE;
}

void renderer_main(int socket)
{
	struct renderer_state state = {
		.channel = channel_without_files(socket, MAX_FRAME_BYTES),
		.answers = channel_without_files(socket, MAX_FRAME_BYTES),
		.answer = {.file = -1},
	};
	struct browser *browser = NULL;
	struct channel_frame frame;
	bool goes_on = renderer_begin(&state.channel, &browser);

	while (goes_on &&
	       channel_receive(&state.channel, -1, &frame) == ERR_NONE) {
		goes_on = serve_page(&state, browser, &frame);
		frame_free(&frame);
	}
	/* the browser ends with this process */
	frame_free(&state.answer);
	free(state.answers.room);
	channel_close(&state.channel);
}
