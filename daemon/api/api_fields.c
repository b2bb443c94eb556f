#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/api/api.h"
#include "daemon/query/stored_fields.h"
#include "daemon/runtime/clock.h"
#include "template/fields/field.h"
#include "template/version_json.h"

/* The fields of a template, and its records. */

enum {
	DEFAULT_FIELDS = 20,
	MAX_FIELDS = 200,
	SHOWN_PAGES = 10, /* pages whose values show what a field finds */
	DEFAULT_RECORDS = 1000,
};

static struct template_name name_of(const struct call *call)
{
	return (struct template_name){call->host, call->number};
}

static enum http_verdict fail_fields(struct call *call, enum error error,
				     const char *reason)
{
	if (error == ERR_NOT_FOUND && *reason != '\0')
		return call_fail(call, 409, "no_such_value", "%s", reason);
	return call_fail_with(call, error,
			      *reason != '\0' ? reason : call->host);
}

static enum http_verdict no_fields(struct call *call)
{
	return call_fail(call, 404, "no_fields",
			 "the template %s/%u has no fields; find some with: "
			 "templatectl field find %s/%u",
			 call->host, call->number, call->host, call->number);
}

enum http_verdict api_get_fields(struct call *call)
{
	const struct template_name name = name_of(call);
	uint64_t learned_ms;
	json_t *list =
		stored_fields_describe(call->api->store, &name, &learned_ms);

	if (list == NULL)
		return no_fields(call);
	return call_reply_tagged_json(
		call,
		json_pack("{s:o, s:o, s:o}", "id",
			  json_cluster_id(slice_of(call->host), call->number),
			  "learned", json_time(learned_ms), "fields", list));
}

/* Store the fields of the outcome. */
static enum error store_fields(struct call *call,
			       const struct fields_outcome *outcome)
{
	char *text = json_dumps(outcome->description, JSON_COMPACT);
	struct change change = {
		.kind = CHANGE_FIELDS,
		.fields = {.cluster = call->number,
			   .row = {.learned_ms = clock_wall_ms(),
				   .pages = outcome->pages,
				   .sets = buffer_slice(&outcome->sets),
				   .description = slice_of(text),
				   .known = buffer_slice(&outcome->known)}}};
	struct url url;
	enum error error = url_parse(&url, slice_of(call->host), NULL);

	change.url = &url;
	if (error == ERR_NONE)
		error = pipeline_command(call->api->pipeline, &change);
	free(text);
	return error;
}

/*
 * Return the values on other pages: [{"url", "value"}], of the field `name`, or
 * all fields of each page if it is NULL.
 */
static json_t *shown_values(const json_t *sample, const char *name)
{
	json_t *list = json_array();
	const json_t *page;
	size_t i;

	json_array_foreach(sample, i, page)
	{
		json_t *fields = json_object_get(page, "fields");
		json_t *value =
			name == NULL ? fields : json_object_get(fields, name);

		if (json_array_size(list) == SHOWN_PAGES)
			break;
		json_array_append_new(
			list,
			json_pack("{s:O, s:O?}", "url",
				  json_object_get(page, "url"),
				  name == NULL ? "fields" : "value", value));
	}
	return list;
}

/* Run the action, store its result, and respond with the fields. */
static enum http_verdict change_fields(struct call *call,
				       const struct fields_wish *wish,
				       const char *name)
{
	const struct extraction_options rules = call_rules(call);
	const struct template_name template = name_of(call);
	struct fields_outcome outcome;
	enum error error =
		stored_fields_change(call->api->pool, call->api->store,
				     &rules.limits, &template, wish, &outcome);
	enum http_verdict verdict;

	if (error == ERR_NONE)
		error = store_fields(call, &outcome);
	if (error == ERR_NONE) {
		json_t *value = json_pack(
			"{s:o, s:I, s:O, s:o}", "id",
			json_cluster_id(slice_of(call->host), call->number),
			"pages", (json_int_t)outcome.pages, "fields",
			outcome.description, "sample",
			shown_values(outcome.sample, name));

		if (wish->action == FIELDS_TEACH)
			json_object_set_new(
				value, "confidence",
				json_real(outcome.confidence / 1000.));
		verdict = call_reply_json(call, 200, value);
	} else {
		verdict = fail_fields(call, error, outcome.reason);
	}
	fields_outcome_free(&outcome);
	return verdict;
}

/* Read the values of an example: "value" or "values". */
static json_t *example_values(const json_t *example)
{
	json_t *values = json_object_get(example, "values");
	json_t *value = json_object_get(example, "value");

	if (json_is_array(values) && json_array_size(values) > 0)
		return json_incref(values);
	if (json_is_string(value))
		return json_pack("[O]", value);
	return NULL;
}

