/*
 * daemon/ctl/ctl_train.h - the words of a gold text, which is the content of a
 * page as annotated by humans, as a bag of words.
 *
 * A word is a run of ASCII letters, ASCII digits and characters outside of
 * ASCII, without the punctuation in the blocks of Latin 1, U+2000 to U+303F and
 * U+F000 to U+FFFF; each Han or kana character is a word. ASCII letters are
 * lowered.
 */
#ifndef DAEMON_CTL_CTL_TRAIN_H
#define DAEMON_CTL_CTL_TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "extract/methods/ridge.h"

struct arena;
struct page;

/*
 * Remove the next word of UTF-8 text from `rest` and return its hash in
 * *word_out; false at the end. Linear over the whole text.
 */
bool gold_text_next_word(struct slice *rest, uint64_t *word_out);

/* A bag of words: distinct ones, ascending, and how often each remains. */
struct gold_text {
	uint64_t *words; /* [count] */
	uint32_t *left;  /* [count] */
	size_t count;
};

/* Make the bag in `arena`: 16 bytes per word, or 8 bytes per byte of text. */
struct gold_text gold_text_create(struct arena *arena, struct slice text);

/* Remove the word once from the bag; false if it does not remain. */
bool gold_text_remove(struct gold_text *gold, uint64_t word);

/*
 * Training examples from pages and their gold texts, and cross-validation of
 * the classifier (Bing et al., CIT 2008, section 4).
 */

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
