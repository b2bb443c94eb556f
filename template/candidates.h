/*
 * template/candidates.h - replace a selector whose element is missing: find the
 * probable element on the new page, and selectors for it. A pure function of
 * the page.
 */
#ifndef TEMPLATE_CANDIDATES_H
#define TEMPLATE_CANDIDATES_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "page/element.h"

struct arena;
struct page;

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
 * Return up to MAX_CANDIDATES replacements in `arena`, best first; none if the
 * selector must not match (maximum 0). O(n) for a page of n elements, times a
 * limited number of selectors.
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
 * its pages; of selectors for the same elements, keep the best. Write up to
 * `max`, at most MAX_SHARED, best first; return their number. O(count^2).
 */
enum { MAX_SHARED = 16 };

uint32_t replacements_merge(struct arena *arena,
			    const struct page_replacements *kept,
			    struct merged_replacement *merged_out,
			    uint32_t max);

#endif
