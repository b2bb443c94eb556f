/*
 * extract/methods/block_methods.h - data that several methods compute from a
 * page or a sample. The first are the cells of the mountain model: a page is a
 * sequence of information cells, each with a score, and of blank cells, which
 * separate texts that are far apart in the source (Bing, Wang, Zhang & Wang,
 * Primary Content Extraction with Mountain Model, CIT 2008, sections 3.1 and
 * 3.2). The others are entropies and slots over a sample of pages.
 */
#ifndef EXTRACT_METHODS_BLOCK_METHODS_H
#define EXTRACT_METHODS_BLOCK_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "extract/core/extractor.h"
#include "extract/text/block.h"

struct slot_model;

/*
 * The properties of a cell that its score depends on (table 1 of the source).
 */
struct cell_features {
	uint32_t length;      /* L: characters with collapsed white space */
	uint32_t punctuation; /* P: number of marks that end a sentence or a
				 clause */
	bool is_stopped;      /* S: the text ends with the end of a sentence */
	bool is_anchor;       /* A: the text is inside a[href] */
	double visible; /* V: ratio of visible text in the cell's part of the
			   source, [0, 1] */
};

/* Return the features L, P and S of UTF-8 text; the others are 0. Linear. */
struct cell_features cell_features_of(struct slice text);

/*
 * Return the score of a cell, CS = (L / gamma + P)(1 + alpha S)(1 + beta A) V
 * with alpha = .5 and beta = -.5 (eq. 1). `gamma` > 0 is the usual number of
 * characters in a sentence.
 */
double cell_score(const struct cell_features *features, double gamma);

struct mountain_cell {
	uint32_t text; /* index of the text in the page; NO_TEXT for a blank
			  cell */
	float score;   /* 0 for a blank cell before smoothing */
};

struct cells {
	struct mountain_cell *items; /* [count], in source order */
	uint32_t count;
};

/*
 * Return `gamma` for a page, by its visible characters: 12 if more of its
 * sentences are in Han and kana (a Chinese sentence has about 12 characters),
 * and 75 if more are in letters (an English sentence has about 15 words of 5
 * letters); 1 without such characters.
 */
double cells_gamma(const struct page *page, const bool *is_visible);

/*
 * Return the cells of a page: one cell for each visible text, scored by eq. 1,
 * and between two texts one blank cell for every `blank_bytes` (>= 1) bytes of
 * source. `is_visible` has page->text_count items. Everything belongs to
 * `arena`, 8 bytes a cell. There are at most text_count + page->source.size /
 * blank_bytes cells. Linear.
 */
struct cells cells_of_page(struct arena *arena, const struct page *page,
			   const bool *is_visible, uint32_t blank_bytes);

/*
 * Smooth the scores: add to the score of each cell how far its neighbours are
 * above the mean, both within the window of `window` (>= 1) cells around the
 * cell (eq. 2 and 3). At the ends of the page the window is smaller. O(count *
 * window); needs `count` floats of scratch memory.
 */
void cells_smooth(struct arena *arena, struct cells *cells, uint32_t window);

/*
 * The entropy of a thing, such as a word, over the pages of a sample. It
 * measures how evenly the occurrences of the thing are distributed over the
 * pages (Lin and Ho, KDD 2002; Yi, Liu and Li, KDD 2003).
 */

/* Initialise with zeros, and then call entropy_add() for each occurrence. */
struct entropy {
	double sum; /* sum over the pages of f ln f, where f = occurrences on a
		       page */
	uint32_t total;   /* occurrences */
	uint32_t page;    /* the page that was counted last, + 1 */
	uint32_t on_page; /* occurrences on that page */
};

/*
 * Count one occurrence on `page`. Count all occurrences on a page before those
 * on the next page.
 */
void entropy_add(struct entropy *entropy, uint32_t page);

/*
 * Return the entropy: -sum over the pages of w log w, where w = f / total and
 * the base of the logarithm is `page_count`. It is 0 if all occurrences are on
 * one page, and 1 if every page has equally many. Return 0 for fewer than two
 * pages and without occurrences.
 */
double entropy_value(const struct entropy *entropy, uint32_t page_count);

/*
 * The slots of a template, and the texts in them on the pages of a sample. A
 * slot is all positions in the pages that have the same path of elements and
 * classes. The text of a block is in the slot of the block's element; a
 * fragment is in the slot of the element that directly contains it.
 */

/*
 * Count the texts in the slots of a sample. The result belongs to `arena`: 100
 * bytes for each fragment of each slot. Linear in the sample.
 */
const struct slot_model *slot_model_build(const struct sample *sample,
					  struct arena *arena);

/*
 * The counts of the slots for the texts of one page ("this page"), which may be
 * a page of the sample.
 */
struct slot_view {
	uint32_t page_count;    /* number of pages of the sample and this page
				   together */
	const bool *is_visible; /* [text_count] */
	const uint32_t *words;  /* [text_count]: words of each text */
	/*
	 * [text_count]: number of pages, including this page, that have the
	 * same fragment in the same slot
	 */
	const uint32_t *frequencies;
	struct block_tree tree;
	/*
	 * [tree.count]: the variability of each block's slot. Of all words that
	 * the blocks in this slot have on all pages, it is the ratio of the
	 * words in texts that only one page has in the slot: 0 for a slot whose
	 * text never changes, 1 for a slot with a new text on every page.
	 */
	const float *variabilities;
};

/*
 * Return the counts for `page`, from the model of its template. Everything
 * belongs to `arena`. Linear.
 */
struct slot_view slots_view(const struct slot_model *known,
			    const struct page *page, struct arena *arena);

#endif
