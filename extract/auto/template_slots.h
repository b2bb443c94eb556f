/*
 * extract/auto/template_slots.h - the passages of pages by their slots
 * (extract/auto/template_feature.h).
 */
#ifndef EXTRACT_AUTO_TEMPLATE_SLOTS_H
#define EXTRACT_AUTO_TEMPLATE_SLOTS_H

#include <stdint.h>

#include "extract/core/hash_table.h"
#include "extract/text/passage.h"

/*
 * Convert to fixed point. Sums of scores are integers in units of 2^-24, so
 * that they do not depend on the order of the pages.
 */
int64_t fixed_of(double value);
double fixed_value(int64_t fixed);

/*
 * A passage belongs to the slots of its element and of two elements around it.
 */
enum slot_level { LEVEL_SLOT, LEVEL_GROUP, LEVEL_SECTION, LEVEL_COUNT };

/* The occurrences of a text on pages, anywhere or in one slot. */
struct passage_occurrence {
	uint64_t key;
	uint64_t slot;
	uint64_t words; /* over all its occurrences */
	uint32_t pages; /* a set of pages, one bit each */
	uint32_t pages_as_link;
};

/*
 * Sums over the passages in a slot. A page that is not in the sample adds
 * differences, so unique_words may be below 0.
 */
struct passage_slot {
	uint64_t key;
	int64_t words;
	int64_t unique_words; /* in texts that only one page has in this slot */
	uint64_t link_words;
	uint32_t passages;
	uint32_t ends;       /* passages that end a sentence */
	uint32_t dates;      /* passages with a date */
	uint32_t pages;      /* a set of pages, one bit each */
	uint32_t times;      /* number of pages that have it */
	uint32_t agreeing;   /* pages among these with a mean score over 1/2 */
	int64_t score_words; /* sum of words times score, fixed point */
	int64_t means;       /* sum of the pages' mean scores, fixed point */
	int64_t squares; /* sum of the squares of these means, fixed point */
};

/* Sums over all passages of pages. */
struct template_sums {
	int64_t words;
	int64_t score_words; /* fixed point */
	int64_t sure_words;  /* words times absolute log odds, fixed point */
	uint32_t pages;
};

struct template_slots {
	struct hash_table texts; /* of struct passage_occurrence, anywhere */
	struct hash_table
		begins; /* of struct passage_occurrence, of the first terms */
	struct hash_table
		placed;          /* of struct passage_occurrence, in one slot */
	struct hash_table slots; /* of struct passage_slot */
	struct template_sums sums;
};

/* The passages of a page with their scores. */
struct scored_page {
	const struct passages *passages;
	const uint64_t *paths; /* node_paths() of its elements */
	const float *scores;   /* [passages->count] */
};

struct template_slots template_slots_make(struct arena *arena);

/* Return the sums of one page. */
struct template_sums template_sums_of(const struct scored_page *page);
void template_sums_add(struct template_sums *sums,
		       const struct template_sums *more);

/* Return the key of the passage's slot; each level has its own keys. */
uint64_t slot_key(const struct scored_page *page, uint32_t passage,
		  enum slot_level level);

/* Return the hash of the first terms of a passage; 0 if it has fewer terms. */
uint64_t begin_key(const struct passages *passages, uint32_t passage);

/*
 * Add a page, without unique_words; `bits` is the page as a set of pages.
 * Linear, at most 800 bytes a passage while the tables grow.
 */
void template_slots_add(struct template_slots *slots,
			const struct scored_page *page, uint32_t bits);

/*
 * Return the log odds, limited to a probability between 1 in 10,000 and 9,999
 * in 10,000.
 */
float limited_odds(double probability);

/* A passage without words (a price, an arrow) has the weight of one word. */
static inline uint32_t passage_weight(const struct passage *passage)
{
	return passage->words == 0 ? 1 : passage->words;
}

#endif
