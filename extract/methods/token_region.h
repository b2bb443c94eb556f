/*
 * extract/methods/token_region.h - the parts of a token stream that a method
 * takes for content, and the verdicts for the text nodes that follow from them.
 */
#ifndef EXTRACT_METHODS_TOKEN_REGION_H
#define EXTRACT_METHODS_TOKEN_REGION_H

#include "extract/core/extractor.h"
#include "extract/text/token_stream.h"

struct figure;

/* Ranges that neither overlap nor touch, ascending. */
struct token_regions {
	const struct token_range *ranges; /* [count] */
	uint32_t count;
};

/*
 * A text node is content when it is visible and more than half of its words
 * stand in the regions; its score is the ratio of its words that do. A text
 * without words counts as a word, which is in a region when both neighbours
 * are. Writes the trace. Linear.
 */
void token_regions_judge(const struct extractor_input *input,
			 const struct token_stream *stream,
			 const bool *is_visible,
			 const struct token_regions *regions,
			 struct verdict *verdicts);

/* Draw the regions under the curve `figure`; they belong to `arena`. */
void token_regions_draw(struct arena *arena,
			const struct token_regions *regions,
			struct figure *figure);

#endif
