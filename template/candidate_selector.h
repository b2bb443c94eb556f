/*
 * template/candidate_selector.h - find CSS selectors for an element. Internal
 * to candidates.c.
 */
#ifndef TEMPLATE_CANDIDATE_SELECTOR_H
#define TEMPLATE_CANDIDATE_SELECTOR_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct page;

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

#endif
