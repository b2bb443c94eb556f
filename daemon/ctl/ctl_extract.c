#include <inttypes.h>
#include <jansson.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/offline.h"
#include "daemon/ctl/offline_input.h"
#include "daemon/ctl/offline_records.h"
#include "daemon/ctl/offline_run.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/model_cache.h"
#include "daemon/query/query.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/terminal.h"
#include "extract/auto/features.h"
#include "extract/extractors.h"
#include "extract/methods/ridge.h"
#include "template/bundle.h"

/* The action templatectl apply: extraction with a bundle, without a daemon. */

enum { MAX_LEARNED_BYTES = 64 << 20 };

struct bundle_run {
	struct bundle *bundle;
	const char *base; /* base URL if there are several files */
	struct model_cache *learned;
	struct bundle_learner learner; /* any thread may use it; uses the
					  cache `learned` */
	struct record_printer printer; /* with --fields */
};

static void bundle_append_page(void *visitor, struct slice charset,
			       struct slice body)
{
	item_append(visitor, body);
	item_append(visitor, charset);
}

/* Append the sample of a cluster of the bundle; a sample_reader. */
static enum error bundle_run_read_sample(void *context, uint32_t cluster,
					 struct buffer *list,
					 uint32_t *changes_out)
{
	const struct bundle_run *application = context;

	bundle_each_sample(application->bundle, cluster, bundle_append_page,
			   list);
	*changes_out = 0; /* a bundle never changes */
	return list->size > 0 ? ERR_NONE : ERR_BODY_EXPIRED;
}

static struct template_model
bundle_run_build_model(void *context, uint32_t cluster,
		       const struct extractor *extractor,
		       const double *parameters)
{
	const struct bundle_run *application = context;
	struct cached_model *learned;
	enum error error = model_cache_get(
		application->learned,
		&(struct model_query){
			.extractor = extractor,
			.parameters = parameters,
			.read = bundle_run_read_sample,
			.context = context,
			.cluster = cluster,
			.limits = &bundle_site_of(application->bundle)->limits,
		},
		&learned);

	return (struct template_model){cached_model_template(learned), learned,
				       error};
}

static void bundle_run_release_model(void *context,
				     struct template_model taught)
{
	const struct bundle_run *application = context;

	model_cache_release(application->learned, taught.holder);
}

static bool open_bundle(const struct ctl *ctl, const char *path,
			struct bundle **bundle_out)
{
	struct bundle_limits limits = bundle_limits_default;
	char reason[BUNDLE_REASON_BYTES];
	struct buffer file = {0};
	enum error error = file_read(path, BUNDLE_MAX_BYTES, &file);

	if (error == ERR_TOO_LARGE || error == ERR_CORRUPT) {
		ctl_print_error(ctl, "%s: not a bundle: %s", path,
				file_error_text(error));
		buffer_free(&file);
		return false;
	}
	if (error != ERR_NONE) {
		input_print_error(ctl, path, error, BUNDLE_MAX_BYTES);
		return false;
	}
	error = bundle_open(bundle_out, &file, &limits, reason);
	if (error != ERR_NONE)
		ctl_print_error(ctl, "%s: %s", path, reason);
	return error == ERR_NONE;
}

static enum error bundle_run_extract(void *context,
				     const struct page_item *item,
				     const struct text_request *request,
				     struct extraction_result *answer_out)
{
	const struct bundle_run *application = context;

	(void)item;
	return bundle_extract_by(application->bundle, &application->learner,
				 request, answer_out);
}

/* With --fields. */
static enum error bundle_run_append(void *context, const struct page_item *item,
				    const struct text_request *request,
				    struct buffer *out)
{
	const struct bundle_run *application = context;

	return record_append(&application->printer, application->bundle, item,
			     request, out);
}

static enum error bundle_run_url(void *context, const char *name,
				 struct url *url_out)
{
	const struct bundle_run *application = context;

	return offline_url_below(application->base, name, url_out);
}

static enum ctl_status bundle_run_start(const struct ctl *ctl,
					const struct page_run *asked)
{
	struct page_run run = *asked;
	struct bundle_run application = {.learner = {bundle_run_build_model,
						     bundle_run_release_model,
						     &application}};
	struct page_run_counts counts;
	struct ctl files = *ctl;
	enum ctl_status status = CTL_FAILED;

	files.operands++;
	files.operand_count--;
	run.ctl = &files;
	run.context = &application;
	run.jobs = page_run_jobs(ctl);
	if (!open_bundle(ctl, ctl->operands[0], &application.bundle))
		return CTL_FAILED;
	run.max_bytes = bundle_site_of(application.bundle)->limits.max_bytes;
	application.learned = model_cache_create(MAX_LEARNED_BYTES);
	application.base = run.request.url != NULL
				   ? run.request.url->text
				   : bundle_site_of(application.bundle)->base;
	if (run.append != NULL) {
		application.printer =
			record_printer_begin(ctl, &application.bundle, 1);
		run.is_csv = application.printer.is_csv;
	}
	if (run.append != NULL ||
	    page_run_format(&files, page_run_is_many(&files),
			    &run.request.format))
		status = page_run(&run, &counts);
	else
		status = CTL_USAGE;
	record_printer_free(&application.printer);
	model_cache_destroy(application.learned);
	bundle_close(application.bundle);
	return status;
}

