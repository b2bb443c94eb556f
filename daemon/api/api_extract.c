#include "daemon/api/api_extract.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "crawl/http_message.h"
#include "crawl/url/host.h"
#include "crawl/url/url.h"
#include "daemon/api/api.h"
#include "daemon/api/api_forward.h"
#include "daemon/api/api_text.h"
#include "daemon/api/auth.h"
#include "daemon/engine/ingest.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/query/stored_text.h"
#include "daemon/query/text_export.h"
#include "daemon/runtime/thread.h"
#include "template/version_json.h"

enum { BLOCK_BYTES = 64 * 1024 };

struct batch_input {
	warc_source *source;
	void *context;
	struct batch_limits limits;
	struct buffer pending; /* bytes that were read from the source */
	size_t taken;          /* how many bytes of `pending` were used */
	bool is_over;          /* the source has ended */
	bool is_known;         /* the format is known: `is_archive` is set */
	bool is_archive;
	uint64_t position;
	batch_take *take;
	void *take_context;
	bool is_enough; /* take() has returned false, so reading stops */
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

/* Read more bytes from the source and append them to `pending`. */
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

/*
 * A warc_source that returns the pending bytes first, then the rest of the
 * source.
 */
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
 * Detect the format: if the first byte that is not blank begins a JSON object,
 * the input is JSON lines, otherwise an archive.
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
 * Read the member `name` as text; "" if it is missing. Return false if it is
 * not a text.
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
 * Find the next line. LINE_WHOLE: *line_out is the line without its end; it is
 * valid until the next read. LINE_FAILED: *error_out is the error. The rest of
 * a line that is too long is skipped.
 */
static enum line_kind find_line(struct batch_input *input,
				struct slice *line_out, enum error *error_out)
{
	bool is_long = false;
	size_t seen = 0; /* bytes from the start of `pending` that contain no
			    line end */

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

/*
 * Extraction from many uploaded pages in one request. The server sends the
 * response only after it has read the whole body: libmicrohttpd 0.9.75 can
 * queue a response before the body, which it then does not read, or after the
 * body. Until then the lines of the response are in an unnamed file. The server
 * reads the body only as fast as the workers extract its pages.
 */

enum {
	WINDOW = 64,               /* maximum number of pages in progress */
	MAX_HELD_BYTES = 16 << 20, /* maximum bytes of the pages in progress;
				      each thread may hold another page */
	/* bytes that are written to the file at once */
	SPOOL_BYTES = 256 * 1024,
	MAX_ANSWER_BYTES = 1 << 30,
};

/* A page in progress. */
struct batch_item {
	struct batch_page page;
	struct buffer line; /* line of the response, after the extraction */
	bool has_failed;
};

struct batch_request {
	struct ordered_queue *ordered;
	int spool;
	uint64_t size;       /* bytes of the spool file */
	struct buffer lines; /* lines that are not in the file yet */
	uint64_t pages;
	uint64_t failed; /* pages that failed; the line that states why the
			    batch stopped counts as another one */
	/* position of the last page whose line was appended */
	uint64_t position;
	enum error end;   /* error that ended the reading of the input */
	enum error error; /* error of the response */
	bool is_full;     /* the response has MAX_ANSWER_BYTES or more */
};

static size_t batch_item_bytes(const void *memory)
{
	const struct batch_item *item = memory;

	return item->page.body.size + item->line.size;
}

static void batch_item_destroy(void *memory)
{
	struct batch_item *item = memory;

	batch_page_free(&item->page);
	buffer_free(&item->line);
	free(item);
}

/*
 * Extract the content of the page. After an error answer->reason has its text.
 */
static enum error batch_extract_page(const struct shared_request *asking,
				     const struct batch_page *page,
				     struct text_result *answer)
{
	const struct api *api = asking->call.api;
	struct text_request request = asking->question->request;
	enum error error = page->error;
	unsigned tries = 0;
	bool is_tried;
	struct url url;

