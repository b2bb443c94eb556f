#include "crawl/http_message.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/limit.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "crawl/url/url.h"
#include "page/robots_tag.h"

enum { MAX_DATE = 64 };

static struct slice header_skip(struct slice text, size_t count)
{
	if (count ==
	    0) /* `text.data` may be NULL; adding to NULL is undefined */
		return text;
	return (struct slice){(const char *)text.data + count,
			      text.size - count};
}

static bool header_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct slice header_trim(struct slice text)
{
	while (text.size > 0 && header_is_space(slice_byte(text, 0)))
		text = header_skip(text, 1);
	while (text.size > 0 &&
	       header_is_space(slice_byte(text, text.size - 1)))
		text.size--;
	return text;
}

static bool header_begins_with(struct slice text, const char *word)
{
	size_t size = strlen(word);

	return text.size >= size && strncasecmp(text.data, word, size) == 0;
}

struct slice header_value(struct slice line, const char *name)
{
	size_t size;

	/* The first letter suffices to reject most lines. */
	if (line.size == 0 || ((slice_byte(line, 0) ^ name[0]) & 0xDF) != 0)
		return (struct slice){0};
	size = strlen(name);
	if (line.size <= size || !header_begins_with(line, name) ||
	    slice_byte(line, size) != ':')
		return (struct slice){0};
	return header_trim(header_skip(line, size + 1));
}

/* Return the number of bytes before the first `c`; all if none exists. */
static size_t header_find_byte(struct slice text, char c)
{
	const char *found =
		text.size == 0 ? NULL : memchr(text.data, c, text.size);

	return found == NULL ? text.size
			     : (size_t)(found - (const char *)text.data);
}

/*
 * Remove the text before the first `c` (all of it if none exists) and return
 * it; remove this `c`, too.
 */
static struct slice header_take_until(struct slice *text, char c)
{
	struct slice part = {text->data, header_find_byte(*text, c)};

	*text = header_skip(*text,
			    part.size < text->size ? part.size + 1 : part.size);
	return header_trim(part);
}

struct slice header_list_take(struct slice *list)
{
	return header_take_until(list, ',');
}

/*
 * Remove and return the first element of a list with semicolons: a value, or
 * one of its parameters.
 */
static struct slice header_parameter_take(struct slice *list)
{
	return header_take_until(list, ';');
}

bool header_is_word(struct slice value, const char *word)
{
	return value.size == strlen(word) && header_begins_with(value, word);
}

bool header_is_printable(struct slice value)
{
	for (size_t i = 0; i < value.size; i++)
		if (slice_byte(value, i) < ' ' || slice_byte(value, i) > '~')
			return false;
	return true;
}

/* Return whether the byte may be in a token (RFC 9110, 5.6.2). */
static bool header_is_token_byte(char c)
{
	return c > ' ' && c < 0x7F && strchr("\"(),/:;<=>?@[\\]{}", c) == NULL;
}

/* Return whether the text is two tokens with a slash, and not a wildcard. */
static bool header_is_media_type(struct slice type)
{
	size_t slash = header_find_byte(type, '/');

	if (slash == 0 || slash + 1 >= type.size || header_is_word(type, "*/*"))
		return false;
	for (size_t i = 0; i < type.size; i++)
		if (i != slash && !header_is_token_byte(slice_byte(type, i)))
			return false;
	return true;
}

bool header_is_html(struct slice content_type)
{
	static const char *const types[] = {
		"text/html",
		"application/xhtml+xml",
		"unknown/unknown", /* MIME Sniffing standard, section 7 */
		"application/unknown",
	};
	bool is_html = true;

	while (content_type.size > 0) {
		struct slice part = header_list_take(&content_type);
		struct slice type = header_parameter_take(&part);

		if (!header_is_media_type(type))
			continue;
		is_html = false;
		for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
			is_html |= header_is_word(type, types[i]);
	}
	return is_html;
}

