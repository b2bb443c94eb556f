/*
 * Extraction from many uploaded pages in one request. The server sends the
 * response after it has read the body, because libmicrohttpd 0.9.75 can queue a
 * response only before the body, which it then refuses, or after it. Until then
 * the lines of the response are in an unnamed file. The body is read no faster
 * than the workers extract its pages.
 */
#include "daemon/api/api_call.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "crawl/url.h"
#include "daemon/api/api_question.h"
#include "daemon/api/asking.h"
#include "daemon/api/batch_input.h"
#include "daemon/query/page_answer.h"
#include "daemon/query/text_form.h"
#include "daemon/runtime/ordered.h"

enum {
	WINDOW = 64,               /* pages in progress */
	MAX_HELD_BYTES = 16 << 20, /* bytes, plus a page per thread */
	SPOOL_BYTES = 256 * 1024,  /* bytes per write to the file */
	MAX_ANSWER_BYTES = 1 << 30,
};

/* A page in progress. */
struct batch_item {
	struct batch_page page;
	struct buffer line; /* its result line, when done */
	bool has_failed;
};

struct batch_request {
	struct ordered_queue *ordered;
	int spool;
	uint64_t size;       /* bytes in the spool file */
	struct buffer lines; /* not yet written to the file */
	uint64_t pages;
	uint64_t failed;   /* pages that failed; plus 1 for the line that states
			      why the batch stopped */
	uint64_t position; /* of the last page */
	enum error end;    /* error of the input */
	enum error error;  /* error of the response */
	bool is_full;      /* the response has reached MAX_ANSWER_BYTES */
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

/* Extract the page; `answer` gets the reason of an error. */
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

/* Write the pending lines to the file. ERR_STORE_FULL, ERR_IO. */
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

/* Append the final line, which states why the batch stopped. */
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

/* Wait for the first page and append its line. */
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

/* A batch_take. Queue the page. */
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

/* Return whether the client has disconnected. */
static bool is_lost(const struct batch_request *run)
{
	return run->end == ERR_NETWORK || run->end == ERR_TIMEOUT ||
	       run->end == ERR_STOPPED;
}

static enum error batch_read_body(void *context, char *out, size_t capacity,
				  size_t *size_out)
{
	return http_body_read(context, out, capacity, size_out);
}

/* Read the pages and queue them for extraction. */
static enum error batch_read_pages(struct call *call, struct batch_request *run)
{
	const struct batch_source source = {
		.read = batch_read_body,
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

/* Run the whole batch; its lines go to the file. */
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
	const char *content = http_argument(call->exchange, "content");
	struct text_params question = {0};

	if (text_params_read_as(call, "content", content, &question))
		verdict = answer_batch(call, &question);
	free(question.parameter_text);
	return verdict;
}
