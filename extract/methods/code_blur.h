/*
 * extract/methods/code_blur.h - content code blurring (Gottron, Content Code
 * Blurring: A New Approach to Content Extraction, TIR 2008): the common part of
 * its three versions. They blur a vector of content and code, and keep a whole
 * text if one of its entries is over the threshold ("maintain text blocks").
 */
#ifndef EXTRACT_METHODS_CODE_BLUR_H
#define EXTRACT_METHODS_CODE_BLUR_H

#include <stdbool.h>

#include "extract/core/extractor.h"
#include "extract/methods/content_code.h"

/* The parameters of all versions, by their index in the table. */
enum {
	CODE_BLUR_RADIUS,
	CODE_BLUR_EXTENT, /* passes; for a version that converges, epsilon */
	CODE_BLUR_THRESHOLD,
};

/*
 * Their rows. `entries` names the entries of the vector: "characters", and in
 * the threshold "character".
 */
#define CODE_BLUR_RADIUS_ROW(entries, standard)                        \
	{                                                              \
		.name = "radius", .unit = (entries), .minimum = 1,     \
		.maximum = 1000, .default_value = (standard),          \
		.meaning = "about the standard deviation of one blur", \
	}
#define CODE_BLUR_EPSILON_ROW                                              \
	{                                                                  \
		.name = "epsilon", .unit = "content code ratio",           \
		.minimum = 0.001, .maximum = 1, .default_value = 0.01,     \
		.meaning = "blur until one more pass changes no ratio by " \
			   "more",                                         \
	}
#define CODE_BLUR_THRESHOLD_ROW(entry, standard)                         \
	{                                                                \
		.name = "threshold", .unit = "content code ratio",       \
		.minimum = 0, .maximum = 1, .default_value = (standard), \
		.meaning = "text is kept when a " entry " is above it",  \
	}

/* The differences between the versions. */
struct code_blur {
	struct content_code (*vector)(
		struct arena *arena, const struct page *page,
		const bool *is_visible,
		const struct content_code_options *options);
	bool ignores_anchors;
	bool converges;
	const char *entries; /* human-readable name of an entry: "characters" */
};

/* The implementation of run() of an extractor. */
void code_blur_run(const struct code_blur *code_blur,
		   const struct extractor_input *input,
		   struct verdict *verdicts);

#endif
