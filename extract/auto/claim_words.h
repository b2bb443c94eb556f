/*
 * extract/auto/claim_words.h - counts the terms (struct passage) that a passage
 * has in common with the page's claims about itself: its title, its
 * descriptions and its JSON-LD.
 */
#ifndef EXTRACT_AUTO_CLAIM_WORDS_H
#define EXTRACT_AUTO_CLAIM_WORDS_H

#include <stdint.h>

struct arena;
struct page_hints;
struct passages;

/* Ratio of the passage's terms that the claim contains; -1 without a claim. */
struct hint_overlap {
	float title;
	float description;
	float body;
	/*
	 * Ratio of the title's distinct terms that the passage contains; 0
	 * without a title.
	 */
	float title_covered;
};

struct markup_hints;

/*
 * Prepare. Reads at most the first 64 kB of each claim, and at most 4,000
 * distinct terms of all claims. Everything belongs to `arena`: at most 400 kB.
 */
struct markup_hints *markup_hints_make(struct arena *arena,
				       const struct page_hints *claims);

/* Compare a passage. Linear in the passage. Not thread-safe. */
struct hint_overlap markup_hints_compare(struct markup_hints *words,
					 const struct passages *passages,
					 uint32_t index);

#endif
