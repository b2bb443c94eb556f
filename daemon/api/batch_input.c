#include "daemon/api/batch_input.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "crawl/header.h"
#include "daemon/api/base64.h"
#include "daemon/privsep/unpacking.h"

enum { BLOCK_BYTES = 64 * 1024 };

struct batch_input {
	warc_source *source;
	void *context;
	struct batch_limits limits;
	struct buffer pending; /* bytes read from the source */
	size_t taken;          /* bytes of `pending` that were used */
	bool is_over;          /* the source has ended */
	bool is_known;         /* `is_archive` is set */
	bool is_archive;
	uint64_t position;
	batch_take *take;
	void *take_context;
	bool is_enough; /* take() returned false */
};

void batch_page_free(struct batch_page *page)
{
	free(page->url);
	buffer_free(&page->body);
	*page = (struct batch_page){0};
}

struct batch_limits batch_limits_for(size_t max_body_bytes)
{
	return (struct batch_limits){
		.body_bytes = max_body_bytes,
		.line_bytes = 2 * max_body_bytes + BLOCK_BYTES,
		.blank_bytes = BLOCK_BYTES,
	};
}

static struct slice batch_input_pending(const struct batch_input *input)
{
	if (input->pending.size == input->taken)
		return slice_of("");
	return (struct slice){input->pending.data + input->taken,
			      input->pending.size - input->taken};
}

/* Read more bytes and append them to `pending`. */
static enum error read_more(struct batch_input *input)
{
	struct buffer *bytes = &input->pending;
	size_t size = 0;
	enum error error;

	if (input->taken > 0) {
		memmove(bytes->data, bytes->data + input->taken,
			bytes->size - input->taken);
		bytes->size -= input->taken;
		input->taken = 0;
	}
	error = input->source(input->context,
			      buffer_reserve(bytes, BLOCK_BYTES), BLOCK_BYTES,
			      &size);
	bytes->size += size;
	input->is_over = error == ERR_NONE && size == 0;
	return error;
}

/* A warc_source: the pending bytes, then the rest. */
static enum error batch_input_read_archive(void *context, char *out,
					   size_t capacity, size_t *size_out)
{
	struct batch_input *input = context;
	struct slice bytes = batch_input_pending(input);
	size_t size = bytes.size < capacity ? bytes.size : capacity;

	if (size == 0)
		return input->source(input->context, out, capacity, size_out);
	memcpy(out, bytes.data, size);
	input->taken += size;
	*size_out = size;
	return ERR_NONE;
}

static bool batch_input_is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/*
 * Detect the format: input that begins with an object is JSON lines; other
 * input is an archive.
 */
static enum error batch_input_detect_format(struct batch_input *input)
{
	const size_t max_blank = input->limits.blank_bytes;
	enum error error = ERR_NONE;

	while (!input->is_known && error == ERR_NONE && !input->is_over) {
		struct slice bytes = batch_input_pending(input);
		size_t i = 0;

		while (i < bytes.size && i <= max_blank &&
		       batch_input_is_blank(slice_byte(bytes, i)))
			i++;
		input->is_known = i < bytes.size || i > max_blank;
		if (!input->is_known)
			error = read_more(input);
		else
			input->is_archive =
				i > max_blank || slice_byte(bytes, i) != '{';
	}
	return error;
}

static void batch_page_set_error(struct batch_page *page, enum error error,
				 const char *reason)
{
	page->error = error;
	snprintf(page->reason, sizeof(page->reason), "%s", reason);
}

/*
 * Read the member as text; "" if it is missing. Return false if it is not text.
 */
static bool batch_input_read_member(const json_t *object, const char *name,
				    struct slice *text_out)
{
	const json_t *value = json_object_get(object, name);

	*text_out = slice_of("");
	if (value == NULL || json_is_null(value))
		return true;
	*text_out = (struct slice){json_string_value(value),
				   json_string_length(value)};
	return json_is_string(value);
}

static void read_object(const json_t *object, struct batch_page *page)
{
	struct slice url;
	struct slice html;
	struct slice body;
	struct slice charset;

	if (!batch_input_read_member(object, "url", &url) ||
	    !batch_input_read_member(object, "html", &html) ||
	    !batch_input_read_member(object, "body", &body) ||
	    !batch_input_read_member(object, "charset", &charset)) {
		batch_page_set_error(
			page, ERR_MALFORMED,
			"url, html, body and charset must be texts");
		return;
	}
	page->url = mem_copy_text(url.data, url.size);
	if ((html.size == 0) == (body.size == 0)) {
		batch_page_set_error(
			page, ERR_MALFORMED,
			"the page is missing: \"html\", or \"body\" in base64");
	} else if (html.size > 0) {
		buffer_append_slice(&page->body, html);
		snprintf(page->charset, sizeof(page->charset), "utf-8");
	} else if (!base64_read(body, &page->body)) {
		batch_page_set_error(page, ERR_MALFORMED,
				     "\"body\" is not base64");
	} else {
		snprintf(page->charset, sizeof(page->charset), "%.*s",
			 (int)(charset.size < 31 ? charset.size : 31),
			 (const char *)charset.data);
	}
}

