#include "extract/auto/auto.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "extract/auto/auto_score.h"
#include "extract/auto/auto_template.h"
#include "extract/auto/features.h"
#include "extract/auto/forest.h"
#include "extract/auto/labels.h"
#include "extract/auto/sequence.h"
#include "extract/core/document_walk.h"
#include "extract/core/numeric.h"
#include "extract/core/trace.h"
#include "extract/structure/structure.h"
#include "page/page.h"

/* Define each CONSTANT of the model file as a variable model_<name>. */
#define DEFAULT_VALUE(name, value)
#define TRADE(scope, favor, value)
#define CONSTANT(name, value) static const double model_##name = (value);
#include "auto-choice.model"
#undef DEFAULT_VALUE
#undef TRADE
#undef CONSTANT

/*
 * In the best run, a passage with a score below this ratio of the highest score
 * has a negative weight.
 */
#define BEST_RATIO 0.7

/*
 * The choice is unsure if the mean score of its words is below UNSURE_MEAN.
 * Then only scores over SURE_SCORE are chosen, if they have MIN_SURE_WORDS of
 * the words. Chosen from 60 combinations with the gold of six sets.
 */
#define UNSURE_MEAN    0.807
#define SURE_SCORE     0.74
#define MIN_SURE_WORDS 0.3

enum { MIN_UNSURE_WORDS = 50 }; /* shorter choices are never unsure */

/* An entry in the table of the chosen passages. */
struct shown_passage {
	uint64_t key; /* hash of the passage's terms */
	bool is_shown;
};

/* Return the number of words of the passage, or 0 if readers do not see it. */
static double choice_weight(const struct passage *passage)
{
	return passage->place == PLACE_PLAIN && passage->hiding == HIDING_NONE
		       ? passage->words
		       : 0;
}

/*
 * Find the run of passages with the maximum sum of words * (score - BEST_RATIO
 * * highest score), and choose its visible passages.
 */
static void choose_best_run(const struct passages *passages,
			    const float *scores, const bool *is_showable,
			    bool *is_chosen)
{
	struct maximum_run run = {0};
	double highest = 0;

	for (uint32_t i = 0; i < passages->count; i++)
		if (choice_weight(&passages->items[i]) > 0)
			highest = fmax(highest, (double)scores[i]);
	for (uint32_t i = 0; i < passages->count; i++)
		maximum_run_add(&run, choice_weight(&passages->items[i]) *
					      ((double)scores[i] -
					       BEST_RATIO * highest));
	for (uint32_t i = run.begin; i < run.end; i++)
		is_chosen[i] = choice_weight(&passages->items[i]) > 0 &&
			       is_showable[passages->items[i].first_text];
}

double page_threshold(const struct passages *passages, const float *scores,
		      double threshold)
{
	double sure_words = 0;
	double score_sum = 0;
	double words = 0;

	if (threshold < 0.5 || threshold > SURE_SCORE)
		return threshold;
	for (uint32_t i = 0; i < passages->count; i++) {
		const struct passage *passage = &passages->items[i];
		double own = passage->words;
		double score = (double)scores[i];

		if (score <= threshold || passage->place != PLACE_PLAIN)
			continue;
		words += own;
		score_sum += score * own;
		sure_words += score > SURE_SCORE ? own : 0;
	}
	if (words < MIN_UNSURE_WORDS || sure_words < MIN_SURE_WORDS * words ||
	    score_sum >= UNSURE_MEAN * words)
		return threshold;
	return SURE_SCORE;
}

const bool *passages_choose(struct arena *arena,
			    const struct passages *passages,
			    const float *scores, double threshold)
{
	const bool *is_showable = showable_texts(arena, passages->page);
	struct hash_table shown =
		hash_table_make(arena, sizeof(struct shown_passage));
	bool *is_chosen = ARENA_NEW(arena, bool, passages->count);
	uint64_t words = 0;

	for (uint32_t i = 0; i < passages->count; i++) {
		const struct passage *passage = &passages->items[i];

		is_chosen[i] = (double)scores[i] > threshold &&
			       is_showable[passage->first_text];
		if (is_chosen[i] && passage->words >= MIN_REPEATED_WORDS) {
			struct shown_passage *earlier =
				hash_table_add(&shown, passage->hash);

			is_chosen[i] = !earlier->is_shown;
			earlier->is_shown = true;
		}
		words += is_chosen[i] ? passage->words : 0;
	}
	if (words == 0)
		choose_best_run(passages, scores, is_showable, is_chosen);
	return is_chosen;
}

