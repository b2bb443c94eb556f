#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "daemon/api/api.h"
#include "daemon/query/stored_fields.h"
#include "daemon/runtime/clock.h"
#include "page/page.h"
#include "template/fields/lesson.h"
#include "template/fields/transform.h"
#include "template/version_json.h"

/* The fields of a template, and its records. */

enum {
	DEFAULT_FIELDS = 20,
	MAX_FIELDS = 200,
	SHOWN_PAGES = 10, /* pages whose values show what a field finds */
	DEFAULT_RECORDS = 1000,
	MAX_ATTEMPTS = 8,            /* if others change the fields meanwhile */
	SURE_CONFIDENCE = 700,       /* of a field, in permille */
	MAX_RECORD_BYTES = 16 << 20, /* of a response, and one record more */
	MAX_EXCLUDED = 8,            /* values of "not" */
};

#define UNSURE_WARNING                                                    \
	"several places have these values, and they disagree on other "   \
	"pages; check the values, and give one more example from a page " \
	"whose value is wrong"

static struct fields_source fields_source_of(const struct call *call,
					     const struct page_limits *limits)
{
	return (struct fields_source){
		.pool = call->api->pool,
		.store = call->api->store,
		.limits = limits,
		.name = {call->host, call->number},
	};
}

static const struct fault_rule {
	unsigned status;
	const char *code;
	const char *message;
} fault_rules[FIELDS_FAULTS] = {
	[FIELDS_NONE_VARIES] = {409, "no_fields",
				"no text varies from page to page"},
	[FIELDS_TOO_MANY] = {409, "too_many_fields",
			     "the template has too many fields; remove some "
			     "first"},
	[FIELDS_NO_FIELD] = {404, "not_found",
			     "the template has no field of this name"},
	[FIELDS_NAME_IN_USE] = {409, "name_in_use",
				"another field has this name"},
	[FIELDS_OF_RECORDS] =
		{409, "records",
		 "records and their fields cannot be watched, required or "
		 "transformed; teach the daemon a field of the value that "
		 "you need"},
	[FIELDS_NO_VALUE] =
		{409, "no_such_value",
		 "no place has exactly these values on each example "
		 "page; copy all values of a page, as it shows "
		 "them"},
	[FIELDS_EXCLUDED] = {409, "excluded_value",
			     "all places of the example pages that have these "
			     "values have a value of \"not\", too"},
	[FIELDS_UNSELECTED] = {409, "nothing_selected",
			       "the selector selects no text or value on any "
			       "sample page"},
	[FIELDS_SEVERAL] = {409, "several_selected",
			    "the XPath expression selects several values on a "
			    "page; select the first one with (...)[1], or all "
			    "with a CSS selector"},
	[FIELDS_NOT_PLACE] = {409, "no_such_value",
			      "no place of the template has exactly the values "
			      "that the selector selects; give an example "
			      "instead"},
	[FIELDS_NONE_TO_LIKE] = {404, "no_fields",
				 "the template of \"like\" has no fields"},
	[FIELDS_NONE_ALIKE] = {409, "none_alike",
			       "the template prints no further values that are "
			       "like the fields of the other template"},
	[FIELDS_NOT_PARSED] = {409, "not_html",
			       "a page of an example is not HTML"},
	[FIELDS_NOT_STORED] = {404, "not_stored", "the page is not stored"},
	[FIELDS_NOT_TEMPLATE] = {409, "other_template",
				 "the page belongs to another template"},
};

static enum http_verdict fail_fault(struct call *call,
				    const struct fields_wish *wish,
				    const struct fields_outcome *outcome)
{
	const struct fault_rule *rule = &fault_rules[outcome->fault];
	bool is_of_page = outcome->fault == FIELDS_NOT_STORED ||
			  outcome->fault == FIELDS_NOT_TEMPLATE;

	return call_fail(call, rule->status, rule->code, "%.500s%s%s",
			 is_of_page ? wish->examples[outcome->example].text
				    : "",
			 is_of_page ? ": " : "", rule->message);
}

