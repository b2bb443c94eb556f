/*
 * extract/methods/entropy.h - the entropy of a thing (a word) over the pages of
 * a sample: how evenly its occurrences are distributed (Lin and Ho, KDD 2002;
 * Yi, Liu and Li, KDD 2003).
 */
#ifndef EXTRACT_METHODS_ENTROPY_H
#define EXTRACT_METHODS_ENTROPY_H

#include <stdint.h>

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

#endif
