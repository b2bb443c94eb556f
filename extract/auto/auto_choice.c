#include "extract/auto/auto_choice.h"

#include <math.h>

#include "base/arena.h"
#include "extract/auto/maximum_run.h"
#include "extract/core/hash_table.h"
#include "extract/core/visible.h"
#include "page/page.h"

/* The constants of the model. */
#define DEFAULT_VALUE(name, value)
#define TRADE(scope, favor, value)
#define CONSTANT(name, value) static const double model_##name = (value);
#include "auto-choice.model"

bool choice_is_comment(float score)
{
	return (double)score > model_comment_threshold;
}

/* Shorter passages, such as labels and numbers, may repeat. */
enum { MIN_REPEATED_WORDS = 5 };

/* Ratio of the highest score; passages below it end the best run. */
#define BEST_RATIO 0.7

struct shown_passage {
	uint64_t key; /* hash of a passage */
	bool is_shown;
};

const bool *passages_preformatted(struct arena *arena,
				  const struct passages *passages)
{
	const struct page *page = passages->page;
	bool *is_preformatted = ARENA_NEW(arena, bool, passages->count);

	for (uint32_t i = 0; i < page->node_count; i++) {
		struct passage_range range;

		if (page->nodes[i].tag != TAG_pre)
			continue;
		range = passages_inside(passages, i);
		for (uint32_t k = range.begin; k < range.end; k++)
			is_preformatted[k] = true;
		i = page->nodes[i].end - 1;
	}
	return is_preformatted;
}

/*
 * Return true if an earlier chosen passage has the same words; remember them.
 */
static bool is_repeated_choice(struct hash_table *shown,
			       const struct passage *passage)
{
	struct shown_passage *words = hash_table_add(shown, passage->hash);
	bool is_shown = words->is_shown;

	words->is_shown = true;
	return is_shown;
}

/* Return the number of words that a reader sees. */
static double choice_weight(const struct passage *passage)
{
	return passage->place == PLACE_PLAIN && passage->hiding == HIDING_NONE
		       ? passage->words
		       : 0;
}

/*
 * Choose the visible passages of the run with the maximum sum of words * (score
 * - BEST_RATIO of the highest score).
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

const bool *passages_choose(struct arena *arena,
			    const struct passages *passages,
			    const float *scores, double threshold)
{
	const bool *is_preformatted = passages_preformatted(arena, passages);
	const bool *is_showable = showable_texts(arena, passages->page);
	struct hash_table shown =
		hash_table_make(arena, sizeof(struct shown_passage));
	bool *is_chosen = ARENA_NEW(arena, bool, passages->count);
	uint64_t words = 0;

	for (uint32_t i = 0; i < passages->count; i++) {
		const struct passage *passage = &passages->items[i];

		is_chosen[i] = (double)scores[i] > threshold &&
			       is_showable[passage->first_text];
		if (is_chosen[i] && !is_preformatted[i] &&
		    passage->words >= MIN_REPEATED_WORDS)
			is_chosen[i] = !is_repeated_choice(&shown, passage);
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