/* Return the unparsed value of the charset parameter. */
static struct slice find_charset(struct slice text)
{
	struct slice charset = {0};

	while (text.size > 0) {
		struct slice part = header_list_take(&text);
		bool is_found = false;

		while (part.size > 0 && !is_found) {
			struct slice value = header_parameter_take(&part);
			struct slice name = header_take_until(&value, '=');

			is_found = header_is_word(name, "charset");
			if (is_found)
				charset = header_trim(value);
		}
	}
	return charset;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

static bool is_charset_byte(char c)
{
	return percent_is_unreserved((unsigned char)c) || c == ':' || c == '+';
}

void header_charset(struct slice content_type, char *out, size_t capacity)
{
	struct slice value = find_charset(content_type);

	out[0] = '\0';
	while (value.size > 0 && is_quote(slice_byte(value, 0)))
		value = header_skip(value, 1);
	while (value.size > 0 && is_quote(slice_byte(value, value.size - 1)))
		value.size--;
	if (value.size == 0 || value.size >= capacity)
		return;
	for (size_t i = 0; i < value.size; i++)
		if (!is_charset_byte(slice_byte(value, i)))
			return;
	memcpy(out, value.data, value.size);
	out[value.size] = '\0';
}

uint64_t header_date(struct slice value)
{
	char text[MAX_DATE];
	time_t time;

	if (value.size == 0 || value.size >= sizeof(text))
		return 0;
	memcpy(text, value.data, value.size);
	text[value.size] = '\0';
	time = curl_getdate(text, NULL);
	return time > 0 ? (uint64_t)time : 0;
}

uint64_t header_number(struct slice value)
{
	uint64_t number = 0;

	for (size_t i = 0; i < value.size; i++) {
		char c = slice_byte(value, i);

		if (c < '0' || c > '9' || number > UINT64_MAX / 10 - 1)
			return UINT64_MAX;
		number = number * 10 + (uint64_t)(c - '0');
	}
	return value.size == 0 ? UINT64_MAX : number;
}

uint64_t header_retry_after(struct slice value, uint64_t now_s)
{
	uint64_t seconds = header_number(value);
	uint64_t date;

	if (seconds != UINT64_MAX)
		return seconds;
	date = header_date(value);
	return date > now_s ? date - now_s : 0;
}

enum { MAX_INTERIM = 4 };

/* Return the status of a line such as "HTTP/1.1 200 OK"; 0 if it is invalid. */
static uint16_t http_status_of_line(struct slice line)
{
	const char *bytes = line.data;
	unsigned status = 0;
	size_t at = 5;
	size_t digits;

	if (line.size < 5 || strncasecmp(bytes, "HTTP/", 5) != 0)
		return 0;
	while (at < line.size && bytes[at] != ' ')
		at++;
	while (at < line.size && bytes[at] == ' ')
		at++;
	for (digits = 0; digits < 3 && at < line.size; digits++, at++) {
		if (bytes[at] < '0' || bytes[at] > '9')
			return 0;
		status = status * 10 + (unsigned)(bytes[at] - '0');
	}
	return digits == 3 && status >= 100 ? (uint16_t)status : 0;
}

static bool is_chunked(struct slice coding)
{
	static const char word[] = "chunked";
	size_t size = sizeof(word) - 1;

	return coding.size >= size &&
	       strncasecmp((const char *)coding.data + coding.size - size, word,
			   size) == 0;
}

/*
 * If the line is the field `name`, write its value to *value_out and return
 * true.
 */
static bool http_message_match_field(struct slice line, const char *name,
				     struct slice *value_out)
{
	struct slice value = header_value(line, name);

	if (value.data == NULL)
		return false;
	*value_out = value;
	return true;
}

static void http_message_read_field(struct slice line,
				    struct http_message *message)
{
	struct slice value;

