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
struct item {
	struct batch_page page;
	struct buffer line; /* its result line, when done */
	bool has_failed;
};

struct batch_run {
	struct ordered *ordered;
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

static size_t size_of(const void *memory)
{
	const struct item *item = memory;

	return item->page.body.size + item->line.size;
}

static void discard(void *memory)
{
	struct item *item = memory;

	batch_page_free(&item->page);
	buffer_free(&item->line);
	free(item);
}

/* Extract the page; `answer` gets the reason of an error. */
static enum error answer_page(const struct asking *asking,
			      const struct batch_page *page,
			      struct page_answer *answer)
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
		error = page_answer_given(api->pool, api->store, &asking->rules,
					  &request, answer);
		is_tried = asking_tries_again(error, &tries);
	}
	asking_explain(error, answer);
	return error;
}

static void work(void *context, void *memory)
{
	const struct asking *asking = context;
	struct item *item = memory;
	struct page_answer answer = {.confidence = NAN};
	enum error error = answer_page(asking, &item->page, &answer);

	item->has_failed = asking_has_failed(error);
	text_form_append(TEXT_FORM_JSON_LINES,
			 &(struct told_text){
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
	asking_end(context);
	free(context);
}

static enum error open_run(const struct call *call,
			   const struct question *question,
			   struct ordered **ordered_out)
{
	struct asking *asking = mem_alloc(1, sizeof(*asking));
	struct ordered_options options = {
		.threads = call_threads(call),
		.window = WINDOW,
		.max_bytes = MAX_HELD_BYTES,
		.work = work,
		.size = size_of,
		.discard = discard,
		.end = end_asking,
		.context = asking,
	};
	enum error error;

	asking_begin(asking, call, question);
	error = ordered_open(ordered_out, &options);
	if (error != ERR_NONE)
		end_asking(asking);
	return error;
}

/* Write the pending lines to the file. ERR_STORE_FULL, ERR_IO. */
static enum error write_lines(struct batch_run *run)
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
static void add_error(struct batch_run *run, enum error error,
		      const char *reason)
{
	struct page_answer answer = {.confidence = NAN};

	run->failed++;
	snprintf(answer.reason, sizeof(answer.reason), "%s", reason);
	asking_explain(error, &answer);
	text_form_append(TEXT_FORM_JSON_LINES,
			 &(struct told_text){.position = run->position + 1,
					     .url = "",
					     .error = error,
					     .answer = &answer},
			 &run->lines);
}

/* Wait for the first page and append its line. */
static enum error take_one(struct batch_run *run)
{
	struct item *item = ordered_take(run->ordered, UINT64_MAX / 2);
	enum error error = ERR_NONE;

	if (item == NULL)
		return ERR_NONE;
	run->position = item->page.position;
	run->pages++;
	run->failed += item->has_failed;
	buffer_append_slice(&run->lines, buffer_slice(&item->line));
	discard(item);
	if (run->lines.size >= SPOOL_BYTES)
		error = write_lines(run);
	run->is_full = run->size + run->lines.size >= MAX_ANSWER_BYTES;
	return error;
}

static enum error make_room(struct batch_run *run)
{
	enum error error = ERR_NONE;

	while (error == ERR_NONE && !ordered_has_room(run->ordered))
		error = take_one(run);
	return error;
}

/* A batch_take. Queue the page. */
static bool batch_run_put_page(void *context, struct batch_page *page)
{
	struct batch_run *run = context;
	struct item *item;

	run->error = make_room(run);
	if (run->error != ERR_NONE)
		return false;
	item = mem_alloc(1, sizeof(*item));
	item->page = *page;
	*page = (struct batch_page){0};
	ordered_put(run->ordered, item);
	return !run->is_full;
}

/* Return whether the client has disconnected. */
static bool is_lost(const struct batch_run *run)
{
	return run->end == ERR_NETWORK || run->end == ERR_TIMEOUT ||
	       run->end == ERR_STOPPED;
}

static enum error read_body(void *context, char *out, size_t capacity,
			    size_t *size_out)
{
	return http_body_read(context, out, capacity, size_out);
}

/* Read the pages and queue them for extraction. */
static enum error read_pages(struct call *call, struct batch_run *run)
{
	const struct batch_source source = {
		.read = read_body,
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
	       !ordered_is_empty(run->ordered))
		error = take_one(run);
	if (run->is_full)
		add_error(run, ERR_TOO_LARGE,
			  "the response has reached its limit of 1 GiB");
	else if (run->end != ERR_NONE)
		add_error(run, run->end, reason);
	return error == ERR_NONE ? write_lines(run) : error;
}

/* Run the whole batch; its lines go to the file. */
static enum error run_batch(struct call *call, const struct question *question,
			    struct batch_run *run)
{
	enum error error = open_run(call, question, &run->ordered);

	if (error != ERR_NONE)
		return error;
	error = read_pages(call, run);
	ordered_close(run->ordered);
	buffer_free(&run->lines);
	return error;
}

static enum http_verdict answer_batch(struct call *call,
				      const struct question *question)
{
	struct batch_run run = {.spool = store_spool_file(call->api->store)};
	enum error error = ERR_IO;
	char failed[24];

	if (run.spool >= 0)
		error = run_batch(call, question, &run);
	if (error == ERR_NONE) {
		log_info("batch: %llu pages, %llu failed, %llu bytes of "
			 "response",
			 (unsigned long long)run.pages,
			 (unsigned long long)run.failed,
			 (unsigned long long)run.size);
		snprintf(failed, sizeof(failed), "%llu",
			 (unsigned long long)run.failed);
		http_add_header(call->exchange, ASKING_FAILED, failed);
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
	struct question question = {0};

	if (question_read_with(call, "content", content, &question))
		verdict = answer_batch(call, &question);
	free(question.parameter_text);
	return verdict;
}
