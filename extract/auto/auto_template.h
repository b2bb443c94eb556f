/*
 * extract/auto/auto_template.h - evidence about a passage from the other pages
 * of its template: the third stage of `auto`.
 *
 * A forest reads what extract/auto/template_feature.h lists. With its margin m,
 *
 * 	logit q = logit p + 0.7 sqrt(max(P, DF)) m
 *
 * where P is the ratio of the other pages that have the passage's slot and DF
 * that of those with its text (Gottron 2008, section 6): what no other page has
 * keeps the score p of the page alone. The trees have learned only what p is
 * wrong by, of scores by models that did not know the page's site
 * (tests/eval/template.py).
 */
#ifndef EXTRACT_AUTO_AUTO_TEMPLATE_H
#define EXTRACT_AUTO_AUTO_TEMPLATE_H

#include <stdint.h>

#include "extract/auto/auto_score.h"
#include "extract/auto/template_feature.h"
#include "extract/core/extractor.h"
#include "extract/text/passage.h"

struct arena;
struct known_passages;

/* The evidence about a passage. Always finite. */
struct passage_evidence {
	float values[TEMPLATE_COUNT];
};

/* A page by itself, as both the template and the page's own answer need it. */
struct prepared_page {
	struct passages passages;
	struct passage_scores scores; /* without evidence and moves */
	const uint64_t *paths;        /* node_paths() with classes */
};

/* Prepare the page by the scope; belongs to `arena`. The page must stay. */
const struct prepared_page *prepared_page_make(struct arena *arena,
					       const struct page *page,
					       enum scope scope);

/*
 * Score the pages of the sample by the scope, unless they are prepared, and
 * count their texts by slot: about 250 bytes a passage. The result belongs to
 * `arena`. Linear.
 */
const struct known_passages *known_passages_learn(const struct sample *sample,
						  enum scope scope,
						  struct arena *arena);

/* The same by the scores that are given of the passages of each page. */
const struct known_passages *
known_passages_of_scores(const struct sample *sample,
			 const float *const *scores, struct arena *arena);

/*
 * The evidence for each passage [passages->count], owned by `arena`; NULL when
 * the sample has no two pages but this one. `scores` are those of the page
 * alone, `paths` its node_paths() with classes, or NULL. Linear.
 */
const struct passage_evidence *
known_passages_view(const struct known_passages *known, struct arena *arena,
		    const struct passages *passages, const float *scores,
		    const uint64_t *paths);

/* Add what the forest says of the evidence: scores [count], in place. */
void evidence_apply(const struct passage_evidence *evidence, uint32_t count,
		    float *scores);

#endif