/* Respond that the template does not exist or has no fields. */
static enum http_verdict fail_read(struct call *call, enum error error)
{
	if (error != ERR_NOT_FOUND)
		return call_fail_with(call, error, call->host);
	return call_fail(call, 404, "no_fields",
			 "the template %s/%u has no fields; find some with: "
			 "templatectl field find %s/%u",
			 call->host, call->number, call->host, call->number);
}

enum http_verdict api_get_fields(struct call *call)
{
	const struct template_name name = {call->host, call->number};
	uint64_t learned_ms;
	json_t *list;
	enum error error = stored_fields_describe(call->api->store, &name,
						  &list, &learned_ms);

	if (error != ERR_NONE)
		return fail_read(call, error);
	return call_reply_tagged_json(
		call,
		json_pack("{s:o, s:o, s:o}", "id",
			  json_cluster_id(slice_of(call->host), call->number),
			  "learned", json_time(learned_ms), "fields", list));
}

/* Return whether only flags of a field change, and not what fields there are.
 */
static bool keeps_values(const struct fields_wish *wish)
{
	return wish->action == FIELDS_EDIT &&
	       json_object_get(wish->detail, "new_name") == NULL &&
	       json_object_get(wish->detail, "removed") == NULL &&
	       json_object_get(wish->detail, "transform") == NULL;
}

/* Store the fields of the outcome. */
static enum error store_fields(struct call *call,
			       const struct fields_wish *wish,
			       const struct fields_outcome *outcome)
{
	struct buffer description = {0};
	struct change change = {
		.kind = CHANGE_FIELDS,
		.fields = {.cluster = call->number,
			   .before = buffer_slice(&outcome->before),
			   .keeps_values = keeps_values(wish),
			   .row = {.learned_ms = clock_wall_ms(),
				   .pages = outcome->pages,
				   .sets = buffer_slice(&outcome->sets)}}};
	struct url url;
	enum error error = url_parse(&url, slice_of(call->host), NULL);

	json_append(&description, json_incref(outcome->description),
		    JSON_COMPACT);
	change.fields.row.description = buffer_slice(&description);
	change.url = &url;
	if (error == ERR_NONE)
		error = pipeline_command(call->api->pipeline, &change);
	buffer_free(&description);
	return error;
}

/*
 * Return the values on other pages: [{"url", "value", "unsure"}], of the field
 * `name`, or all fields of each page if it is NULL.
 */
static json_t *shown_values(const json_t *sample, const char *name)
{
	json_t *list = json_array();
	const json_t *page;
	size_t i;

	json_array_foreach(sample, i, page)
	{
		json_t *fields = json_object_get(page, "fields");
		json_t *url = json_object_get(page, "url");

		if (json_array_size(list) == SHOWN_PAGES)
			break;
		json_array_append_new(
			list,
			name == NULL
				? json_pack("{s:O, s:O?}", "url", url, "fields",
					    fields)
				: json_pack("{s:O, s:O?, s:b}", "url", url,
					    "value",
					    json_object_get(fields, name),
					    "unsure",
					    (int)json_member_lists(
						    fields, "_unsure", name)));
	}
	return list;
}

/* Add how sure the lesson is; if it is not, the pages that would decide. */
static void add_confidence(const struct fields_outcome *outcome, json_t *value)
{
	bool is_sure = outcome->confidence >= SURE_CONFIDENCE;

	json_object_set_new(value, "confidence",
			    json_real(outcome->confidence / 1000.));
	json_object_set_new(value, "warning",
			    is_sure ? json_null()
				    : json_string(UNSURE_WARNING));
	json_object_set_new(value, "doubts",
			    is_sure ? json_array()
				    : json_incref(outcome->doubts));
}

/* Keep only the fields that are like others, with their confidence. */
static void keep_alike(const json_t *likeness, json_t *value)
{
	json_t *list = json_array();
	json_t *field;
	size_t i;

	json_array_foreach(json_object_get(value, "fields"), i, field)
	{
		json_t *ratio = json_object_get(
			likeness, json_member_text(field, "name"));

		if (ratio == NULL)
			continue;
		json_object_set(field, "confidence", ratio);
		json_array_append(list, field);
	}
	json_object_set_new(value, "fields", list);
}