/*
 * Read the examples into the URLs, and return the lesson for the worker. If one
 * is invalid, respond with the error and return NULL.
 */
static json_t *read_lesson(struct call *call, const json_t *request,
			   const char *name, struct url *urls,
			   uint32_t *count_out)
{
	const json_t *list = json_object_get(request, "examples");
	json_t *examples = json_array();
	const json_t *example;
	size_t i;

	json_array_foreach(list, i, example)
	{
		json_t *values = example_values(example);

		if (i == MAX_FIELD_EXAMPLES || values == NULL) {
			json_decref(values);
			json_decref(examples);
			call_refuse(call,
				    "examples: at most %d objects with \"url\" "
				    "and \"value\"",
				    MAX_FIELD_EXAMPLES);
			return NULL;
		}
		json_array_append_new(examples, json_pack("{s:I, s:o}", "page",
							  (json_int_t)i,
							  "values", values));
		if (!call_read_url(call, json_member_text(example, "url"),
				   &urls[i])) {
			json_decref(examples);
			return NULL;
		}
	}
	*count_out = (uint32_t)json_array_size(examples);
	return json_pack("{s:[{s:s, s:o}]}", "lessons", "name", name,
			 "examples", examples);
}

static enum http_verdict teach_field(struct call *call, const json_t *request,
				     const char *name)
{
	struct url *urls = mem_alloc(MAX_FIELD_EXAMPLES, sizeof(*urls));
	struct fields_wish wish = {.action = FIELDS_TEACH, .examples = urls};
	json_t *lesson =
		read_lesson(call, request, name, urls, &wish.example_count);
	enum http_verdict verdict = HTTP_ANSWERED;

	wish.detail = lesson;
	if (lesson != NULL)
		verdict = change_fields(call, &wish, name);
	json_decref(lesson);
	free(urls);
	return verdict;
}

static enum http_verdict post_fields(struct call *call, const json_t *request)
{
	const char *name = json_member_text(request, "name");
	json_int_t max = json_member_whole(request, "max");

	if (json_is_true(json_object_get(request, "find")))
		return change_fields(
			call,
			&(struct fields_wish){
				.action = FIELDS_FIND,
				.max_fields = max > 0 && max <= MAX_FIELDS
						      ? (uint32_t)max
						      : DEFAULT_FIELDS},
			NULL);
	if (name == NULL || *name == '\0' || strlen(name) > MAX_FIELD_NAME) {
		call_refuse(call, "name: must be a text of 1 to %d bytes",
			    MAX_FIELD_NAME);
		return HTTP_ANSWERED;
	}
	if (json_object_get(request, "examples") != NULL)
		return teach_field(call, request, name);
	return change_fields(
		call,
		&(struct fields_wish){.action = FIELDS_EDIT, .detail = request},
		name);
}

enum http_verdict api_post_fields(struct call *call)
{
	enum http_verdict verdict;
	json_t *request;

	if (!call_read_object(call, &request))
		return HTTP_ANSWERED;
	verdict = post_fields(call, request);
	json_decref(request);
	return verdict;
}

enum http_verdict api_delete_field(struct call *call)
{
	const char *name = http_argument(call->exchange, "name");
	enum http_verdict verdict;
	json_t *detail;

	if (name == NULL) {
		call_refuse(call, "name: is missing");
		return HTTP_ANSWERED;
	}
	detail = json_pack("{s:s, s:b}", "name", name, "removed", 1);
	verdict = change_fields(
		call,
		&(struct fields_wish){.action = FIELDS_EDIT, .detail = detail},
		name);
	json_decref(detail);
	return verdict;
}

/* Records */

struct record_output {
	struct buffer text;
	bool is_csv;
	bool is_raw;
	const json_t *fields;           /* the columns of CSV */
	char last[TEXT_POSITION_BYTES]; /* position of the last page */
};

/* Append the texts of a value, separated by "; ". */
static void append_cell(const json_t *value, bool is_raw, struct buffer *out)
{
	struct buffer cell = {0};
	const json_t *item;
	size_t i;

	if (json_is_string(value))
		buffer_append_text(&cell, json_string_value(value));
	json_array_foreach(value, i, item)
	{
		if (i > 0)
			buffer_append_text(&cell, "; ");
		buffer_append_text(&cell, json_string_value(item));
	}
	buffer_append_byte(out, ',');
	if (cell.size > 0)
		csv_append_cell(buffer_slice(&cell), is_raw, out);
	buffer_free(&cell);
}

