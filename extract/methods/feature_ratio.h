/*
 * extract/methods/feature_ratio.h - the ratio of text to everything that a
 * block holds: the probability by which FeatureExtractor and K-FeatureExtractor
 * choose blocks (Debnath, Mitra, Giles, Identifying Content Blocks from Web
 * Documents, 2005).
 */
#ifndef EXTRACT_METHODS_FEATURE_RATIO_H
#define EXTRACT_METHODS_FEATURE_RATIO_H

#include "extract/core/extractor.h"
#include "extract/text/block.h"

struct feature_ratios {
	const bool *is_visible; /* [page->text_count] */
	struct block_tree tree;
	/* [tree.count], in [0, 1]; 0 for a block without text of its own */
	const float *ratios;
	/* [count], ascending: the blocks with visible text of their own, which
	   are those that can be chosen */
	const uint32_t *blocks;
	uint32_t count;
};

/*
 * words / (words + weight * others) of what a block holds itself, without the
 * blocks inside it: "words" are those outside of links, "others" are links,
 * images, items, fields and scripts. Linear; it belongs to input->arena.
 */
struct feature_ratios feature_ratios_make(const struct extractor_input *input,
					  double weight);

/*
 * The visible texts of the blocks that are kept are content; the score is the
 * block's share. is_kept is [tree.count]. The figure of the trace has every
 * block by share and words, the kept ones as a group of their own.
 */
void feature_ratios_judge(const struct extractor_input *input,
			  const struct feature_ratios *ratios,
			  const bool *is_kept, struct verdict *verdicts);

/*
 * The row of `weight` in the parameter tables of fe and kfe. The source does
 * not say how a word weighs against an image; this weight has the highest mean
 * word F1 of kfe over five sets (tests/eval/RESULTS.md, "What parameters were
 * chosen by").
 */
#define FEATURE_WEIGHT                                                  \
	{                                                               \
		.name = "weight", .unit = "words", .minimum = 0,        \
		.maximum = 1000, .default_value = 3,                    \
		.meaning = "what a link, image, item, field or script " \
			   "weighs against text",                       \
	}

#endif
