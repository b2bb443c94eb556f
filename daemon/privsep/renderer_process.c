#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/privsep/channel.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/renderer.h"
#include "daemon/privsep/sandbox.h"
#include "daemon/runtime/clock.h"

const struct row_codec renderer_ready_layout =
	MESSAGE(renderer_ready, reserved, reason, 1);

const struct row_codec renderer_order_layout =
	MESSAGE(renderer_order, screenshot, url, 3);

const struct row_codec renderer_request_layout =
	MESSAGE(renderer_request, is_page, method, 3);

const struct row_codec renderer_answer_layout =
	MESSAGE_PLAIN(renderer_answer, head_bytes);

const struct row_codec renderer_result_layout =
	MESSAGE(renderer_result, reserved, url, 1);

enum {
	MAX_FRAME_BYTES = MAX_RENDERER_ANSWER_BYTES + FETCH_MAX_HEAD_BYTES,
	/* address space of the renderer, in addition to its start */
	RENDERER_BYTES = 1536 * 1024 * 1024,
};

static const char variable[] = "TEMPLATED_BROWSER";

void renderer_variable(const struct browser_options *options,
		       char out[RENDERER_VARIABLE_BYTES])
{
	snprintf(out, RENDERER_VARIABLE_BYTES,
		 "%s=%d %" PRIu64 " %" PRIu64 " %s", variable,
		 options->insecure, options->memory_bytes, options->total_bytes,
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
	options_out->total_bytes = strtoull(end, &end, 10);
	if (*end != ' ')
		return false;
	if (strstr(end + 1, "://") != NULL)
		options_out->endpoint = end + 1;
	else
		options_out->program = end + 1;
	return options_out->endpoint != NULL || end[1] == '/';
}

/* An answer that waits until it is its turn. */
struct held_answer {
	struct held_answer *next;
	uint32_t number;
	uint16_t status;
	size_t head_bytes;
	struct buffer bytes; /* the header lines, then the body */
};

/* A page that is being rendered. */
struct tab {
	uint32_t page;              /* its number */
	struct page_render *render; /* NULL = the tab is free */
	struct buffer order;        /* the texts of its options */
	struct held_answer *answers;
	uint32_t ahead;          /* requests without an answer */
	uint64_t close_until_ms; /* steady clock; 0 = it has not ended */
};

struct renderer_state {
	struct channel channel;
	struct browser *browser;
	struct tab tabs[MAX_BROWSER_TABS];
	size_t count; /* tabs that are not free */
};

/* Read an order. The texts of the options belong to it. */
static bool read_order(struct slice head, uint32_t *page_out,
		       struct page_render_options *options_out)
{
	struct renderer_order order;

	if (!row_codec_decode(&renderer_order_layout, head, &order) ||
	    order.url.size == 0 || !message_is_text(order.url) ||
	    !message_is_text(order.wait) || !message_is_text(order.click))
		return false;
	*page_out = order.page;
	*options_out = (struct page_render_options){
		.url = message_text_of(order.url),
		.date_ms = order.date_ms,
		.seed = order.seed,
		.wait = message_text_of(order.wait),
		.click = message_text_of(order.click),
		.scroll = order.scroll != 0,
		.time_ms = order.time_ms,
		.max_wall_ms = order.max_wall_ms,
		.max_requests = order.max_requests,
		.max_bytes = order.max_bytes,
		.max_dom_bytes = (size_t)order.max_dom_bytes,
		.blocked = order.blocked,
		.screenshot = order.screenshot,
	};
	return true;
}

static struct tab *find_tab(struct renderer_state *state, uint32_t page)
{
	for (size_t i = 0; i < MAX_BROWSER_TABS; i++)
		if (state->tabs[i].render != NULL &&
		    state->tabs[i].page == page)
			return &state->tabs[i];
	return NULL;
}

/* Begin to render the page of the order. */
static bool tab_open(struct renderer_state *state,
		     const struct channel_frame *frame)
{
	struct page_render_options options;
	struct tab *tab = state->tabs;

	if (state->count == MAX_BROWSER_TABS)
		return false;
	while (tab->render != NULL)
		tab++;
	buffer_append_slice(&tab->order, frame->head);
	if (!read_order(buffer_slice(&tab->order), &tab->page, &options))
		return false;
	tab->render = browser_open(state->browser, &options);
	state->count++;
	return true;
}

static void tab_free_answer(struct tab *tab, struct held_answer **link)
{
	struct held_answer *answer = *link;

	*link = answer->next;
	buffer_free(&answer->bytes);
	free(answer);
	tab->ahead--;
}

static void tab_close(struct renderer_state *state, struct tab *tab)
{
	while (tab->answers != NULL)
		tab_free_answer(tab, &tab->answers);
	browser_close(state->browser, tab->render);
	buffer_free(&tab->order);
	*tab = (struct tab){0};
	state->count--;
}

/* Hold an answer. Its page may have ended meanwhile. */
static bool take_answer(struct renderer_state *state,
			const struct channel_frame *frame)
{
	struct renderer_answer row;
	struct held_answer *answer;
	struct tab *tab;

	if (!row_codec_decode(&renderer_answer_layout, frame->head, &row) ||
	    row.head_bytes > frame->body.size)
		return false;
	tab = find_tab(state, row.page);
	if (tab == NULL)
		return true;
	answer = mem_alloc(1, sizeof(*answer));
	answer->next = tab->answers;
	answer->number = row.number;
	answer->status = (uint16_t)row.status;
	answer->head_bytes = row.head_bytes;
	buffer_append_slice(&answer->bytes, frame->body);
	tab->answers = answer;
	return true;
}

/* Handle the frames that have arrived. */
static bool take_frames(struct renderer_state *state)
{
	for (;;) {
		struct channel_frame frame;
		enum error error = channel_receive(&state->channel, 0, &frame);
		bool is_right = error == ERR_NONE;

		if (error == ERR_TIMEOUT)
			return true;
		if (is_right && frame.kind == RENDERER_PAGE)
			is_right = tab_open(state, &frame);
		else if (is_right)
			is_right = frame.kind == RENDERER_ANSWER &&
				   take_answer(state, &frame);
		frame_free(&frame);
		if (!is_right)
			return false;
	}
}

/* Send a request to the main process. */
static bool tab_ask(struct renderer_state *state, struct tab *tab,
		    const struct page_request *request)
{
	const struct renderer_request row = {
		.page = tab->page,
		.number = request->number,
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
	bool is_sent = channel_send(&state->channel, &parts) == ERR_NONE;

	buffer_free(&head);
	tab->ahead++;
	return is_sent;
}

/* Give the held answer to a request to the page. Return false without one. */
static bool tab_answer(struct tab *tab, const struct page_request *request)
{
	struct held_answer **link = &tab->answers;
	struct page_answer answer;

	while (*link != NULL && (*link)->number != request->number)
		link = &(*link)->next;
	if (*link == NULL)
		return false;
	answer.status = (*link)->status;
	answer.body = buffer_slice(&(*link)->bytes);
	item_cut(&answer.body, (*link)->head_bytes, &answer.head);
	page_render_answer(tab->render, &answer);
	tab_free_answer(tab, link);
	return true;
}

/*
 * Give the page the answers whose turn it is, and ask for further ones. Return
 * false after a failure of the channel.
 */
static bool tab_serve(struct renderer_state *state, struct tab *tab)
{
	struct page_request request;
	bool is_sent = true;

	while (is_sent && page_render_request(tab->render, &request)) {
		if (request.is_new)
			is_sent = tab_ask(state, tab, &request);
		if (!tab_answer(tab, &request))
			break;
	}
	while (is_sent && tab->ahead < MAX_RENDER_AHEAD &&
	       page_render_ahead(tab->render, &request))
		is_sent = tab_ask(state, tab, &request);
	return is_sent;
}

static bool tab_send_result(struct renderer_state *state, const struct tab *tab)
{
	const struct render_result result = page_render_result(tab->render);
	const struct renderer_result row = {
		.end = result.end,
		.time_ms = result.time_ms,
		.page = tab->page,
		.screenshot_end = result.screenshot_end,
		.screenshot_bytes = (uint32_t)result.screenshot.size,
		.url = message_text(result.url),
	};
	struct buffer head = row_codec_encode(&renderer_result_layout, &row);
	struct buffer body = {0};
	bool is_sent;

	buffer_append_slice(&body, result.screenshot);
	buffer_append_slice(&body, result.dom);
	is_sent = channel_send(&state->channel,
			       &(struct frame_parts){
				       .kind = RENDERER_DONE,
				       .head = buffer_slice(&head),
				       .body = buffer_slice(&body),
				       .file = -1,
			       }) == ERR_NONE;
	buffer_free(&body);
	buffer_free(&head);
	return is_sent;
}

/*
 * Send the result when the page has ended and the browser has discarded it. If
 * the browser does not, it is killed.
 */
static bool tab_end(struct renderer_state *state, struct tab *tab,
		    uint64_t now_ms)
{
	bool is_sent;

	if (tab->close_until_ms == 0)
		tab->close_until_ms = now_ms + BROWSER_CLOSE_MS;
	if (!page_render_is_closed(tab->render) &&
	    browser_is_alive(state->browser)) {
		if (now_ms >= tab->close_until_ms)
			browser_kill(state->browser);
		return true;
	}
	is_sent = tab_send_result(state, tab);
	tab_close(state, tab);
	return is_sent;
}

/* Do what is due for all pages. */
static bool renderer_step(struct renderer_state *state)
{
	const uint64_t now_ms = clock_steady_ms();
	bool is_sent = true;

	for (size_t i = 0; i < MAX_BROWSER_TABS && is_sent; i++) {
		struct tab *tab = &state->tabs[i];

		if (tab->render == NULL)
			continue;
		is_sent = tab_serve(state, tab);
		if (is_sent && page_render_is_done(tab->render, now_ms))
			is_sent = tab_end(state, tab, now_ms);
	}
	return is_sent;
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
	};
	bool goes_on = renderer_begin(&state.channel, &state.browser);

	while (goes_on) {
		browser_exchange(state.browser,
				 state.count == 0 ? -1 : RENDER_TICK_MS,
				 socket);
		goes_on = take_frames(&state) && renderer_step(&state) &&
			  (state.count > 0 || browser_is_alive(state.browser));
	}
	/* the browser ends with this process */
	channel_close(&state.channel);
}