	snprintf(answer->reason, sizeof(answer->reason), "%s", page->reason);
	if (error != ERR_NONE)
		return error;
	if (page->url[0] != '\0') {
		error = url_parse(&url, slice_of(page->url), NULL);
		request.url = &url;
	}
	if (error == ERR_NONE &&
	    page->body.size > asking->rules.limits.max_bytes)
		error = ERR_TOO_LARGE;
	request.body = buffer_slice(&page->body);
	request.charset = slice_of(page->charset);
	is_tried = error == ERR_NONE;
	while (is_tried) {
		buffer_free(&answer->body);
		error = submitted_text_get(api->pool, api->store,
					   &asking->rules, &request, answer);
		is_tried = shared_request_should_retry(error, &tries);
	}
	shared_request_set_reason(error, answer);
	return error;
}

static void batch_process_item(void *context, void *memory)
{
	const struct shared_request *asking = context;
	struct batch_item *item = memory;
	struct text_result answer = {.confidence = NAN};
	enum error error = batch_extract_page(asking, &item->page, &answer);

	item->has_failed = shared_request_has_failed(error);
	text_export_append(TEXT_EXPORT_JSON_LINES,
			   &(struct text_export_row){
				   .position = item->page.position,
				   .url = item->page.url,
				   .format = asking->question->request.format,
				   .error = error,
				   .answer = &answer,
			   },
			   &item->line);
	buffer_free(&answer.body);
	buffer_free(&item->page.body);
}

static void end_asking(void *context)
{
	shared_request_end(context);
	free(context);
}

static enum error open_run(const struct call *call,
			   const struct text_params *question,
			   struct ordered_queue **ordered_out)
{
	struct shared_request *asking = mem_alloc(1, sizeof(*asking));
	struct ordered_queue_options options = {
		.threads = call_threads(call),
		.window = WINDOW,
		.max_bytes = MAX_HELD_BYTES,
		.work = batch_process_item,
		.size = batch_item_bytes,
		.discard = batch_item_destroy,
		.end = end_asking,
		.context = asking,
	};
	enum error error;

	shared_request_begin(asking, call, question);
	error = ordered_queue_open(ordered_out, &options);
	if (error != ERR_NONE)
		end_asking(asking);
	return error;
}

/* Write `lines` to the spool file and clear them. ERR_STORE_FULL, ERR_IO. */
static enum error write_lines(struct batch_request *run)
{
	size_t done = 0;

	while (done < run->lines.size) {
		ssize_t size = write(run->spool, run->lines.data + done,
				     run->lines.size - done);

		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0)
			return errno == ENOSPC || errno == EDQUOT
				       ? ERR_STORE_FULL
				       : ERR_IO;
		done += (size_t)size;
	}
	run->size += done;
	buffer_clear(&run->lines);
	return ERR_NONE;
}

/* Append the last line, which states why the batch stopped. */
static void add_error(struct batch_request *run, enum error error,
		      const char *reason)
{
	struct text_result answer = {.confidence = NAN};

	run->failed++;
	snprintf(answer.reason, sizeof(answer.reason), "%s", reason);
	shared_request_set_reason(error, &answer);
	text_export_append(
		TEXT_EXPORT_JSON_LINES,
		&(struct text_export_row){.position = run->position + 1,
					  .url = "",
					  .error = error,
					  .answer = &answer},
		&run->lines);
}

/* Wait until the first page in the queue is extracted, and append its line. */
static enum error take_one(struct batch_request *run)
{
	struct batch_item *item =
		ordered_queue_take(run->ordered, UINT64_MAX / 2);
	enum error error = ERR_NONE;

	if (item == NULL)
		return ERR_NONE;
	run->position = item->page.position;
	run->pages++;
	run->failed += item->has_failed;
	buffer_append_slice(&run->lines, buffer_slice(&item->line));
	batch_item_destroy(item);
	if (run->lines.size >= SPOOL_BYTES)
		error = write_lines(run);
	run->is_full = run->size + run->lines.size >= MAX_ANSWER_BYTES;
	return error;
}

static enum error batch_free_slot(struct batch_request *run)
{
	enum error error = ERR_NONE;

