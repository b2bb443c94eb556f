/*
 * The first byte says whose bytes the rest is: a message as it comes through a
 * socket, or the head and body of one kind of frame. Any bytes are a frame or
 * none; what is read of them is in its limits, and is written as the same
 * bytes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/memory.h"
#include "crawl/sitemap.h"
#include "daemon/privsep/messages.h"
#include "tests/fuzz/require.h"

enum { MAX_BODY = 2000 };

/* Every byte is readable. */
static void touch(struct slice bytes)
{
	const char *text = bytes.data;
	volatile char sum = 0;

	for (size_t i = 0; i < bytes.size; i++)
		sum = (char)(sum ^ text[i]);
}

static void read_message(struct slice bytes)
{
	struct channel channel;
	struct channel_frame frame;
	enum error error;
	int ends[2];

	require(channel_pair(ends) == ERR_NONE);
	channel = channel_of(ends[0], MAX_BODY);
	send(ends[1], bytes.data, bytes.size, MSG_NOSIGNAL);
	error = channel_receive(&channel, 0, &frame);
	/* as many of the same bytes as are missing of the body, or too few */
	if (error == ERR_TIMEOUT && channel_is_partial(&channel)) {
		size_t size = channel.missing < bytes.size ? channel.missing
							   : bytes.size;

		send(ends[1], bytes.data, size, MSG_NOSIGNAL);
		error = channel_receive(&channel, 0, &frame);
	}
	if (error == ERR_NONE) {
		require(frame.head.size <= FRAME_MAX_HEAD &&
			frame.body.size <= MAX_BODY && frame.file == -1);
		touch(frame.head);
		touch(frame.body);
		frame_free(&frame);
	}
	channel_close(&channel);
	channel = channel_of(ends[1], 0);
	channel_close(&channel);
}

/* The head that was read is written back as the same bytes. */
static void compare(struct slice head, struct buffer again)
{
	require(slice_equal(head, buffer_slice(&again)));
	buffer_free(&again);
}

static void read_options(struct slice head)
{
	struct fetch_options options;
	struct buffer ports = {0};

	if (fetch_options_decode(head, &ports, &options))
		compare(head, fetch_options_encode(&options));
	buffer_free(&ports);
}

static void read_order(struct slice head)
{
	struct fetch_message order;
	struct cookies cookies = {0};

	if (!fetch_message_decode(head, &order))
		return;
	order.request.url = &order.url;
	buffer_append_slice(&cookies.lines, order.cookies);
	if (order.has_cookies)
		order.request.cookies = &cookies;
	compare(head, fetch_message_encode(order.id, &order.request,
					   order.is_sitemap));
	buffer_free(&cookies.lines);
}

static void read_listing(struct slice listing)
{
	bool is_whole = sitemap_entries_are_valid(listing);
	struct sitemap_entry entry;

	while (sitemap_entries_next(&listing, &entry)) {
		require(!is_whole || entry.url.size <= MAX_URL_BYTES);
		touch(entry.url);
	}
	require(!is_whole || listing.size == 0);
}

static void check_result(const struct channel_frame *frame,
			 const struct fetch_expectation *expected,
			 struct fetch_result *result, struct slice lines)
{
	struct cookies cookies = {0};
	uint64_t id = 0;

	require(fetch_result_id(frame->head, &id));
	require(result->error == ERR_NONE || expected->is_sitemap ||
		result->body.size == 0);
	if (expected->is_sitemap)
		require(sitemap_entries_are_valid(buffer_slice(&result->body)));
	else
		require(result->body.size <= MAX_BODY);
	require(expected->keeps_headers ||
		result->head.size + result->request.size == 0);
	buffer_append_slice(&cookies.lines, lines);
	compare(frame->head, fetch_result_encode(id, result, &cookies));
	require(slice_equal(frame->body, buffer_slice(&result->body)));
	buffer_free(&cookies.lines);
}

/* One byte of what is expected, two of the size of the head. */
static void read_result(struct slice bytes)
{
	const uint8_t *data = bytes.data;
	struct fetch_expectation expected = {.max_body_bytes = MAX_BODY};
	struct channel_frame frame = {.file = -1};
	struct fetch_result result;
	struct slice cookies;
	size_t head;

	if (bytes.size < 3)
		return;
	expected.is_conditional = (data[0] & 1) != 0;
	expected.is_sitemap = (data[0] & 2) != 0;
	expected.has_cookies = (data[0] & 4) != 0;
	expected.keeps_headers = (data[0] & 8) != 0;
	head = (size_t)data[1] | (size_t)data[2] << 8;
	if (head > bytes.size - 3)
		head = bytes.size - 3;
	frame.head = (struct slice){data + 3, head};
	frame.body = (struct slice){data + 3 + head, bytes.size - 3 - head};
	if (!fetch_result_decode(&frame, &expected, &result, &cookies))
		return;
	check_result(&frame, &expected, &result, cookies);
	fetch_result_free(&result);
}

static void (*const readers[])(struct slice bytes) = {
	read_message, read_options, read_order, read_listing, read_result,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t count = sizeof(readers) / sizeof(readers[0]);
	char *copy;

	if (size == 0)
		return 0;
	copy = mem_alloc(1, size); /* its end is guarded */
	memcpy(copy, data + 1, size - 1);
	readers[data[0] % count]((struct slice){copy, size - 1});
	free(copy);
	return 0;
}
