#include <stdio.h>
#include <string.h>
#include <time.h>

#include "crawl/transfer.h"

enum {
	MAX_HEADER_BYTES = 64 * 1024,
	/*
	 * of a response that is not a page: reading more costs more than a new
	 * connection
	 */
	MAX_DROPPED_BYTES = 64 * 1024,
	PIECE_BYTES = 16 * 1024,
	/*
	 * A decompressed page rarely exceeds this size, and never 50 times its
	 * compressed size; a bomb reaches 1000 times (gzip), or a million times
	 * (br).
	 */
	BOMB_BYTES = 512 * 1024,
	BOMB_RATIO = 100,
	/*
	 * Chunk headers: a chunk of one byte has five bytes of them, rarely
	 * with an extension.
	 */
	FRAMING_BYTES = 128 * 1024,
	FRAMING_RATIO = 8,
};

static unsigned transfer_status(const struct fetch_transfer *transfer)
{
	long status = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
	return status > 0 && status <= UINT16_MAX ? (unsigned)status : 0;
}

/* Prepare for the body. */
static void expect_body(struct fetch_transfer *transfer)
{
	const struct response_head *answer = &transfer->answer;

	if (!transfer->any_type && transfer->sink == NULL &&
	    !transfer->result.is_html)
		transfer_fail(transfer, ERR_NOT_HTML,
			      "the Content-Type is %.100s",
			      answer->content_type);
	else if (answer->is_unreadable)
		transfer_fail(transfer, ERR_MALFORMED,
			      "the body has a coding that cannot be decoded");
	else if (answer->codings.count > 0)
		transfer->unpacker = unpacker_create(answer->codings);
}

/* The headers are complete. Return false if the body is not needed. */
static bool end_headers(struct fetch_transfer *transfer)
{
	struct fetch_result *result = &transfer->result;

	result->http_status = (uint16_t)transfer_status(transfer);
	if (result->http_status < 200)
		return true; /* 100 Continue, 103 Early Hints */
	transfer->is_headed = true;
	response_head_finish(&transfer->answer, (uint64_t)time(NULL), result);
	if (transfer_is_success(transfer))
		expect_body(transfer);
	else if (result->http_status == 304 && !transfer->is_conditional)
		transfer_fail(transfer, ERR_MALFORMED,
			      "304 to a request without a condition");
	return result->error == ERR_NONE;
}

static bool is_blank_line(struct slice line)
{
	return slice_equal(line, slice_of("\r\n")) ||
	       slice_equal(line, slice_of("\n"));
}

size_t transfer_on_header(char *data, size_t size, size_t count, void *context)
{
	struct fetch_transfer *transfer = context;
	struct slice line = {data, size * count};
	bool is_begin = line.size >= 5 && memcmp(data, "HTTP/", 5) == 0;

	transfer->header_bytes += line.size;
	if (transfer->header_bytes > MAX_HEADER_BYTES) {
		transfer_fail(transfer, ERR_TOO_LARGE,
			      "the headers are over %d bytes",
			      MAX_HEADER_BYTES);
		return 0;
	}
	if (transfer->is_headed) /* trailers */
		return line.size;
	if (is_begin) {
		response_head_begin(&transfer->answer);
		buffer_clear(&transfer->result.head);
	}
	if (transfer->plan->options.keeps_headers)
		buffer_append_slice(&transfer->result.head, line);
	if (is_blank_line(line))
		return end_headers(transfer) ? line.size : 0;
	if (!is_begin)
		response_head_take(&transfer->answer, line, &transfer->url);
	return line.size;
}

static bool transfer_is_bomb(const struct fetch_transfer *transfer)
{
	return transfer->body_bytes > BOMB_BYTES &&
	       transfer->body_bytes / BOMB_RATIO > transfer->wire_bytes;
}

/* Deliver as much as fits; return false to stop the transfer. */
static bool transfer_deliver(struct fetch_transfer *transfer,
			     struct slice bytes)
{
	enum error error;

	if (transfer->sink == NULL) {
		buffer_append_slice(&transfer->result.body, bytes);
		return true;
	}
	error = transfer->sink(transfer->sink_context, bytes);
	if (error != ERR_NONE)
		transfer_fail(transfer, error, "%s", error_text(error));
	return error == ERR_NONE;
}

