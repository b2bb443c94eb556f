/* The text of a page: stored, fetched on request, or uploaded. */
#include "daemon/api/api_call.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/api/api_question.h"
#include "daemon/query/page_answer.h"
#include "daemon/runtime/clock.h"

/* A request does not wait for neighbours if the cluster has this many pages. */
enum { ENOUGH_PAGES = 10 };

/* State of a suspended exchange: words of http_handler_state(). */
enum { MEMORY_IS_ASKED, MEMORY_ASKED_MS };

/*
 * Respond with the text, with 304, or with the error and its reason. Frees the
 * answer.
 */
static enum http_verdict reply_answer(struct call *call, enum format format,
				      enum error error,
				      struct text_result *answer)
{
	enum http_verdict verdict;
	char confidence[16];

	if (error != ERR_NONE) {
		verdict = call_fail_with(call, error, answer->reason);
		buffer_free(&answer->body);
		return verdict;
	}
	http_add_header(call->exchange, "X-Templated-Method", answer->method);
	http_add_header(call->exchange, "X-Templated-Reason", answer->reason);
	http_add_header(call->exchange, "X-Templated-Cluster", answer->cluster);
	http_add_header(call->exchange, "X-Templated-Quality",
			text_quality_name(answer->quality));
	if (!isnan(answer->confidence)) {
		snprintf(confidence, sizeof(confidence), "%.3f",
			 (double)answer->confidence);
		http_add_header(call->exchange, "X-Templated-Confidence",
				confidence);
	}
	return call_reply_tagged(call, format_media_type(format),
				 &answer->body);
}

static enum http_verdict answer_from_store(struct call *call,
					   const struct text_params *question)
{
	const struct text_request *request = &question->request;
	struct extraction_options rules = call_rules(call);
	struct store *store = call->api->store;
	struct text_result answer = {0};
	enum error error = ERR_NONE;

	if (http_is_inline(call->exchange) &&
	    !stored_text_get_cached(store, &rules, request, &answer))
		return HTTP_QUEUED;
	if (!http_is_inline(call->exchange))
		error = stored_text_get(call->api->pool, store, &rules, request,
					&answer);
	return reply_answer(call, request->format, error, &answer);
}

/*
 * Queue a fetch of the page. An unknown site is added as a sample, so that the
 * page's neighbours are fetched, too. Such a site may use no private address
 * outside crawl.allowed_networks.
 */
static enum error text_queue_fetch(struct call *call,
				   const struct text_params *question)
{
	const struct config *config = call->config;
	struct change change = {
		.kind = CHANGE_FETCH_NOW,
		.url = &question->url,
		.ask = {.asked_ms = http_handler_state(
				call->exchange)[MEMORY_ASKED_MS],
			.options = {.measure = (uint16_t)config->measure,
				    .width = (uint16_t)config->width,
				    .max_pages = config->max_pages,
				    .max_depth = 1,
				    .delay_ms = config->delay_ms,
				    .flags = SITE_IS_SAMPLE |
					     SITE_IS_NETWORK_OK}},
	};

	options_set_threshold(&change.ask.options, config->threshold);
	return pipeline_command(call->api->pipeline, &change);
}

/* Queue a fetch of the page, unless another request already waits for it. */
static enum fetch_stage begin_fetch(struct call *call,
				    const struct text_params *question,
				    struct page_status *standing)
{
	uint64_t *memory = http_handler_state(call->exchange);

	/* a page that was missing is fresh as soon as it is stored */
	memory[MEMORY_ASKED_MS] =
		question->policy == FETCH_ALWAYS ? clock_wall_ms() : 1;
	standing->error = text_queue_fetch(call, question);
	if (standing->error != ERR_NONE)
		return FETCH_IMPOSSIBLE;
	memory[MEMORY_IS_ASKED] = 1;
	return FETCH_AWAITED;
}

static enum http_verdict fail_fetch(struct call *call,
				    const struct page_status *standing)
{
	return call_fail(call, 502, error_code(standing->error),
			 "the page was not fetched: %s (HTTP status %u)",
			 error_text(standing->error), standing->http_status);
}

/*
 * Return whether the page is fresh enough. With "always" it must have been
 * stored after the request.
 */
