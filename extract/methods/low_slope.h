/*
 * extract/methods/low_slope.h - the document slope curve: d(i) is the number of
 * tags among the tokens up to i. Parts that rise slowly have many words and few
 * tags (Pinto et al., QuASM, JCDL 2002).
 */
#ifndef EXTRACT_METHODS_LOW_SLOPE_H
#define EXTRACT_METHODS_LOW_SLOPE_H

#include "extract/methods/token_region.h"

struct figure;

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
#define SLOPE_MAXIMUM                                                          \
	{                                                                      \
		.name = "max_slope", .unit = "ratio of the page's mean slope", \
		.minimum = 0, .maximum = 2, .default_value = 0.5,              \
		.meaning = "a steeper window is not content",                  \
	}

#endif
