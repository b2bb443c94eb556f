#include "daemon/privsep/courier.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/privsep/frame.h"
#include "store/row.h"

enum { IDLE_MS = 10 * 1000 };

static const struct row_field options_fields[] = {
	FIELD(notifier_options, connect_timeout_ms),
	FIELD(notifier_options, timeout_ms),
};
const struct row_codec notifier_options_layout =
	LAYOUT(notifier_options, options_fields,
	       offsetof(struct notifier_options, user_agent), 2);

static const struct row_field ready_fields[] = {
	FIELD(notifier_ready, has_failed)};
const struct row_codec notifier_ready_layout =
	LAYOUT(notifier_ready, ready_fields, 0, 0);

static const struct row_field post_fields[] = {FIELD(notifier_post, number)};
const struct row_codec notifier_post_layout = LAYOUT(
	notifier_post, post_fields, offsetof(struct notifier_post, url), 2);

static const struct row_field result_fields[] = {
	FIELD(notifier_result, number),
	FIELD(notifier_result, error),
	FIELD(notifier_result, http_status),
};
const struct row_codec notifier_result_layout =
	LAYOUT(notifier_result, result_fields,
	       offsetof(struct notifier_result, reason), 1);

struct notifier_state {
	struct channel channel;
	struct poster *poster;
	struct network *allowed; /* the poster points to it */
	/* by number; its address is the context of the request */
	bool is_running[NOTIFIER_MAX_REQUESTS];
};

struct slice notifier_text(const char *text)
{
	return (struct slice){text, text == NULL ? 0 : strlen(text) + 1};
}

/* Return whether the bytes are a text with one NUL, at its end. */
static bool notifier_is_text(struct slice bytes)
{
	return bytes.size > 0 &&
	       memchr(bytes.data, '\0', bytes.size) ==
		       (const char *)bytes.data + bytes.size - 1;
}

static bool send_row(const struct notifier_state *courier,
		     enum notifier_message_kind kind,
		     const struct row_codec *layout, const void *row)
{
	struct buffer head = row_codec_encode(layout, row);
	enum error error = channel_send(
		&courier->channel,
		&(struct frame_parts){
			.kind = kind, .head = buffer_slice(&head), .file = -1});

	buffer_free(&head);
	return error == ERR_NONE;
}

static struct poster *create_poster(struct notifier_state *courier,
				    const struct notifier_options *row,
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

static bool are_options(const struct channel_frame *frame,
			struct notifier_options *row)
{
	return frame->kind == NOTIFIER_OPTIONS &&
	       row_codec_decode(&notifier_options_layout, frame->head, row) &&
	       row->connect_timeout_ms > 0 && row->timeout_ms > 0 &&
	       notifier_is_text(row->user_agent) &&
	       (row->ca_file.size == 0 || notifier_is_text(row->ca_file)) &&
	       frame->body.size % sizeof(struct network) == 0;
}

/* Read the options, and report whether they are usable. */
static bool notifier_open(struct notifier_state *courier)
{
	struct notifier_options row;
	struct notifier_ready ready;
	struct channel_frame frame;
	bool is_right =
		channel_receive(&courier->channel, -1, &frame) == ERR_NONE &&
		are_options(&frame, &row);

	if (is_right)
		courier->poster = create_poster(courier, &row, frame.body);
	frame_free(&frame);
	ready = (struct notifier_ready){courier->poster == NULL};
	return is_right &&
	       send_row(courier, NOTIFIER_READY, &notifier_ready_layout,
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

static bool start_post(struct notifier_state *courier,
		       const struct channel_frame *frame)
{
	struct post_request request = {.body = frame->body};
	struct notifier_post row;

	if (frame->kind != NOTIFIER_POST ||
	    !row_codec_decode(&notifier_post_layout, frame->head, &row) ||
	    row.number >= NOTIFIER_MAX_REQUESTS ||
	    courier->is_running[row.number] || !notifier_is_text(row.url) ||
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
static bool take_posts(struct notifier_state *courier)
{
	struct channel_frame frame;
	enum error error;
	bool goes_on = true;

	while (goes_on && (error = channel_receive(&courier->channel, 0,
						   &frame)) != ERR_TIMEOUT) {
		goes_on = error == ERR_NONE && start_post(courier, &frame);
		frame_free(&frame);
	}
	return goes_on;
}

static bool notifier_send_results(struct notifier_state *courier)
{
	struct post_result result;
	bool goes_on = true;

	while (goes_on && poster_next(courier->poster, &result)) {
		bool *is_running = result.context;
		const struct notifier_result row = {
			.number = (uint32_t)(is_running - courier->is_running),
			.error = result.error,
			.http_status = result.http_status,
			.reason = slice_of(result.reason),
		};

		*is_running = false;
		goes_on = send_row(courier, NOTIFIER_RESULT,
				   &notifier_result_layout, &row);
	}
	return goes_on;
}

void notifier_main(int socket)
{
	struct notifier_state *courier = mem_alloc(1, sizeof(*courier));

	courier->channel = channel_without_files(socket, NOTIFIER_MAX_BODY);
	if (notifier_open(courier)) {
		while (take_posts(courier) && notifier_send_results(courier))
			poster_run(courier->poster, IDLE_MS, &socket, 1);
	}
	poster_destroy(courier->poster);
	free(courier->allowed);
	channel_close(&courier->channel);
	free(courier);
}
