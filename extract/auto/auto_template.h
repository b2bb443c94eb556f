/*
 * extract/auto/auto_template.h - corrects the score of a passage by evidence
 * from the other pages of the template: the third stage of `auto`.
 *
 * The evidence is a row of TEMPLATE_FEATURES, which a forest reads. With the
 * forest's margin m, the corrected score q is
 *
 *         logit q = logit p + 0.7 sqrt(max(P, DF)) m
 *
 * where p is the score by the page alone, P is the ratio of the other pages
 * that have the passage's slot, and DF is the ratio of the other pages that
 * have the passage's text (Gottron 2008, section 6). If no other page has the
 * slot or the text, q = p. extract/auto/labels.h then limits q. The trees are
 * trained to correct the errors of p. For the training, p is from models that
 * were not trained on the page's site (tests/eval/template.py).
 */
#ifndef EXTRACT_AUTO_AUTO_TEMPLATE_H
#define EXTRACT_AUTO_AUTO_TEMPLATE_H

#include <stdint.h>

#include "extract/auto/auto_score.h"
#include "extract/core/extractor.h"
#include "extract/text/passage.h"

struct passage_model;

/*
 * The features of the third forest of `auto`: the evidence about a passage from
 * the other pages of the template.
 *
 * A slot is all passages whose elements have the same path of elements and
 * classes, on all pages of the template (as in
 * extract/methods/block_methods.h). The group of a passage is the same for the
 * path of the element's parent, and the section for the path of the parent's
 * parent. Features of a slot, group or section are over all pages, including
 * this page. Frequencies are only over the other pages.
 */

/*
 * Each line has a name and a definition; "it" is the slot after slot_, and
 * otherwise the passage. ln1(x) is ln(1 + x), and odds are log odds. A score is
 * the score by the page alone. Means are weighted by words.
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

/*
 * Data of a page that are needed both to build the model and to extract from
 * the page.
 */
struct prepared_page {
	struct passages passages;
	struct passage_scores scores; /* without evidence and moves */
	const uint64_t *paths;        /* node_paths() with classes */
};

/*
 * Divide the page into passages and score them for the scope. The result
 * belongs to `arena`. The page must outlive the result.
 */
const struct prepared_page *prepared_page_make(struct arena *arena,
					       const struct page *page,
					       enum preference_scope scope);

/*
 * Build the model: score the pages of the sample for the scope, unless they are
 * prepared, and count their texts by slot. The result belongs to `arena`: about
 * 250 bytes a passage. Linear.
 */
const struct passage_model *passage_model_build(const struct sample *sample,
						enum preference_scope scope,
						struct arena *arena);

/*
 * Build the model from the scores of the passages of each page: scores
 * [sample->count][number of passages].
 */
const struct passage_model *passage_model_of_scores(const struct sample *sample,
						    const float *const *scores,
						    struct arena *arena);

/*
 * Return the evidence about each passage: [passages->count], owned by `arena`;
 * NULL if the sample has fewer than two other pages. `scores` are from the page
 * alone. `paths` are the page's node_paths() with classes, or NULL to compute
 * them. Linear.
 */
const struct passage_evidence *
passage_model_view(const struct passage_model *known, struct arena *arena,
		   const struct passages *passages, const float *scores,
		   const uint64_t *paths);

/*
 * Correct scores [count] by the evidence, in place. evidence_limit() must
 * follow (extract/auto/labels.h).
 */
void evidence_apply(const struct passage_evidence *evidence, uint32_t count,
		    float *scores);

#endif
