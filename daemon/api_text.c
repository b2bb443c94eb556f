/* The content of a page: stored, fetched for the asking, or handed in. */
#include "daemon/api_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/answer_json.h"
#include "daemon/clock.h"
#include "extract/extractor.h"
#include "store/memory.h"

/* A cluster of so many pages needs no more neighbours to be waited for. */
enum { ENOUGH_PAGES = 10 };

enum fetch_policy { FETCH_NEVER, FETCH_MISSING, FETCH_ALWAYS };

/* What an exchange remembers while it is parked: words of http_memory(). */
enum { MEMORY_IS_ASKED, MEMORY_ASKED_MS };

/* The arguments of a request for text. */
struct question {
	struct url url;
	bool has_url;
	enum fetch_policy policy;
	uint64_t timeout_ms;
	struct text_request request;
	const char *parameters[MAX_PARAMETERS + 1];
	char *parameter_text; /* free() it */
	char method[64];
};

/* Cut "a=1,b=2" into its parts. */
static bool read_parameters(struct call *call, struct question *question)
{
	const char *text = http_argument(call->exchange, "param");
	size_t count = 0;

	if (text == NULL)
		return true;
	question->parameter_text = mem_copy_text(text, strlen(text));
	for (char *part = question->parameter_text; part != NULL;) {
		char *comma = strchr(part, ',');

		if (count == MAX_PARAMETERS) {
			call_fail(call, 400, "bad_request",
				  "param: more than %d parameters",
				  MAX_PARAMETERS);
			return false;
		}
		question->parameters[count++] = part;
		if (comma != NULL)
			*comma++ = '\0';
		part = comma;
	}
	question->request.parameters = question->parameters;
	return true;
}

static bool read_format(struct call *call, struct question *question)
{
	const char *name = http_argument(call->exchange, "format");

	question->request.format = FORMAT_TXT;
	if (name == NULL || format_from_name(name, &question->request.format))
		return true;
	call_fail(call, 400, "bad_request",
		  "format=%.32s: not one of txt, json, html, explain", name);
	return false;
}

static bool read_policy(struct call *call, struct question *question)
{
	static const char *const names[] = {"never", "missing", "always"};
	const char *name = http_argument(call->exchange, "fetch");

	if (name == NULL)
		return true;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0) {
			question->policy = (enum fetch_policy)i;
			return true;
		}
	call_fail(call, 400, "bad_request",
		  "fetch=%.32s: not one of never, missing, always", name);
	return false;
}

static bool read_url(struct call *call, struct question *question)
{
	const char *text = http_argument(call->exchange, "url");
	enum error error;

	if (text == NULL)
		return true;
	error = url_parse(&question->url, slice_of(text), NULL);
	if (error != ERR_NONE) {
		call_fail(call, 400, "bad_request",
			  "url=%.256s: not an http or https address: %s", text,
			  error_text(error));
		return false;
	}
	question->has_url = true;
	question->request.url = &question->url;
	return true;
}

/* A "+" that the client did not escape comes as a space: df+ is meant. */
static void copy_method(const char *name, struct question *question)
{
	snprintf(question->method, sizeof(question->method), "%s", name);
	for (char *c = question->method; *c != '\0'; c++)
		if (*c == ' ')
			*c = '+';
	question->request.method = question->method;
}

static bool read_method(struct call *call, struct question *question)
{
	const char *name = http_argument(call->exchange, "method");

	if (name == NULL)
		return true;
	copy_method(name, question);
	if (strcmp(question->method, "auto") == 0 ||
	    extractor_find(question->method) != NULL)
		return true;
	call_fail(call, 404, error_code(ERR_NOT_FOUND),
		  "method=%.32s: there is no such method; see /v1/methods",
		  name);
	return false;
}

/* A client may wait for less than the configuration allows, not for more. */
static bool read_timeout(struct call *call, struct question *question)
{
	uint64_t max = call->config.ask_timeout_ms;

	if (!call_number(call, "timeout_ms", max, INT64_MAX,
			 &question->timeout_ms))
		return false;
	if (question->timeout_ms > max)
		question->timeout_ms = max;
	return true;
}

/* False, with the error answered, when an argument is wrong. */
static bool read_question(struct call *call, struct question *question)
{
	return read_url(call, question) && read_format(call, question) &&
	       read_policy(call, question) && read_method(call, question) &&
	       read_timeout(call, question) && read_parameters(call, question);
}

/* Send the answer, or the error and its reason; the answer is freed. */
static enum http_verdict reply_answer(struct call *call, enum format format,
				      enum error error,
				      struct text_answer *answer)
{
	enum http_verdict verdict = HTTP_ANSWERED;
	struct buffer body = {0};

	if (error != ERR_NONE) {
		verdict = call_fail_with(call, error, answer->reason);
		text_answer_free(answer);
		return verdict;
	}
	http_add_header(call->exchange, "X-Templated-Method", answer->method);
	http_add_header(call->exchange, "X-Templated-Reason", answer->reason);
	http_add_header(call->exchange, "X-Templated-Cluster", answer->cluster);
	if (format == FORMAT_JSON)
		answer_json(answer, 0, &body);
	else
		buffer_append_slice(&body, buffer_slice(&answer->text));
	text_answer_free(answer);
	http_reply(call->exchange, 200, format_media_type(format), &body);
	return verdict;
}

