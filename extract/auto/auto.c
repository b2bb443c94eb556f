#include "extract/auto/auto.h"

#include <string.h>

#include "base/arena.h"
#include "extract/auto/auto_choice.h"
#include "extract/auto/auto_claims.h"
#include "extract/auto/auto_score.h"
#include "extract/auto/auto_template.h"
#include "extract/auto/auto_trace.h"
#include "page/page.h"

/* Parameters whose default comes from a model file. */
enum {
	PARAMETER_SCOPE, /* must be first: passage_model_build() reads it */
	PARAMETER_threshold,
};

#define DEFAULT_VALUE(name, value) [PARAMETER_##name].default_value = (value),
#define TRADE(scope, favor, value)
#define CONSTANT(name, value)

static const struct parameter parameters[] = {
	[PARAMETER_SCOPE] =
		{
			.name = "scope",
			.unit = "",
			.minimum = SCOPE_NONE,
			.maximum = SCOPE_PAGE,
			.meaning = "1: only the body, 2: everything that the "
				   "page is about, 0: no scope; --scope sets "
				   "it and the threshold",
		},
	[PARAMETER_threshold] =
		{
			.name = "threshold",
			.unit = "probability",
			.minimum = 0,
			.maximum = 1,
			.meaning = "a passage with a higher score is content",
		},
#include "auto-choice.model"
};
#undef TRADE
#undef DEFAULT_VALUE

static enum preference_scope scope_of(const double *given)
{
	return (enum preference_scope)given[PARAMETER_SCOPE];
}

static const void *auto_prepare(const struct page *page, const double *given,
				struct arena *arena)
{
	return prepared_page_make(arena, page, scope_of(given));
}

static const void *auto_build_model(const struct sample *sample,
				    const double *given, struct arena *arena)
{
	return passage_model_build(sample, scope_of(given), arena);
}

/* Score by the page alone. Copy the prepared scores, which must not change. */
static struct passage_scores score_alone(const struct extractor_input *input,
					 const struct prepared_page *prepared,
					 const struct passages *passages)
{
	struct arena *arena = input->arena;
	struct passage_scores scores;

	if (prepared == NULL) {
		const struct page_hints claims =
			page_hints_of(arena, passages->page);

		return passage_scores_make(arena, passages, &claims,
					   scope_of(input->parameters),
					   input->trace != NULL);
	}
	scores = prepared->scores;
	scores.scores = ARENA_NEW(arena, float, passages->count);
	memcpy(scores.scores, prepared->scores.scores,
	       passages->count * sizeof(*scores.scores));
	return scores;
}

/* Score, with the evidence of other pages if the template is known. */
static struct passage_scores
auto_score_page(const struct extractor_input *input,
		const struct prepared_page *prepared,
		const struct passages *passages)
{
	struct passage_scores scores = score_alone(input, prepared, passages);

	if (input->learned != NULL)
		scores.evidence = passage_model_view(
			input->learned, input->arena, passages, scores.scores,
			prepared == NULL ? NULL : prepared->paths);
	if (scores.evidence != NULL)
		evidence_apply(scores.evidence, passages->count, scores.scores);
	return scores;
}

static void auto_run(const struct extractor_input *input,
		     struct verdict *verdicts)
{
	const struct page *page = input->page;
	/*
	 * an explanation shows values that struct prepared_page does not hold
	 */
	const struct prepared_page *prepared =
		input->trace == NULL ? input->prepared : NULL;
	const struct passages passages =
		prepared != NULL ? prepared->passages
				 : passages_make(input->arena, page);
	double threshold = input->parameters[PARAMETER_threshold];
	const struct passage_scores scores =
		auto_score_page(input, prepared, &passages);
	const bool *is_chosen = passages_choose(input->arena, &passages,
						scores.scores, threshold);

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t passage = passages.of_text[i];

		if (passage == NO_PASSAGE)
			verdicts[i] = (struct verdict){.score = 0};
		else
			verdicts[i] = (struct verdict){scores.scores[passage],
						       is_chosen[passage]};
	}
	if (input->assessment != NULL)
		*input->assessment = choice_assess(&passages, scores.scores,
						   is_chosen, threshold);
	if (input->trace != NULL)
		auto_trace(input->trace, &scores, is_chosen, threshold);
}

#define DEFAULT_VALUE(name, value)
#define TRADE(scope, favor, value) \
	.thresholds[SCOPE_##scope][FAVOR_##favor] = (value),

const struct extractor extractor_auto = {
	.name = "auto",
	.summary = "Passages that trained trees classify as content, by their "
		   "features and, if known, their template.",
	.source = "Gradient boosted trees (Friedman, Greedy Function "
		  "Approximation: A Gradient Boosting Machine, Annals of "
		  "Statistics 29, 2001), stacked (Wolpert, Stacked "
		  "Generalization, Neural Networks 5, 1992)",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.needs = MAY_USE_SAMPLE,
#include "auto-choice.model"
	.prepare = auto_prepare,
	.learn = auto_build_model,
	.learned_parameters = PARAMETER_SCOPE + 1,
	.run = auto_run,
};