	if (http_message_match_field(line, "Content-Type",
				     &message->content_type) ||
	    http_message_match_field(line, "Location", &message->location))
		return;
	if (http_message_match_field(line, "Content-Encoding", &value)) {
		if (!codings_add(&message->codings, value))
			message->unknown = value;
	} else if (http_message_match_field(line, "Content-Length", &value))
		message->content_length = header_number(value);
	else if (http_message_match_field(line, "Transfer-Encoding", &value))
		message->is_chunked = is_chunked(value);
	else if (http_message_match_field(line, "X-Robots-Tag", &value))
		message->robots_tag |= robots_tag_parse(value, ROBOTS_AGENT);
}

/* Parse the head of a response. The rest of the text is the body. */
static bool http_message_read_head(struct slice text,
				   struct http_message *message)
{
	struct slice line = line_take(&text);

	*message = (struct http_message){
		.status = http_status_of_line(line),
		.content_length = UINT64_MAX,
	};
	while (line = line_take(&text), line.size > 0)
		http_message_read_field(line, message);
	message->body = text;
	return message->status != 0;
}

bool http_message_parse(struct slice text, struct http_message *message_out)
{
	bool is_answer = http_message_read_head(text, message_out);

	for (int i = 0; i < MAX_INTERIM && is_answer; i++) {
		struct http_message final;

		if (message_out->status >= 200 ||
		    !http_message_read_head(message_out->body, &final))
			break;
		*message_out = final;
	}
	return is_answer;
}

enum { CHUNK_BYTES = 64 * 1024, MAX_CHUNK_DIGITS = 15 };

void http_body_free(struct http_body *body)
{
	buffer_free(&body->joined);
	buffer_free(&body->decoded);
}

/*
 * Read the line that begins a chunk: its size in hexadecimal digits, then
 * blanks or an extension. Return false if the line is invalid.
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
 * with a chunk, so that it is not chunked. If the size of a later chunk is
 * invalid, the data from there on are dropped.
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

/* Decode the body until it ends, exceeds the limit or is damaged. */
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
 * Return whether the bytes begin like markup. Such bytes are not compressed,
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
		return ERR_NONE; /* the tool that archived the body has already
				    decompressed it */
	}
	if (error != ERR_NONE)
		return http_body_fail(
			body, ERR_CORRUPT,
			"the Content-Encoding of the body is damaged");
	body->bytes = buffer_slice(&body->decoded);
	return ERR_NONE;
}

/*
 * Return whether the body can have the declared coding. This is checked only by
 * the magic numbers of codings.
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

enum {
	MIDDLE_BYTES = 16 * 1024,
	/*
	 * number of bytes that the outer coding may produce while the inner
	 * coding produces none. The header of a gzip member may be long, but no
	 * real one exceeds this
	 */
	MAX_SILENT_BYTES = LIMIT(1024 * 1024, 512),
};

/* A decoder for one coding, and its input. */
struct layer {
	enum coding coding;
	struct decoder *decoder;
	struct slice input;
};

struct unpacker {
	struct layer outer; /* is decoded first: the last coding in the list */
	/* its decoder is NULL if there is only one coding */
	struct layer inner;
	char middle[MIDDLE_BYTES];
};

/*
 * Return whether the word is a registered coding (RFC 9110, 16.6.1) that this
 * file cannot decode. Bytes in such a coding are not text.
 */
