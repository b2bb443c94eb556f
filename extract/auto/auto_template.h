/*
 * extract/auto/auto_template.h - what other pages of its template say of a
 *passage: the third stage of `auto`.
 *
 * A slot is a path of elements with their classes, as in
 *extract/methods/slot.h, here that of a passage's element. The log odds of a
 *passage p are weighed with those of its slot s, the mean score of all words
 *that stand there on any page; then evidence is added that one page alone
 *cannot give:
 *
 *	logit q = w logit p + (1 - w) logit s - r [DF > 1/3] + u (U - 1/2)
 *
 * DF is the ratio of the other pages that have the passage's text anywhere
 * (Gottron 2008, section 6), U the ratio of the slot's words in texts that
 * stand there on one page alone: 0 for a slot that never changes, 1 for one
 * that is new on every page. U is the slot's and not the text's own, so that an
 * article that several pages repeat (versions of a manual) is not lost.
 *
 * w, r and u are parameters of `auto`; conf/models/auto-template.model has
 * the defaults, with how they were chosen.
 */
#ifndef EXTRACT_AUTO_AUTO_TEMPLATE_H
#define EXTRACT_AUTO_AUTO_TEMPLATE_H

#include <stdint.h>

#include "extract/core/extractor.h"
#include "extract/text/passage.h"

struct arena;
struct known_passages;

/* What the other pages say of a passage. */
struct passage_evidence {
	float frequency;   /* DF: share of the other pages with its text */
	float slot_score;  /* s: mean score of the words in its slot */
	float variability; /* U */
	float presence;    /* share of the other pages that have its slot */
};

/*
 * Score the pages of the sample, and keep what stands where: about 100 bytes a
 * passage. It belongs to `arena`. Linear.
 */
const struct known_passages *known_passages_learn(const struct sample *sample,
						  struct arena *arena);

/*
 * The evidence for each passage [passages->count], owned by `arena`; NULL when
 * the sample has no two pages but this one. `scores` are those of the page
 * alone. Linear.
 */
const struct passage_evidence *
known_passages_view(const struct known_passages *known, struct arena *arena,
		    const struct passages *passages, const float *scores);

/* How evidence is weighed: w, u and r of above. */
struct evidence_weights {
	double page;
	double slot;
	double repetition;
};

/* q of each passage for p, in place: scores [count]. */
void evidence_apply(const struct passage_evidence *evidence, uint32_t count,
		    const struct evidence_weights *weights, float *scores);

#endif
