/*
 * template/replacement.h - replace a selector whose element is missing: find
 * the probable element on the new page by position and value, and selectors for
 * it.
 */
#ifndef TEMPLATE_REPLACEMENT_H
#define TEMPLATE_REPLACEMENT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "page/selector.h"

struct arena;
struct page;

enum { PLACE_STEPS = 40, PLACE_CLASSES = 6 };

/* Hashes of an element's name, id and classes; 0 = none. */
struct position_step {
	uint64_t tag;
	uint64_t id;
	uint64_t classes[PLACE_CLASSES];
	uint32_t class_count;
};

/* From the root to the element. */
struct element_position {
	struct position_step steps[PLACE_STEPS]; /* [count] */
	uint32_t count;
	struct slice attribute; /* of a path that ends with "/@NAME" */
};

/* Parse a path from element_path(); accept any other text, too. */
void element_position_read(struct element_position *place, struct slice path);

/* Set the position of a node of the page. */
void element_position_of(struct element_position *place,
			 const struct page *page, uint32_t node);

/* Return a similarity in 0..1, half for the element, half for its ancestors. */
double element_position_similarity(const struct element_position *a,
				   const struct element_position *b);

enum { MAX_ELEMENT_SELECTORS = 4 };

/* The remaining work: nodes times selectors. */
struct selector_budget {
	int64_t nodes;
	const volatile sig_atomic_t *is_stopped; /* as in struct lost_element */
};

struct element_selector {
	const char *text;
	double trust; /* 0..1: estimated probability that it also matches on
			 other pages */
};

/* An element, and how often its selector may match in the page. */
struct element_query {
	const struct page *page;
	uint32_t node;
	uint32_t minimum;
	uint32_t maximum;
};

/*
 * Find selectors whose first match is the element, and whose number of matches
 * is in the range: highest trust first, up to MAX_ELEMENT_SELECTORS.
 */
uint32_t element_selectors(struct arena *arena,
			   const struct element_query *query,
			   struct selector_budget *budget,
			   struct element_selector *selectors_out);

enum { CANDIDATE_WORDS = 64 };

/* A value and its words, sorted. */
struct wanted_text {
	struct slice text;
	uint64_t words[CANDIDATE_WORDS]; /* [word_count] hashes, ascending */
	uint32_t word_count;
};

void wanted_text_read(struct wanted_text *wanted, struct slice text);

/*
 * Return a similarity in 0..1: 1 if the values are equal; over one half if one
 * contains the other; otherwise Dice's coefficient of the words, at most 0.9. 0
 * if one is empty.
 */
double wanted_text_agreement(const struct wanted_text *wanted,
			     struct slice text);

enum { MAX_CANDIDATES = 16 };

/* The lost element as it was on the old page. */
struct lost_element {
	struct slice value; /* element_value(), or the value of its attribute */
	struct slice path;  /* element_path(), followed by "/@NAME" for an
			       attribute; or empty */
	uint32_t minimum;   /* matches on a page */
	uint32_t maximum;
	const volatile sig_atomic_t *is_stopped; /* not 0: stop; NULL: never */
};

static inline bool search_is_stopped(const volatile sig_atomic_t *is_stopped)
{
	return is_stopped != NULL && *is_stopped != 0;
}

struct replacement {
	const char *selector; /* CSS; matches in the range, `node` first */
	double score;         /* 0..1: similarity of text and position */
	uint32_t node;
	char value[ELEMENT_VALUE_BYTES + 1]; /* its value on this page */
};

/*
 * Return up to MAX_CANDIDATES replacements in `arena`, best first; none if
 * maximum is 0. O(n), times a limited number of selectors.
 */
uint32_t replacements_find(struct arena *arena, const struct page *page,
			   const struct lost_element *lost,
			   const struct replacement **candidates_out);

/* A replacement on several pages. */
struct merged_replacement {
	const char *selector;
	const char *value; /* on the first of the pages */
	double score;      /* sum of the pages' scores / pages, 0..1 */
	uint32_t pages;    /* pages on which it is a candidate */
};

/* A stored replacement on one page. */
struct page_replacement {
	const char *selector;
	const char *value;
	double score;
	uint32_t page; /* 0, 1... */
	uint32_t node;
};

struct page_replacements {
	const struct page_replacement *items; /* [count] */
	uint32_t count;
	uint32_t pages; /* pages with and without candidates; at least 1 */
};

/*
 * Merge replacements of several pages: add the scores of a selector over all
 * its pages; of selectors for the same elements keep the best. Write up to
 * `max`, at most MAX_SHARED, best first; return their number. O(count^2).
 */
enum { MAX_SHARED = 16 };

uint32_t replacements_merge(struct arena *arena,
			    const struct page_replacements *kept,
			    struct merged_replacement *merged_out,
			    uint32_t max);

#endif
