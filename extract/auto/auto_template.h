/*
 * extract/auto/auto_template.h - evidence about a passage from the other pages
 * of its template: the third stage of `auto`.
 *
 * A forest reads the features of extract/auto/template_feature.h. With its
 * margin m,
 *
 *         logit q = logit p + 0.7 sqrt(max(P, DF)) m
 *
 * where P is the ratio of the other pages that have the passage's slot and DF
 * the ratio of the other pages that have its text (Gottron 2008, section 6). A
 * passage that no other page has keeps p, its score by the page alone. The
 * trees are trained to correct the errors of p, with scores by models that were
 * not trained on the page's site (tests/eval/template.py).
 */
#ifndef EXTRACT_AUTO_AUTO_TEMPLATE_H
#define EXTRACT_AUTO_AUTO_TEMPLATE_H

#include <stdint.h>

#include "extract/auto/auto_score.h"
#include "extract/auto/template_feature.h"
#include "extract/core/extractor.h"
#include "extract/text/passage.h"

struct arena;
struct passage_model;

/* The evidence about a passage. All values are finite. */
struct passage_evidence {
	float values[TEMPLATE_COUNT];
};

/* The parts of a page that both the model and the page's own result need. */
struct prepared_page {
	struct passages passages;
	struct passage_scores scores; /* without evidence and moves */
	const uint64_t *paths;        /* node_paths() with classes */
};

/*
 * Prepare the page for the scope; the result belongs to `arena`. The page must
 * outlive it.
 */
const struct prepared_page *prepared_page_make(struct arena *arena,
					       const struct page *page,
					       enum preference_scope scope);

/*
 * Score the pages of the sample for the scope, unless they are prepared, and
 * count their texts by slot: about 250 bytes a passage. The result belongs to
 * `arena`. Linear.
 */
const struct passage_model *passage_model_build(const struct sample *sample,
						enum preference_scope scope,
						struct arena *arena);

/* Do the same with the scores of the passages of each page. */
const struct passage_model *passage_model_of_scores(const struct sample *sample,
						    const float *const *scores,
						    struct arena *arena);

/*
 * Return the evidence for each passage [passages->count], owned by `arena`;
 * NULL if fewer than two other pages are in the sample. `scores` are from the
 * page alone, `paths` its node_paths() with classes, or NULL. Linear.
 */
const struct passage_evidence *
passage_model_view(const struct passage_model *known, struct arena *arena,
		   const struct passages *passages, const float *scores,
		   const uint64_t *paths);

/* Add the forest's margin for the evidence to scores [count], in place. */
void evidence_apply(const struct passage_evidence *evidence, uint32_t count,
		    float *scores);

#endif
