/* daemon/ctl/ctl_extract.c - templatectl: extract, methods. */
#include "daemon/ctl/ctl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "base/file.h"
#include "daemon/ctl/ctl_client.h"
#include "daemon/ctl/ctl_offline.h"
#include "daemon/ctl/ctl_request.h"
#include "daemon/ctl/inputs.h"
#include "daemon/ctl/page_run.h"
#include "daemon/ctl/page_stream.h"
#include "daemon/query/answer.h"
#include "daemon/runtime/table.h"
#include "extract/extractors.h"
#include "extract/methods/ridge_model.h"

/* Read the model of --model; the caller frees it; NULL without --model. */
static bool read_model(const struct ctl *ctl, struct ridge_model **model_out)
{
	const char *path = option_text(ctl, "model");
	struct buffer text = {0};
	enum error error;

	*model_out = NULL;
	if (path == NULL)
		return true;
	error = file_read(path, extraction_options_default.limits.max_bytes,
			  &text);
	if (error == ERR_NONE)
		error = ridge_model_read(model_out, buffer_slice(&text));
	if (error == ERR_MALFORMED || error == ERR_VERSION)
		ctl_print_error(
			ctl,
			"%s: not a model of `templatectl train` of this "
			"version",
			path);
	else if (error != ERR_NONE)
		input_print_error(ctl, path, error,
				  extraction_options_default.limits.max_bytes);
	buffer_free(&text);
	return error == ERR_NONE;
}

/* Extract from the page without a template. */
static enum error ctl_extract_page(void *context, const struct page_item *item,
				   const struct text_request *request,
				   struct extraction_result *answer_out)
{
	(void)item;
	return query_extract(NULL, context, request, answer_out);
}

static enum ctl_status run_extract(const struct ctl *ctl)
{
	struct extraction_options rules = extraction_options_default;
	struct ctl_request asked;
	struct page_run run = {
		.ctl = ctl,
		.max_bytes = rules.limits.max_bytes,
		.jobs = page_run_jobs(ctl),
		.answer = ctl_extract_page,
		.context = &rules,
	};
	struct ridge_model *model = NULL;
	struct page_run_counts counts;
	enum ctl_status status = CTL_USAGE;
	bool is_right = ctl_request_read(ctl, &asked);
	struct url url;

	run.request = asked.request;
	if (is_right &&
	    page_run_format(ctl, page_run_is_many(ctl), &run.request.format) &&
	    page_run_url(ctl, &run.request, &url)) {
		status = CTL_FAILED;
		if (read_model(ctl, &model)) {
			rules.ridges = model;
			status = page_run(&run, &counts);
		}
	}
	ridge_model_destroy(model);
	ctl_request_free(&asked);
	return status;
}

static json_t *parameter_json(const struct parameter *parameter)
{
	return json_pack("{s:s, s:s, s:f, s:f, s:f, s:s}", "name",
			 parameter->name, "unit", parameter->unit, "minimum",
			 parameter->minimum, "maximum", parameter->maximum,
			 "default", parameter->default_value, "meaning",
			 parameter->meaning);
}

static json_t *method_json(const struct extractor *extractor)
{
	json_t *parameters = json_array();

	for (size_t i = 0; i < extractor->parameter_count; i++)
		json_array_append_new(
			parameters, parameter_json(&extractor->parameters[i]));
	return json_pack("{s:s, s:s, s:s, s:b, s:o}", "name", extractor->name,
			 "summary", extractor->summary, "source",
			 extractor->source, "needs_template",
			 (int)needs_template(extractor), "parameters",
			 parameters);
}

static void add_method(struct text_table *table,
		       const struct extractor *extractor)
{
	table_add_text(table, extractor->name);
	table_add_text(table, extractor->summary);
	table_add_text(table, NULL);
	table_add_text(table, extractor->source);
	if (extractor->needs != NEEDS_PAGE) {
		table_add_text(table, NULL);
		table_add_text(table,
			       needs_template(extractor)
				       ? "needs the template of a cluster"
				       : "uses the template of a cluster if "
					 "there is one");
	}
	for (size_t i = 0; i < extractor->parameter_count; i++) {
		const struct parameter *parameter = &extractor->parameters[i];

		table_add_text(table, NULL);
		table_printf(
			table, "%s=%g  %s%s(%g to %g): %s", parameter->name,
			parameter->default_value, parameter->unit,
			*parameter->unit == '\0' ? "" : " ", parameter->minimum,
			parameter->maximum, parameter->meaning);
	}
}

static enum ctl_status run_methods(const struct ctl *ctl)
{
	static const struct table_column columns[] = {
		{.title = NULL},
		{.title = NULL},
	};
	struct text_table *table = table_create(columns, 2);
	json_t *methods = json_array();
	json_t *answer = json_pack("{s:o}", "methods", methods);

	for (const struct extractor *const *e = extractors; *e != NULL; e++) {
		add_method(table, *e);
		json_array_append_new(methods, method_json(*e));
	}
	if (ctl->is_json)
		client_print_json(answer);
	else
		table_print(table);
	json_decref(answer);
	table_destroy(table);
	return CTL_DONE;
}

static const struct verb_option extract_options[] = {
	OPTION_METHOD_ROW,
	OPTION_FORMAT_ROW,
	{.name = "url",
	 .kind = OPTION_TEXT,
	 .value = "U",
	 .meaning = "URL of the page"},
	OPTION_PARAM_ROW,
	OPTION_FAVOR_ROW,
	OPTION_SCOPE_ROW,
	OPTION_WITH_ROW,
	OPTION_EXTRAS_ROWS,
	OPTION_INCLUDE_ROW,
	OPTION_EXCLUDE_ROW,
	{.name = "model",
	 .kind = OPTION_TEXT,
	 .value = "FILE",
	 .meaning =
		 "a model of `templatectl train`, instead of the built-in one"},
	OPTION_OUT_ROW,
	OPTION_JOBS_ROW,
	OPTION_WARC_ROW,
	OPTION_URLS_ROW,
	OPTION_CITABLE_ROW,
	{.name = NULL},
};

const struct verb verb_extract = {
	.name = "extract",
	.group = VERBS_READ,
	.operands = "[FILE|DIR|ARCHIVE|URL|-]...",
	.max_operands = SIZE_MAX,
	.summary = "Print the content of pages, without templates",
	.options = extract_options,
	.run = run_extract,
};

const struct verb verb_methods = {
	.name = "methods",
	.group = VERBS_READ,
	.operands = "",
	.summary = "List the extraction methods",
	.run = run_methods,
};
