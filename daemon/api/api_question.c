#include "daemon/api/api_question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "template/request.h"

/* Split "a=1,b=2" into its parts. */
static bool text_params_read_parameters(struct call *call,
					struct text_params *question)
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

static bool text_params_read_format(struct call *call, const char *argument,
				    const char *name,
				    struct text_params *question)
{
	question->request.format = FORMAT_TXT;
	if (name == NULL || format_from_name(name, &question->request.format))
		return true;
	call_fail(call, 400, "bad_request",
		  "%s=%.32s: must be txt, md, json, html, xml, explain or copy",
		  argument, name);
	return false;
}

static bool read_policy(struct call *call, struct text_params *question)
{
	static const char *const names[] = {"never", "missing", "always"};
	const char *name = http_argument(call->exchange, "fetch");

	if (name == NULL)
		return true;
	if (call->is_reader && strcmp(name, names[FETCH_NEVER]) != 0) {
		call_fail(call, 403, "forbidden",
			  "fetch=%.32s: read-only clients cannot fetch pages",
			  name);
		return false;
	}
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0) {
			question->policy = (enum fetch_policy)i;
			return true;
		}
	call_fail(call, 400, "bad_request",
		  "fetch=%.32s: must be never, missing or always", name);
	return false;
}

static bool text_params_read_url(struct call *call,
				 struct text_params *question)
{
	const char *text = http_argument(call->exchange, "url");

	if (text == NULL)
		return true;
	if (!call_read_url(call, text, &question->url))
		return false;
	question->has_url = true;
	question->request.url = &question->url;
	return true;
}

/* Copy the method; an unescaped "+" arrives as a space, so "df " means df+. */
static void copy_method(const char *name, struct text_params *question)
{
	snprintf(question->method, sizeof(question->method), "%s", name);
	for (char *c = question->method; *c != '\0'; c++)
		if (*c == ' ')
			*c = '+';
	question->request.method = question->method;
}

static bool read_method(struct call *call, struct text_params *question)
{
	const char *name = http_argument(call->exchange, "method");

	if (name != NULL)
		copy_method(name, question);
	return true;
}

static bool read_favor(struct call *call, struct text_params *question)
{
	const char *name = http_argument(call->exchange, "favor");

	if (name == NULL ||
	    favor_from_name(name, &question->request.preference.favor))
		return true;
	call_fail(call, 400, "bad_request",
		  "favor=%.32s: must be balance, precision or recall", name);
	return false;
}

static bool read_scope(struct call *call, struct text_params *question)
{
	const char *name = http_argument(call->exchange, "scope");

	if (name == NULL ||
	    scope_from_name(name, &question->request.preference.scope))
		return true;
	call_fail(call, 400, "bad_request", "scope=%.32s: must be body or page",
		  name);
	return false;
}

static bool text_params_read_extras(struct call *call,
				    struct text_params *question)
{
	uint32_t *extras = &question->request.extras;
	const char *with = http_argument(call->exchange, "with");
	const char *without = http_argument(call->exchange, "without");

	if (with != NULL && !extras_read(with, extras)) {
		call_fail(call, 400, "bad_request",
			  "with=%.64s: must be one of " EXTRAS_WORDS, with);
		return false;
	}
	if (without == NULL)
		return true;
	*extras |= EXTRA_NO_TABLES;
	if (strcmp(without, "tables") == 0)
		return true;
	call_fail(call, 400, "bad_request", "without=%.32s: must be tables",
		  without);
	return false;
}

/*
 * A client may set a shorter timeout than the configuration, not a longer one.
 */
static bool read_timeout(struct call *call, struct text_params *question)
{
	uint64_t max = call->config->ask_timeout_ms;

	if (!call_number(call, "timeout_ms", max, INT64_MAX,
			 &question->timeout_ms))
		return false;
	if (question->timeout_ms > max)
		question->timeout_ms = max;
	return true;
}

/* Check the request before any fetch. */
static bool text_params_check(struct call *call,
			      const struct text_request *request)
{
	char reason[256];
	enum error error = request_check(request, reason);

	if (error == ERR_NONE)
		return true;
	if (error == ERR_NOT_FOUND)
		call_fail(call, 404, error_code(error),
			  "method=%.32s: unknown; see /v1/methods",
			  request->method);
	else
		call_fail_with(call, error, reason);
	return false;
}

bool text_params_read_as(struct call *call, const char *name,
			 const char *format, struct text_params *question_out)
{
	struct text_request *request = &question_out->request;

	*question_out = (struct text_params){0};
	request->include = http_argument(call->exchange, "include");
	request->exclude = http_argument(call->exchange, "exclude");
	return text_params_read_url(call, question_out) &&
	       text_params_read_format(call, name, format, question_out) &&
	       read_policy(call, question_out) &&
	       read_method(call, question_out) &&
	       read_favor(call, question_out) &&
	       read_scope(call, question_out) &&
	       text_params_read_extras(call, question_out) &&
	       read_timeout(call, question_out) &&
	       text_params_read_parameters(call, question_out) &&
	       text_params_check(call, request);
}

bool text_params_read(struct call *call, struct text_params *question_out)
{
	return text_params_read_as(call, "format",
				   http_argument(call->exchange, "format"),
				   question_out);
}

static char *keep_text(const char *text)
{
	return text == NULL ? NULL : mem_copy_text(text, strlen(text));
}

/* Copy the parameters, which are parts of one text. */
static void keep_parameters(const struct text_params *from,
			    struct text_params *kept)
{
	size_t size = 0;

	for (size_t i = 0; from->parameters[i] != NULL; i++)
		size = (size_t)(from->parameters[i] - from->parameter_text) +
		       strlen(from->parameters[i]);
	kept->parameter_text = mem_copy_text(from->parameter_text, size);
	for (size_t i = 0; from->parameters[i] != NULL; i++)
		kept->parameters[i] =
			kept->parameter_text +
			(from->parameters[i] - from->parameter_text);
	kept->request.parameters = kept->parameters;
}

struct text_params *text_params_copy(const struct text_params *question)
{
	struct text_params *kept = mem_alloc(1, sizeof(*kept));

	*kept = *question;
	kept->has_url = false;
	kept->request.url = NULL;
	if (question->request.method != NULL)
		kept->request.method = kept->method;
	if (question->parameter_text != NULL)
		keep_parameters(question, kept);
	kept->include = keep_text(question->request.include);
	kept->exclude = keep_text(question->request.exclude);
	kept->request.include = kept->include;
	kept->request.exclude = kept->exclude;
	return kept;
}

void text_params_free(struct text_params *question)
{
	if (question == NULL)
		return;
	free(question->parameter_text);
	free(question->include);
	free(question->exclude);
	free(question);
}
