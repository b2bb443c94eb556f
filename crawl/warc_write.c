#include "crawl/warc_write.h"

#include <inttypes.h>
#include <nettle/sha1.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/date.h"
#include "base/decode.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/memory.h"
#include "crawl/http_message.h"
#include "crawl/warc_read.h"

/* maximum size of a block without its body: the head and the sizes of chunks */
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
			     const char *reason)
{
	snprintf(record->reason, sizeof(record->reason), "%s", reason);
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
	if (url.size < sizeof(record->url))
		return;
	snprintf(record->reason, sizeof(record->reason),
		 "the URL is over %d bytes", MAX_URL_BYTES);
	record->error = ERR_TOO_LARGE;
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

/*
 * Set the fields of the record that come from the HTTP response, except the
 * body.
 */
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
	record->head = block;
	record->head.size -= message.body.size;
	error = http_body_decode(&message, reader->max_body_bytes,
				 &reader->body);
	if (error != ERR_NONE) {
		warc_record_fail(record, error, reader->body.reason);
		return;
	}
	record->body = reader->body.bytes;
	record->is_cut |= reader->body.is_cut;
}

/* Read the content of the block, according to the kind of the record. */
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
	else if (record->kind == WARC_RESOURCE) {
		record->http_status = 200;
		record->body = block->bytes;
		if (record->body.size > reader->max_body_bytes) {
			record->body.size = reader->max_body_bytes;
			record->is_cut = true;
		}
	} else if (record->kind == WARC_REVISIT &&
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

/*
 * Set the fields of the record from its head; return the length of its block.
 */
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

/*
 * Return why nothing more can be read: ERR_NONE at the end of the file. Write
 * the reason of an error to the record.
 */
static enum error warc_end_reason(const struct warc_reader *reader,
				  struct warc_record *record)
{
	const struct warc_stream *stream = reader->stream;
	const char *reason = NULL;

	switch (stream_state(stream)) {
	case STREAM_FAILED:
		warc_record_fail(record, stream_error(stream),
				 "the rest of the file cannot be read");
		return record->error;
	case STREAM_CUT:
		reason = "the file ends inside a compressed member";
		break;
	case STREAM_DAMAGED:
		reason = "the file cannot be read after the damage";
		break;
	default:
		if (reader->cut.format == ARCHIVE_UNKNOWN &&
		    stream_taken(stream) > 0)
			warc_record_fail(record, ERR_MALFORMED,
					 "it contains no WARC or ARC record");
		else if (reader->cut.ends_inside)
			reason = "the file ends inside a record";
	}
	if (reason != NULL)
		warc_record_fail(record, ERR_CORRUPT, reason);
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
		warc_record_fail(record_out, head.error, head.reason);
	else
		read_record(reader, head.bytes, record_out);
	return true;
}

enum { ID_BYTES = 48, DIGEST_BYTES = 33, NOT_MODIFIED = 304 };

#define MEDIA_TYPE_RESPONSE "application/http; msgtype=response"
#define MEDIA_TYPE_REQUEST  "application/http; msgtype=request"

/* ISO 28500:2017, 6.7 */
#define PROFILE "http://netpreserve.org/warc/1.1/revisit/"

/*
 * A record that is written. Its block must be set first, because the head
 * contains its length and its digest.
 */
struct warc_draft {
	struct buffer bytes;
	struct slice block; /* the block is `block` followed by `more` */
	struct slice more;
	bool is_plain; /* do not compress the record */
};

/*
 * Write `identity` as a UUID of version 4 (RFC 9562, 5.4) to `out` [ID_BYTES].
 */
static void warc_write_id(const uint64_t identity[2], char *out)
{
	uint64_t high = (identity[0] & ~UINT64_C(0xF000)) | 0x4000;
	uint64_t low = (identity[1] & (UINT64_MAX >> 2)) | UINT64_C(1) << 63;

	snprintf(out, ID_BYTES,
		 "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64
		 "-%012" PRIx64,
		 high >> 32, high >> 16 & 0xFFFF, high & 0xFFFF, low >> 48,
		 low & UINT64_C(0xFFFFFFFFFFFF));
}

/*
 * Append a field to the head. Control characters in the value are omitted. If
 * the value is empty, append nothing.
 */
static void warc_draft_add_field(struct warc_draft *draft, const char *name,
				 struct slice value)
{
	const char *bytes = value.data;

	if (value.size == 0)
		return;
	buffer_printf(&draft->bytes, "%s: ", name);
	for (size_t i = 0; i < value.size; i++)
		if ((unsigned char)bytes[i] >= ' ' && bytes[i] != 0x7f)
			buffer_append_byte(&draft->bytes, bytes[i]);
	buffer_append_text(&draft->bytes, "\r\n");
}

static void warc_draft_add_text(struct warc_draft *draft, const char *name,
				const char *value)
{
	warc_draft_add_field(draft, name, slice_of(value));
}

static void add_id(struct warc_draft *draft, const char *name,
		   const uint64_t identity[2])
{
	char id[ID_BYTES];

	warc_write_id(identity, id);
	buffer_printf(&draft->bytes, "%s: <urn:uuid:%s>\r\n", name, id);
}

static void add_date(struct warc_draft *draft, const char *name,
		     uint64_t time_ms)
{
	char date[DATE_BYTES];

	date_format(time_ms, date);
	warc_draft_add_text(draft, name, date);
}

/*
 * Write a digest in base32 (RFC 4648, 6). Its 160 bits are 32 digits, so no
 * padding is necessary.
 */
static void write_base32(const uint8_t digest[SHA1_DIGEST_SIZE], char *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	unsigned bits = 0;
	unsigned count = 0;

	for (size_t i = 0; i < SHA1_DIGEST_SIZE; i++) {
		bits = bits << 8 | digest[i];
		for (count += 8; count >= 5; count -= 5)
			*out++ = digits[bits >> (count - 5) & 31];
	}
	*out = '\0';
}

/*
 * Append the SHA-1 of `a` followed by `b`. Web archives identify content by
 * SHA-1; it is not used for security.
 */
static void add_digest(struct warc_draft *draft, const char *name,
		       struct slice a, struct slice b)
{
	struct sha1_ctx sha1;
	uint8_t digest[SHA1_DIGEST_SIZE];
	char text[DIGEST_BYTES];

	sha1_init(&sha1);
	sha1_update(&sha1, a.size, a.data);
	sha1_update(&sha1, b.size, b.data);
	sha1_digest(&sha1, sizeof(digest), digest);
	write_base32(digest, text);
	buffer_printf(&draft->bytes, "%s: sha1:%s\r\n", name, text);
}

static void warc_draft_begin(struct warc_draft *draft, const char *type,
			     const uint64_t identity[2], uint64_t time_ms)
{
	buffer_append_text(&draft->bytes, "WARC/1.1\r\n");
	warc_draft_add_text(draft, "WARC-Type", type);
	add_id(draft, "WARC-Record-ID", identity);
	add_date(draft, "WARC-Date", time_ms);
}

/*
 * Append the finished record to `out`, compressed unless is_plain is set, and
 * free the draft.
 */
static void warc_draft_end(struct warc_draft *draft, const char *media_type,
			   struct buffer *out)
{
	warc_draft_add_text(draft, "Content-Type", media_type);
	add_digest(draft, "WARC-Block-Digest", draft->block, draft->more);
	buffer_printf(&draft->bytes, "Content-Length: %zu\r\n\r\n",
		      draft->block.size + draft->more.size);
	buffer_append_slice(&draft->bytes, draft->block);
	buffer_append_slice(&draft->bytes, draft->more);
	buffer_append_text(&draft->bytes, "\r\n\r\n");
	if (draft->is_plain)
		buffer_append_slice(out, buffer_slice(&draft->bytes));
	else
		gzip_append(buffer_slice(&draft->bytes), out);
	buffer_free(&draft->bytes);
}

void warc_write_info(const struct warc_info *info, struct buffer *out)
{
	struct warc_draft fields = {0};
	struct warc_draft draft = {.is_plain = info->is_plain};

	warc_draft_add_field(&fields, "software", info->software);
	warc_draft_add_text(&fields, "format", "WARC File Format 1.1");
	warc_draft_add_text(
		&fields, "conformsTo",
		"http://iipc.github.io/warc-specifications/specifications/"
		"warc-format/warc-1.1/");
	warc_draft_add_text(&fields, "robots", info->robots);
	warc_draft_begin(&draft, "warcinfo", info->identity, info->time_ms);
	warc_draft_add_field(&draft, "WARC-Filename", info->file);
	draft.block = buffer_slice(&fields.bytes);
	warc_draft_end(&draft, "application/warc-fields", out);
	buffer_free(&fields.bytes);
}

/*
 * Return whether the header describes the transferred body; the archive
 * contains the decoded body.
 */
static bool is_of_transfer(struct slice line)
{
	return header_value(line, "Content-Encoding").data != NULL ||
	       header_value(line, "Transfer-Encoding").data != NULL ||
	       header_value(line, "Content-Length").data != NULL;
}

/*
 * Copy the status line. libcurl writes the status line of HTTP/2 and later
 * itself. Convert it to HTTP/1.1, because a record of type application/http
 * must not have another version.
 */
static void copy_status(struct slice line, struct buffer *head)
{
	const char *bytes = line.data;

	if (line.size > 6 && memcmp(bytes, "HTTP/", 5) == 0 &&
	    (bytes[5] == '2' || bytes[5] == '3')) {
		const char *blank = memchr(bytes, ' ', line.size);
		size_t size =
			blank == NULL ? line.size : (size_t)(blank - bytes);

		buffer_append_text(head, "HTTP/1.1");
		bytes += size;
		line.size -= size;
	}
	buffer_append(head, bytes, line.size);
	buffer_append_text(head, "\r\n");
}

/*
 * Copy the head of the response in its archived form, with a blank line at its
 * end.
 */
static void copy_head(const struct warc_exchange *exchange, struct buffer *head)
{
	struct slice rest = exchange->headers;
	struct slice line = line_take(&rest);

	copy_status(line, head);
	while (line = line_take(&rest), line.size > 0) {
		if (is_of_transfer(line))
			buffer_append_text(head, "X-Archive-Orig-");
		buffer_append_slice(head, line);
		buffer_append_text(head, "\r\n");
	}
	if (!exchange->is_revisit)
		buffer_printf(head, "Content-Length: %zu\r\n",
			      exchange->body.size);
	buffer_append_text(head, "\r\n");
}

/*
 * Add the fields of a revisit record: the record that it refers to, and its
 * profile.
 */
static void add_revisit(struct warc_draft *draft,
			const struct warc_exchange *exchange)
{
	struct http_message message;
	bool is_unmodified = http_message_parse(exchange->headers, &message) &&
			     message.status == NOT_MODIFIED;

	warc_draft_add_text(draft, "WARC-Profile",
			    is_unmodified ? PROFILE "server-not-modified"
					  : PROFILE "identical-payload-digest");
	warc_draft_add_field(draft, "WARC-Refers-To-Target-URI", exchange->url);
	if (exchange->revisit_ms != 0)
		add_date(draft, "WARC-Refers-To-Date", exchange->revisit_ms);
	if (!is_unmodified)
		add_digest(draft, "WARC-Payload-Digest", exchange->body,
			   (struct slice){0});
}

static void warc_write_response(const struct warc_exchange *exchange,
				struct buffer *out)
{
	struct warc_draft draft = {0};
	struct buffer head = {0};

	copy_head(exchange, &head);
	warc_draft_begin(&draft, exchange->is_revisit ? "revisit" : "response",
			 exchange->identity, exchange->time_ms);
	warc_draft_add_field(&draft, "WARC-Target-URI", exchange->url);
	warc_draft_add_field(&draft, "WARC-IP-Address", exchange->address);
	draft.block = buffer_slice(&head);
	if (exchange->is_revisit) {
		add_revisit(&draft, exchange);
	} else {
		add_digest(&draft, "WARC-Payload-Digest", exchange->body,
			   (struct slice){0});
		if (exchange->is_cut)
			warc_draft_add_text(&draft, "WARC-Truncated",
					    exchange->cut_reason);
		draft.more = exchange->body;
	}
	warc_draft_end(&draft, MEDIA_TYPE_RESPONSE, out);
	buffer_free(&head);
}

static void write_request(const struct warc_exchange *exchange,
			  struct buffer *out)
{
	/*
	 * Derive a second identity from the first one by a constant. It is
	 * unique, because identities are random.
	 */
	const uint64_t identity[2] = {
		exchange->identity[0],
		exchange->identity[1] ^ UINT64_C(0x2545F4914F6CDD1D),
	};
	struct warc_draft draft = {0};
	struct slice request = exchange->request;
	const char *bytes = request.data;

	while (request.size > 0 && (bytes[request.size - 1] == '\n' ||
				    bytes[request.size - 1] == '\r'))
		request.size--;
	warc_draft_begin(&draft, "request", identity, exchange->time_ms);
	warc_draft_add_field(&draft, "WARC-Target-URI", exchange->url);
	add_id(&draft, "WARC-Concurrent-To", exchange->identity);
	draft.block = request;
	draft.more = slice_of("\r\n\r\n");
	warc_draft_end(&draft, MEDIA_TYPE_REQUEST, out);
}

void warc_write_exchange(const struct warc_exchange *exchange,
			 struct buffer *out)
{
	warc_write_response(exchange, out);
	if (exchange->request.size > 0)
		write_request(exchange, out);
}

void warc_visit_identity(struct slice url, uint64_t time_ms,
			 uint64_t identity_out[2])
{
	identity_out[0] = hash64(url.data, url.size, time_ms);
	identity_out[1] = hash64(url.data, url.size, ~time_ms);
}

void warc_write_conversion(const struct warc_conversion *conversion,
			   struct buffer *out)
{
	const bool has_failed = conversion->error != NULL;
	struct warc_draft fields = {0};
	struct warc_draft draft = {
		.block = conversion->text,
		.is_plain = conversion->is_plain,
	};
	uint64_t source[2];

	if (has_failed) {
		warc_draft_add_text(&fields, "error", conversion->error);
		warc_draft_add_field(&fields, "message", conversion->text);
		draft.block = buffer_slice(&fields.bytes);
	}
	warc_draft_begin(&draft, has_failed ? "metadata" : "conversion",
			 conversion->identity, conversion->time_ms);
	warc_draft_add_field(&draft, "WARC-Target-URI", conversion->url);
	if (conversion->source_ms != 0) {
		warc_visit_identity(conversion->url, conversion->source_ms,
				    source);
		add_id(&draft, "WARC-Refers-To", source);
	}
	warc_draft_add_field(&draft, "Templated-Sequence",
			     conversion->sequence);
	warc_draft_end(&draft,
		       has_failed ? "application/warc-fields"
				  : conversion->media_type,
		       out);
	buffer_free(&fields.bytes);
}