enum ctl_status run_apply(const struct ctl *ctl)
{
	struct ctl_request asked;
	struct page_run run = {.answer = bundle_run_extract,
			       .place = bundle_run_url};
	enum ctl_status status = CTL_USAGE;
	bool is_right = ctl_request_read(ctl, &asked);
	bool is_wrong;
	struct url url;

	if (records_are_wanted(ctl, &is_wrong))
		run.append = bundle_run_append;
	is_right = is_right && !is_wrong;
	run.request = asked.request;
	run.request.charset = slice_of(option_text(ctl, "charset"));
	if (is_right && page_run_url(ctl, &run.request, &url))
		status = bundle_run_start(ctl, &run);
	ctl_request_free(&asked);
	return status;
}

/*
 * The action templatectl batch: the pipeline of the daemon applied to a folder.
 */

struct offline_batch {
	const struct ctl *ctl;
	struct offline_site site;
	uint64_t started_ms;
	atomic_size_t by_template;   /* number of pages extracted with a
					template */
	size_t next;                 /* index of the next page */
	size_t missing;              /* number of pages that were not added to
					the site */
	struct record_sites records; /* with --fields */
};

static bool offline_batch_next(void *context, struct page_item *item_out)
{
	struct offline_batch *run = context;
	const struct offline_page *page = &run->site.pages[run->next];

	if (run->next == run->site.count)
		return false;
	buffer_append_slice(&item_out->name, slice_of(page->name));
	buffer_append_slice(&item_out->output, slice_of(page->output));
	buffer_append_slice(&item_out->trouble, slice_of(page->trouble));
	run->missing += page->trouble != NULL;
	item_out->index = run->next++;
	return true;
}

static enum error offline_batch_extract(void *context,
					const struct page_item *item,
					const struct text_request *request,
					struct extraction_result *answer_out)
{
	struct offline_batch *run = context;
	enum error error = offline_site_answer(&run->site, item->index, request,
					       answer_out);

	if (error == ERR_NONE && answer_out->has_template)
		atomic_fetch_add(&run->by_template, 1);
	return error;
}

/* With --fields. */
static enum error offline_batch_append(void *context,
				       const struct page_item *item,
				       const struct text_request *request,
				       struct buffer *out)
{
	const struct offline_batch *run = context;

	return record_sites_append(&run->records, item, request, out);
}

static void offline_batch_print_summary(struct offline_batch *run,
					const struct page_run_counts *counts)
{
	size_t by_template = atomic_load(&run->by_template);
	size_t answered = counts->done + counts->left_out;
	struct store_usage usage = {0};
	char threshold[32] = "";

	if (run->site.threshold > 0)
		snprintf(threshold, sizeof(threshold), " (threshold %.3f)",
			 run->site.threshold / 1000.0);
	if (store_usage(run->site.store, &usage) != ERR_NONE)
		return;
	fprintf(stderr,
		"%zu pages in %" PRIu64 " clusters%s: %zu by template, %zu "
		"without; %zu skipped; %.1f s\n",
		answered, usage.rows[TABLE_CLUSTERS], threshold, by_template,
		answered - by_template, counts->failed,
		(double)(clock_steady_ms() - run->started_ms) / 1000);
}

static enum ctl_status run_all(struct offline_batch *run,
			       const struct text_request *request,
			       bool is_of_fields)
{
	struct page_run pages = {
		.ctl = run->ctl,
		.jobs = page_run_jobs(run->ctl),
		.request = *request,
		.answer = offline_batch_extract,
		.context = run,
		.next = offline_batch_next,
	};
	struct page_run_counts counts;
	enum ctl_status status;

	if (!offline_site_learn(run->ctl, is_of_fields ? NULL : request,
				&run->site))
		return CTL_FAILED;
	if (is_of_fields) {
		if (!record_sites_open(run->ctl, &run->site, &run->records))
			return CTL_FAILED;
		run->records.printer.by_template = &run->by_template;
		pages.append = offline_batch_append;
		pages.is_csv = run->records.printer.is_csv;
	}
	pages.count = run->site.count;
	status = page_run(&pages, &counts);
	if (status == CTL_DONE)
		offline_batch_print_summary(run, &counts);
	return status == CTL_DONE && run->missing > 0 ? CTL_PARTLY : status;
}

