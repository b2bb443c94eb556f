/*
 * extract/auto/sequence.h - features of a passage from its position in the
 * sequence of passages. They are the features of the one-dimensional methods
 * (tag ratios, content code blurring, slopes, maximum subsequences, ridges),
 * but with passages instead of tokens, and features of the passages before and
 * after.
 */
#ifndef EXTRACT_AUTO_SEQUENCE_H
#define EXTRACT_AUTO_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/text/passage.h"

struct passage_sequence;
struct repetition;

/*
 * Each line has a name and a definition; "it" is the passage. ln1(x) is ln(1 +
 * x), and a distance is signed ln1(passages). Only words and characters of
 * PLACE_PLAIN count. "~3 of x" is the value of x after blurring over the
 * passages with a Gaussian of radius 3 (extract/core/numeric.h). The peak is
 * the passage with the highest ~3 of words outside of links.
 */
/* clang-format off */
#define SEQUENCE_FEATURES(X) \
	X(position, "ratio of the page's words before its middle") \
	X(passage_position, "ratio of the page's passages before it") \
	X(words_before, "ln1(words before it)") \
	X(words_after, "ln1(words after it)") \
	X(passages_before, "passages before it, at most 300") \
	X(passages_after, "it and the passages after it, at most 300") \
	\
	X(tag_ratio_1, "ln1(~1 of characters per tag): CETR") \
	X(tag_ratio_3, "ln1(~3 of characters per tag)") \
	X(tag_ratio_8, "ln1(~8 of characters per tag)") \
	X(tag_ratio_ratio, "tag_ratio_3 over the page's highest") \
	X(tag_ratio_deviations, "~3 of characters per tag over their " \
		"standard deviation") \
	X(text_ratio_1, "~1 of characters over ~1 of characters and markup: " \
		"CCB") \
	X(text_ratio_3, "~3 of characters over ~3 of characters and markup") \
	X(text_ratio_8, "~8 of characters over ~8 of characters and markup") \
	X(link_quota_3, "~3 of characters in links over ~3 of characters: " \
		"LQF") \
	X(link_quota_8, "~8 of characters in links over ~8 of characters") \
	\
	X(slope_5, "words over words and tags, within 5 passages: DSC") \
	X(slope_20, "words over words and tags, within 20 passages") \
	X(long_ratio_5, "ratio of words in long_words, within 5 passages") \
	X(long_ratio_20, "ratio of words in long_words, within 20 passages") \
	X(words_5, "ln1(words within 5 passages)") \
	X(words_20, "ln1(words within 20 passages)") \
	X(link_ratio_5, "ratio of words in links, within 5 passages") \
	X(link_ratio_20, "ratio of words in links, within 20 passages") \
	X(prices_5, "ratio of passages with a price, within 5 passages") \
	X(prices_20, "ratio of passages with a price, within 20 passages") \
	\
	X(ridge_height, "~3 of words outside of links over the peak's: " \
		"Mountain Model") \
	X(ridge_distance, "distance from the peak") \
	X(ridge_words, "signed ln1(words from the peak)") \
	X(ridge_valley, "lowest ridge_height between it and the peak") \
	\
	X(bte, "1 inside the maximum run of words - tags: BTE") \
	X(bte_distance, "distance from that run, 0 inside") \
	X(link_bte, "1 inside the maximum run of words - 2 * words in links " \
		"- 2 * tags") \
	X(link_bte_distance, "distance from that run, 0 inside") \
	X(mss, "1 inside the maximum run where a long passage weighs its " \
		"words: MSS") \
	X(mss_distance, "distance from that run, 0 inside") \
	X(mss_ratio, "ratio of the page's words in that run") \
	\
	X(previous_words, "ln1(words of the passage before it), 0: none") \
	X(previous_2_words, "ln1(words two passages before it), 0: none") \
	X(next_words, "ln1(words of the passage after it), 0: none") \
	X(next_2_words, "ln1(words two passages after it), 0: none") \
	X(previous_link_ratio, "ratio of its characters in links, -1: none") \
	X(previous_2_link_ratio, "ratio of its characters in links, -1: none") \
	X(next_link_ratio, "ratio of its characters in links, -1: none") \
	X(next_2_link_ratio, "ratio of its characters in links, -1: none") \
	X(previous_kind, "enum tag_kind of its element, -1: none") \
	X(previous_2_kind, "enum tag_kind of its element, -1: none") \
	X(next_kind, "enum tag_kind of its element, -1: none") \
	X(next_2_kind, "enum tag_kind of its element, -1: none") \
	X(previous_ends_sentence, "1: it does") \
	X(next_ends_sentence, "1: it does") \
	X(next_tags, "tags between it and the next passage, at most 200, " \
		"-1: none") \
	X(previous_same_path, "1: on the same path of elements and classes")
/* clang-format on */

enum {
#define X(name, definition) SEQUENCE_##name,
	SEQUENCE_FEATURES(X)
#undef X
		SEQUENCE_COUNT
};

/*
 * Compute the blurred values and the runs, for sequence_row(). Everything
 * belongs to `arena`: at most 60 bytes a passage. The arguments must outlive
 * the result. Linear, constant stack. wanted [SEQUENCE_COUNT] are the features
 * that the caller reads, or NULL for all. Values that no wanted feature needs
 * are not computed.
 */
struct passage_sequence *sequence_make(struct arena *arena,
				       const struct passages *passages,
				       const struct repetition *repetition,
				       const bool *wanted);

/* Write the features of passage `index` to row [SEQUENCE_COUNT]. */
void sequence_row(const struct passage_sequence *sequence, uint32_t index,
		  float *row);

/*
 * The run with the maximum sum in a sequence of weights, which are added one by
 * one (Bentley, Programming Pearls, column 8). Of several such runs, it is the
 * run that ends first, and among these the shortest. It is empty if no sum is
 * positive.
 */

/* Initialise it with zeros, and then call maximum_run_add() for each weight. */
struct maximum_run {
	uint32_t begin; /* [begin, end) is the best run */
	uint32_t end;
	/* sum of the weights in the best run */
	double sum;
	uint32_t count; /* number of weights added */
	/* the best run that ends with the last weight */
	uint32_t open_begin;
	double open_sum;
};

static inline void maximum_run_add(struct maximum_run *run, double weight)
{
	if (run->open_sum <= 0) {
		run->open_sum = 0;
		run->open_begin = run->count;
	}
	run->open_sum += weight;
	run->count++;
	if (run->open_sum > run->sum) {
		run->sum = run->open_sum;
		run->begin = run->open_begin;
		run->end = run->count;
	}
}

#endif
