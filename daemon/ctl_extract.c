/* daemon/ctl_extract.c - templatectl: extract, methods. */
#include "daemon/ctl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "daemon/answer.h"
#include "daemon/ctl_client.h"
#include "daemon/ctl_offline.h"
#include "daemon/ctl_request.h"
#include "daemon/inputs.h"
#include "daemon/progress.h"
#include "daemon/table.h"
#include "daemon/terminal.h"
#include "extract/extractor.h"
#include "extract/ridge_model.h"
#include "store/file.h"

/* A run of the verb over one file or many. */
struct extraction {
	const struct ctl *ctl;
	struct answer_rules rules;
	struct text_request request;
	struct url url;
};

static bool make_url(const struct ctl *ctl, struct extraction *extraction)
{
	const char *text = option_text(ctl, "url");
	enum error error;

	if (text == NULL)
		return true;
	error = url_parse(&extraction->url, slice_of(text), NULL);
	if (error != ERR_NONE) {
		ctl_complain(ctl, "--url: \"%s\" is no http or https URL: %s",
			     text, error_text(error));
		return false;
	}
	extraction->request.url = &extraction->url;
	return true;
}

/* Read the model of --model; it belongs to the caller, NULL without one. */
static bool read_model(const struct ctl *ctl, struct ridge_model **model_out)
{
	const char *path = option_text(ctl, "model");
	struct buffer text = {0};
	enum error error;

	*model_out = NULL;
	if (path == NULL)
		return true;
	error = file_read(path, answer_rules_default.limits.max_bytes, &text);
	if (error == ERR_NONE)
		error = ridge_model_read(model_out, buffer_slice(&text));
	if (error == ERR_MALFORMED || error == ERR_VERSION)
		ctl_complain(ctl,
			     "%s: no model that `templatectl train` of this "
			     "version wrote",
			     path);
	else if (error != ERR_NONE)
		complain_input(ctl, path, error,
			       answer_rules_default.limits.max_bytes);
	buffer_free(&text);
	return error == ERR_NONE;
}

/* A byte more than a page may have, so that it is known to be cut. */
static enum error read_page(const struct extraction *extraction,
			    const char *path, struct buffer *body)
{
	size_t max_bytes = extraction->rules.limits.max_bytes;
	enum error error = file_read_start(path, max_bytes + 1, body);

	if (error == ERR_NONE && body->size > max_bytes)
		ctl_complain(extraction->ctl,
			     "%s: cut behind %zu bytes, the limit of a page",
			     path, max_bytes);
	return error;
}

/* The content of the file at `path`, in the format, goes to `out`. */
static enum error extract_file(const struct extraction *extraction,
			       const char *path, struct buffer *out)
{
	const struct answer_rules *rules = &extraction->rules;
	struct text_request request = extraction->request;
	struct text_answer answer = {0};
	struct buffer body = {0};
	enum error error = read_page(extraction, path, &body);

	request.body = buffer_slice(&body);
	if (error == ERR_NONE)
		error = answer_extract(NULL, rules, &request, &answer);
	if (error == ERR_NONE)
		offline_render(&answer, extraction->request.format, out);
	else
		offline_complain(extraction->ctl, path, error, &answer);
	text_answer_free(&answer);
	buffer_free(&body);
	return error;
}

static enum ctl_status extract_one(const struct extraction *extraction,
				   const char *path)
{
	struct buffer out = {0};
	enum error error = extract_file(extraction, path, &out);

	if (error == ERR_NONE)
		terminal_print(buffer_slice(&out));
	buffer_free(&out);
	return error == ERR_NONE ? CTL_DONE : CTL_FAILED;
}

/* ERR_NONE, why the page is left out, or ERR_STORE_FULL: it cannot go on. */
static enum error extract_to(const struct extraction *extraction,
			     const struct inputs *inputs, size_t index,
			     const char *folder)
{
	const struct input *input = &inputs->items[index];
	struct buffer out = {0};
	enum error error = ERR_REFUSED;

	if (!inputs_clash(extraction->ctl, inputs, index))
		error = extract_file(extraction, input->path, &out);
	if (error == ERR_NONE &&
	    !offline_write(extraction->ctl, folder, input->name,
			   extraction->request.format, buffer_slice(&out)))
		error = ERR_STORE_FULL;
	buffer_free(&out);
	return error;
}