static bool text_page_is_fresh(const struct call *call,
			       const struct text_params *question,
			       const struct page_status *standing)
{
	const uint64_t *memory = http_handler_state(call->exchange);

	return standing->state == PAGE_STORED &&
	       (question->policy == FETCH_MISSING ||
		(memory[MEMORY_IS_ASKED] != 0 &&
		 standing->fetched_ms >= memory[MEMORY_ASKED_MS] &&
		 standing->fetched_ms <= clock_wall_ms()));
}

/* Return whether enough neighbours are stored. */
static bool is_settled(const struct page_status *standing)
{
	return !standing->is_sample || standing->site_pending == 0 ||
	       standing->cluster_pages >= ENOUGH_PAGES;
}

enum fetch_stage call_fetch(struct call *call,
			    const struct text_params *question,
			    struct page_status *standing)
{
	bool is_late = clock_steady_ms() >=
		       http_arrival_ms(call->exchange) + question->timeout_ms;
	enum error error =
		query_page_status(call->api->store, &question->url, standing);

	if (error != ERR_NONE) {
		standing->error = error;
		return FETCH_IMPOSSIBLE;
	}
	if (text_page_is_fresh(call, question, standing))
		return is_late || is_settled(standing) ? FETCH_HERE
						       : FETCH_SETTLING;
	if (http_handler_state(call->exchange)[MEMORY_IS_ASKED] == 0)
		return begin_fetch(call, question, standing);
	if (standing->error != ERR_NONE)
		return FETCH_FAILED;
	if (standing->state == PAGE_UNKNOWN && standing->site_pending == 0)
		return FETCH_GONE;
	return is_late ? FETCH_LATE : FETCH_AWAITED;
}

/* Fetch the page; respond when it and enough neighbours are stored. */
static enum http_verdict answer_fetched(struct call *call,
					const struct text_params *question)
{
	struct page_status standing;

	switch (call_fetch(call, question, &standing)) {
	case FETCH_IMPOSSIBLE:
		return call_fail_with(call, standing.error,
				      standing.error == ERR_TOO_LARGE
					      ? API_TOO_MANY_SITES
					      : "the page cannot be fetched");
	case FETCH_FAILED:
		return fail_fetch(call, &standing);
	case FETCH_LATE:
		return call_fail_with(
			call, ERR_TIMEOUT,
			"the page has not been fetched yet; try again");
	case FETCH_HERE:
	case FETCH_GONE:
		return answer_from_store(call, question);
	default:
		return HTTP_SUSPENDED;
	}
}

static enum http_verdict text_reply(struct call *call,
				    struct text_params *question)
{
	if (!question->has_url)
		return call_fail(call, 400, "bad_request",
				 "url: missing; add ?url=URL");
	if (question->policy == FETCH_NEVER)
		return answer_from_store(call, question);
	if (http_is_inline(call->exchange))
		return HTTP_QUEUED;
	return answer_fetched(call, question);
}

static enum http_verdict extract_body(struct call *call,
				      struct text_params *question)
{
	struct extraction_options rules = call_rules(call);
	struct text_result answer;
	enum error error;

	question->request.body = http_body(call->exchange);
	if (question->request.body.size > rules.limits.max_bytes)
		return call_fail(call, 413, "too_large",
				 "the page has more than %zu bytes",
				 rules.limits.max_bytes);
	question->request.charset =
		slice_of(http_argument(call->exchange, "charset"));
	error = submitted_text_get(call->api->pool, call->api->store, &rules,
				   &question->request, &answer);
	return reply_answer(call, question->request.format, error, &answer);
}

/* Read the arguments and call `answer` with them. */
static enum http_verdict
with_question(struct call *call,
	      enum http_verdict (*answer)(struct call *, struct text_params *))
{
	struct text_params question;
	enum http_verdict verdict = HTTP_ANSWERED;

	if (text_params_read(call, &question))
		verdict = answer(call, &question);
	free(question.parameter_text);
	return verdict;
}

enum http_verdict api_get_text(struct call *call)
{
	return with_question(call, text_reply);
}

enum http_verdict api_post_extract(struct call *call)
{
	return with_question(call, extract_body);
}
