#include "template/method_run.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "extract/auto/auto_comments.h"
#include "extract/choose.h"
#include "extract/core/trace.h"
#include "extract/methods/ridge_model.h"
#include "extract/render/table_filter.h"
#include "template/presentation.h"
#include "template/request.h"

/* The inputs of a method in addition to the page. */
struct tools {
	double parameters[MAX_PARAMETERS];
	struct selection selection;
	struct ridge_model *own; /* the model of the site */
	struct template_model taught;
};

/* Load the site's model, if the method uses one. */
static enum error load_model(const struct extraction *extraction,
			     const struct extractor *extractor,
			     struct ridge_model **model_out,
			     struct extraction_result *answer)
{
	*model_out = NULL;
	if (!extractor->reads_ridges || extraction->load_model == NULL)
		return ERR_NONE;
	return extraction->load_model(extraction->load_context,
				      extraction->rules, extraction->request,
				      model_out, answer);
}

/*
 * Set the parameters of the method. The parameters of the request are for the
 * method that it names; another method that runs instead gets only those of the
 * settings and of the preference.
 */
static bool take_parameters(const struct extraction *extraction,
			    const struct method_selection *choice,
			    double *parameters, char *error_out)
{
	const char *settings = extraction->rules->settings;
	struct text_request request = *extraction->request;

	if (!request_parameters(&request, choice->named, settings, parameters,
				error_out))
		return false;
	if (choice->named == choice->extractor)
		return true;
	request.parameters = NULL;
	return request_parameters(&request, choice->extractor, settings,
				  parameters, error_out);
}

/* Prepare the inputs. Call put_away() afterwards, also after an error. */
static enum error take_tools(const struct extraction *extraction,
			     const struct method_selection *choice,
			     struct extraction_result *answer,
			     struct tools *tools_out)
{
	const struct text_request *request = extraction->request;
	const struct site_view *site = extraction->site;
	enum error error;

	*tools_out = (struct tools){0};
	if (!take_parameters(extraction, choice, tools_out->parameters,
			     answer->reason) ||
	    !request_selection(request, extraction->page->arena,
			       &tools_out->selection, answer->reason))
		return ERR_MALFORMED;
	error = load_model(extraction, choice->extractor, &tools_out->own,
			   answer);
	if (error != ERR_NONE || !choice->has_template ||
	    !extractor_builds_model(choice->extractor))
		return error;
	tools_out->taught = site->source->learn(
		site->context, extraction->cluster, extraction->changes,
		choice->extractor, tools_out->parameters);
	error = tools_out->taught.error;
	if (error == ERR_BODY_EXPIRED)
		snprintf(answer->reason, sizeof(answer->reason),
			 "%s needs pages of the cluster, but no body is "
			 "stored: see retention.bodies_age, "
			 "retention.bodies_count and retention.bodies_bytes",
			 choice->extractor->name);
	return error;
}

static void put_away(const struct extraction *extraction, struct tools *tools)
{
	const struct site_view *site = extraction->site;

	if (tools->taught.holder != NULL)
		site->source->release(site->context, tools->taught);
	ridge_model_destroy(tools->own);
}

/* Apply the request's selectors to the method's choice. */
static void select_texts(const struct extraction *extraction,
			 const struct selection *asked,
			 const struct extractor_input *input,
			 struct verdict *verdicts,
			 struct extraction_result *answer)
{
	const struct text_request *request = extraction->request;
	const struct page *page = extraction->page;
	struct selection selection = *asked;

	if (request_separates_comments(request))
		answer->comments = auto_comments(page->arena, page);
	selection.apart = answer->comments;
	selection_apply(&selection, page, verdicts, input->trace);
	if ((request->extras & EXTRA_NO_TABLES) != 0)
		tables_leave_out(page->arena, page, verdicts);
}

/*
 * Run the method, apply the request's selectors to its choice, and render the
 * text.
 */
static void method_run_extract(const struct extraction *extraction,
			       const struct method_selection *choice,
			       const struct tools *tools,
			       struct extraction_result *answer)
{
	const struct page *page = extraction->page;
	struct assessment assessment = {.confidence = NAN};
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	struct extractor_input input = {
		.page = page,
		.template_counts =
			choice->has_template ? &extraction->counts : NULL,
		.learned = tools->taught.knowledge,
		.prepared = extraction->prepared,
		.ridges = tools->own == NULL ? extraction->rules->ridges
					     : tools->own,
		.parameters = tools->parameters,
		.arena = page->arena,
		.assessment = &assessment,
	};

	if (extraction->request->format == FORMAT_EXPLAIN)
		input.trace = trace_create(page->arena, page->text_count);
	choice->extractor->run(&input, verdicts);
	select_texts(extraction, &tools->selection, &input, verdicts, answer);
	answer->verdicts = verdicts;
	answer->is_truncated = page->is_truncated;
	answer->extras = extraction->request->extras;
	answer->has_template = choice->has_template;
	answer->preference = extraction->request->preference;
	answer->confidence = assessment.confidence;
	answer->quality = text_quality_of(page, verdicts, assessment.is_unsure,
					  extraction->http_status);
	result_present(extraction, choice->extractor, &input, verdicts, answer);
}

enum error method_run(const struct extraction *extraction,
		      struct extraction_result *answer)
{
	struct method_selection choice = {0};
	struct tools tools = {0};
	enum error error = method_select(
		extraction->request->method, extraction->counts.page_count,
		extraction->rules->min_cluster_pages, &choice);

	snprintf(answer->reason, sizeof(answer->reason), "%s", choice.reason);
	if (error != ERR_NONE)
		return error;
	snprintf(answer->method, sizeof(answer->method), "%s",
		 choice.extractor->name);
	error = take_tools(extraction, &choice, answer, &tools);
	if (error == ERR_NONE)
		method_run_extract(extraction, &choice, &tools, answer);
	put_away(extraction, &tools);
	return error;
}