static enum http_verdict reply_outcome(struct call *call,
				       const struct fields_wish *wish,
				       const struct fields_outcome *outcome,
				       const char *name)
{
	json_t *value = json_pack(
		"{s:o, s:I, s:O, s:o}", "id",
		json_cluster_id(slice_of(call->host), call->number), "pages",
		(json_int_t)outcome->pages, "fields", outcome->description,
		"sample", shown_values(outcome->sample, name));

	if (wish->action == FIELDS_TEACH)
		add_confidence(outcome, value);
	if (wish->action == FIELDS_LIKE)
		keep_alike(outcome->likeness, value);
	return call_reply_json(call, 200, value);
}

/*
 * Run the action, store its result, and respond with the fields. `name` is the
 * field whose values are shown; NULL: all fields.
 */
static enum http_verdict change_fields(struct call *call,
				       const struct fields_wish *wish,
				       const char *name)
{
	const struct extraction_options rules = call_rules(call);
	const struct fields_source source =
		fields_source_of(call, &rules.limits);
	struct fields_outcome outcome = {.fault = FIELDS_NO_FAULT};
	/* fields like others are stored when the user has seen them */
	bool is_trial = wish->action == FIELDS_LIKE &&
			!json_is_true(json_object_get(wish->detail, "accept"));
	enum error error = ERR_BUSY;
	enum http_verdict verdict;

	for (unsigned i = 0; i < MAX_ATTEMPTS && error == ERR_BUSY; i++) {
		fields_outcome_free(&outcome);
		error = stored_fields_change(&source, wish, &outcome);
		if (error == ERR_NONE && !is_trial)
			error = store_fields(call, wish, &outcome);
	}
	if (error == ERR_NONE)
		verdict = reply_outcome(call, wish, &outcome, name);
	else if (outcome.fault != FIELDS_NO_FAULT)
		verdict = fail_fault(call, wish, &outcome);
	else
		verdict = call_fail_with(call, error, call->host);
	fields_outcome_free(&outcome);
	return verdict;
}

/* Check the name of a field. If it is invalid, respond and return false. */
static bool check_name(struct call *call, const char *member, const char *name)
{
	if (field_name_is_valid(slice_of(name)))
		return true;
	return call_refuse(call,
			   "%s: must be a text of 1 to %d bytes without "
			   "control characters that does not begin with a "
			   "blank or \"_\"",
			   member, MAX_FIELD_NAME);
}

/* Return the values of an example: "value" or "values"; NULL if it has none. */
static json_t *example_values(const json_t *example)
{
	json_t *value = json_object_get(example, "value");
	json_t *values =
		value != NULL ? json_pack("[O]", value)
			      : json_incref(json_object_get(example, "values"));
	const json_t *item;
	size_t i;

	json_array_foreach(values, i, item)
	{
		struct slice text = {json_string_value(item),
				     json_string_length(item)};

		if (text.size <= MAX_VALUE_BYTES && !text_is_blank(text))
			continue;
		json_decref(values);
		return NULL;
	}
	if (json_array_size(values) > 0 &&
	    json_array_size(values) <= MAX_PAGE_VALUES)
		return values;
	json_decref(values);
	return NULL;
}

static bool is_repeated(const struct url *urls, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(urls[i].text, urls[index].text) == 0)
			return true;
	return false;
}

/*
 * Read an example of the request. If it is invalid, respond with the error and
 * return NULL.
 */
static json_t *read_example(struct call *call, const json_t *example,
			    struct url *urls, size_t index)
{
	json_t *values = example_values(example);

	if (values == NULL)
		call_refuse(call,
			    "examples: each must have a \"url\" and a "
			    "\"value\", a text of 1 to %d bytes, or \"values\"",
			    MAX_VALUE_BYTES);
	else if (call_read_url(call, json_member_text(example, "url"),
			       &urls[index])) {
		if (!is_repeated(urls, index))
			return json_pack("{s:I, s:o}", "page",
					 (json_int_t)index, "values", values);
		call_refuse(
			call,
			"examples: %.500s occurs twice; give its \"values\" "
			"as one example",
			urls[index].text);
	}
	json_decref(values);
	return NULL;
}

