/*
 * extract/methods/token_methods.h - the parts of a token stream that a method
 * classifies as content, and the resulting verdicts for the text nodes.
 */
#ifndef EXTRACT_METHODS_TOKEN_METHODS_H
#define EXTRACT_METHODS_TOKEN_METHODS_H

#include "extract/core/extractor.h"
#include "extract/text/token_stream.h"

struct figure;

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

/* Return the slope of the whole curve in tags per token; 0 without tokens. */
double slope_mean(const struct token_stream *stream);

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

/*
 * Return the window for this stream: `size`, but at most a tenth of the tokens,
 * because a window as long as the page always has the mean slope; at least 1.
 */
uint32_t slope_window(const struct token_stream *stream, double size);

/* Draw the curve, and the regions below it. */
void slope_draw(const struct extractor_input *input,
		const struct token_stream *stream,
		const struct token_regions *regions);

/* The row of `max_slope` in the tables of the methods. */
#define SLOPE_MAXIMUM                                                     \
	{                                                                 \
		"max_slope", "ratio of the page's mean slope", 0, 2, 0.5, \
			"a steeper window is not content"                 \
	}

#endif
