/*
 * extract/auto/claim_words.h - how many terms (struct passage) a passage has in
 * common with what the page claims about itself: its title, its descriptions
 * and its JSON-LD.
 */
#ifndef EXTRACT_AUTO_CLAIM_WORDS_H
#define EXTRACT_AUTO_CLAIM_WORDS_H

#include <stdint.h>

struct arena;
struct page_claims;
struct passages;

/* Shares of the passage's terms that the claim has; -1 without a claim. */
struct claim_overlap {
	float title;
	float description;
	float body;
	/* Share of the title's distinct terms that the passage has; 0 without
	   a title. */
	float title_covered;
};

struct claim_words;

/*
 * Of each claim at most the first 64 kB, and of all at most 4,000 distinct
 * terms. Everything belongs to `arena`: at most 400 kB.
 */
struct claim_words *claim_words_make(struct arena *arena,
				     const struct page_claims *claims);

/* Linear in the passage. Not for two threads at once. */
struct claim_overlap claim_words_compare(struct claim_words *words,
					 const struct passages *passages,
					 uint32_t index);

#endif
