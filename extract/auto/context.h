/*
 * extract/auto/context.h - features of a passage from the scores of the
 * passages around it: the input of the second stage of a stacked classifier. A
 * score is the probability, by the first stage, that a passage is content.
 *
 * Source: Wolpert, Stacked generalization, Neural Networks 1992.
 */
#ifndef EXTRACT_AUTO_CONTEXT_H
#define EXTRACT_AUTO_CONTEXT_H

#include "extract/text/passage.h"

struct repetition;
struct page_context;

/*
 * Each line has a name and a definition; "it" is the passage. ln1(x) is ln(1 +
 * x), and a distance is signed ln1(passages). A mean of scores is weighted by
 * words; it is 0 without words. "Content" is the expected number of words of
 * content: the sum of words * score. Passages of every enum passage_place
 * count.
 */
/* clang-format off */
#define CONTEXT_FEATURES(X) \
	X(score, "its own score") \
	X(score_previous, "score of the passage before it, -.1: none") \
	X(score_previous_2, "score two passages before it, -.1: none") \
	X(score_previous_3, "score three passages before it, -.1: none") \
	X(score_next, "score of the passage after it, -.1: none") \
	X(score_next_2, "score two passages after it, -.1: none") \
	X(score_next_3, "score three passages after it, -.1: none") \
	X(score_within_3, "mean score within 3 passages") \
	X(score_within_10, "mean score within 10 passages") \
	X(score_within_30, "mean score within 30 passages") \
	X(score_before_10, "mean score of the 10 passages before it") \
	X(score_after_10, "mean score of the 10 passages after it") \
	X(content_before, "ratio of the page's content before it") \
	\
	X(score_element, "mean score in its element") \
	X(score_1_up, "mean score in the element around that") \
	X(score_2_up, "mean score two elements up") \
	X(score_3_up, "mean score three elements up") \
	X(score_4_up, "mean score four elements up") \
	X(score_5_up, "mean score five elements up") \
	X(content_2_up, "ratio of the page's content two elements up") \
	X(content_4_up, "ratio of the page's content four elements up") \
	X(score_others, "mean score of all others one element up, -.1: none") \
	X(score_list, "mean score around the innermost element that has two " \
		"siblings of its kind, -.1: none") \
	X(score_item, "mean score in that element, -.1: none") \
	X(score_half, "mean score in the innermost element around it with " \
		"half of the page's content") \
	X(distance_half, "elements up to that one") \
	X(f1_around, "highest expected F1 of an element around it") \
	X(f1_element, "highest expected F1 of an element of the page") \
	X(in_f1_element, "1: it is inside that one") \
	X(in_main_element, "1: it is inside the element with fewest words " \
		"that has 80 % of the page's content") \
	\
	X(score_path, "mean score on its path of elements and classes") \
	X(score_path_highest, "highest score on that path") \
	X(score_tags, "mean score on its path of elements") \
	X(score_tags_highest, "highest score on that path") \
	X(score_heading, "score of its heading, -.1: none") \
	X(score_section, "mean score of the passages of its heading") \
	\
	X(rank, "ratio of the page's words with at least its score") \
	X(rank_content, "these words over the page's content") \
	X(content, "ln1(the page's content)") \
	X(content_ratio, "ratio of the page's words that are content") \
	X(score_highest, "highest score of the page") \
	X(f1_highest, "highest expected F1 of a threshold") \
	\
	X(distance_first, "distance from the first passage of 8 words or " \
		"more with a score over .7; of none, the page's first") \
	X(distance_last, "distance from the last such; the page's last") \
	X(near_content, "ln1(passages to a score over .8), 20: none") \
	X(near_boilerplate, "ln1(passages to a score under .2), 20: none")
/* clang-format on */

enum {
#define X(name, definition) CONTEXT_##name,
	CONTEXT_FEATURES(X)
#undef X
		CONTEXT_COUNT
};

/*
 * Compute sums, ranks and groups of the scores [passages->count], each 0..1,
 * for context_next(). Everything belongs to `arena`: 36 bytes a passage, 20 an
 * element, and 64 for each distinct path with classes and each without. The
 * arguments must outlive the result. Linear, except for sorting the scores;
 * constant stack.
 */
struct context *context_make(struct arena *arena,
			     const struct passages *passages,
			     const struct page_context *page_context,
			     const struct repetition *repetition,
			     const float *scores);

/*
 * Write the features of the next passage to row [CONTEXT_COUNT]. The first call
 * is for the first passage.
 */
void context_next(struct context *context, float *row);

#endif