static enum http_verdict answer_from_store(struct call *call,
					   const struct question *question)
{
	struct answer_rules rules = call_rules(call);
	struct text_answer answer;
	enum error error = answer_text(call->api->store, &rules,
				       &question->request, &answer);

	return reply_answer(call, question->request.format, error, &answer);
}

/*
 * Have the page fetched, and its neighbours with it, if its site is not known.
 * No request for text opens the guard: the site that it makes is not private.
 */
static enum error ask(struct call *call, const struct question *question)
{
	const struct config *config = &call->config;
	struct change change = {
		.kind = CHANGE_ASK,
		.url = &question->url,
		.asked_ms = http_memory(call->exchange)[MEMORY_ASKED_MS],
		.options = {.measure = config->measure,
			    .width = (uint16_t)config->width,
			    .max_pages = config->max_pages,
			    .max_depth = 1,
			    .delay_ms = config->delay_ms,
			    .flags = SITE_IS_SAMPLE},
	};

	options_set_threshold(&change.options, config->threshold);
	return pipeline_command(call->api->pipeline, &change);
}

/* However many ask for a page at the same time, it is fetched once. */
static enum http_verdict begin_fetch(struct call *call,
				     const struct question *question)
{
	uint64_t *memory = http_memory(call->exchange);
	enum error error;

	/* a missing page may have come at any time, even just now */
	memory[MEMORY_ASKED_MS] =
		question->policy == FETCH_ALWAYS ? clock_wall_ms() : 1;
	error = ask(call, question);
	if (error != ERR_NONE)
		return call_fail_with(call, error, "it cannot be asked for");
	memory[MEMORY_IS_ASKED] = 1;
	return HTTP_PARKED;
}

static enum http_verdict fail_fetch(struct call *call,
				    const struct page_standing *standing)
{
	return call_fail(call, 502, error_code(standing->error),
			 "the page was not fetched: %s (HTTP status %u)",
			 error_text(standing->error), standing->http_status);
}

/* A page that was stored before the question is no answer to "always". */
static bool is_fresh(const struct call *call, const struct question *question,
		     const struct page_standing *standing)
{
	const uint64_t *memory = http_memory(call->exchange);

	return standing->state == PAGE_PRESENT &&
	       (question->policy == FETCH_MISSING ||
		(memory[MEMORY_IS_ASKED] != 0 &&
		 standing->fetched_ms >= memory[MEMORY_ASKED_MS]));
}

/* Are no more neighbours to be waited for? */
static bool is_settled(const struct page_standing *standing)
{
	return !standing->is_sample || standing->site_pending == 0 ||
	       standing->cluster_pages >= ENOUGH_PAGES;
}

/* Answer the page once it and enough neighbours are there; have it fetched. */
static enum http_verdict answer_fetched(struct call *call,
					const struct question *question)
{
	bool is_late = clock_steady_ms() >=
		       http_arrival_ms(call->exchange) + question->timeout_ms;
	bool is_asked = http_memory(call->exchange)[MEMORY_IS_ASKED] != 0;
	struct page_standing standing;
	enum error error =
		answer_standing(call->api->store, &question->url, &standing);

	if (error != ERR_NONE)
		return call_fail_with(call, error, "");
	if (is_fresh(call, question, &standing))
		return is_late || is_settled(&standing)
			       ? answer_from_store(call, question)
			       : HTTP_PARKED;
	if (!is_asked)
		return begin_fetch(call, question);
	if (standing.error != ERR_NONE)
		return fail_fetch(call, &standing);
	if (standing.state == PAGE_UNKNOWN && standing.site_pending == 0)
		return answer_from_store(call, question);
	if (is_late)
		return call_fail_with(call, ERR_TIMEOUT,
				      "the page has not come yet; ask again");
	return HTTP_PARKED;
}

static enum http_verdict answer_question(struct call *call,
					 struct question *question)
{
	if (!question->has_url)
		return call_fail(call, 400, "bad_request",
				 "url: missing; ask with ?url=ADDRESS");
	if (question->policy == FETCH_NEVER)
		return answer_from_store(call, question);
	return answer_fetched(call, question);
}

static enum http_verdict extract_body(struct call *call,
				      struct question *question)
{
	struct answer_rules rules = call_rules(call);
	struct text_answer answer;
	enum error error;

	question->request.body = http_body(call->exchange);
	question->request.charset =
		slice_of(http_argument(call->exchange, "charset"));
	error = answer_extract(call->api->store, &rules, &question->request,
			       &answer);
	return reply_answer(call, question->request.format, error, &answer);
}

/* Read the arguments and let `answer` do the rest. */
static enum http_verdict
with_question(struct call *call,
	      enum http_verdict (*answer)(struct call *, struct question *))
{
	struct question question = {0};
	enum http_verdict verdict = HTTP_ANSWERED;

	if (read_question(call, &question))
		verdict = answer(call, &question);
	free(question.parameter_text);
	return verdict;
}

enum http_verdict api_get_text(struct call *call)
{
	return with_question(call, answer_question);
}

enum http_verdict api_post_extract(struct call *call)
{
	return with_question(call, extract_body);
}
