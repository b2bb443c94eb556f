/*
 * template/replacement.h - finds a replacement for a selector that no longer
 * finds its element. It searches for the element on the new page by position
 * and value, and creates selectors for it.
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

/* Hashes of the tag, id and classes of an element; 0 = the element has none. */
struct position_step {
	uint64_t tag;
	uint64_t id;
	uint64_t classes[PLACE_CLASSES];
	uint32_t class_count;
};

/* The position of an element: the steps from the root to the element. */
struct element_position {
	struct position_step steps[PLACE_STEPS]; /* [count] */
	uint32_t count;
	struct slice attribute; /* name, if the path ends with "/@NAME";
				   otherwise empty */
};

/* Parse a path written by element_path(). Any other text is accepted, too. */
void element_position_read(struct element_position *place, struct slice path);

/* Set the position of `node` on the page. */
void element_position_of(struct element_position *place,
			 const struct page *page, uint32_t node);

/*
 * Return the similarity of two positions in 0..1. The elements themselves are
 * one half of it, their ancestors the other half.
 */
double element_position_similarity(const struct element_position *a,
				   const struct element_position *b);

enum { MAX_ELEMENT_SELECTORS = 4 };

/* The work that may still be done: nodes times selectors. */
struct selector_budget {
	int64_t nodes;
	const volatile sig_atomic_t *is_stopped; /* see struct lost_element */
};

struct element_selector {
	const char *text;
	double trust; /* 0..1: estimated probability that the selector also
			 matches on other pages */
};

/*
 * An element, and the minimum and maximum number of elements that its selector
 * may match on the page.
 */
struct element_query {
	const struct page *page;
	uint32_t node;
	uint32_t minimum;
	uint32_t maximum;
};

/*
 * Find selectors whose first match is the element and whose number of matches
 * is allowed. Write up to MAX_ELEMENT_SELECTORS to `selectors_out`, the highest
 * trust first; return their number.
 */
uint32_t element_selectors(struct arena *arena,
			   const struct element_query *query,
			   struct selector_budget *budget,
			   struct element_selector *selectors_out);

enum { CANDIDATE_WORDS = 64 };

/* The value that is searched for, and its words. */
struct wanted_text {
	struct slice text;
	uint64_t words[CANDIDATE_WORDS]; /* [word_count] hashes of the words,
					    ascending */
	uint32_t word_count;
};

void wanted_text_read(struct wanted_text *wanted, struct slice text);

/*
 * Return the similarity of a text and the wanted text in 0..1. It is 0 if one
 * is empty, 1 if both are equal, over 0.5 if one contains the other, and
 * otherwise Dice's coefficient of their words, but at most 0.9.
 */
double wanted_text_agreement(const struct wanted_text *wanted,
			     struct slice text);

enum { MAX_CANDIDATES = 16 };

/* The lost element on the old page. */
struct lost_element {
	struct slice value; /* element_value() or, for an attribute, the value
			       of the attribute */
	struct slice path;  /* element_path(); for an attribute with "/@NAME" at
			       the end; or empty */
	uint32_t minimum;   /* minimum number of matches on a page */
	uint32_t maximum;
	const volatile sig_atomic_t
		*is_stopped; /* the search stops when the number is not 0; NULL:
				it never stops early */
};

static inline bool search_is_stopped(const volatile sig_atomic_t *is_stopped)
{
	return is_stopped != NULL && *is_stopped != 0;
}

struct replacement {
	const char *selector; /* CSS selector, whose number of matches is
				 allowed; the first match is `node` */
	double score; /* 0..1: weighted similarity of text and position */
	uint32_t node;
	char value[ELEMENT_VALUE_BYTES + 1]; /* value of `node` on this page */
};

/*
 * Find up to MAX_CANDIDATES replacements. Write them to *candidates_out, in
 * `arena` and best first; return their number. None exist if lost->maximum is
 * 0. O(n), times a limited number of selectors.
 */
uint32_t replacements_find(struct arena *arena, const struct page *page,
			   const struct lost_element *lost,
			   const struct replacement **candidates_out);

/* A replacement that is proposed for several pages. */
struct merged_replacement {
	const char *selector;
	const char *value; /* its value on the first of the pages */
	double score; /* sum of its scores, divided by the number of all pages,
			 0..1 */
	uint32_t pages; /* number of pages with this replacement */
};

/* A replacement found on one page. */
struct page_replacement {
	const char *selector;
	const char *value;
	double score;
	uint32_t page; /* index of the page */
	uint32_t node;
};

struct page_replacements {
	const struct page_replacement *items; /* [count] */
	uint32_t count;
	uint32_t pages; /* number of pages, including those without a
			   replacement; at least 1 */
};

/*
 * Merge the replacements found on several pages. The scores of a selector on
 * all its pages are added. Of several selectors for the same elements only the
 * best is kept. Write up to `max` (at most MAX_SHARED), best first; return
 * their number. O(count^2).
 */
enum { MAX_SHARED = 16 };

uint32_t replacements_merge(struct arena *arena,
			    const struct page_replacements *kept,
			    struct merged_replacement *merged_out,
			    uint32_t max);

#endif