/*
 * Read the examples into the URLs, and return those for the worker. If one is
 * invalid, respond with the error and return NULL.
 */
static json_t *read_examples(struct call *call, const json_t *list,
			     struct url *urls)
{
	json_t *examples = json_array();
	const json_t *item;
	size_t i;

	if (json_array_size(list) == 0 ||
	    json_array_size(list) > MAX_FIELD_EXAMPLES) {
		call_refuse(call, "examples: must be 1 to %d objects",
			    MAX_FIELD_EXAMPLES);
		json_decref(examples);
		return NULL;
	}
	json_array_foreach(list, i, item)
	{
		json_t *example = read_example(call, item, urls, i);

		if (example == NULL) {
			json_decref(examples);
			return NULL;
		}
		json_array_append_new(examples, example);
	}
	return examples;
}

/* Return whether the request states what a field is. */
static bool has_lesson(const json_t *request)
{
	return json_object_get(request, "examples") != NULL ||
	       json_object_get(request, "selector") != NULL ||
	       json_object_get(request, "xpath") != NULL;
}

/*
 * Check the selector or the XPath expression. If it is invalid, respond and
 * return false.
 */
static bool check_selector(struct call *call, const json_t *request)
{
	const char *css = json_member_text(request, "selector");
	const char *xpath = json_member_text(request, "xpath");
	char error[256] = "";

	if ((css == NULL) == (xpath == NULL) ||
	    json_object_get(request, "examples") != NULL)
		return call_refuse(call, "the body must have one of "
					 "\"examples\", \"selector\" and "
					 "\"xpath\"");
	if (css != NULL ? field_selector_check(css, error)
			: call_check_xpath(call, xpath, error))
		return true;
	return call_refuse(call, "%s: %s", css != NULL ? "selector" : "xpath",
			   error);
}

/* Check the values of "not". If they are invalid, respond and return false. */
static bool check_excluded(struct call *call, const json_t *request)
{
	const json_t *list = json_object_get(request, "not");
	bool is_valid = list == NULL || (json_array_size(list) > 0 &&
					 json_array_size(list) <= MAX_EXCLUDED);
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) is_valid =
		is_valid && json_is_string(item) &&
		json_string_length(item) <= MAX_VALUE_BYTES &&
		!text_is_blank(slice_of(json_string_value(item)));
	return is_valid ||
	       call_refuse(call, "not: must be 1 to %d texts", MAX_EXCLUDED);
}

/* Check the flags of a field. If one is invalid, respond and return false. */
static bool check_flags(struct call *call, const json_t *request)
{
	static const char *const flags[] = {"watched", "required"};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		const json_t *flag = json_object_get(request, flags[i]);

		if (flag != NULL && !json_is_boolean(flag))
			return call_refuse(call, "%s: must be true or false",
					   flags[i]);
	}
	return true;
}

/*
 * Check the transform and its separator. If they are invalid, respond and
 * return false.
 */
static bool check_transform(struct call *call, const json_t *request)
{
	const json_t *separator = json_object_get(request, "separator");
	const char *name = json_member_text(request, "transform");
	const char *items = json_member_text(request, "items");
	enum transform_kind kind = TRANSFORM_NONE;
	enum transform_kind item = TRANSFORM_NONE;

	if (json_object_get(request, "transform") != NULL &&
	    (name == NULL || !transform_find(name, &kind)))
		return call_refuse(call, "transform: must be number, date, "
					 "url, join or none");
	if (separator != NULL &&
	    (kind != TRANSFORM_JOIN || !json_is_string(separator) ||
	     json_string_length(separator) > MAX_JOIN_BYTES ||
	     memchr(json_string_value(separator), '\0',
		    json_string_length(separator)) != NULL))
		return call_refuse(call,
				   "separator: must be a text of at most %d "
				   "bytes, with the transform join",
				   MAX_JOIN_BYTES);
	if (json_object_get(request, "items") != NULL &&
	    (kind != TRANSFORM_JOIN || items == NULL ||
	     !transform_find(items, &item) || item == TRANSFORM_JOIN))
		return call_refuse(call,
				   "items: must be number, date, url or none, "
				   "with the transform join");
	return true;
}

