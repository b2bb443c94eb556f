/*
 * extract/auto/context_mass.h - the words in any run of passages, and the
 * expected number of words of content among them, in O(1).
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

/* It keeps its arguments; 16 bytes a passage, in `arena`. */
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

/* Of the passages inside element `node` (NO_NODE: all). */
static inline struct mass mass_inside(const struct masses *masses,
				      uint32_t node)
{
	return mass_between(masses, passages_inside(masses->passages, node));
}

/* The mean score of its words; 0 without any. */
static inline float mass_mean(struct mass mass)
{
	return mass.words > 0 ? (float)(mass.content / mass.words) : 0;
}

/* The ratio of all content that is in it; 0 without any. */
static inline float mass_ratio(const struct masses *masses, struct mass mass)
{
	return masses->all.content > 0
		       ? (float)(mass.content / masses->all.content)
		       : 0;
}

/*
 * The expected F1 if exactly these words are chosen: precision is content /
 * words, recall is content / all content.
 */
static inline float mass_f1(const struct masses *masses, struct mass mass)
{
	double sum = mass.words + masses->all.content;

	return sum > 0 ? (float)(2 * mass.content / sum) : 0;
}

#endif
