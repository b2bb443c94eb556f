/*
 * extract/methods/token_methods.h - the regions of a token stream that a method
 * classifies as content, and the verdicts on the text nodes that result from
 * them.
 */
#ifndef EXTRACT_METHODS_TOKEN_METHODS_H
#define EXTRACT_METHODS_TOKEN_METHODS_H

#include "extract/core/extractor.h"
#include "extract/text/token_stream.h"

/*
 * Ranges of tokens in ascending order. They do not overlap and are not
 * adjacent.
 */
struct token_regions {
	const struct token_range *ranges; /* [count] */
	uint32_t count;
};

/*
 * Set the verdicts, and the reasons in the trace. A text node is content if it
 * is visible and more than half of its words are in the regions. Its score is
 * the ratio of its words in the regions. A text without words counts as one
 * word, which is in a region if the tokens before and after it are. Linear.
 */
void token_regions_judge(const struct extractor_input *input,
			 const struct token_stream *stream,
			 const bool *is_visible,
			 const struct token_regions *regions,
			 struct verdict *verdicts);

/*
 * The document slope curve d: d(i) is the number of tags among the tokens up to
 * i. Where the curve rises slowly, the page has many words and few tags (Pinto
 * et al., QuASM, JCDL 2002).
 */

struct windows {
	uint32_t size;    /* tokens, >= 1 */
	uint32_t step;    /* tokens from one window to the next, >= 1 */
	double max_slope; /* a window with at most this many tags per token has
			     a low slope */
};

/*
 * Return the regions of all tokens that are in a window of low slope. Only
 * windows inside the ranges of `within` are used. The last window of a range
 * ends at the end of the range; a range that is shorter than a window is one
 * window. With a step of 1, a region begins and ends at tags, or at an end of a
 * range of `within`. The regions belong to `arena`. Linear.
 */
struct token_regions slope_low_regions(struct arena *arena,
				       const struct token_stream *stream,
				       const struct token_regions *within,
				       const struct windows *windows);

#endif