/*
 * Return the lesson for the worker. If the request is invalid, respond with the
 * error and return NULL.
 */
static json_t *read_lesson(struct call *call, const json_t *request,
			   struct url *urls, uint32_t *count_out)
{
	static const char *const members[] = {
		"name",  "selector",  "xpath",   "not",     "transform",
		"items", "separator", "watched", "required"};
	const json_t *list = json_object_get(request, "examples");
	bool is_selected = json_object_get(request, "selector") != NULL ||
			   json_object_get(request, "xpath") != NULL;
	json_t *lesson;

	if (!check_excluded(call, request) || !check_flags(call, request) ||
	    !check_transform(call, request))
		return NULL;
	lesson = json_object();
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		json_object_set(lesson, members[i],
				json_object_get(request, members[i]));
	if (is_selected) {
		if (check_selector(call, request))
			return lesson;
	} else {
		json_t *examples = read_examples(call, list, urls);

		*count_out = (uint32_t)json_array_size(examples);
		if (examples != NULL) {
			json_object_set_new(lesson, "examples", examples);
			return lesson;
		}
	}
	json_decref(lesson);
	return NULL;
}

static enum http_verdict teach_field(struct call *call, const json_t *request)
{
	struct url *urls = mem_alloc(MAX_FIELD_EXAMPLES, sizeof(*urls));
	struct fields_wish wish = {.action = FIELDS_TEACH, .examples = urls};
	json_t *lesson = read_lesson(call, request, urls, &wish.example_count);
	enum http_verdict verdict = HTTP_ANSWERED;

	if (lesson != NULL) {
		json_t *detail = json_pack("{s:[O]}", "lessons", lesson);

		wish.detail = detail;
		verdict = change_fields(call, &wish,
					json_member_text(request, "name"));
		json_decref(detail);
	}
	json_decref(lesson);
	free(urls);
	return verdict;
}

/*
 * Read "HOST/N". If it is invalid, respond and return false. *host_out belongs
 * to the caller.
 */
static bool read_template(struct call *call, const json_t *request,
			  char **host_out, uint32_t *number_out)
{
	const char *text = json_member_text(request, "like");
	const char *slash = text == NULL ? NULL : strrchr(text, '/');
	char *end = NULL;
	unsigned long number = slash == NULL ? 0 : strtoul(slash + 1, &end, 10);

	*host_out = NULL;
	if (number == 0 || number > UINT32_MAX || *end != '\0' ||
	    !is_digit(slash[1]))
		return call_refuse(call, "like: must be a template HOST/N");
	*host_out = strndup(text, (size_t)(slash - text));
	*number_out = (uint32_t)number;
	return true;
}

/* Add fields like those of another template, or only show them. */
static enum http_verdict find_alike(struct call *call, const json_t *request)
{
	const json_t *accept = json_object_get(request, "accept");
	const json_t *names = json_object_get(request, "names");
	const json_t *item;
	struct template_name name = {0};
	struct fields_wish wish = {
		.action = FIELDS_LIKE, .detail = request, .like = &name};
	enum http_verdict verdict = HTTP_ANSWERED;
	bool is_valid = names == NULL || json_is_array(names);
	char *host;
	size_t i;

	json_array_foreach(names, i, item) is_valid =
		is_valid && json_is_string(item);
	if (!is_valid || (accept != NULL && !json_is_boolean(accept))) {
		call_refuse(call, "names: must be texts; accept: must be true "
				  "or false");
		return HTTP_ANSWERED;
	}
	if (!read_template(call, request, &host, &name.cluster))
		return HTTP_ANSWERED;
	name.host = host;
	verdict = change_fields(call, &wish, NULL);
	free(host);
	return verdict;
}

