#include "crawl/http_message.h"

#include <stdio.h>
#include <strings.h>

#include "base/ascii.h"
#include "crawl/line.h"

enum { CHUNK_BYTES = 64 * 1024, MAX_CHUNK_DIGITS = 15 };

void http_body_free(struct http_body *body)
{
	buffer_free(&body->joined);
	buffer_free(&body->decoded);
}

/*
 * Read the line that begins a chunk: its size in hexadecimal, then blanks or an
 * extension. Return false if it is invalid.
 */
static bool take_chunk_size(struct slice *text, uint64_t *size_out)
{
	struct slice rest = *text;
	struct slice line = line_take(&rest);
	const char *bytes = line.data;
	uint64_t size = 0;
	size_t digits = 0;

	while (digits < line.size && hex_digit(bytes[digits]) >= 0) {
		size = size << 4 | (unsigned)hex_digit(bytes[digits]);
		if (++digits > MAX_CHUNK_DIGITS)
			return false;
	}
	if (digits == 0 || (digits < line.size && bytes[digits] != ' ' &&
			    bytes[digits] != ';' && bytes[digits] != '\t'))
		return false;
	*text = rest;
	*size_out = size;
	return true;
}

/*
 * Join the chunks of `text` (RFC 9112, 7.1). Return false if it does not begin
 * with a chunk: then it is not chunked. Data after an invalid size is lost.
 */
static bool join_chunks(struct slice text, struct http_body *body)
{
	uint64_t size = 0;

	if (!take_chunk_size(&text, &size))
		return false;
	while (size > 0) {
		size_t part = size < text.size ? (size_t)size : text.size;

		buffer_append(&body->joined, text.data, part);
		text = (struct slice){(const char *)text.data + part,
				      text.size - part};
		if (line_take(&text).size > 0 ||
		    !take_chunk_size(&text, &size)) {
			body->is_cut = true;
			break;
		}
	}
	body->bytes = buffer_slice(&body->joined);
	if (body->bytes.data == NULL)
		body->bytes = (struct slice){"", 0};
	return true;
}

static bool http_body_is_bomb(const struct http_body *body)
{
	size_t size = body->decoded.size;

	return size > RATIO_FREE_BYTES &&
	       size / MAX_CODING_RATIO > body->bytes.size;
}

/* Decode until the end, the limit or damage. */
static enum error http_body_unpack(struct unpacker *unpacker, size_t max_bytes,
				   struct http_body *body)
{
	struct buffer *decoded = &body->decoded;
	enum error error = ERR_NONE;
	size_t size = 1;

	unpacker_feed(unpacker, body->bytes);
	while (error == ERR_NONE && size > 0 && decoded->size <= max_bytes &&
	       !http_body_is_bomb(body)) {
		char *end = buffer_reserve(decoded, CHUNK_BYTES);

		error = unpacker_next(unpacker, end, CHUNK_BYTES, &size);
		decoded->size += size;
	}
	body->is_cut |= !unpacker_is_whole(unpacker);
	return error;
}

static enum error http_body_fail(struct http_body *body, enum error error,
				 const char *reason)
{
	snprintf(body->reason, sizeof(body->reason), "%s", reason);
	return error;
}

/*
 * Return whether the bytes begin like markup: then they are not compressed,
 * even if brotli could decode them.
 */
static bool is_markup(struct slice bytes)
{
	const char *text = bytes.data;
	size_t at = 0;

	while (at < bytes.size && text[at] != '\0' &&
	       strchr(" \t\r\n", text[at]) != NULL)
		at++;
	return at < bytes.size && text[at] == '<';
}

static enum error http_body_undo_codings(struct codings codings,
					 size_t max_bytes,
					 struct http_body *body)
{
	struct unpacker *unpacker = unpacker_create(codings);
	bool was_cut = body->is_cut;
	enum error error = http_body_unpack(unpacker, max_bytes, body);

	unpacker_destroy(unpacker);
	if (http_body_is_bomb(body))
		return http_body_fail(
			body, ERR_TOO_LARGE,
			"the body decompresses to over 200 times its size");
	if ((error != ERR_NONE && body->decoded.size == 0) ||
	    (body->is_cut && is_markup(body->bytes))) {
		body->is_cut = was_cut;
		return ERR_NONE; /* decompressed before archiving */
	}
	if (error != ERR_NONE)
		return http_body_fail(
			body, ERR_CORRUPT,
			"the Content-Encoding of the body is damaged");
	body->bytes = buffer_slice(&body->decoded);
	return ERR_NONE;
}

/*
 * Return whether the body has the declared coding, as far as magic numbers
 * show.
 */
static bool http_body_has_coding(const struct codings *codings,
				 struct slice bytes)
{
	enum coding coding = codings->count == 0
				     ? CODING_NONE
				     : codings->list[codings->count - 1];

	if (coding == CODING_GZIP || coding == CODING_ZSTD)
		return coding_of_bytes(bytes) == coding;
	return coding != CODING_NONE && bytes.size > 0;
}

enum error http_body_decode(const struct http_message *message,
			    size_t max_bytes, struct http_body *body_out)
{
	const struct codings *codings = &message->codings;
	enum error error = ERR_NONE;

	buffer_clear(&body_out->joined);
	buffer_clear(&body_out->decoded);
	body_out->bytes = message->body;
	body_out->is_cut = false;
	body_out->reason[0] = '\0';
	if (message->unknown.data != NULL) {
		snprintf(body_out->reason, sizeof(body_out->reason),
			 "Content-Encoding: %.*s cannot be decoded",
			 (int)(message->unknown.size < 40
				       ? message->unknown.size
				       : 40),
			 (const char *)message->unknown.data);
		return ERR_MALFORMED;
	}
	if ((!message->is_chunked || !join_chunks(message->body, body_out)) &&
	    codings->count == 0 && message->content_length != UINT64_MAX)
		body_out->is_cut = message->body.size < message->content_length;
	if (http_body_has_coding(codings, body_out->bytes))
		error = http_body_undo_codings(*codings, max_bytes, body_out);
	if (body_out->bytes.size > max_bytes) {
		body_out->bytes.size = max_bytes;
		body_out->is_cut = true;
	}
	return error;
}
