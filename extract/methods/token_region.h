/*
 * extract/methods/token_region.h - the parts of a token stream that a method
 * classifies as content, and the resulting verdicts for the text nodes.
 */
#ifndef EXTRACT_METHODS_TOKEN_REGION_H
#define EXTRACT_METHODS_TOKEN_REGION_H

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

/* Draw the regions below the curve `figure`; they belong to `arena`. */
void token_regions_draw(struct arena *arena,
			const struct token_regions *regions,
			struct figure *figure);

#endif
