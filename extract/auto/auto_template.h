/*
 * extract/auto/auto_template.h - evidence about a passage from the other pages
 * of its template: the third stage of `auto`.
 *
 * A slot is a path of elements with their classes, as in
 * extract/methods/slot.h, here the path of a passage's element. The log odds of
 * the passage's score p are averaged with those of its slot's score s, the mean
 * score of all words in the slot on any page; then evidence is added that a
 * single page cannot give:
 *
 * 	logit q = w logit p + (1 - w) logit s - r [DF > 1/3] + u (U - 1/2)
 *
 * DF is the ratio of the other pages that have the passage's text anywhere
 * (Gottron 2008, section 6), U the ratio of the slot's words whose text is in
 * the slot on one page only: 0 for a slot that never changes, 1 for one that is
 * new on every page. U belongs to the slot and not to the text, so that an
 * article that several pages repeat (versions of a manual) is not lost.
 *
 * w, r and u are parameters of `auto`; conf/models/auto-template.model has
 * their defaults and how they were chosen.
 */
#ifndef EXTRACT_AUTO_AUTO_TEMPLATE_H
#define EXTRACT_AUTO_AUTO_TEMPLATE_H

#include <stdint.h>

#include "extract/core/extractor.h"
#include "extract/text/passage.h"

struct arena;
struct known_passages;

/* The evidence of the other pages about a passage. */
struct passage_evidence {
	float frequency;   /* DF: share of the other pages with its text */
	float slot_score;  /* s: mean score of the words in its slot */
	float variability; /* U */
	float presence;    /* share of the other pages that have its slot */
};

/*
 * Score the pages of the sample by the scope and count their texts by slot:
 * about 100 bytes a passage. The result belongs to `arena`. Linear.
 */
const struct known_passages *known_passages_learn(const struct sample *sample,
						  enum scope scope,
						  struct arena *arena);

/*
 * The evidence for each passage [passages->count], owned by `arena`; NULL when
 * the sample has no two pages but this one. `scores` are those of the page
 * alone. Linear.
 */
const struct passage_evidence *
known_passages_view(const struct known_passages *known, struct arena *arena,
		    const struct passages *passages, const float *scores);

/* The weights w, u and r of the formula above. */
struct evidence_weights {
	double page;
	double slot;
	double repetition;
};

/* q of each passage for p, in place: scores [count]. */
void evidence_apply(const struct passage_evidence *evidence, uint32_t count,
		    const struct evidence_weights *weights, float *scores);

#endif