enum ctl_status run_batch(const struct ctl *ctl)
{
	struct ctl_request asked;
	struct offline_batch run = {
		.ctl = ctl,
		.started_ms = clock_steady_ms(),
	};
	enum ctl_status status = CTL_USAGE;

	bool is_right = ctl_request_read(ctl, &asked);
	bool is_wrong;
	bool is_of_fields = records_are_wanted(ctl, &is_wrong);

	if (is_right && !is_wrong &&
	    (is_of_fields || page_run_format(ctl, true, &asked.request.format)))
		status = run_all(&run, &asked.request, is_of_fields);
	ctl_request_free(&asked);
	record_sites_close(&run.records);
	offline_site_close(&run.site);
	return status;
}

/*
 * The action templatectl explain: a page whose parts are coloured by verdict.
 */

/*
 * Print the page, or write it to the file of --out. Return false after an error
 * message.
 */
static bool explain_write(const struct ctl *ctl, const struct buffer *picture)
{
	const char *path = option_text(ctl, "out");

	if (path == NULL) {
		terminal_print(buffer_slice(picture));
		return true;
	}
	return ctl_write_file(ctl, path, buffer_slice(picture), file_write);
}

static enum ctl_status put_answer(const struct ctl *ctl, enum error error,
				  struct extraction_result *answer)
{
	enum ctl_status status = CTL_FAILED;
	struct buffer trouble = {0};

	if (error != ERR_NONE) {
		offline_trouble(error, answer, &trouble);
		ctl_print_error(ctl, "%s: %s", ctl->operands[0], trouble.data);
		buffer_free(&trouble);
	} else if (explain_write(ctl, &answer->text)) {
		status = CTL_DONE;
	}
	extraction_result_free(answer);
	return status;
}

static enum ctl_status explain_file(const struct ctl *ctl,
				    struct text_request request)
{
	const struct extraction_options *rules = &extraction_options_default;
	struct extraction_result answer = {0};
	struct buffer body = {0};
	enum ctl_status status;
	enum error error =
		file_read(ctl->operands[0], rules->limits.max_bytes, &body);

	request.body = buffer_slice(&body);
	if (error == ERR_NONE)
		error = query_extract(NULL, rules, &request, &answer);
	status = put_answer(ctl, error, &answer);
	buffer_free(&body);
	return status;
}

/*
 * Find the page by its path relative to the folder, or by its path as the user
 * would type it.
 */
static const struct offline_page *
explain_find_page(const struct offline_site *site, const char *path)
{
	for (size_t i = 0; i < site->count; i++) {
		const struct offline_page *page = &site->pages[i];

		if (strcmp(page->output, path) == 0 ||
		    strcmp(page->path, path) == 0)
			return page;
	}
	return NULL;
}

static enum ctl_status explain_page(const struct ctl *ctl,
				    const struct offline_site *site,
				    struct text_request request)
{
	const struct offline_page *page =
		explain_find_page(site, ctl->operands[0]);
	struct extraction_result answer = {0};
	struct url url;
	enum error error;

	if (page == NULL) {
		ctl_print_error(
			ctl,
			"%s: %s has no such page; use its path in that folder",
			ctl->operands[0], option_text(ctl, "site"));
		return CTL_FAILED;
	}
	if (page->trouble != NULL) {
		ctl_print_error(ctl, "%s: %s", page->name, page->trouble);
		return CTL_FAILED;
	}
	error = url_parse(&url, slice_of(page->url), NULL);
	request.url = &url;
	if (error == ERR_NONE)
		error = query_text(site->store, &site->rules, &request,
				   &answer);
	return put_answer(ctl, error, &answer);
}

static enum ctl_status explain_in_site(const struct ctl *ctl,
				       const struct text_request *request)
{
	const char *folder = option_text(ctl, "site");
	const char *operands[] = {folder};
	struct ctl lesson = *ctl; /* as if the folder were the operand of a
				     command */
	struct offline_site site = {0};
	enum ctl_status status = CTL_FAILED;

	if (!is_folder(folder)) {
		ctl_print_error(ctl, "--site: %s: no such folder", folder);
		return CTL_FAILED;
	}
	lesson.operands = operands;
	lesson.operand_count = 1;
	if (offline_site_learn(&lesson, NULL, &site))
		status = explain_page(ctl, &site, *request);
	offline_site_close(&site);
	return status;
}

static enum ctl_status ask_daemon(const struct ctl *ctl,
				  const struct ctl_request *asked)
{
	struct buffer target = {0};
	struct buffer answer = {0};
	enum ctl_status status;

	buffer_append_text(&target, "/v1/text?format=explain&url=");
	client_append_escaped(&target, ctl->operands[0]);
	ctl_request_append(asked, &target);
	status = client_ask(
		ctl, &(struct client_request){.target = target.data}, &answer);
	if (status == CTL_DONE && !explain_write(ctl, &answer))
		status = CTL_FAILED;
	buffer_free(&answer);
	buffer_free(&target);
	return status;
}

