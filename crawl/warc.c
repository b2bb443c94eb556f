#include "crawl/warc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/limit.h"
#include "base/memory.h"
#include "crawl/arc.h"
#include "crawl/header.h"
#include "crawl/http_message.h"
#include "crawl/line.h"
#include "crawl/warc_cut.h"
#include "crawl/warc_header.h"
#include "crawl/warc_stream.h"

/* Space in a block in addition to the body: heads, chunk sizes. */
enum { BLOCK_ROOM = LIMIT(256 * 1024, 512) };

struct warc_reader {
	struct warc_stream *stream;
	struct warc_cut cut;
	size_t max_body_bytes;
	struct http_body body;
};

struct warc_reader *warc_reader_create(warc_source *source, void *context,
				       size_t max_body_bytes)
{
	struct warc_reader *reader = mem_alloc(1, sizeof(*reader));

	reader->stream = stream_create(source, context);
	reader->max_body_bytes = max_body_bytes;
	reader->cut = (struct warc_cut){
		.stream = reader->stream,
		.max_block = max_body_bytes + BLOCK_ROOM,
	};
	return reader;
}

void warc_reader_destroy(struct warc_reader *reader)
{
	if (reader == NULL)
		return;
	stream_destroy(reader->stream);
	http_body_free(&reader->body);
	free(reader);
}

uint64_t warc_position(const struct warc_reader *reader)
{
	return stream_taken(reader->stream);
}