static void write_record(void *context, const struct positioned_page *page,
			 struct text_position place, const json_t *fields)
{
	struct record_output *output = context;
	const json_t *field;
	size_t i;

	text_position_write(place, output->last);
	if (!output->is_csv) {
		json_t *line = json_pack("{s:s, s:s, s:o, s:O}", "url",
					 page->url, "seq", output->last,
					 "fetched", json_time(page->fetched_ms),
					 "fields", fields);
		char *text = json_dumps(line, JSON_COMPACT);

		buffer_append_text(&output->text, text);
		buffer_append_byte(&output->text, '\n');
		free(text);
		json_decref(line);
		return;
	}
	buffer_append_text(&output->text, output->last);
	buffer_append_byte(&output->text, ',');
	csv_append_cell(slice_of(page->url), output->is_raw, &output->text);
	json_array_foreach(output->fields, i, field) append_cell(
		json_object_get(fields, json_member_text(field, "name")),
		output->is_raw, &output->text);
	buffer_append_text(&output->text, "\r\n");
}

static void write_csv_head(struct record_output *output)
{
	const json_t *field;
	size_t i;

	buffer_append_text(&output->text, "seq,url");
	json_array_foreach(output->fields, i, field)
	{
		buffer_append_byte(&output->text, ',');
		csv_append_cell(slice_of(json_member_text(field, "name")),
				output->is_raw, &output->text);
	}
	buffer_append_text(&output->text, "\r\n");
}

/* Read the arguments. If one is invalid, respond and return false. */
static bool read_filter(struct call *call, struct record_filter *filter,
			struct record_output *output)
{
	const char *format = http_argument(call->exchange, "format");
	const char *since = http_argument(call->exchange, "since");
	uint64_t limit;

	output->is_csv = format != NULL && strcmp(format, "csv") == 0;
	output->is_raw = http_argument(call->exchange, "raw") != NULL;
	if (format != NULL && !output->is_csv && strcmp(format, "jsonl") != 0)
		return call_refuse(call, "format: %.32s: must be jsonl or csv",
				   format);
	if (since != NULL &&
	    !text_position_read(slice_of(since), &filter->since))
		return call_refuse(call,
				   "since: %.64s: must be a sequence or "
				   "a time in milliseconds",
				   since);
	if (!call_number(call, "limit", DEFAULT_RECORDS, MAX_RECORD_PAGES,
			 &limit))
		return false;
	filter->limit = (uint32_t)limit;
	return true;
}

enum http_verdict api_get_records(struct call *call)
{
	const struct extraction_options rules = call_rules(call);
	const struct template_name name = name_of(call);
	struct record_filter filter = {0};
	struct record_output output = {0};
	uint64_t learned_ms;
	enum http_verdict verdict;
	json_t *fields;
	enum error error;

	if (!read_filter(call, &filter, &output))
		return HTTP_ANSWERED;
	fields = stored_fields_describe(call->api->store, &name, &learned_ms);
	if (fields == NULL)
		return no_fields(call);
	output.fields = fields;
	if (output.is_csv && http_argument(call->exchange, "since") == NULL)
		write_csv_head(&output);
	error = stored_records_read(call->api->pool, call->api->store,
				    &rules.limits, &name, &filter, write_record,
				    &output);
	json_decref(fields);
	if (error != ERR_NONE) {
		buffer_free(&output.text);
		return call_fail_with(call, error, call->host);
	}
	if (output.last[0] != '\0')
		http_add_header(call->exchange, "X-Templated-Seq", output.last);
	verdict = call_reply_tagged(call,
				    output.is_csv ? "text/csv; charset=utf-8"
						  : "application/x-ndjson",
				    &output.text);
	return verdict;
}

enum http_verdict api_post_record(struct call *call)
{
	const struct extraction_options rules = call_rules(call);
	const struct template_name name = name_of(call);
	struct slice body = http_body(call->exchange);
	enum error error;
	json_t *fields;

	if (body.size > rules.limits.max_bytes)
		return call_fail(call, 413, "too_large",
				 "the page has more than %zu bytes",
				 rules.limits.max_bytes);
	fields = submitted_record_get(
		call->api->pool, call->api->store, &rules.limits, &name, body,
		slice_of(http_argument(call->exchange, "charset")), &error);
	if (error == ERR_NOT_FOUND)
		return no_fields(call);
	if (fields == NULL)
		return call_fail_with(call, error, call->host);
	return call_reply_json(call, 200, json_pack("{s:o}", "fields", fields));
}
