/*
 * extract/methods/block_methods.h - the page in the mountain model: a sequence
 * of information cells, each with a score, and of blank cells, which separate
 * texts that are far apart in the source (Bing, Wang, Zhang & Wang, Primary
 * Content Extraction with Mountain Model, CIT 2008, sections 3.1 and 3.2);
 * entropies and slots over a sample of pages.
 */
#ifndef EXTRACT_METHODS_BLOCK_METHODS_H
#define EXTRACT_METHODS_BLOCK_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "extract/core/extractor.h"
#include "extract/text/block.h"

struct slot_model;

/* The parts of a cell's score (table 1). */
struct cell_features {
	uint32_t length;      /* L: characters with collapsed white space */
	uint32_t punctuation; /* P: ends of a sentence or a clause */
	bool is_stopped;      /* S: its end is the end of a sentence */
	bool is_anchor;       /* A: it is inside a[href] */
	double visible;       /* V: its ratio of the source, [0, 1] */
};

/* Return L, P and S of UTF-8 text; linear. */
struct cell_features cell_features_of(struct slice text);

/*
 * Return CS = (L / gamma + P)(1 + alpha S)(1 + beta A) V, alpha .5, beta -.5
 * (eq. 1); `gamma` > 0 is the number of characters in a sentence.
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
 * Return the gamma of a page from its visible characters: 12 if more sentences
 * are in Han and kana (Chinese: 12 characters in a sentence), 75 if more are in
 * letters (English: 15 words of 5 letters), 1 without either.
 */
double cells_gamma(const struct page *page, const bool *is_visible);

/*
 * Return the cells: one for each text with is_visible [page->text_count],
 * scored by eq. 1, and between two texts one blank cell for every `blank_bytes`
 * (>= 1) of source. Belongs to `arena`, 8 bytes a cell; at most as many cells
 * as texts and page->source.size / blank_bytes. Linear.
 */
struct cells cells_of_page(struct arena *arena, const struct page *page,
			   const bool *is_visible, uint32_t blank_bytes);

/*
 * Add to every score how far its neighbours, in the window of `window` (>= 1)
 * cells around it, are above the window's mean (eq. 2 and 3). The window ends
 * with the page. O(count * window); scratch: `count` floats.
 */
void cells_smooth(struct arena *arena, struct cells *cells, uint32_t window);

/*
 * The entropy of a thing (a word) over the pages of a sample: how evenly its
 * occurrences are distributed (Lin and Ho, KDD 2002; Yi, Liu and Li, KDD
 * 2003).
 */

/* Initialise with zeros. */
struct entropy {
	double sum;       /* of f ln f, f = occurrences on a page */
	uint32_t total;   /* occurrences */
	uint32_t page;    /* the page counted last, + 1 */
	uint32_t on_page; /* occurrences on that page */
};

/*
 * Count one more occurrence on `page`; the occurrences of a page must follow
 * each other.
 */
void entropy_add(struct entropy *entropy, uint32_t page);

/*
 * Return -sum over the pages of w log w, to the base of `page_count`, w = f /
 * total: 0 if all occurrences are on one page, 1 if every page has equally
 * many; 0 also for fewer than two pages or no occurrence.
 */
double entropy_value(const struct entropy *entropy, uint32_t page_count);

/*
 * The slots of a template, and the texts in them on the pages of a sample. A
 * slot is a path of elements with their classes. The text of a block is in the
 * slot of the block's element; a fragment is in the slot of the element that
 * owns it.
 */

/* The slots of a sample; belongs to an arena. */
/*
 * Build the slots. Linear in the sample; 100 bytes for each fragment of each
 * slot.
 */
const struct slot_model *slot_model_build(const struct sample *sample,
					  struct arena *arena);

/* The slots for one page, which may be a page of the sample. */
struct slot_view {
	uint32_t page_count;    /* the sample and this page */
	const bool *is_visible; /* [text_count] */
	const uint32_t *words;  /* [text_count]: words of each text */
	/*
	 * [text_count]: pages, including this one, that have the fragment in
	 * its slot
	 */
	const uint32_t *frequencies;
	struct block_tree tree;
	/*
	 * [tree.count]: of all words that blocks have in the slot of this block
	 * on any page, the ratio in texts that only one page has there: 0 for a
	 * slot that never changes, 1 for one that is new on every page.
	 */
	const float *variabilities;
};

/* Everything belongs to `arena`. Linear. */
struct slot_view slots_view(const struct slot_model *known,
			    const struct page *page, struct arena *arena);

#endif
