/*
 * extract/auto/context_mass.h - the words in any run of passages, and their
 * expected words of content, in O(1).
 */
#ifndef EXTRACT_AUTO_CONTEXT_MASS_H
#define EXTRACT_AUTO_CONTEXT_MASS_H

#include "extract/text/passage.h"

/* The score of a neighbour that does not exist. */
#define NO_SCORE (-.1F)

struct mass {
	double words;
	double content; /* sum of words * score, 0..words */
};

struct masses {
	const struct passages *passages;
	const float *scores;       /* [passages->count], 0..1 */
	const struct mass *before; /* [passages->count + 1] */
	struct mass all;
};

/*
 * Prepare: 16 bytes a passage, in `arena`. The arguments must outlive the
 * result.
 */
struct masses masses_make(struct arena *arena, const struct passages *passages,
			  const float *scores);

static inline struct mass mass_between(const struct masses *masses,
				       struct passage_range range)
{
	const struct mass *begin = &masses->before[range.begin];
	const struct mass *end = &masses->before[range.end];

	return (struct mass){end->words - begin->words,
			     end->content - begin->content};
}

/* Return the mass of the passages inside element `node` (NO_NODE: all). */
static inline struct mass mass_inside(const struct masses *masses,
				      uint32_t node)
{
	return mass_between(masses, passages_inside(masses->passages, node));
}

/* Return the mean score of its words; 0 without any. */
static inline float mass_mean(struct mass mass)
{
	return mass.words > 0 ? (float)(mass.content / mass.words) : 0;
}

/* Return its ratio of the page's content; 0 without any. */
static inline float mass_ratio(const struct masses *masses, struct mass mass)
{
	return masses->all.content > 0
		       ? (float)(mass.content / masses->all.content)
		       : 0;
}

/*
 * Return the expected F1 if exactly these words are chosen: precision is
 * content / words, recall is content / all content.
 */
static inline float mass_f1(const struct masses *masses, struct mass mass)
{
	double sum = mass.words + masses->all.content;

	return sum > 0 ? (float)(2 * mass.content / sum) : 0;
}

#endif
