#include "crawl/http_message.h"

#include <stdio.h>
#include <strings.h>

#include "crawl/line.h"
#include "store/decode.h"

enum { CHUNK_BYTES = 64 * 1024, MAX_CHUNK_DIGITS = 15 };

void http_body_free(struct http_body *body)
{
	buffer_free(&body->joined);
	buffer_free(&body->decoded);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Take the line that begins a chunk: its size in hex, then blanks or an
 * extension. False when it is none.
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
 * Join the chunks of `text` (RFC 9112, 7.1). False when it begins like no chunk
 * and is to be taken as it is. What comes after a wrong size is lost.
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
		if (part < size || line_take(&text).size > 0 ||
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

static bool is_bomb(const struct http_body *body)
{
	size_t size = body->decoded.size;

	return size > RATIO_FREE_BYTES &&
	       size / MAX_CODING_RATIO > body->bytes.size;
}

/*
 * Run the decoder over the body until its end, the limit or damage. Some
 * servers send several gzip members.
 */
static enum error run(struct decoder *decoder, size_t max_bytes,
		      struct http_body *body)
{
	struct buffer *decoded = &body->decoded;
	struct slice left = body->bytes;
	enum error error = ERR_NONE;
	size_t size = 1;

	while (error == ERR_NONE && decoded->size <= max_bytes &&
	       !is_bomb(body) && size > 0) {
		char *end = buffer_reserve(decoded, CHUNK_BYTES);
		size_t before = left.size;

		error = decoder_run(decoder, &left, end, CHUNK_BYTES, &size);
		decoded->size += size;
		if (decoder_is_at_end(decoder) &&
		    coding_of_bytes(left) == CODING_GZIP)
			decoder_reset(decoder);
		else if (decoder_is_at_end(decoder))
			return error;
		size += before - left.size;
	}
	body->is_cut = true;
	return error;
}

static enum error fail(struct http_body *body, enum error error,
		       const char *reason)
{
	snprintf(body->reason, sizeof(body->reason), "%s", reason);
	return error;
}

static enum error undo(enum coding coding, size_t max_bytes,
		       struct http_body *body)
{
	struct decoder *decoder = decoder_create(coding);
	enum error error = run(decoder, max_bytes, body);

	decoder_destroy(decoder);
	if (is_bomb(body))
		return fail(body, ERR_TOO_LARGE,
			    "the body unpacks to over 200 times its size");
	if (body->decoded.size == 0 && error != ERR_NONE) {
		body->is_cut = false;
		return ERR_NONE; /* as it is: it was unpacked before */
	}
	if (error != ERR_NONE)
		return fail(body, ERR_CORRUPT,
			    "the Content-Encoding of the body is damaged");
	body->bytes = buffer_slice(&body->decoded);
	return ERR_NONE;
}

/* The one coding of the body that is not "identity"; false when unknown. */
static bool find_coding(struct slice names, enum coding *coding_out)
{
	*coding_out = CODING_NONE;
	while (names.size > 0) {
		const char *bytes = names.data;
		const char *comma = memchr(bytes, ',', names.size);
		size_t size =
			comma == NULL ? names.size : (size_t)(comma - bytes);
		size_t end = size;
		enum coding coding;

		names.data = bytes + (comma == NULL ? size : size + 1);
		names.size -= comma == NULL ? size : size + 1;
		while (end > 0 && bytes[end - 1] == ' ')
			end--;
		for (; end > 0 && *bytes == ' '; end--)
			bytes++;
		if (!coding_of_name((struct slice){bytes, end}, &coding) ||
		    (coding != CODING_NONE && *coding_out != CODING_NONE))
			return false;
		if (coding != CODING_NONE)
			*coding_out = coding;
	}
	return true;
}

/* Packed formats with a magic number show whether they are there. */
static bool is_there(enum coding coding, struct slice bytes)
{
	if (coding == CODING_GZIP || coding == CODING_ZSTD)
		return coding_of_bytes(bytes) == coding;
	return coding != CODING_NONE && bytes.size > 0;
}

enum error http_body_decode(const struct http_message *message,
			    size_t max_bytes, struct http_body *body_out)
{
	enum coding coding;
	enum error error = ERR_NONE;

	buffer_clear(&body_out->joined);
	buffer_clear(&body_out->decoded);
	body_out->bytes = message->body;
	body_out->is_cut = false;
	body_out->reason[0] = '\0';
	if (!find_coding(message->coding, &coding)) {
		snprintf(body_out->reason, sizeof(body_out->reason),
			 "Content-Encoding: %.*s is not known",
			 (int)(message->coding.size < 40 ? message->coding.size
							 : 40),
			 (const char *)message->coding.data);
		return ERR_MALFORMED;
	}
	if ((!message->is_chunked || !join_chunks(message->body, body_out)) &&
	    message->coding.size == 0 && message->content_length != UINT64_MAX)
		body_out->is_cut = message->body.size < message->content_length;
	if (is_there(coding, body_out->bytes))
		error = undo(coding, max_bytes, body_out);
	if (body_out->bytes.size > max_bytes) {
		body_out->bytes.size = max_bytes;
		body_out->is_cut = true;
	}
	return error;
}