	while (error == ERR_NONE && !ordered_queue_is_not_full(run->ordered))
		error = take_one(run);
	return error;
}

/* The batch_take: queue the page for extraction. */
static bool batch_run_put_page(void *context, struct batch_page *page)
{
	struct batch_request *run = context;
	struct batch_item *item;

	run->error = batch_free_slot(run);
	if (run->error != ERR_NONE)
		return false;
	item = mem_alloc(1, sizeof(*item));
	item->page = *page;
	*page = (struct batch_page){0};
	ordered_queue_put(run->ordered, item);
	return !run->is_full;
}

/*
 * Return whether the input ended because the client has disconnected or sent
 * nothing for too long, or because the server stops.
 */
static bool is_lost(const struct batch_request *run)
{
	return run->end == ERR_NETWORK || run->end == ERR_TIMEOUT ||
	       run->end == ERR_STOPPED;
}

/* The warc_source: read the body of the exchange `context`. */
static enum error upload_read(void *context, char *out, size_t capacity,
			      size_t *size_out)
{
	return http_body_read(context, out, capacity, size_out);
}

/* Read all pages of the body and queue them for extraction. */
static enum error batch_read_pages(struct call *call, struct batch_request *run)
{
	const struct batch_source source = {
		.read = upload_read,
		.context = call->exchange,
		.limits = batch_limits_for(call->config->max_body_bytes),
	};
	char reason[BATCH_REASON_BYTES];
	enum error error;

	run->end = batch_input_read(&source, call->api->unpackers,
				    batch_run_put_page, run, reason);
	error = run->error;
	if (error == ERR_NONE && is_lost(run))
		error = run->end;
	while (error == ERR_NONE && !run->is_full &&
	       !ordered_queue_is_empty(run->ordered))
		error = take_one(run);
	if (run->is_full)
		add_error(run, ERR_TOO_LARGE,
			  "the response has reached its limit of 1 GiB");
	else if (run->end != ERR_NONE)
		add_error(run, run->end, reason);
	return error == ERR_NONE ? write_lines(run) : error;
}

/*
 * Run the whole batch. The lines of the response are in the spool file and in
 * run->lines.
 */
static enum error batch_run_all(struct call *call,
				const struct text_params *question,
				struct batch_request *run)
{
	enum error error = open_run(call, question, &run->ordered);

	if (error != ERR_NONE)
		return error;
	error = batch_read_pages(call, run);
	ordered_queue_close(run->ordered);
	buffer_free(&run->lines);
	return error;
}

static enum http_verdict answer_batch(struct call *call,
				      const struct text_params *question)
{
	struct batch_request run = {.spool =
					    store_spool_file(call->api->store)};
	enum error error = ERR_IO;
	char failed[24];

	if (run.spool >= 0)
		error = batch_run_all(call, question, &run);
	if (error == ERR_NONE) {
		log_info("batch: %llu pages, %llu failed, %llu bytes of "
			 "response",
			 (unsigned long long)run.pages,
			 (unsigned long long)run.failed,
			 (unsigned long long)run.size);
		snprintf(failed, sizeof(failed), "%llu",
			 (unsigned long long)run.failed);
		http_add_header(call->exchange, SHARED_REQUEST_FAILED_HEADER,
				failed);
		http_reply_file(call->exchange, 200, "application/x-ndjson",
				run.spool, run.size);
		return HTTP_ANSWERED;
	}
	if (run.spool >= 0)
		close(run.spool);
	return call_fail_with(call, error, "the batch");
}

enum http_verdict api_post_batch(struct call *call)
{
	enum http_verdict verdict = HTTP_ANSWERED;
	const char *content = call_argument(call, "content");
	struct text_params question = {0};

	if (text_params_read_as(call, "content", content, &question))
		verdict = answer_batch(call, &question);
	free(question.parameter_text);
	return verdict;
}

/* POST /v1/ingest: import archives that clients upload. */

static json_t *errors_json(const struct ingest_report *report)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < report->error_count; i++) {
		const struct ingest_error *error = &report->errors[i];

		json_array_append_new(
			rows,
			json_pack("{s:I, s:o, s:s, s:o}", "offset",
				  (json_int_t)error->offset, "url",
				  json_text_or_null(slice_of(error->url)),
				  "error", error_code(error->error), "message",
				  json_text(slice_of(error->message))));
	}
	return rows;
}

static void add_hosts(json_t *rows, const struct host_tally *tally,
		      const char *error)
{
	for (size_t i = 0; i < tally->count; i++)
		json_array_append_new(
			rows, json_pack("{s:s, s:I, s:s}", "host",
					tally->rows[i].host, "pages",
					(json_int_t)tally->rows[i].pages,
					"error", error));
}

static json_t *skipped_json(const struct ingest_report *report)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "not-html",
			 (json_int_t)report->not_html, "error-status",
			 (json_int_t)report->error_status, "other",
			 (json_int_t)report->other, "other-host",
			 (json_int_t)report->other_host, "no-site",
			 (json_int_t)report->no_site.pages);
}