static enum http_verdict find_fields(struct call *call, const json_t *request)
{
	const json_t *max = json_object_get(request, "max");
	struct fields_wish wish = {.action = FIELDS_FIND,
				   .max_fields = DEFAULT_FIELDS};

	if (max != NULL) {
		json_int_t number = json_integer_value(max);

		if (number < 1 || number > MAX_FIELDS) {
			call_refuse(call, "max: must be a number from 1 to %d",
				    MAX_FIELDS);
			return HTTP_ANSWERED;
		}
		wish.max_fields = (uint32_t)number;
	}
	return change_fields(call, &wish, NULL);
}

/* Rename a field, or change its flags. */
static enum http_verdict edit_field(struct call *call, const json_t *request)
{
	const json_t *new_name = json_object_get(request, "new_name");
	const struct fields_wish wish = {.action = FIELDS_EDIT,
					 .detail = request};
	bool is_change = new_name != NULL ||
			 json_object_get(request, "transform") != NULL ||
			 json_object_get(request, "watched") != NULL ||
			 json_object_get(request, "required") != NULL;

	if (new_name != NULL &&
	    !check_name(call, "new_name", json_string_value(new_name)))
		return HTTP_ANSWERED;
	if (!check_flags(call, request) || !check_transform(call, request))
		return HTTP_ANSWERED;
	if (!is_change || json_object_get(request, "removed") != NULL) {
		call_refuse(
			call,
			"the body must have \"find\", \"like\", "
			"\"examples\", \"selector\", \"xpath\", \"new_name\", "
			"\"transform\", \"watched\" or "
			"\"required\"");
		return HTTP_ANSWERED;
	}
	return change_fields(call, &wish,
			     json_member_text(request, new_name != NULL
							       ? "new_name"
							       : "name"));
}

enum http_verdict api_post_fields(struct call *call)
{
	enum http_verdict verdict = HTTP_ANSWERED;
	json_t *request;

	if (!call_read_object(call, &request))
		return HTTP_ANSWERED;
	if (json_is_true(json_object_get(request, "find")))
		verdict = find_fields(call, request);
	else if (json_object_get(request, "like") != NULL)
		verdict = find_alike(call, request);
	else if (check_name(call, "name", json_member_text(request, "name")))
		verdict = has_lesson(request) ? teach_field(call, request)
					      : edit_field(call, request);
	json_decref(request);
	return verdict;
}

enum http_verdict api_delete_field(struct call *call)
{
	const char *name = call_argument(call, "name");
	struct fields_wish wish = {.action = FIELDS_EDIT};
	enum http_verdict verdict;
	json_t *detail;

	if (!check_name(call, "name", name))
		return HTTP_ANSWERED;
	detail = json_pack("{s:s, s:b}", "name", name, "removed", 1);
	wish.detail = detail;
	verdict = change_fields(call, &wish, name);
	json_decref(detail);
	return verdict;
}

/* Records */

struct record_output {
	struct buffer text;
	json_t *list; /* of JSON; NULL: another format */
	size_t list_bytes;
	bool is_csv;
	bool is_raw;
	const json_t *fields;           /* the columns of CSV */
	char last[TEXT_POSITION_BYTES]; /* position of the last page */
};

/* Return whether a field is in the column of its records. */
static bool field_is_member(const json_t *field)
{
	return json_is_string(json_object_get(field, "parent"));
}

static void append_cell(struct record_output *output, const json_t *value)
{
	buffer_append_byte(&output->text, ',');
	csv_append_value(value, output->is_raw, &output->text);
}

static void write_csv_record(struct record_output *output,
			     const struct stored_record *record)
{
	const json_t *field;
	size_t i;

	buffer_append_text(&output->text, output->last);
	buffer_append_byte(&output->text, ',');
	csv_append_cell(slice_of(record->page->url), output->is_raw,
			&output->text);
	json_array_foreach(output->fields, i, field)
	{
		if (!field_is_member(field))
			append_cell(output,
				    json_object_get(
					    record->fields,
					    json_member_text(field, "name")));
	}
	append_cell(output, json_object_get(record->fields, "_unsure"));
	buffer_printf(&output->text, ",%s\r\n",
		      record->error == ERR_NONE ? ""
						: error_code(record->error));
}