/* Return the confidence by the formula that tests/eval/calibration.py fits. */
static double choice_confidence(double expected_f1, double chosen, double words,
				uint32_t passages)
{
	static const double edge = 0.01;
	double f1 = fmin(fmax(expected_f1, edge), 1 - edge);
	double odds = model_confidence_base +
		      model_confidence_expected * log(f1 / (1 - f1)) +
		      model_confidence_words * log1p(chosen) +
		      model_confidence_ratio * chosen / fmax(words, 1) +
		      model_confidence_passages * log1p(passages);

	return 1 / (1 + exp(-odds));
}

struct assessment choice_assess(const struct passages *passages,
				const float *scores, const bool *is_chosen,
				double threshold)
{
	bool is_sure = false;
	double right = 0;
	double content = 0;
	double chosen = 0;
	double words = 0;
	double expected_f1;

	for (uint32_t i = 0; i < passages->count; i++) {
		double own = passages->items[i].words;

		words += own;
		content += (double)scores[i] * own;
		if (is_chosen[i]) {
			right += (double)scores[i] * own;
			chosen += own;
			is_sure |= (double)scores[i] > threshold;
		}
	}
	expected_f1 = chosen + content > 0 ? 2 * right / (chosen + content) : 0;
	return (struct assessment){
		.expected_f1 = (float)expected_f1,
		.confidence = (float)choice_confidence(expected_f1, chosen,
						       words, passages->count),
		.is_unsure = chosen > 0 && !is_sure,
	};
}

const bool *auto_comments(struct arena *arena, const struct page *page)
{
	const struct passages passages = passages_make(arena, page);
	const struct page_hints claims = page_hints_of(arena, page);
	const float *scores = comment_scores(arena, &passages, &claims);
	const bool *is_visible = visible_texts(arena, page);
	bool *is_comment = ARENA_NEW(arena, bool, page->text_count);

	for (uint32_t i = 0; i < page->text_count; i++) {
		const uint32_t passage = passages.of_text[i];

		is_comment[i] =
			passage != NO_PASSAGE && is_visible[i] &&
			(double)scores[passage] > model_comment_threshold;
	}
	return is_comment;
}

/*
 * Write the features that moved the score most, such as "+1.2 words, +0.8
 * subtree_ratio, -0.4 link_ratio".
 */
static void print_moves(const struct strongest_moves *moves, char *out,
			size_t size)
{
	size_t used = 0;

	snprintf(out, size, "no feature");
	for (size_t i = 0; i < MAX_MOVES && moves->moves[i] != 0; i++) {
		snprintf(out + used, size - used, "%s%+.1f %s",
			 i == 0 ? "" : ", ", (double)moves->moves[i],
			 feature_name(moves->features[i]));
		used = strlen(out);
	}
}

/*
 * Write the evidence, such as "; on 20 % of the template's pages, slot 0.81,
 * new in it 95 %".
 */
static void print_evidence(const struct passage_evidence *evidence, char *out,
			   size_t size)
{
	snprintf(out, size,
		 "; on %.0f %% of the template's pages, slot %.2f, new in it "
		 "%.0f %%",
		 100 * (double)evidence->values[TEMPLATE_frequency],
		 (double)forest_probability(
			 evidence->values[TEMPLATE_slot_odds]),
		 100 * (double)evidence->values[TEMPLATE_slot_variability]);
}

/* Return why the choice differs from the score of a passage. */
static const char *reason_of_choice(bool is_over, bool is_chosen)
{
	if (is_over == is_chosen)
		return "";
	return is_chosen ? ", but part of a kept unit"
			 : ", but repeated, not readable or not in a kept unit";
}

static void auto_add_reasons(struct trace *trace,
			     const struct passage_scores *scores,
			     const bool *is_chosen, float threshold)
{
	const struct passages *passages = scores->passages;
	char moves[160];
	char evidence[96] = "";

	for (uint32_t i = 0; i < passages->page->text_count; i++) {
		uint32_t passage = passages->of_text[i];
		float score;

		if (passage == NO_PASSAGE) {
			trace_reason(trace, i, "the title of the page");
			continue;
		}
		if (passages_text_is_double(passages, i)) {
			trace_reason(trace, i,
				     "repeats the text before it for screen "
				     "readers");
			continue;
		}
		score = scores->scores[passage];
		print_moves(&scores->moves[passage], moves, sizeof(moves));
		if (scores->evidence != NULL)
			print_evidence(&scores->evidence[passage], evidence,
				       sizeof(evidence));
		/*
		 * The most important facts are first, because trace_reason()
		 * truncates a long reason.
		 */
		trace_reason(
			trace, i,
			"score %.2f%s: %s; passages around it %+.2f%s",
			(double)score,
			reason_of_choice(score > threshold, is_chosen[passage]),
			moves, (double)(score - scores->page[passage]),
			evidence);
	}
}

