/*
 * daemon/ctl/training.h - training examples from pages and their gold texts,
 * and cross-validation of the classifier (Bing et al., CIT 2008, section 4).
 */
#ifndef DAEMON_CTL_TRAINING_H
#define DAEMON_CTL_TRAINING_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "extract/methods/ridge_model.h"

struct page;

/* Begin with {0}; end with training_free(). */
struct training {
	struct ridge_example *examples; /* [count], page by page */
	uint32_t *pages;                /* [count]: of each example */
	size_t count;
	size_t capacity;
	size_t page_capacity;
	uint32_t page_count;
	size_t primary_count; /* examples that are primary */
};

void training_free(struct training *training);

/*
 * Add the ridges of the page, built with `parameters` of the method `mountain`.
 * A ridge is primary if at least half of its words are in the gold text, where
 * each word of the gold text counts once, for the first ridge that contains it.
 */
void training_add(struct training *training, const struct page *page,
		  struct slice gold, const double *parameters);

/* Accuracy of models on pages that they were not trained on. */
struct training_score {
	double accuracy;  /* ratio of ridges classified correctly */
	double precision; /* of the primary class */
	double recall;
	double f1;
	uint32_t folds; /* 0 = too few pages, or too few classes of ridges */
};

/*
 * Cross-validate: page i is in fold i modulo the folds, five at most. Not
 * thread-safe.
 */
struct training_score training_validate(const struct training *training,
					double gamma, double cost);

#endif
