/*
 * template/balance.h - find the items (paths or fragments) that several pages
 * had in common, and the items that they have lost or gained in common since.
 * Each item is decided separately: k of n pages must agree.
 */
#ifndef TEMPLATE_BALANCE_H
#define TEMPLATE_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/record.h"
#include "template/change_detector.h"
#include "template/merge.h"

struct arena;

/* Bit i of a mask is page i. */
struct pages {
	uint32_t count; /* <= MAX_TEMPLATE_SAMPLE */
	uint32_t seen;  /* mask: pages with a record `after` */
	uint32_t votes; /* pages with `after`, now or later */
	/* before [count]; from index MAX_TEMPLATE_SAMPLE: after */
	struct record records[2 * MAX_TEMPLATE_SAMPLE];
	unsigned min_pages; /* k of n: judge.h */
	unsigned agreement;
};

/*
 * Return how many of `votes` pages must agree: the ratio `agreement` of the
 * votes, but at least min_pages, or all if there are fewer.
 */
uint32_t quorum(const struct pages *pages, uint32_t votes);

uint32_t count_pages(uint32_t mask);

/* Results are in the arena. */
struct common_items {
	uint32_t stable;      /* items that were stable before */
	const uint64_t *gone; /* [gone_count], ascending: stable ones */
	uint32_t gone_count;
	const uint64_t *come; /* [come_count], ascending: others */
	uint32_t come_count;
	double moved; /* (gone + come) / (stable + come), 0..1 */
	/* of each seen page */
	double lost[MAX_TEMPLATE_SAMPLE];  /* ratio of its stable items that it
					      lost, 0..1 */
	double joins[MAX_TEMPLATE_SAMPLE]; /* ratio of removed and new items
					      that changed on it, 0..1 */
};

void common_items_compare(struct arena *arena, const struct pages *pages,
			  enum items items, struct common_items *balance_out);

#endif
