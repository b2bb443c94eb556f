#include "daemon/extraction.h"

#include <stdio.h>
#include <string.h>

#include "daemon/learned.h"
#include "extract/choose.h"
#include "extract/explain.h"
#include "extract/ridge_model.h"
#include "extract/settings.h"
#include "extract/trace.h"
#include "store/arena.h"
#include "store/file.h"

enum { MAX_MODEL_BYTES = 4 << 20 };

/* The presets, the configuration over them, the request over all. */
static enum error set_parameters(const struct extraction *extraction,
				 const struct extractor *extractor,
				 double *parameters, struct text_answer *answer)
{
	const char *settings = extraction->rules->settings;
	const char *const *given = extraction->request->parameters;

	extractor_presets(extractor, parameters);
	if (settings != NULL &&
	    !settings_apply(settings, extractor, parameters, answer->reason))
		return ERR_MALFORMED;
	for (; given != NULL && *given != NULL; given++)
		if (!extractor_set(extractor, *given, parameters,
				   answer->reason))
			return ERR_MALFORMED;
	return ERR_NONE;
}

static struct learned *learn(const struct extraction *extraction,
			     const struct extractor *extractor,
			     const double *parameters, uint64_t generation)
{
	if (extractor->needs != KNOWS_SAMPLE)
		return NULL;
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

static void lay_out(const struct extraction *extraction,
		    const struct extractor_input *input,
		    const struct extractor *extractor,
		    const struct verdict *verdicts, struct text_answer *answer)
{
	const struct page *page = extraction->page;

	switch (extraction->request->format) {
	case FORMAT_HTML:
		render_html(page, verdicts, &answer->text);
		break;
	case FORMAT_EXPLAIN:
		render_explanation(
			page, verdicts, input->trace,
			&(struct explanation){
				.extractor = extractor,
				.parameters = input->parameters,
				.reason = answer->reason,
				.url = answer->url,
				.cluster = answer->cluster,
				.template_counts = input->template_counts,
			},
			&answer->text);
		break;
	default:
		render_text(page, verdicts, &answer->text);
	}
	buffer_append_slice(&answer->title, page->title);
	buffer_append_slice(&answer->language, page->language);
	buffer_append_slice(&answer->description, page->description);
	answer->is_truncated = page->is_truncated;
}

static enum error run(const struct extraction *extraction,
		      const struct extractor *extractor,
		      struct text_answer *answer)
{
	const struct page *page = extraction->page;
	double parameters[MAX_PARAMETERS] = {0};
	struct verdict *verdicts;
	struct ridge_model *own = NULL;
	struct learned *learned;
	struct extractor_input input;
	enum error error =
		set_parameters(extraction, extractor, parameters, answer);

	if (error == ERR_NONE)
		error = load_model(extraction, extractor, &own, answer);
	if (error != ERR_NONE)
		return error;
	learned = learn(extraction, extractor, parameters, answer->generation);
	if (extractor->needs == KNOWS_SAMPLE && learned == NULL) {
		ridge_model_destroy(own);
		return ERR_CORRUPT;
	}
	input = (struct extractor_input){
		.page = page,
		.template_counts = extraction->counts.page_count == 0
					   ? NULL
					   : &extraction->counts,
		.learned = learned_knowledge(learned),
		.ridges = own == NULL ? extraction->rules->ridges : own,
		.parameters = parameters,
		.arena = page->arena,
	};
	if (extraction->request->format == FORMAT_EXPLAIN)
		input.trace = trace_create(page->arena, page->text_count);
	verdicts = ARENA_NEW(page->arena, struct verdict, page->text_count);
	extractor->run(&input, verdicts);
	lay_out(extraction, &input, extractor, verdicts, answer);
	learned_release(extraction->rules->learned, learned);
	ridge_model_destroy(own);
	return ERR_NONE;
}

enum error extraction_run(const struct extraction *extraction,
			  struct text_answer *answer)
{
	const struct text_request *request = extraction->request;
	const struct answer_rules *rules = extraction->rules;
	struct choice choice = {0};
	enum error error = choose_extractor(
		request->method == NULL ? "auto" : request->method,
		rules->fallback, extraction->counts.page_count,
		rules->min_cluster_pages, &choice);

	snprintf(answer->reason, sizeof(answer->reason), "%s", choice.reason);
	if (error != ERR_NONE)
		return error;
	snprintf(answer->method, sizeof(answer->method), "%s",
		 choice.extractor->name);
	return run(extraction, choice.extractor, answer);
}
