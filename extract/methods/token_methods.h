/*
 * extract/methods/token_methods.h - the parts of a token stream that a method
 * classifies as content, and the resulting verdicts for the text nodes.
 */
#ifndef EXTRACT_METHODS_TOKEN_METHODS_H
#define EXTRACT_METHODS_TOKEN_METHODS_H

#include "extract/core/extractor.h"
#include "extract/text/token_stream.h"

/* Ranges in ascending order; they do not overlap and are not adjacent. */
struct token_regions {
	const struct token_range *ranges; /* [count] */
	uint32_t count;
};

/*
 * Set the verdicts: a text node is content if it is visible and more than half
 * of its words are in the regions; its score is the ratio of its words in the
 * regions. A text without words counts as one word, which is in a region if
 * both neighbours are. Writes the trace. Linear.
 */
void token_regions_judge(const struct extractor_input *input,
			 const struct token_stream *stream,
			 const bool *is_visible,
			 const struct token_regions *regions,
			 struct verdict *verdicts);

/*
 * The document slope curve: d(i) is the number of tags among the tokens up to
 * i. Parts that rise slowly have many words and few tags (Pinto et al., QuASM,
 * JCDL 2002).
 */

struct windows {
	uint32_t size;    /* tokens, >= 1 */
	uint32_t step;    /* tokens from one window to the next, >= 1 */
	double max_slope; /* tags per token: a window is low up to this slope */
};

/*
 * Return the tokens that are in any window of low slope. Windows are inside the
 * ranges of `within`, the last window at the end of its range; a range that is
 * shorter than a window is one window. With a step of 1 the regions begin and
 * end at tags or with a range of `within`. The regions belong to `arena`.
 * Linear.
 */
struct token_regions slope_low_regions(struct arena *arena,
				       const struct token_stream *stream,
				       const struct token_regions *within,
				       const struct windows *windows);

#endif