static void write_json_record(struct record_output *output,
			      const struct stored_record *record)
{
	json_t *line = json_pack("{s:o, s:s, s:o}", "url",
				 json_text(slice_of(record->page->url)), "seq",
				 output->last, "fetched",
				 json_time(record->page->fetched_ms));

	if (record->error == ERR_NONE)
		json_object_set_new(line, "fields",
				    json_copy((json_t *)record->fields));
	else
		json_object_set_new(line, "error",
				    json_pack("{s:s, s:s}", "code",
					      error_code(record->error),
					      "message",
					      error_text(record->error)));
	if (output->list != NULL)
		output->list_bytes += json_dumpb(line, NULL, 0, JSON_COMPACT);
	if (output->list != NULL) {
		json_array_append_new(output->list, line);
		return;
	}
	json_append(&output->text, line, JSON_COMPACT);
	buffer_append_byte(&output->text, '\n');
}

static bool write_record(void *context, const struct stored_record *record)
{
	struct record_output *output = context;

	text_position_write(record->place, output->last);
	if (output->is_csv)
		write_csv_record(output, record);
	else
		write_json_record(output, record);
	return output->text.size + output->list_bytes < MAX_RECORD_BYTES;
}

static void write_csv_head(struct record_output *output)
{
	const json_t *field;
	size_t i;

	buffer_append_text(&output->text, "seq,url");
	json_array_foreach(output->fields, i, field)
	{
		if (!field_is_member(field))
			append_cell(output, json_object_get(field, "name"));
	}
	buffer_append_text(&output->text, ",unsure,error\r\n");
}

/* Read the format. If it is invalid, respond and return false. */
static bool read_record_format(struct call *call, struct record_output *output)
{
	const char *format = call_argument(call, "format");

	output->is_csv = format != NULL && strcmp(format, "csv") == 0;
	if (format == NULL || output->is_csv || strcmp(format, "jsonl") == 0)
		return true;
	if (strcmp(format, "json") != 0)
		return call_refuse(call,
				   "format=%.32s: must be jsonl, json or csv",
				   format);
	output->list = json_array();
	return true;
}

/* Read the arguments. If one is invalid, respond and return false. */
static bool read_request(struct call *call, struct record_request *request,
			 struct record_output *output)
{
	const char *since = call_argument(call, "since");
	uint64_t is_raw;
	uint64_t limit;

	if (since != NULL &&
	    !text_position_read(slice_of(since), &request->since))
		return call_refuse(call,
				   "since=%.64s: must be the \"seq\" of a "
				   "record, or a time in milliseconds since "
				   "1970",
				   since);
	if (!call_number(call, "raw", 0, 1, &is_raw) ||
	    !call_number(call, "limit", DEFAULT_RECORDS, MAX_RECORD_PAGES,
			 &limit))
		return false;
	output->is_raw = is_raw != 0;
	request->limit = (uint32_t)limit;
	return true;
}

/* Respond with the records. `fields` is released. */
static enum http_verdict reply_records(struct call *call,
				       struct record_output *output,
				       uint32_t limit, json_t *fields)
{
	bool is_last = json_array_size(output->list) < limit &&
		       output->list_bytes < MAX_RECORD_BYTES;

	if (output->list != NULL)
		return call_reply_tagged_json(
			call, json_pack("{s:o, s:o, s:O, s:o}", "id",
					json_cluster_id(slice_of(call->host),
							call->number),
					"fields", fields, "records",
					output->list, "next",
					is_last ? json_null()
						: json_string(output->last)));
	json_decref(fields);
	if (output->last[0] != '\0')
		http_add_header(call->exchange, "X-Templated-Seq",
				output->last);
	return call_reply_tagged(call,
				 output->is_csv ? "text/csv; charset=utf-8"
						: "application/x-ndjson",
				 &output->text);
}

