#include "daemon/ctl/training.h"

#include <stdlib.h>

#include "base/memory.h"
#include "daemon/ctl/gold.h"
#include "extract/core/visible.h"
#include "extract/methods/mountain.h"
#include "extract/text/source_walk.h"
#include "page/page.h"

enum { MAX_FOLDS = 5 };

void training_free(struct training *training)
{
	free(training->examples);
	free(training->pages);
	*training = (struct training){0};
}

static void training_add_example(struct training *training,
				 const struct ridge_example *example)
{
	size_t count = training->count;

	training->examples =
		mem_grow(training->examples, count, &training->capacity,
			 sizeof(*training->examples));
	training->pages =
		mem_grow(training->pages, count, &training->page_capacity,
			 sizeof(*training->pages));
	training->examples[count] = *example;
	training->pages[count] = training->page_count;
	training->primary_count += example->is_primary;
	training->count++;
}

static bool training_ridge_is_primary(const struct page *page,
				      const struct mountain *mountain,
				      const struct ridge *ridge,
				      struct gold_text *gold)
{
	size_t words = 0;
	size_t found = 0;

	for (uint32_t i = ridge->begin; i < ridge->end; i++) {
		uint32_t text = mountain->cells.items[i].text;
		struct slice rest = {NULL, 0};
		uint64_t word;

		if (text != NO_TEXT)
			rest = page_text(page, text);
		for (; gold_text_next_word(&rest, &word); words++)
			found += gold_text_remove(gold, word);
	}
	return words > 0 && found * 2 >= words;
}

void training_add(struct training *training, const struct page *page,
		  struct slice gold, const double *parameters)
{
	const struct mountain mountain =
		mountain_of_page(page->arena, page,
				 visible_texts(page->arena, page), parameters);
	struct gold_text bag = gold_text_create(page->arena, gold);

	for (uint32_t i = 0; i < mountain.ridges.count; i++) {
		const struct ridge *ridge = &mountain.ridges.items[i];
		struct ridge_example example = {
			.is_primary = training_ridge_is_primary(page, &mountain,
								ridge, &bag),
		};

		for (int k = 0; k < RIDGE_FEATURES; k++)
			example.features[k] = ridge->features[k];
		training_add_example(training, &example);
	}
	training->page_count++;
}

/* Classified ridges, by class. */
struct ridge_counts {
	size_t right;
	size_t found;  /* primary, and classified as primary */
	size_t judged; /* classified as primary */
};

static void ridge_counts_add(const struct ridge_model *model,
			     const struct ridge_example *example,
			     struct ridge_counts *counts)
{
	double value;
	bool is_judged = ridge_model_classify(model, example->features, &value);

	counts->right += is_judged == example->is_primary;
	counts->found += is_judged && example->is_primary;
	counts->judged += is_judged;
}

/*
 * Copy the examples of the other folds, in order, to `others`; return their
 * number.
 */
static size_t take_others(const struct training *training, uint32_t folds,
			  uint32_t fold, struct ridge_example *others)
{
	size_t count = 0;

	for (size_t i = 0; i < training->count; i++)
		if (training->pages[i] % folds != fold)
			others[count++] = training->examples[i];
	return count;
}

static double training_ratio(size_t part, size_t whole)
{
	return whole == 0 ? 0 : (double)part / (double)whole;
}

static struct training_score
training_compute_score(const struct training *training,
		       const struct ridge_counts *counts)
{
	size_t both = counts->judged + training->primary_count;

	return (struct training_score){
		.accuracy = training_ratio(counts->right, training->count),
		.precision = training_ratio(counts->found, counts->judged),
		.recall =
			training_ratio(counts->found, training->primary_count),
		.f1 = training_ratio(2 * counts->found, both),
	};
}

struct training_score training_validate(const struct training *training,
					double gamma, double cost)
{
	uint32_t folds = training->page_count < MAX_FOLDS ? training->page_count
							  : MAX_FOLDS;
	struct ridge_example *others =
		mem_alloc(training->count, sizeof(*others));
	struct training_score score = {0};
	struct ridge_counts counts = {0};
	uint32_t fold = 0;

	for (; folds >= 2 && fold < folds; fold++) {
		size_t count = take_others(training, folds, fold, others);
		struct ridge_model *model =
			ridge_model_train(others, count, gamma, cost);

		if (model == NULL)
			break;
		for (size_t i = 0; i < training->count; i++)
			if (training->pages[i] % folds == fold)
				ridge_counts_add(model, &training->examples[i],
						 &counts);
		ridge_model_destroy(model);
	}
	if (fold >= 2 && fold == folds) {
		score = training_compute_score(training, &counts);
		score.folds = folds;
	}
	free(others);
	return score;
}