static void batch_input_read_line(struct slice line, struct batch_page *page)
{
	json_error_t error;
	json_t *object = json_loadb(line.data, line.size,
				    JSON_REJECT_DUPLICATES, &error);

	if (json_is_object(object))
		read_object(object, page);
	else
		batch_page_set_error(page, ERR_MALFORMED,
				     object == NULL ? error.text
						    : "not a JSON object");
	json_decref(object);
}

enum line_kind { LINE_WHOLE, LINE_TOO_LONG, LINE_END, LINE_FAILED };

/*
 * Find the next line. LINE_WHOLE sets *line_out to the line without its end; it
 * stays valid until the next read. LINE_FAILED sets *error_out. Lines that are
 * too long are skipped.
 */
static enum line_kind find_line(struct batch_input *input,
				struct slice *line_out, enum error *error_out)
{
	bool is_long = false;
	size_t seen = 0; /* pending bytes that contain no line end */

	*line_out = slice_of("");
	for (;;) {
		struct slice bytes = batch_input_pending(input);
		const char *begin = bytes.data;
		const char *end =
			bytes.size == seen
				? NULL
				: memchr(begin + seen, '\n', bytes.size - seen);
		bool is_last = end == NULL && input->is_over;
		size_t size = end == NULL ? bytes.size : (size_t)(end - begin);

		is_long = is_long || size > input->limits.line_bytes;
		if (is_last && size == 0)
			return is_long ? LINE_TOO_LONG : LINE_END;
		if (end != NULL || is_last) {
			input->taken += size + !is_last;
			if (is_long)
				return LINE_TOO_LONG;
			*line_out = (struct slice){begin, size};
			return LINE_WHOLE;
		}
		if (is_long)
			input->taken += size;
		seen = is_long ? 0 : size;
		*error_out = read_more(input);
		if (*error_out != ERR_NONE)
			return LINE_FAILED;
	}
}

static bool batch_input_line_is_empty(struct slice line)
{
	size_t i = 0;

	while (i < line.size && batch_input_is_blank(slice_byte(line, i)))
		i++;
	return i == line.size;
}

static void give_page(struct batch_input *input, struct batch_page *page)
{
	if (page->url == NULL)
		page->url = mem_copy_text("", 0);
	page->position = input->position;
	input->is_enough = !input->take(input->take_context, page);
	batch_page_free(page);
}

static enum error batch_input_read_lines(struct batch_input *input)
{
	enum error error = ERR_NONE;
	struct slice line;
	enum line_kind kind;

	while (!input->is_enough &&
	       (kind = find_line(input, &line, &error)) != LINE_END &&
	       kind != LINE_FAILED) {
		struct batch_page page = {0};

		input->position++;
		if (kind == LINE_WHOLE && batch_input_line_is_empty(line))
			continue;
		if (kind == LINE_WHOLE)
			batch_input_read_line(line, &page);
		else
			batch_page_set_error(&page, ERR_TOO_LARGE,
					     "the line is too long");
		give_page(input, &page);
	}
	return error;
}

static bool batch_input_is_page(const struct warc_record *record)
{
	return record->error != ERR_NONE ||
	       (record->kind != WARC_OTHER && record->kind != WARC_REVISIT &&
		record->http_status >= 200 && record->http_status < 300 &&
		header_is_html(slice_of(record->content_type)));
}

static enum error batch_input_take_record(void *context,
					  const struct warc_record *record)
{
	struct batch_input *input = context;
	struct batch_page page = {0};

	input->position++;
	if (!batch_input_is_page(record))
		return ERR_NONE;
	page.url = mem_copy_text(record->url, strlen(record->url));
	memcpy(page.charset, record->charset, sizeof(page.charset));
	if (record->error != ERR_NONE)
		batch_page_set_error(&page, record->error, record->reason);
	else
		buffer_append_slice(&page.body, record->body);
	give_page(input, &page);
	return input->is_enough ? ERR_STOPPED : ERR_NONE;
}

static enum error batch_input_read_records(struct batch_input *input,
					   struct worker_pool *unpackers,
					   char *reason)
{
	const struct unpacking unpacking = {
		.source = batch_input_read_archive,
		.source_context = input,
		.max_body_bytes = input->limits.body_bytes,
		.take = batch_input_take_record,
		.context = input,
	};
	struct unpacking_end end;

	worker_pool_unpack(unpackers, &unpacking, &end);
	if (input->is_enough)
		return ERR_NONE;
	if (end.error != ERR_NONE)
		snprintf(reason, BATCH_REASON_BYTES, "%s", end.reason);
	return end.error;
}

enum error batch_input_read(const struct batch_source *source,
			    struct worker_pool *unpackers, batch_take *take,
			    void *context, char *reason_out)
{
	struct batch_input input = {
		.source = source->read,
		.context = source->context,
		.limits = source->limits,
		.take = take,
		.take_context = context,
	};
	enum error error;

	reason_out[0] = '\0';
	error = batch_input_detect_format(&input);
	if (error == ERR_NONE && input.is_archive)
		error = batch_input_read_records(&input, unpackers, reason_out);
	else if (error == ERR_NONE && input.is_known)
		error = batch_input_read_lines(&input);
	buffer_free(&input.pending);
	return error;
}
