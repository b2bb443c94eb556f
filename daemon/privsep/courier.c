#include "daemon/privsep/courier.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/privsep/frame.h"
#include "store/row.h"

enum { IDLE_MS = 10 * 1000 };

static const struct field options_fields[] = {
	FIELD(courier_options, connect_timeout_ms),
	FIELD(courier_options, timeout_ms),
};
const struct row_layout courier_options_layout =
	LAYOUT(courier_options, options_fields,
	       offsetof(struct courier_options, user_agent), 2);

static const struct field ready_fields[] = {FIELD(courier_ready, has_failed)};
const struct row_layout courier_ready_layout =
	LAYOUT(courier_ready, ready_fields, 0, 0);

static const struct field post_fields[] = {FIELD(courier_post, number)};
const struct row_layout courier_post_layout = LAYOUT(
	courier_post, post_fields, offsetof(struct courier_post, url), 2);

static const struct field result_fields[] = {
	FIELD(courier_result, number),
	FIELD(courier_result, error),
	FIELD(courier_result, http_status),
};
const struct row_layout courier_result_layout =
	LAYOUT(courier_result, result_fields,
	       offsetof(struct courier_result, reason), 1);

struct courier {
	struct channel channel;
	struct poster *poster;
	struct network *allowed; /* the poster points to it */
	/* by number; its address is the context of the request */
	bool is_running[COURIER_MAX_REQUESTS];
};

struct slice courier_text(const char *text)
{
	return (struct slice){text, text == NULL ? 0 : strlen(text) + 1};
}

/* Return whether the bytes are a text with one NUL, at its end. */
static bool is_text(struct slice bytes)
{
	return bytes.size > 0 &&
	       memchr(bytes.data, '\0', bytes.size) ==
		       (const char *)bytes.data + bytes.size - 1;
}

static bool send_row(const struct courier *courier, enum courier_kind kind,
		     const struct row_layout *layout, const void *row)
{
	struct buffer head = row_layout_encode(layout, row);
	enum error error = frame_send(
		&courier->channel,
		&(struct frame_parts){
			.kind = kind, .head = buffer_slice(&head), .file = -1});

	buffer_free(&head);
	return error == ERR_NONE;
}

static struct poster *create_poster(struct courier *courier,
				    const struct courier_options *row,
				    struct slice networks)
{
	size_t count = networks.size / sizeof(struct network);
	struct network *allowed = mem_alloc(count + 1, sizeof(*allowed));

	if (networks.size > 0)
		memcpy(allowed, networks.data, count * sizeof(*allowed));
	courier->allowed = allowed;
	return poster_create(&(struct poster_options){
		.user_agent = row->user_agent.data,
		.ca_file = row->ca_file.size == 0 ? NULL : row->ca_file.data,
		.connect_timeout_ms = row->connect_timeout_ms,
		.timeout_ms = row->timeout_ms,
		.allowed = allowed,
		.allowed_count = count,
	});
}

static bool are_options(const struct frame *frame, struct courier_options *row)
{
	return frame->kind == COURIER_OPTIONS &&
	       row_layout_decode(&courier_options_layout, frame->head, row) &&
	       row->connect_timeout_ms > 0 && row->timeout_ms > 0 &&
	       is_text(row->user_agent) &&
	       (row->ca_file.size == 0 || is_text(row->ca_file)) &&
	       frame->body.size % sizeof(struct network) == 0;
}

/* Read the options, and report whether they are usable. */
static bool open_courier(struct courier *courier)
{
	struct courier_options row;
	struct courier_ready ready;
	struct frame frame;
	bool is_right =
		frame_receive(&courier->channel, -1, &frame) == ERR_NONE &&
		are_options(&frame, &row);

	if (is_right)
		courier->poster = create_poster(courier, &row, frame.body);
	frame_free(&frame);
	ready = (struct courier_ready){courier->poster == NULL};
	return is_right &&
	       send_row(courier, COURIER_READY, &courier_ready_layout,
			&ready) &&
	       courier->poster != NULL;
}

/*
 * Point to the header lines; return false if there are too many, or one has no
 * NUL.
 */
static bool split_headers(struct slice lines, struct post_request *request)
{
	const char *at = lines.data;
	size_t left = lines.size;
	size_t count = 0;

	while (left > 0) {
		const char *end = memchr(at, '\0', left);

		if (end == NULL || count == MAX_POST_HEADERS)
			return false;
		request->headers[count++] = at;
		left -= (size_t)(end + 1 - at);
		at = end + 1;
	}
	return true;
}

static bool start_post(struct courier *courier, const struct frame *frame)
{
	struct post_request request = {.body = frame->body};
	struct courier_post row;

	if (frame->kind != COURIER_POST ||
	    !row_layout_decode(&courier_post_layout, frame->head, &row) ||
	    row.number >= COURIER_MAX_REQUESTS ||
	    courier->is_running[row.number] || !is_text(row.url) ||
	    !split_headers(row.headers, &request))
		return false;
	request.url = row.url.data;
	request.context = &courier->is_running[row.number];
	courier->is_running[row.number] = true;
	poster_start(courier->poster, &request);
	return true;
}

/*
 * Read all received requests. Return false if the other end is closed, or has
 * sent an invalid frame.
 */
static bool take_posts(struct courier *courier)
{
	struct frame frame;
	enum error error;
	bool goes_on = true;

	while (goes_on && (error = frame_receive(&courier->channel, 0,
						 &frame)) != ERR_TIMEOUT) {
		goes_on = error == ERR_NONE && start_post(courier, &frame);
		frame_free(&frame);
	}
	return goes_on;
}

static bool send_results(struct courier *courier)
{
	struct post_result result;
	bool goes_on = true;

	while (goes_on && poster_next(courier->poster, &result)) {
		bool *is_running = result.context;
		const struct courier_result row = {
			.number = (uint32_t)(is_running - courier->is_running),
			.error = result.error,
			.http_status = result.http_status,
			.reason = slice_of(result.reason),
		};

		*is_running = false;
		goes_on = send_row(courier, COURIER_RESULT,
				   &courier_result_layout, &row);
	}
	return goes_on;
}

void courier_main(int socket)
{
	struct courier *courier = mem_alloc(1, sizeof(*courier));

	courier->channel = channel_without_files(socket, COURIER_MAX_BODY);
	if (open_courier(courier)) {
		while (take_posts(courier) && send_results(courier))
			poster_run(courier->poster, IDLE_MS, &socket, 1);
	}
	poster_destroy(courier->poster);
	free(courier->allowed);
	channel_close(&courier->channel);
	free(courier);
}
