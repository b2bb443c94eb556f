#include "daemon/privsep/fetcher_process.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "crawl/sitemap.h"
#include "daemon/privsep/messages.h"
#include "daemon/runtime/clock.h"

enum {
	IDLE_MS = 60 * 1000,
	PRESSED_MS = 1000, /* interval of checks for slow servers while
			      requests wait */
};

struct fetcher_process_state {
	struct channel channel;
	struct buffer options; /* head of FETCH_OPTIONS; the fetcher uses
				  texts in it */
	struct buffer ports;   /* the ports of the options */
	struct fetcher *fetcher;
	size_t waiting;   /* number of waiting requests, as the main process
			     has reported it since the last response */
	uint64_t answers; /* number of responses sent */
	bool has_ended;   /* the channel is closed or invalid */
};

/* A request that is being executed. */
struct pending_fetch {
	uint64_t id;
	bool has_cookies;
	struct cookies cookies;
	struct sitemap *sitemap; /* parser that gets the body as it arrives;
				    NULL = no sitemap */
	struct buffer listing;   /* the entries of the sitemap that were read */
	bool is_full;            /* `listing` has reached its maximum size */
};

static bool fetcher_process_send(const struct channel *channel, uint32_t kind,
				 struct slice head, struct slice body)
{
	return channel_send(channel, &(struct frame_parts){.kind = kind,
							   .head = head,
							   .body = body,
							   .file = -1}) ==
	       ERR_NONE;
}

static bool fetcher_process_read_options(struct fetcher_process_state *state,
					 const struct channel_frame *frame)
{
	struct fetch_options options;

	buffer_append_slice(&state->options, frame->head);
	if (frame->kind != FETCH_OPTIONS ||
	    !fetch_options_decode(buffer_slice(&state->options), &state->ports,
				  &options))
		return false;
	options.ca_pem = frame->body;
	state->fetcher = fetcher_create(&options);
	return state->fetcher != NULL;
}

static bool fetcher_process_begin(struct fetcher_process_state *state)
{
	const struct slice nothing = {NULL, 0};
	struct channel_frame frame;
	bool is_read;

	if (channel_receive(&state->channel, -1, &frame) != ERR_NONE)
		return false;
	is_read = fetcher_process_read_options(state, &frame);
	frame_free(&frame);
	if (!is_read)
		return false;
	fetcher_listen(state->fetcher, state->channel.socket);
	return fetcher_process_send(&state->channel, FETCH_READY, nothing,
				    nothing);
}

static void on_entry(void *context, const struct sitemap_entry *entry)
{
	struct pending_fetch *errand = context;

	errand->is_full |= !sitemap_entries_append(&errand->listing, entry);
}

static enum error feed_sitemap(void *context, struct slice bytes)
{
	struct pending_fetch *errand = context;
	enum error error = sitemap_feed(errand->sitemap, bytes);

	return error == ERR_NONE && errand->is_full ? ERR_TOO_LARGE : error;
}

static struct pending_fetch *pending_fetch_create(struct fetch_message *order)
{
	struct pending_fetch *errand = mem_alloc(1, sizeof(*errand));

	errand->id = order->id;
	errand->has_cookies = order->has_cookies;
	order->request.url = &order->url;
	order->request.context = errand;
	if (order->has_cookies) {
		buffer_append_slice(&errand->cookies.lines, order->cookies);
		order->request.cookies = &errand->cookies;
	}
	if (order->is_sitemap) {
		errand->sitemap = sitemap_create(&order->url, on_entry, errand);
		order->request.sink = feed_sitemap;
		order->request.sink_context = errand;
	}
	return errand;
}

/*
 * Finish parsing the sitemap if the file is complete, and make the entries the
 * body of the result.
 */
static void end_sitemap(struct pending_fetch *errand,
			struct fetch_result *result)
{
	bool is_file = result->http_status >= 200 && result->http_status < 300;

	if (is_file && result->error == ERR_NONE && !result->is_cut) {
		result->error = sitemap_finish(errand->sitemap);
		if (result->error != ERR_NONE)
			snprintf(result->reason, sizeof(result->reason), "%s",
				 error_text(result->error));
	}
	buffer_free(&result->body);
	result->body = errand->listing;
	errand->listing = (struct buffer){0};
}

static bool send_result(const struct fetcher_process_state *state,
			struct fetch_result *result)
{
	struct pending_fetch *errand = result->context;
	struct buffer head;
	bool is_sent;