/*
 * Add to the trace the reasons for all texts, the curves and the histogram of
 * the scores. is_chosen [passages->count] is the result of structure_choose().
 */
static void auto_trace(struct trace *trace, const struct passage_scores *scores,
		       const bool *is_chosen, double threshold)
{
	uint32_t count = scores->passages->count;
	struct figure curve = {
		.kind = FIGURE_CURVE,
		.title = "Probability that a passage is content",
		.x_label = curve_label(trace->arena, "passages", count),
		.y_label = "probability",
		.series = {curve_series(trace->arena, "first forest",
					scores->page, count),
			   curve_series(trace->arena, "final", scores->scores,
					count)},
		.series_count = 2,
		.has_threshold = true,
		.threshold = (float)threshold,
	};
	double *values = ARENA_NEW(trace->arena, double, count);

	auto_add_reasons(trace, scores, is_chosen, (float)threshold);
	trace_figure(trace, &curve);
	for (uint32_t i = 0; i < count; i++)
		values[i] = (double)scores->scores[i];
	trace_histogram(trace, &(struct value_histogram){
				       .title = "Passages by their score",
				       .x_label = "probability",
				       .y_label = "passages",
				       .values = values,
				       .count = count,
				       .threshold = threshold,
				       .keeps_high = true,
			       });
}

/* The parameters whose default is in a model file. */
enum {
	PARAMETER_SCOPE, /* must be first: passage_model_build() reads it */
	PARAMETER_threshold,
};

#undef DEFAULT_VALUE
#define DEFAULT_VALUE(name, value) [PARAMETER_##name].default_value = (value),
#undef TRADE
#define TRADE(scope, favor, value)
#undef CONSTANT
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

/*
 * Return the scores that depend only on the page. Copy prepared scores, because
 * the caller changes the result.
 */
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

/*
 * Return the scores of the passages. If the template is known, the evidence of
 * its other pages corrects them.
 */
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
	if (scores.evidence != NULL) {
		evidence_apply(scores.evidence, passages->count, scores.scores);
		evidence_limit(input->arena, passages, scores.evidence,
			       scores.scores);
	}
	return scores;
}

/*
 * Return which passages are content: [passages->count]. With the evidence of
 * the template the threshold is the same for all pages, and what other pages
 * contain is not added to a unit.
 */
static const bool *auto_choose(struct arena *arena,
			       const struct passage_scores *scores,
			       double threshold)
{
	const struct passages *passages = scores->passages;
	struct structure_input input = {
		.passages = passages,
		.scores = scores->scores,
		.is_showable = showable_texts(arena, passages->page),
		.threshold = threshold,
	};
	double limit = threshold;

	if (scores->evidence != NULL)
		input.is_frame = passages_on_many_pages(arena, passages,
							scores->evidence);
	else
		limit = page_threshold(passages, scores->scores, threshold);
	input.is_chosen =
		passages_choose(arena, passages, scores->scores, limit);
	return structure_choose(arena, &input);
}

static void auto_run(const struct extractor_input *input,
		     struct verdict *verdicts)
{
	const struct page *page = input->page;
	/*
	 * struct prepared_page does not have the moves, which an explanation
	 * shows
	 */
	const struct prepared_page *prepared =
		input->trace == NULL ? input->prepared : NULL;
	const struct passages passages =
		prepared != NULL ? prepared->passages
				 : passages_make(input->arena, page);
	double threshold = input->parameters[PARAMETER_threshold];
	const struct passage_scores scores =
		auto_score_page(input, prepared, &passages);
	const bool *is_chosen = auto_choose(input->arena, &scores, threshold);

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t passage = passages.of_text[i];

		if (passage == NO_PASSAGE)
			verdicts[i] = (struct verdict){.score = 0};
		else
			verdicts[i] = (struct verdict){
				scores.scores[passage],
				is_chosen[passage] &&
					!passages_text_is_double(&passages, i)};
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
	PARAMETERS(parameters),
	.needs = MAY_USE_SAMPLE,
#include "auto-choice.model"
	.prepare = auto_prepare,
	.learn = auto_build_model,
	.learned_parameters = PARAMETER_SCOPE + 1,
	.run = auto_run,
};
