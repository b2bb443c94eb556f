/*
 * template/balance.h - what several pages had in common, and lost or got in
 * common since. Each item is a question of its own, that k of n pages answer.
 */
#ifndef TEMPLATE_BALANCE_H
#define TEMPLATE_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/record.h"
#include "template/change_detector.h"
#include "template/merge.h"

struct arena;

/* Bit i of a mask stands for page i. */
struct pages {
	uint32_t count; /* <= MAX_TEMPLATE_SAMPLE */
	uint32_t seen;  /* mask: those that have an `after` */
	uint32_t votes; /* how many have one, or may have one yet */
	/* before [count]; and behind MAX_TEMPLATE_SAMPLE of these, after */
	struct record records[2 * MAX_TEMPLATE_SAMPLE];
	unsigned min_pages; /* k of n: judge.h */
	unsigned agreement;
};

/*
 * At least so many of `votes` pages must agree: their share, and not fewer
 * than min_pages, or all where no more can tell.
 */
uint32_t quorum(const struct pages *pages, uint32_t votes);

uint32_t count_pages(uint32_t mask);

/* Results are in the arena. */
struct balance {
	uint32_t stable;      /* items that were, before */
	const uint64_t *gone; /* [gone_count], ascending: stable ones */
	uint32_t gone_count;
	const uint64_t *come; /* [come_count], ascending: others */
	uint32_t come_count;
	double moved; /* (gone + come) / (stable + come), 0..1 */
	/* of each page that is seen */
	double lost[MAX_TEMPLATE_SAMPLE];  /* of the stable ones that it had,
					      0..1 */
	double joins[MAX_TEMPLATE_SAMPLE]; /* of gone and come that it lost or
					    * got, 0..1
					    */
};

void balance_make(struct arena *arena, const struct pages *pages,
		  enum items items, struct balance *balance_out);

#endif