	if (errand->sitemap != NULL)
		end_sitemap(errand, result);
	/* the main process rejects a result with larger parts */
	if (result->head.size > FETCH_MAX_HEAD_BYTES)
		buffer_clear(&result->head);
	if (result->request.size > FETCH_MAX_REQUEST_BYTES)
		buffer_clear(&result->request);
	head = fetch_result_encode(errand->id, result,
				   errand->has_cookies ? &errand->cookies
						       : NULL);
	is_sent = fetcher_process_send(&state->channel, FETCH_RESULT,
				       buffer_slice(&head),
				       buffer_slice(&result->body));
	buffer_free(&head);
	return is_sent;
}

/*
 * Send the result and free the request. Reset the number of waiting requests,
 * because a connection is free now; the main process reports the number again.
 */
static void pending_fetch_finish(struct fetcher_process_state *state,
				 struct fetch_result *result)
{
	struct pending_fetch *errand = result->context;

	state->waiting = 0;
	state->answers++;
	if (!state->has_ended && !send_result(state, result))
		state->has_ended = true;
	sitemap_destroy(errand->sitemap);
	buffer_free(&errand->cookies.lines);
	buffer_free(&errand->listing);
	free(errand);
	fetch_result_free(result);
}

static void fetcher_process_send_results(struct fetcher_process_state *state)
{
	struct fetch_result result;

	while (fetcher_next(state->fetcher, &result))
		pending_fetch_finish(state, &result);
}

static void fetcher_process_start_fetch(struct fetcher_process_state *state,
					struct fetch_message *order)
{
	uint64_t not_after_ms = order->request.not_after_ms;
	struct pending_fetch *errand = pending_fetch_create(order);
	struct fetch_result result = {.context = errand, .error = ERR_STOPPED};

	/*
	 * this process or the main process may have been suspended for a while
	 */
	if (not_after_ms == 0 || clock_lease_ms() < not_after_ms)
		fetcher_start(state->fetcher, &order->request);
	else
		pending_fetch_finish(state, &result);
}

/* Give a request its body. Return false if it cannot have this one. */
static bool take_body(struct fetch_message *order, struct slice body)
{
	if (order->request.post != NULL)
		order->post.body = body;
	else
		order->request.body = body;
	return body.size == 0 || order->request.post != NULL ||
	       (body.size <= MAX_FETCH_BODY && !order->is_sitemap &&
		!order->request.is_preflight &&
		!request_is_conditional(&order->request));
}

/* Handle a frame. Return false if it is invalid. */
static bool fetcher_process_handle_message(struct fetcher_process_state *state,
					   const struct channel_frame *frame)
{
	struct fetch_message order;
	struct fetch_backlog press;

	switch (frame->kind) {
	case FETCH_START:
		if (!fetch_message_decode(frame->head, &order) ||
		    !take_body(&order, frame->body))
			return false;
		fetcher_process_start_fetch(state, &order);
		return true;
	case FETCH_BACKLOG:
		if (!row_codec_decode(&fetch_backlog_layout, frame->head,
				      &press))
			return false;
		if (press.answers == state->answers)
			state->waiting = (size_t)press.waiting;
		return true;
	default:
		return false;
	}
}

static void read_frames(struct fetcher_process_state *state)
{
	while (!state->has_ended) {
		struct channel_frame frame;
		enum error error = channel_receive(&state->channel, 0, &frame);

		if (error == ERR_TIMEOUT)
			return;
		state->has_ended =
			error != ERR_NONE ||
			!fetcher_process_handle_message(state, &frame);
		frame_free(&frame);
	}
}

static void fetcher_process_run(struct fetcher_process_state *state)
{
	while (!state->has_ended) {
		fetcher_report_backlog(state->fetcher, state->waiting,
				       clock_steady_ms());
		fetcher_run(state->fetcher,
			    state->waiting > 0 ? PRESSED_MS : IDLE_MS);
		fetcher_process_send_results(state);
		read_frames(state);
	}
	fetcher_abort(state->fetcher);
	fetcher_process_send_results(state);
}

void fetcher_main(int socket)
{
	struct fetcher_process_state state = {
		.channel = channel_without_files(socket, FETCH_MAX_POST_BYTES),
	};

	if (fetcher_process_begin(&state))
		fetcher_process_run(&state);
	fetcher_destroy(state.fetcher);
	buffer_free(&state.options);
	buffer_free(&state.ports);
	channel_close(&state.channel);
}
