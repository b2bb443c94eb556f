/*
 * template/candidates.h - replacing a selector whose element is no longer
 * found: which element of the new page it probably is, and selectors for that.
 * A pure function of the page.
 */
#ifndef TEMPLATE_CANDIDATES_H
#define TEMPLATE_CANDIDATES_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "page/select/element.h"
#include "store/slice.h"

struct arena;
struct page;

enum { MAX_CANDIDATES = 16 };

/* The lost element as it was on the old page. */
struct lost {
	struct slice value; /* element_value(), or of its attribute */
	struct slice path;  /* element_path(), "/@NAME" behind it when it was an
			       attribute; or empty */
	uint32_t minimum;   /* matches on a page */
	uint32_t maximum;
	const volatile sig_atomic_t *is_stopped; /* not 0: end the search with
						    what is found; NULL: never
						  */
};

static inline bool search_is_stopped(const volatile sig_atomic_t *is_stopped)
{
	return is_stopped != NULL && *is_stopped != 0;
}

struct candidate {
	const char *selector; /* CSS; matches as often as it should, and `node`
				 first */
	double score;         /* 0..1: agreement of the text and of the place */
	uint32_t node;
	char value[ELEMENT_VALUE_BYTES + 1]; /* its value on this page */
};

/*
 * The best candidates, best first, in `arena`; up to MAX_CANDIDATES. None when
 * the selector must not match (maximum 0). O(n) for a page of n elements, times
 * the selectors that are tried, which are limited.
 */
uint32_t candidates_find(struct arena *arena, const struct page *page,
			 const struct lost *lost,
			 const struct candidate **candidates_out);

/* A candidate over several pages. */
struct shared_candidate {
	const char *selector;
	const char *value; /* on the first of the pages */
	double score;      /* sum of the pages' / pages, 0..1 */
	uint32_t pages;    /* on which it is a candidate */
};

/* A stored candidate of one page. */
struct kept_candidate {
	const char *selector;
	const char *value;
	double score;
	uint32_t page; /* 0, 1... */
	uint32_t node;
};

struct kept_candidates {
	const struct kept_candidate *items; /* [count] */
	uint32_t count;
	uint32_t pages; /* number of pages with candidates or without, from 1 */
};

/*
 * Merge candidates of several pages: the scores of a selector are added over
 * all pages that have it; of several that select the same elements the best is
 * kept. Writes up to `max`, at most MAX_SHARED, best first; returns how many.
 * O(count^2).
 */
enum { MAX_SHARED = 16 };

uint32_t candidates_merge(struct arena *arena,
			  const struct kept_candidates *kept,
			  struct shared_candidate *merged_out, uint32_t max);

#endif