static enum ctl_status ctl_explain_page(const struct ctl *ctl,
					const struct ctl_request *asked)
{
	bool has_site = option_given(ctl, "site");

	if (!is_address(ctl->operands[0]))
		return has_site ? explain_in_site(ctl, &asked->request)
				: explain_file(ctl, asked->request);
	if (!has_site)
		return ask_daemon(ctl, asked);
	ctl_print_error(ctl,
			"--site: use it with files only; the daemon uses its "
			"own pages for a URL");
	return CTL_USAGE;
}

enum ctl_status run_explain(const struct ctl *ctl)
{
	struct ctl_request asked;
	enum ctl_status status = CTL_USAGE;

	if (ctl_request_read(ctl, &asked)) {
		asked.request.format = FORMAT_EXPLAIN;
		status = ctl_explain_page(ctl, &asked);
	}
	ctl_request_free(&asked);
	return status;
}

/* The action templatectl features. */

enum ctl_status run_features(const struct ctl *ctl)
{
	json_t *features = json_array();
	json_t *answer = json_pack("{s:o}", "features", features);

	for (size_t i = 0; i < FEATURE_COUNT; i++)
		json_array_append_new(features,
				      json_pack("{s:s, s:s}", "name",
						feature_name(i), "definition",
						feature_definition(i)));
	action_print(ctl, answer);
	json_decref(answer);
	return CTL_DONE;
}

/* The actions templatectl extract and templatectl methods. */

/*
 * Read the model of --model, which the caller frees; NULL without --model.
 * Return false after an error message.
 */
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

struct extract_run {
	const struct ctl *ctl;
	struct extraction_options rules;
	bool renders;
};

enum { RENDER_TIMEOUT_MS = 2 * 60 * 1000 };

/* Have the daemon render the page of the request. NULL: it failed. */
static json_t *render_by_daemon(const struct ctl *ctl,
				const struct text_request *request)
{
	static const char *const selectors[] = {"wait", "click"};
	struct buffer target = {0};
	json_t *answer = NULL;
	char charset[32] = "";

	buffer_append_text(&target, "/v1/render");
	client_append_query(&target, "url", request->url->text);
	for (size_t i = 0; i < sizeof(selectors) / sizeof(*selectors); i++)
		if (option_given(ctl, selectors[i]))
			client_append_query(&target, selectors[i],
					    option_text(ctl, selectors[i]));
	if (option_given(ctl, "scroll"))
		client_append_query(&target, "scroll", "1");
	if (message_copy_text(request->charset, charset, sizeof(charset)) &&
	    *charset != '\0')
		client_append_query(&target, "charset", charset);
	client_send(ctl,
		    &(struct socket_request){.method = "POST",
					     .target = target.data,
					     .body = request->body,
					     .media_type = "text/html",
					     .timeout_ms = RENDER_TIMEOUT_MS},
		    &answer);
	buffer_free(&target);
	return answer;
}

/* Extract the text of a page without a known template. */
static enum error ctl_extract_page(void *context, const struct page_item *item,
				   const struct text_request *request,
				   struct extraction_result *answer_out)
{
	const struct extract_run *run = context;
	struct text_request rendered = *request;
	json_t *answer;
	enum error error;

	(void)item;
	if (!run->renders)
		return query_extract(NULL, &run->rules, request, answer_out);
	if (request->url == NULL) {
		snprintf(answer_out->reason, sizeof(answer_out->reason),
			 "--render needs the URL of the page; add --url");
		return ERR_NOT_RENDERED;
	}
	answer = render_by_daemon(run->ctl, request);
	rendered.body = slice_of(field_text(answer, "html"));
	rendered.charset = slice_of("utf-8");
	error = answer == NULL ? ERR_NOT_RENDERED
			       : query_extract(NULL, &run->rules, &rendered,
					       answer_out);
	json_decref(answer);
	return error;
}

enum ctl_status run_extract(const struct ctl *ctl)
{
	struct extract_run extract = {
		.ctl = ctl,
		.rules = extraction_options_default,
		.renders = option_given(ctl, "render"),
	};
	struct ctl_request asked;
	struct page_run run = {
		.ctl = ctl,
		.max_bytes = extract.rules.limits.max_bytes,
		/* the daemon renders one page at a time */
		.jobs = extract.renders ? 1 : page_run_jobs(ctl),
		.answer = ctl_extract_page,
		.context = &extract,
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
			extract.rules.ridges = model;
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

enum ctl_status run_methods(const struct ctl *ctl)
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