static enum ctl_status extract_all(const struct extraction *extraction,
				   const char *folder)
{
	struct progress progress = progress_begin("extract");
	struct inputs inputs;
	enum error error = ERR_NONE;
	size_t done = 0;

	if (!inputs_collect(extraction->ctl, false, &inputs)) {
		inputs_free(&inputs);
		return CTL_FAILED;
	}
	for (size_t i = 0; i < inputs.count && error != ERR_STORE_FULL; i++) {
		progress_show(&progress, i, inputs.count, NULL);
		error = extract_to(extraction, &inputs, i, folder);
		done += error == ERR_NONE;
		if (error != ERR_NONE)
			progress_clear(&progress);
	}
	progress_clear(&progress);
	inputs_free(&inputs);
	return done > 0 && error != ERR_STORE_FULL ? CTL_DONE : CTL_FAILED;
}

static enum ctl_status extract_operands(const struct extraction *extraction)
{
	const struct ctl *ctl = extraction->ctl;
	const char *folder = option_text(ctl, "out");
	const char *path = ctl->operand_count == 0 ? "-" : ctl->operands[0];

	if (folder != NULL && ctl->operand_count > 0)
		return extract_all(extraction, folder);
	if (folder != NULL || ctl->operand_count > 1 || is_folder(path)) {
		ctl_complain(ctl,
			     folder == NULL
				     ? "several pages need --out DIR"
				     : "--out DIR needs a FILE or DIR to read");
		return CTL_USAGE;
	}
	return extract_one(extraction, path);
}

static enum ctl_status run_extract(const struct ctl *ctl)
{
	struct ctl_request asked;
	struct extraction extraction = {
		.ctl = ctl,
		.rules = answer_rules_default,
	};
	struct ridge_model *model = NULL;
	enum ctl_status status = CTL_USAGE;
	bool is_right = ctl_request_read(ctl, &asked);

	extraction.request = asked.request;
	extraction.request.format = offline_format(ctl);
	if (is_right && make_url(ctl, &extraction)) {
		status = CTL_FAILED;
		if (read_model(ctl, &model)) {
			extraction.rules.ridges = model;
			status = extract_operands(&extraction);
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
			 "default", parameter->preset, "meaning",
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
	if (extractor->needs != KNOWS_PAGE) {
		table_add_text(table, NULL);
		table_add_text(table,
			       needs_template(extractor)
				       ? "needs the template of a cluster"
				       : "uses the template of a cluster "
					 "where there is one");
	}
	for (size_t i = 0; i < extractor->parameter_count; i++) {
		const struct parameter *parameter = &extractor->parameters[i];

		table_add_text(table, NULL);
		table_printf(
			table, "%s=%g  %s%s(%g to %g): %s", parameter->name,
			parameter->preset, parameter->unit,
			*parameter->unit == '\0' ? "" : " ", parameter->minimum,
			parameter->maximum, parameter->meaning);
	}
}

static enum ctl_status run_methods(const struct ctl *ctl)
{
	static const struct column columns[] = {
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
	 .meaning = "where the page was found"},
	OPTION_PARAM_ROW,
	OPTION_FAVOR_ROW,
	OPTION_WITH_ROW,
	OPTION_INCLUDE_ROW,
	OPTION_EXCLUDE_ROW,
	{.name = "model",
	 .kind = OPTION_TEXT,
	 .value = "FILE",
	 .meaning = "what `templatectl train` made, in place of the "
		    "method's own"},
	{.name = "out",
	 .kind = OPTION_TEXT,
	 .value = "DIR",
	 .meaning = "write a file a page into DIR"},
	{.name = NULL},
};

const struct verb verb_extract = {
	.name = "extract",
	.operands = "[FILE|DIR|-]...",
	.max_operands = SIZE_MAX,
	.summary = "Print the content of HTML files, each by itself",
	.options = extract_options,
	.run = run_extract,
};

const struct verb verb_methods = {
	.name = "methods",
	.operands = "",
	.summary = "List the methods that tell content from the rest",
	.run = run_methods,
};
