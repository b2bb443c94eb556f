/*
 * extract/methods/cell.h - the page of the mountain model: a sequence of
 * information cells, each with a score, and of blank cells, which separate
 * texts that stand far apart in the source (Bing, Wang, Zhang & Wang, Primary
 * Content Extraction with Mountain Model, CIT 2008, sections 3.1 and 3.2).
 */
#ifndef EXTRACT_METHODS_CELL_H
#define EXTRACT_METHODS_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"

struct arena;
struct page;

/* What a cell's score is made of (table 1). */
struct cell_features {
	uint32_t length;      /* L: characters, white space collapsed */
	uint32_t punctuation; /* P: marks that end a sentence or a clause */
	bool is_stopped;      /* S: it ends with the end of a sentence */
	bool is_anchor;       /* A: it stands in a[href] */
	double visible;       /* V: ratio of its part of the source, [0, 1] */
};

/* L, P and S of UTF-8 text; linear. */
struct cell_features cell_features_of(struct slice text);

/* CS = (L / gamma + P)(1 + alpha S)(1 + beta A) V, alpha .5, beta -.5 (eq. 1);
   `gamma` > 0: the characters of a sentence. */
double cell_score(const struct cell_features *features, double gamma);

struct cell {
	uint32_t text; /* of the page; NO_TEXT for a blank cell */
	float score;   /* 0 for a blank cell, until it is smoothed */
};

struct cells {
	struct cell *items; /* [count], in the order of the source */
	uint32_t count;
};

/*
 * Gamma of a page by its own visible characters: 12 where more sentences are
 * in Han and kana (Chinese: 12 characters in one), 75 where they are in letters
 * (English: 15 words of 5 letters), 1 without either.
 */
double cells_gamma(const struct page *page, const bool *is_visible);

/*
 * The texts with is_visible [page->text_count], each a cell, scored by eq. 1;
 * between two of them a blank cell for every `blank_bytes` (>= 1) of source.
 * Belongs to `arena`, 8 bytes a cell; no more cells than texts and
 * page->source.size / blank_bytes. Linear.
 */
struct cells cells_of_page(struct arena *arena, const struct page *page,
			   const bool *is_visible, uint32_t blank_bytes);

/*
 * Add to every score how far its neighbours, in the window of `window` (>= 1)
 * cells around it, lie above the window's mean (eq. 2 and 3). The window ends
 * with the page. O(count * window); scratch: `count` floats.
 */
void cells_smooth(struct arena *arena, struct cells *cells, uint32_t window);

#endif
