/*
 * extract/feature_share.h - how much of what a block holds is text: the
 * probability by which FeatureExtractor and K-FeatureExtractor choose blocks
 * (Debnath, Mitra, Giles, Identifying Content Blocks from Web Documents, 2005).
 */
#ifndef EXTRACT_FEATURE_SHARE_H
#define EXTRACT_FEATURE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct block_tree;
struct trace;

struct feature_shares {
	/* [tree->count], in [0, 1]; 0 for a block without text of its own */
	const float *shares;
	/* [count], ascending: the blocks with visible text of their own, which
	   are those that can be chosen */
	const uint32_t *blocks;
	uint32_t count;
};

/*
 * words / (words + weight * others), of what a block holds outside of the
 * blocks in it: words that are in no link, and links, images, items, fields
 * and scripts. Linear; it belongs to `arena`.
 */
struct feature_shares feature_shares_make(struct arena *arena,
					  const struct block_tree *tree,
					  double weight);

/* The figure: every block by share and words, the kept ones as a group of
   their own; is_kept is [tree->count]. */
void feature_shares_draw(struct trace *trace, const struct block_tree *tree,
			 const struct feature_shares *shares,
			 const bool *is_kept);

/* FEATURE-PRESETS */
#define FEATURE_WEIGHT                                                  \
	{                                                               \
		.name = "weight", .unit = "words", .minimum = 0,        \
		.maximum = 1000, .preset = 3,                           \
		.meaning = "what a link, image, item, field or script " \
			   "weighs against text",                       \
	}

#endif