static bool unpack_is_foreign_coding(struct slice word)
{
	static const char *const names[] = {
		"aes128gcm", "compress",     "dcb",        "dcz",
		"exi",       "pack200-gzip", "x-compress",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (header_is_word(word, names[i]))
			return true;
	return false;
}

bool codings_add(struct codings *codings, struct slice value)
{
	while (value.size > 0) {
		struct slice part = header_list_take(&value);
		struct slice word = header_parameter_take(&part);
		enum coding coding;

		if (unpack_is_foreign_coding(word))
			return false;
		if (!coding_of_name(word, &coding) || coding == CODING_NONE)
			continue;
		if (codings->count == MAX_CODINGS)
			return false;
		codings->list[codings->count++] = coding;
	}
	return true;
}

static void open_layer(struct layer *layer, enum coding coding)
{
	layer->coding = coding;
	layer->decoder = decoder_create(coding);
}

struct unpacker *unpacker_create(struct codings codings)
{
	struct unpacker *unpacker = mem_alloc(1, sizeof(*unpacker));

	open_layer(&unpacker->outer, codings.list[codings.count - 1]);
	if (codings.count > 1)
		open_layer(&unpacker->inner, codings.list[0]);
	return unpacker;
}

void unpacker_destroy(struct unpacker *unpacker)
{
	if (unpacker == NULL)
		return;
	decoder_destroy(unpacker->outer.decoder);
	decoder_destroy(unpacker->inner.decoder);
	free(unpacker);
}

void unpacker_feed(struct unpacker *unpacker, struct slice packed)
{
	unpacker->outer.input = packed;
}

size_t unpacker_left(const struct unpacker *unpacker)
{
	return unpacker->outer.input.size;
}

/*
 * If the decoder is at its end, begin the next gzip member; if none follows,
 * drop the rest of the input.
 */
static void pass_end(struct layer *layer)
{
	static const unsigned char gzip = 0x1F; /* RFC 1952, 2.3.1: ID1 */

	if (layer->input.size == 0 || !decoder_is_at_end(layer->decoder))
		return;
	if (layer->coding == CODING_GZIP &&
	    *(const unsigned char *)layer->input.data == gzip)
		decoder_reset(layer->decoder);
	else
		layer->input.size = 0;
}

static enum error layer_decode(struct layer *layer, char *out, size_t capacity,
			       size_t *size_out)
{
	pass_end(layer);
	return decoder_run(layer->decoder, &layer->input, out, capacity,
			   size_out);
}

/*
 * Decode until there is output or no input remains. A gzip header or an empty
 * member uses up input without output.
 */
static enum error run_on(struct layer *layer, char *out, size_t capacity,
			 size_t *size_out)
{
	enum error error = layer_decode(layer, out, capacity, size_out);

	while (error == ERR_NONE && *size_out == 0 && layer->input.size > 0)
		error = layer_decode(layer, out, capacity, size_out);
	return error;
}

enum error unpacker_next(struct unpacker *unpacker, char *out, size_t capacity,
			 size_t *size_out)
{
	struct layer *outer = &unpacker->outer;
	struct layer *inner = &unpacker->inner;
	size_t silent = 0;
	size_t size = 1;
	enum error error;

	if (inner->decoder == NULL)
		return run_on(outer, out, capacity, size_out);
	error = run_on(inner, out, capacity, size_out);
	while (error == ERR_NONE && *size_out == 0 && size > 0) {
		error = run_on(outer, unpacker->middle, MIDDLE_BYTES, &size);
		inner->input = (struct slice){unpacker->middle, size};
		silent += size;
		if (error == ERR_NONE && silent > MAX_SILENT_BYTES)
			error = ERR_CORRUPT;
		if (error == ERR_NONE)
			error = run_on(inner, out, capacity, size_out);
	}
	return error;
}

static bool layer_is_complete(const struct layer *layer)
{
	return layer->decoder == NULL || decoder_is_at_end(layer->decoder);
}

bool unpacker_is_whole(const struct unpacker *unpacker)
{
	return layer_is_complete(&unpacker->outer) &&
	       layer_is_complete(&unpacker->inner);
}

struct slice header_name(struct slice line)
{
	const char *colon =
		line.size == 0 ? NULL : memchr(line.data, ':', line.size);

	return (struct slice){
		line.data,
		colon == NULL ? 0 : (size_t)(colon - (const char *)line.data)};
}

bool header_lines_have(struct slice lines, struct slice name)
{
	while (lines.size > 0) {
		const struct slice other = header_name(line_take(&lines));

		if (other.size == name.size &&
		    strncasecmp(other.data, name.data, name.size) == 0)
			return true;
	}
	return false;
}