static void warc_record_fail(struct warc_record *record, enum error error,
			     const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void warc_record_fail(struct warc_record *record, enum error error,
			     const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(record->reason, sizeof(record->reason), format, list);
	va_end(list);
	record->error = error;
}

static void warc_copy_text(struct slice text, char *out, size_t capacity)
{
	size_t size = text.size < capacity - 1 ? text.size : capacity - 1;

	if (size > 0)
		memcpy(out, text.data, size);
	out[size] = '\0';
}

static void set_url(struct slice url, struct warc_record *record)
{
	warc_copy_text(url, record->url, sizeof(record->url));
	if (url.size >= sizeof(record->url))
		warc_record_fail(record, ERR_TOO_LARGE,
				 "the URL is over %d bytes", MAX_URL_BYTES);
}

static void set_type(struct slice type, struct warc_record *record)
{
	warc_copy_text(type, record->content_type,
		       sizeof(record->content_type));
	header_charset(type, record->charset, sizeof(record->charset));
}

static bool is_web(const struct warc_record *record)
{
	return strncasecmp(record->url, "http://", 7) == 0 ||
	       strncasecmp(record->url, "https://", 8) == 0;
}

/* Set the fields of an HTTP response, except the body. */
static void warc_set_response(const struct http_message *message,
			      struct warc_record *record)
{
	record->http_status = message->status;
	record->robots_tag = message->robots_tag;
	set_type(message->content_type, record);
	if (message->status >= 300 && message->status < 400 &&
	    message->location.size < sizeof(record->redirect))
		warc_copy_text(message->location, record->redirect,
			       sizeof(record->redirect));
}

static void read_response(struct warc_reader *reader, struct slice block,
			  struct warc_record *record)
{
	struct http_message message;
	enum error error;

	if (!http_message_parse(block, &message)) {
		warc_record_fail(record, ERR_MALFORMED,
				 "it contains no HTTP response");
		return;
	}
	warc_set_response(&message, record);
	error = http_body_decode(&message, reader->max_body_bytes,
				 &reader->body);
	if (error != ERR_NONE) {
		warc_record_fail(record, error, "%s", reader->body.reason);
		return;
	}
	record->body = reader->body.bytes;
	record->is_cut |= reader->body.is_cut;
}

static void read_resource(const struct warc_reader *reader, struct slice block,
			  struct warc_record *record)
{
	record->http_status = 200;
	record->body = block;
	if (block.size > reader->max_body_bytes) {
		record->body.size = reader->max_body_bytes;
		record->is_cut = true;
	}
}

/* Read the block according to the kind of the record. */
static void warc_read_block(struct warc_reader *reader,
			    const struct cut_block *block,
			    struct warc_record *record)
{
	struct http_message message;

	record->is_cut |= block->is_cut;
	if (block->is_damaged)
		warc_record_fail(record, ERR_CORRUPT,
				 "its compressed member is damaged");
	if (record->error != ERR_NONE)
		return;
	if (record->kind == WARC_RESPONSE)
		read_response(reader, block->bytes, record);
	else if (record->kind == WARC_RESOURCE)
		read_resource(reader, block->bytes, record);
	else if (record->kind == WARC_REVISIT &&
		 http_message_parse(block->bytes, &message))
		warc_set_response(&message, record);
}

static enum warc_kind warc_record_kind(const struct warc_record *record)
{
	if (!is_web(record))
		return WARC_OTHER;
	if (strcmp(record->type, "response") == 0)
		return WARC_RESPONSE;
	if (strcmp(record->type, "resource") == 0)
		return WARC_RESOURCE;
	if (strcmp(record->type, "revisit") == 0)
		return WARC_REVISIT;
	return WARC_OTHER;
}

/* Fill the record from its head; return the length of its block. */
static uint64_t read_warc_head(struct slice head, struct warc_record *record)
{
	struct warc_header header;

	warc_header_parse(head, &header);
	warc_copy_text(header.type, record->type, sizeof(record->type));
	for (char *c = record->type; *c != '\0'; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c | 0x20);
	record->time_ms = header.time_ms;
	record->is_cut = header.is_truncated;
	set_url(header.url, record);
	record->kind = warc_record_kind(record);
	if (record->kind == WARC_RESOURCE)
		set_type(header.content_type, record);
	return header.length;
}

static uint64_t read_arc_head(struct slice head, struct warc_record *record)
{
	struct arc_header header = {.length = UINT64_MAX};

	arc_header_parse(line_take(&head), &header);
	warc_copy_text(slice_of("arc"), record->type, sizeof(record->type));
	record->time_ms = header.time_ms;
	set_url(header.url, record);
	record->kind = is_web(record) ? WARC_RESPONSE : WARC_OTHER;
	return header.length;
}

static void read_record(struct warc_reader *reader, struct slice head,
			struct warc_record *record)
{
	uint64_t length = reader->cut.format == ARCHIVE_WARC
				  ? read_warc_head(head, record)
				  : read_arc_head(head, record);
	struct cut_block block;

	if (length == UINT64_MAX) {
		warc_record_fail(record, ERR_MALFORMED,
				 "its length is not a number");
		cut_lose(&reader->cut);
		return;
	}
	block = cut_block(&reader->cut, length);
	warc_read_block(reader, &block, record);
}

/* Return the error after which nothing more can be read. */
static enum error warc_end_reason(const struct warc_reader *reader,
				  struct warc_record *record)
{
	const struct warc_stream *stream = reader->stream;

	if (stream_state(stream) == STREAM_FAILED)
		warc_record_fail(record, stream_error(stream),
				 "the rest of the file cannot be read");
	else if (stream_state(stream) == STREAM_CUT)
		warc_record_fail(record, ERR_CORRUPT,
				 "the file ends inside a compressed member");
	else if (stream_state(stream) == STREAM_DAMAGED)
		warc_record_fail(record, ERR_CORRUPT,
				 "the file cannot be read after the damage");
	else if (reader->cut.format == ARCHIVE_UNKNOWN &&
		 stream_taken(stream) > 0)
		warc_record_fail(record, ERR_MALFORMED,
				 "it contains no WARC or ARC record");
	else if (reader->cut.ends_inside)
		warc_record_fail(record, ERR_CORRUPT,
				 "the file ends inside a record");
	return record->error;
}

bool warc_next(struct warc_reader *reader, struct warc_record *record_out,
	       enum error *error_out)
{
	struct cut_head head;

	*record_out = (struct warc_record){.kind = WARC_OTHER};
	*error_out = ERR_NONE;
	if (!cut_next(&reader->cut, &head)) {
		*error_out = warc_end_reason(reader, record_out);
		return false;
	}
	record_out->offset = head.offset;
	if (head.error != ERR_NONE)
		warc_record_fail(record_out, head.error, "%s", head.reason);
	else
		read_record(reader, head.bytes, record_out);
	return true;
}