/* Read the record of the page `text`, or the records of all pages. */
static enum error read_records(const struct fields_source *source,
			       const struct record_request *request,
			       const struct url *url,
			       enum fields_fault *fault_out)
{
	*fault_out = FIELDS_NO_FAULT;
	return url->text[0] == '\0'
		       ? stored_records_read(source, request)
		       : stored_record_get(source, url, request, fault_out);
}

/* Read the argument `url`, empty if it is missing. */
static bool read_record_url(struct call *call, struct url *url)
{
	const char *text = call_argument(call, "url");

	url->text[0] = '\0';
	return text == NULL || call_read_url(call, text, url);
}

static enum http_verdict fail_page(struct call *call, enum error error,
				   const struct url *url,
				   enum fields_fault fault)
{
	if (fault == FIELDS_NO_FAULT)
		return fail_read(call, error);
	return fail_fault(call, &(struct fields_wish){.examples = url},
			  &(struct fields_outcome){.fault = fault});
}

static enum http_verdict get_records(struct call *call,
				     struct record_request *request,
				     struct record_output *output)
{
	const struct extraction_options rules = call_rules(call);
	const struct fields_source source =
		fields_source_of(call, &rules.limits);
	enum fields_fault fault = FIELDS_NO_FAULT;
	uint64_t learned_ms;
	json_t *fields;
	struct url url;
	enum error error;

	if (!read_record_url(call, &url))
		return HTTP_ANSWERED;
	error = stored_fields_describe(source.store, &source.name, &fields,
				       &learned_ms);
	output->fields = fields;
	/* a response that continues another one needs no head */
	if (error == ERR_NONE && output->is_csv &&
	    request->since.stored_ms == 0)
		write_csv_head(output);
	if (error == ERR_NONE)
		error = read_records(&source, request, &url, &fault);
	if (error == ERR_NONE)
		return reply_records(call, output, request->limit, fields);
	json_decref(fields);
	buffer_free(&output->text);
	return fail_page(call, error, &url, fault);
}

enum http_verdict api_get_records(struct call *call)
{
	struct record_output output = {0};
	struct record_request request = {.sink = write_record,
					 .context = &output};
	enum http_verdict verdict = HTTP_ANSWERED;

	if (read_record_format(call, &output) &&
	    read_request(call, &request, &output))
		verdict = get_records(call, &request, &output);
	json_decref(output.list);
	return verdict;
}

/* Respond with a copy of a page in which the values of a field are marked. */
enum http_verdict api_get_record_copy(struct call *call)
{
	const struct extraction_options rules = call_rules(call);
	const struct fields_source source =
		fields_source_of(call, &rules.limits);
	const char *field = call_argument(call, "field");
	enum fields_fault fault;
	struct buffer html = {0};
	struct url url;
	enum error error;

	if (!check_name(call, "field", field) ||
	    !call_read_url(call, call_argument(call, "url"), &url))
		return HTTP_ANSWERED;
	error = stored_value_show(&source, &url, field, &html, &fault);
	if (error == ERR_NONE)
		return call_reply_frame(call, &html);
	buffer_free(&html);
	return fail_page(call, error, &url, fault);
}

enum http_verdict api_post_record(struct call *call)
{
	const struct extraction_options rules = call_rules(call);
	const struct fields_source source =
		fields_source_of(call, &rules.limits);
	struct submitted_page page = {
		.body = http_body(call->exchange),
		.charset = slice_of(call_argument(call, "charset"))};
	enum error error;
	struct url url;
	json_t *fields;

	if (page.body.size > rules.limits.max_bytes)
		return call_fail(call, 413, "too_large",
				 "the page has more than %zu bytes",
				 rules.limits.max_bytes);
	if (!read_record_url(call, &url))
		return HTTP_ANSWERED;
	page.url = slice_of(url.text);
	error = submitted_record_get(&source, &page, &fields);
	if (error != ERR_NONE)
		return fail_read(call, error);
	return call_reply_json(call, 200, json_pack("{s:o}", "fields", fields));
}