/* Process the next bytes of the decompressed body. */
static bool take_piece(struct fetch_transfer *transfer, struct slice bytes)
{
	size_t room = transfer->max_body_bytes - transfer->body_bytes;
	bool is_over = bytes.size > room;

	transfer->body_bytes += bytes.size;
	if (transfer_is_bomb(transfer)) {
		transfer_fail(
			transfer, ERR_TOO_LARGE,
			"decompression bomb: %zu bytes decompress to over %zu",
			transfer->wire_bytes, transfer->body_bytes);
		return false;
	}
	if (is_over)
		bytes.size = room;
	if (!transfer_deliver(transfer, bytes))
		return false;
	if (is_over)
		transfer_cut(transfer, "the body is over %zu bytes",
			     transfer->max_body_bytes);
	return !is_over;
}

static bool transfer_unpack(struct fetch_transfer *transfer,
			    struct slice packed)
{
	struct unpacker *unpacker = transfer->unpacker;
	size_t before = transfer->wire_bytes;
	char piece[PIECE_BYTES];
	size_t size = 1;

	unpacker_feed(unpacker, packed);
	while (size > 0) {
		if (unpacker_next(unpacker, piece, sizeof(piece), &size) !=
		    ERR_NONE) {
			transfer_fail(transfer, ERR_MALFORMED,
				      "the coding of the body is damaged");
			return false;
		}
		transfer->wire_bytes =
			before + packed.size - unpacker_left(unpacker);
		if (!take_piece(transfer, (struct slice){piece, size}))
			return false;
	}
	return true;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's type */
size_t transfer_on_body(char *data, size_t size, size_t count, void *context)
{
	struct fetch_transfer *transfer = context;
	struct slice bytes = {data, size * count};
	bool is_taken;

	transfer->taken_bytes += bytes.size;
	if (!transfer_is_success(transfer)) {
		transfer->wire_bytes += bytes.size;
		return transfer->wire_bytes > MAX_DROPPED_BYTES ? 0
								: bytes.size;
	}
	if (transfer->sent_bytes >
	    transfer->max_body_bytes + MAX_DROPPED_BYTES) {
		/* empty gzip members, or bytes after the end */
		transfer_cut(transfer, "the server sent over %zu bytes",
			     transfer->max_body_bytes);
		return 0;
	}
	transfer->sent_bytes += bytes.size;
	if (transfer->unpacker != NULL) {
		is_taken = transfer_unpack(transfer, bytes);
	} else {
		transfer->wire_bytes += bytes.size;
		is_taken = take_piece(transfer, bytes);
	}
	return is_taken ? bytes.size : 0;
}

/*
 * Limit chunk extensions and other data outside of the body, which have no
 * other limit.
 */
int transfer_on_progress(void *context, curl_off_t total, curl_off_t now,
			 curl_off_t upload_total, curl_off_t upload_now)
{
	struct fetch_transfer *transfer = context;
	size_t most =
		FRAMING_BYTES + (FRAMING_RATIO + 1) * transfer->taken_bytes;

	(void)total;
	(void)now;
	(void)upload_total;
	(void)upload_now;
	if (transfer->raw_bytes <= most)
		return 0;
	transfer_fail(transfer, ERR_TOO_LARGE,
		      "the chunks have %zu bytes in addition to the body",
		      transfer->raw_bytes - transfer->taken_bytes);
	return 1;
}

/*
 * Called for all data that libcurl sends and receives. Skip the first request
 * to a proxy, which is for a tunnel.
 */
int transfer_on_debug(CURL *easy, curl_infotype type, char *data, size_t size,
		      void *context)
{
	static const char tunnel[] = "CONNECT ";
	struct fetch_transfer *transfer = context;
	size_t length = sizeof(tunnel) - 1;

	(void)easy;
	if (type == CURLINFO_DATA_IN)
		transfer->raw_bytes += size;
	else if (type == CURLINFO_HEADER_OUT &&
		 transfer->plan->options.keeps_headers &&
		 !(size > length && memcmp(data, tunnel, length) == 0))
		buffer_append(&transfer->result.request, data, size);
	return 0;
}