static json_t *ingest_report_json(const struct ingest_report *report)
{
	/* the hosts whose pages were not imported */
	json_t *hosts = json_array();

	add_hosts(hosts, &report->no_site, "no_site");
	add_hosts(hosts, &report->over_limit, "too_large");
	return json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:o, s:o, "
		"s:b, s:o}",
		"bytes", (json_int_t)report->bytes, "records",
		(json_int_t)report->records, "pages", (json_int_t)report->pages,
		"cut", (json_int_t)report->cut, "revisits",
		(json_int_t)report->revisits, "redirects",
		(json_int_t)report->redirects, "kept", (json_int_t)report->kept,
		"skipped", skipped_json(report), "rejected",
		(json_int_t)report->refused, "new_sites",
		(json_int_t)report->new_sites, "hosts", hosts, "errors",
		errors_json(report), "complete", report->end == ERR_NONE,
		"reason", json_text_or_null(slice_of(report->reason)));
}

static void log_report(const struct ingest_report *report)
{
	log_info("ingest: %" PRIu64 " bytes, %" PRIu64 " records, %" PRIu64
		 " pages, %" PRIu64 " kept, %" PRIu64 " rejected, %" PRIu64
		 " new sites",
		 report->bytes, report->records, report->pages, report->kept,
		 report->refused, report->new_sites);
	if (report->no_site.pages > 0)
		log_info("ingest: skipped %" PRIu64
			 " pages of unknown sites: %s%s",
			 report->no_site.pages, report->no_site.rows[0].host,
			 report->no_site.count > 1 ? " and others" : "");
	if (report->over_limit.pages > 0)
		log_info("ingest: rejected %" PRIu64
			 " pages: the limit crawl.max_sites is reached: %s%s",
			 report->over_limit.pages,
			 report->over_limit.rows[0].host,
			 report->over_limit.count > 1 ? " and others" : "");
	if (report->end != ERR_NONE)
		log_warn_limited(
			"ingest: stopped before the end of the archive: %s: %s",
			error_text(report->end), report->reason);
}

/* State while the arguments `host`, which are patterns of hosts, are parsed. */
struct host_reader {
	struct host_globs *globs;
	bool is_right;
};

static bool read_host(void *context, const char *value)
{
	struct host_reader *reader = context;

	reader->is_right = host_globs_add(reader->globs, slice_of(value));
	return reader->is_right;
}

/*
 * Read the options of the request. If one is invalid, respond with the error
 * and return false.
 */
static bool ingest_read_options(struct call *call, struct host_globs *globs,
				struct ingest_options *options)
{
	struct host_reader reader = {globs, true};
	uint64_t max_new = call->config->max_ingested_sites;
	uint64_t replaces;

	if (!call_number(call, "new_sites", max_new, UINT32_MAX,
			 &options->max_new_sites) ||
	    !call_number(call, "replace", 0, 1, &replaces))
		return false;
	if (options->max_new_sites > max_new)
		options->max_new_sites = max_new;
	options->replaces = replaces != 0;
	http_each_argument(call->exchange, "host", read_host, &reader);
	if (!reader.is_right)
		(void)call_fail(call, 400, "bad_request",
				"host: a list of at most %d hosts, with * for "
				"any characters",
				MAX_HOST_GLOBS);
	return reader.is_right;
}

static enum http_verdict ingest_body(struct call *call,
				     struct ingest_options *options)
{
	struct forward_ingest *hand_on = forward_ingest_begin(call, options);
	struct ingest_report report;
	enum http_verdict verdict;

	options->take = hand_on == NULL ? NULL : forward_ingest_add;
	options->context = hand_on;
	ingest(call->api->pipeline, upload_read, call->exchange, options,
	       &report);
	forward_ingest_end(hand_on, &report);
	log_report(&report);
	verdict = call_reply_json(call, 200, ingest_report_json(&report));
	ingest_report_free(&report);
	return verdict;
}

enum http_verdict api_post_ingest(struct call *call)
{
	struct host_globs *globs = mem_alloc(1, sizeof(*globs));
	struct ingest_options options = {
		.max_body_bytes = call->config->max_body_bytes,
		.unpackers = call->api->unpackers,
		.hosts = globs,
	};
	enum http_verdict verdict = HTTP_ANSWERED;

	if (ingest_read_options(call, globs, &options))
		verdict = ingest_body(call, &options);
	host_globs_free(globs);
	free(globs);
	return verdict;
}
