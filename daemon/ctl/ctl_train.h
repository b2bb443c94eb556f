/*
 * daemon/ctl/ctl_train.h - training of a classifier from pages and their gold
 * texts. A gold text is the content of a page as humans have annotated it; it
 * is used as a bag of words.
 *
 * A word is a run of ASCII letters, ASCII digits and characters outside of
 * ASCII. The punctuation in the blocks of Latin 1, U+2000 to U+303F and U+F000
 * to U+FFFF separates words. Each Han or kana character is a word. ASCII
 * letters are compared in lower case.
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
 * Remove the next word from the UTF-8 text `rest`, and return its hash in
 * *word_out. Return false at the end. Linear in the size of the text, for all
 * calls together.
 */
bool gold_text_next_word(struct slice *rest, uint64_t *word_out);

/*
 * A bag of words: the distinct words in ascending order, and how often each
 * remains.
 */
struct gold_text {
	uint64_t *words; /* [count] */
	uint32_t *left;  /* [count] */
	size_t count;
};

/*
 * Make the bag of the words of `text` in `arena`: 16 bytes per word, or 8 bytes
 * per byte of text.
 */
struct gold_text gold_text_create(struct arena *arena, struct slice text);

/* Remove the word once from the bag. Return false if it does not remain. */
bool gold_text_remove(struct gold_text *gold, uint64_t word);

/*
 * Training examples from pages and their gold texts, and cross-validation of
 * the classifier (Bing et al., CIT 2008, section 4). A ridge is a part of a
 * page, which the classifier calls primary if it is content (method
 * `mountain`).
 */

/* Initialize with {0}; free with training_free(). */
struct training {
	struct ridge_example *examples; /* [count], sorted by page */
	uint32_t *pages;                /* [count], number of the page of
					   each example */
	size_t count;
	size_t capacity;
	size_t page_capacity;
	uint32_t page_count;
	size_t primary_count; /* number of examples that are primary */
};

void training_free(struct training *training);

/*
 * Add the ridges of the page as examples. They are built with `parameters` of
 * the method `mountain`. A ridge is primary if at least half of its words are
 * in the gold text. Each word of the gold text counts only once, for the first
 * ridge that contains it.
 */
void training_add(struct training *training, const struct page *page,
		  struct slice gold, const double *parameters);

/* Accuracy of models on pages that they were not trained on. */
struct training_score {
	double accuracy;  /* ratio of the ridges that were classified
			     correctly */
	double precision; /* part of the ridges classified as primary that are
			     primary */
	double recall;
	double f1;
	uint32_t folds; /* number of folds; 0 = not validated, because there
			   are too few pages, or only one class of ridges */
};

/*
 * Cross-validate with at most five folds; page i is in fold i modulo the number
 * of folds. Not thread-safe.
 */
struct training_score training_validate(const struct training *training,
					double gamma, double cost);

#endif
