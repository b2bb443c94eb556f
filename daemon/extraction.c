#include "daemon/extraction.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "daemon/learned.h"
#include "daemon/presentation.h"
#include "daemon/request.h"
#include "extract/choose.h"
#include "extract/ridge_model.h"
#include "extract/trace.h"
#include "store/arena.h"
#include "store/file.h"

enum { MAX_MODEL_BYTES = 4 << 20 };

/* What a sample of the page's cluster tells; NULL: it cannot be read. */
static struct learned *learn(const struct extraction *extraction,
			     const struct extractor *extractor,
			     const double *parameters, uint64_t generation)
{
	return learned_get(
		extraction->rules->learned,
		&(struct learned_question){
			.extractor = extractor,
			.parameters = parameters,
			.pages = {.txn = extraction->txn,
				  .site = extraction->site,
				  .cluster = extraction->cluster,
				  .limits = &extraction->rules->limits},
			.generation = generation,
		});
}

/*
 * The model of the page's own site, from HOST.model in the folder of models, if
 * the method reads one and there is one; ridge_model_destroy() it.
 */
static enum error load_model(const struct extraction *extraction,
			     const struct extractor *extractor,
			     struct ridge_model **model_out,
			     struct text_answer *answer)
{
	const struct url *url = extraction->request->url;
	const char *folder = extraction->rules->models;
	struct buffer path = {0};
	struct buffer text = {0};
	enum error error;

	if (!extractor->reads_ridges || folder == NULL || *folder == '\0' ||
	    url == NULL)
		return ERR_NONE;
	buffer_printf(&path, "%s/%s.model", folder, url->host);
	error = file_read(path.data, MAX_MODEL_BYTES, &text);
	if (error == ERR_NONE)
		error = ridge_model_read(model_out, buffer_slice(&text));
	else if (error == ERR_NOT_FOUND)
		error = ERR_NONE;
	if (error != ERR_NONE)
		snprintf(answer->reason, sizeof(answer->reason),
			 "%.150s: %s; train it again, or take it away",
			 path.data, error_text(error));
	buffer_free(&path);
	buffer_free(&text);
	return error;
}

/* What a method is given beside the page. */
struct tools {
	double parameters[MAX_PARAMETERS];
	struct selection selection;
	struct ridge_model *own; /* the model of the site */
	struct learned *learned;
};

/* End with put_away(), also after an error. */
static enum error take_tools(const struct extraction *extraction,
			     const struct choice *choice,
			     struct text_answer *answer,
			     struct tools *tools_out)
{
	const struct text_request *request = extraction->request;
	enum error error;

	*tools_out = (struct tools){0};
	if (!request_parameters(request, choice->extractor,
				extraction->rules->settings,
				tools_out->parameters, answer->reason) ||
	    !request_selection(request, extraction->page->arena,
			       &tools_out->selection, answer->reason))
		return ERR_MALFORMED;
	error = load_model(extraction, choice->extractor, &tools_out->own,
			   answer);
	if (error != ERR_NONE || !choice->has_template ||
	    !learns_sample(choice->extractor))
		return error;
	tools_out->learned = learn(extraction, choice->extractor,
				   tools_out->parameters, answer->generation);
	return tools_out->learned == NULL ? ERR_CORRUPT : ERR_NONE;
}

static void put_away(const struct extraction *extraction, struct tools *tools)
{
	learned_release(extraction->rules->learned, tools->learned);
	ridge_model_destroy(tools->own);
}

/* Run the method, change its choice as is wanted, and lay it out. */
static void run(const struct extraction *extraction,
		const struct choice *choice, const struct tools *tools,
		struct text_answer *answer)
{
	const struct page *page = extraction->page;
	struct assessment assessment = {.confidence = NAN};
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	struct extractor_input input = {
		.page = page,
		.template_counts =
			choice->has_template ? &extraction->counts : NULL,
		.learned = learned_knowledge(tools->learned),
		.ridges = tools->own == NULL ? extraction->rules->ridges
					     : tools->own,
		.parameters = tools->parameters,
		.arena = page->arena,
		.assessment = &assessment,
	};

	if (extraction->request->format == FORMAT_EXPLAIN)
		input.trace = trace_create(page->arena, page->text_count);
	choice->extractor->run(&input, verdicts);
	selection_apply(&tools->selection, page, verdicts, input.trace);
	answer->has_template = choice->has_template;
	answer->favor = extraction->request->favor;
	answer->confidence = assessment.confidence;
	answer->quality = quality_of(page, verdicts, extraction->http_status);
	present(extraction, choice->extractor, &input, verdicts, answer);
}

enum error extraction_run(const struct extraction *extraction,
			  struct text_answer *answer)
{
	struct choice choice = {0};
	struct tools tools = {0};
	enum error error = choose_extractor(
		extraction->request->method, extraction->counts.page_count,
		extraction->rules->min_cluster_pages, &choice);

	snprintf(answer->reason, sizeof(answer->reason), "%s", choice.reason);
	if (error != ERR_NONE)
		return error;
	snprintf(answer->method, sizeof(answer->method), "%s",
		 choice.extractor->name);
	error = take_tools(extraction, &choice, answer, &tools);
	if (error == ERR_NONE)
		run(extraction, &choice, &tools, answer);
	put_away(extraction, &tools);
	return error;
}
