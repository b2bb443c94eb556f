/*
 * extract/methods/code_blur.h - content code blurring (Gottron, Content Code
 * Blurring: A New Approach to Content Extraction, TIR 2008): what its three
 * versions have in common. A vector of content and code is blurred, and a text
 * is kept whole when one of its entries is over the threshold ("maintain text
 * blocks").
 */
#ifndef EXTRACT_METHODS_CODE_BLUR_H
#define EXTRACT_METHODS_CODE_BLUR_H

#include <stdbool.h>

#include "extract/core/extractor.h"
#include "extract/methods/content_code.h"

/* The parameters of all versions, by their place in the table. */
enum {
	CODE_BLUR_RADIUS,
	CODE_BLUR_EXTENT, /* passes, or when it converges, epsilon */
	CODE_BLUR_THRESHOLD,
};

/*
 * Their rows, by what the entries of the vector are: "characters", and in the
 * threshold "character".
 */
#define CODE_BLUR_RADIUS_ROW(entries, standard)                        \
	{                                                              \
		.name = "radius", .unit = (entries), .minimum = 1,     \
		.maximum = 1000, .default_value = (standard),          \
		.meaning = "about the standard deviation of one blur", \
	}
#define CODE_BLUR_EPSILON_ROW                                          \
	{                                                              \
		.name = "epsilon", .unit = "content code ratio",       \
		.minimum = 0.001, .maximum = 1, .default_value = 0.01, \
		.meaning = "blurred until one more blur changes no "   \
			   "ratio by more",                            \
	}
#define CODE_BLUR_THRESHOLD_ROW(entry, standard)                         \
	{                                                                \
		.name = "threshold", .unit = "content code ratio",       \
		.minimum = 0, .maximum = 1, .default_value = (standard), \
		.meaning = "text is kept when a " entry " is above it",  \
	}

/* What differs between the versions. */
struct code_blur {
	struct content_code (*vector)(
		struct arena *arena, const struct page *page,
		const bool *is_visible,
		const struct content_code_options *options);
	bool ignores_anchors;
	bool converges;
	const char *entries; /* name of an entry for people: "characters" */
};

/* What the run() of an extractor calls. */
void code_blur_run(const struct code_blur *code_blur,
		   const struct extractor_input *input,
		   struct verdict *verdicts);

#endif
