/*
 * extract/methods/feature_ratio.h - the ratio of text to the whole content of a
 * block: the probability by which FeatureExtractor and K-FeatureExtractor
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
	/* [tree.count], in [0, 1]; 0 for a block without own text */
	const float *ratios;
	/*
	 * [count], ascending: the blocks with visible own text, which can be
	 * chosen
	 */
	const uint32_t *blocks;
	uint32_t count;
};

/*
 * Return words / (words + weight * others) of the content of a block, without
 * the blocks inside it: "words" are words outside of links, "others" are links,
 * images, items, fields and scripts. Linear; it belongs to input->arena.
 */
struct feature_ratios feature_ratios_make(const struct extractor_input *input,
					  double weight);

/*
 * Set the verdicts: the visible texts of kept blocks are content; the score is
 * the block's ratio. is_kept is [tree.count]. The figure of the trace shows
 * every block by ratio and words, and kept blocks as a separate group.
 */
void feature_ratios_judge(const struct extractor_input *input,
			  const struct feature_ratios *ratios,
			  const bool *is_kept, struct verdict *verdicts);

/*
 * The row of `weight` in the parameter tables of fe and kfe. The source does
 * not define the weight of an image in words; this weight has the highest mean
 * word F1 of kfe over five sets (tests/eval/RESULTS.md, "What parameters were
 * chosen by").
 */
#define FEATURE_WEIGHT                                                       \
	{                                                                    \
		.name = "weight", .unit = "words", .minimum = 0,             \
		.maximum = 1000, .default_value = 3,                         \
		.meaning = "weight of a link, image, item, field or script", \
	}

#endif
