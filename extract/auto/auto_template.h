/*
 * extract/auto/auto_template.h - evidence about a passage from the other pages
 * of its template: the third stage of `auto`.
 *
 * A forest reads the features of extract/auto/auto_template.h. With its
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
#include "extract/core/extractor.h"
#include "extract/text/passage.h"

struct passage_model;

/*
 * The evidence of the other pages of the template about a passage, as a row of
 * numbers: the features of the third forest of `auto`.
 *
 * A slot is a path of elements with their classes, as in
 * extract/methods/block_methods.h: of the passage's element, of its parent (the
 * group) and of the parent's parent (the section). Features of a slot are over
 * all pages, including this page; frequencies are only over the other pages.
 */

/*
 * name, definition; ln1(x) is ln(1 + x), odds are log odds. A score is the
 * score by the page alone; means are weighted by words.
 */
/* clang-format off */
#define TEMPLATE_FEATURES(X) \
	X(odds, "odds of the passage's score") \
	X(sureness, "mean of the absolute odds on the page") \
	X(others, "ln1(other pages)") \
	X(frequency, "ratio of the other pages with its text (DF)") \
	X(frequency_in_slot, "the same in its slot") \
	X(frequency_elsewhere, "the same only in other slots") \
	X(frequency_as_link, "the same where most of it is a link") \
	X(frequency_of_begin, "ratio of the other pages with another text " \
		"that begins with the same 6 terms") \
	X(slot_odds, "odds of the mean score in the slot") \
	X(slot_spread, "standard deviation of its pages' mean scores") \
	X(slot_agreement, "ratio of its pages whose mean score is over 1/2") \
	X(slot_variability, "ratio of its words in texts of only one page") \
	X(slot_presence, "ratio of the other pages that have the slot") \
	X(slot_share, "ratio of all content, by scores, that is in it") \
	X(slot_words, "ln1(its words per page with the slot)") \
	X(slot_passages, "ln1(its passages per page with the slot)") \
	X(slot_links, "ratio of its words in links") \
	X(slot_ends, "ratio of its passages that end a sentence") \
	X(slot_dates, "ratio of its passages with a date") \
	X(group_odds, "as slot_odds, of the group") \
	X(group_variability, "as slot_variability, of the group") \
	X(group_presence, "as slot_presence, of the group") \
	X(group_share, "as slot_share, of the group") \
	X(section_odds, "as slot_odds, of the section") \
	X(section_variability, "as slot_variability, of the section") \
	X(section_presence, "as slot_presence, of the section") \
	X(section_share, "as slot_share, of the section") \
	X(near_odds, "mean odds of the 3 passages on each side") \
	X(near_slot_odds, "mean slot_odds of the 3 passages on each side") \
	X(words, "ln1(its words)") \
	X(links, "ratio of its characters in links") \
	X(has_date, "1: it has a date") \
	X(ends_sentence, "1: it ends a sentence") \
	X(template_sureness, "mean of the absolute odds on all pages") \
	X(template_words, "ln1(words of a page)") \
	X(template_content, "mean score on all pages")
/* clang-format on */

enum {
#define X(name, definition) TEMPLATE_##name,
	TEMPLATE_FEATURES(X)
#undef X
		TEMPLATE_COUNT
};

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
