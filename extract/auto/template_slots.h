/*
 * extract/auto/template_slots.h - the passages of pages by the slots in which
 * they stand (extract/auto/template_feature.h).
 */
#ifndef EXTRACT_AUTO_TEMPLATE_SLOTS_H
#define EXTRACT_AUTO_TEMPLATE_SLOTS_H

#include <stdint.h>

#include "extract/core/hash_table.h"
#include "extract/text/passage.h"

/*
 * Sums of scores are integers, of numbers in units of 2^-24, so that they are
 * the same in whatever order pages come.
 */
int64_t fixed_of(double value);
double fixed_value(int64_t fixed);

/* A passage stands in the slot of its element and in two around it. */
enum slot_level { LEVEL_SLOT, LEVEL_GROUP, LEVEL_SECTION, LEVEL_COUNT };

/* The occurrences of a text on pages, in any place or in one slot. */
struct standing {
	uint64_t key;
	uint64_t slot;
	uint64_t words; /* of all times that it stands there */
	uint32_t pages; /* a bit each */
	uint32_t pages_as_link;
};

/*
 * Sums over the passages in a slot. A page that is not in the sample adds
 * differences, so unique_words may be below 0.
 */
struct slot {
	uint64_t key;
	int64_t words;
	int64_t unique_words; /* in texts that one page alone has there */
	uint64_t link_words;
	uint32_t passages;
	uint32_t ends;       /* passages that end a sentence */
	uint32_t dates;      /* passages with a date */
	uint32_t pages;      /* a bit each */
	uint32_t times;      /* how many pages have it */
	uint32_t agreeing;   /* of them, with a mean score over 1/2 */
	int64_t score_words; /* sum of words times score, fixed */
	int64_t means;       /* sum of the pages' mean scores, fixed */
	int64_t squares;     /* and of their squares, fixed */
};

/* Sums over all passages of pages. */
struct template_sums {
	int64_t words;
	int64_t score_words; /* fixed */
	int64_t sure_words;  /* words times absolute log odds, fixed */
	uint32_t pages;
};

struct template_slots {
	struct hash_table texts;  /* of struct standing, in any place */
	struct hash_table begins; /* of struct standing, the first terms */
	struct hash_table placed; /* of struct standing, in one slot */
	struct hash_table slots;  /* of struct slot */
	struct template_sums sums;
};

/* The passages of a page, ready to be noted. */
struct scored_page {
	const struct passages *passages;
	const uint64_t *paths; /* of its elements, node_paths() */
	const float *scores;   /* [passages->count] */
};

struct template_slots template_slots_make(struct arena *arena);

/* The sums of one page. */
struct template_sums template_sums_of(const struct scored_page *page);
void template_sums_add(struct template_sums *sums,
		       const struct template_sums *more);

/* Of a passage; each level has its own keys. */
uint64_t slot_key(const struct scored_page *page, uint32_t passage,
		  enum slot_level level);

/* Hash of the first terms of a passage; 0 when it is shorter. */
uint64_t begin_key(const struct passages *passages, uint32_t passage);

/*
 * Add a page but for unique_words; `bits` is the page as a set of pages.
 * Linear, at most 800 bytes a passage while the tables grow.
 */
void template_slots_add(struct template_slots *slots,
			const struct scored_page *page, uint32_t bits);

/* Log odds, of at most 1 in 10,000. */
float limited_odds(double probability);

/* A passage without words (a price, an arrow) weighs as one of one word. */
static inline uint32_t passage_weight(const struct passage *passage)
{
	return passage->words == 0 ? 1 : passage->words;
}

#endif
