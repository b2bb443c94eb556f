#include "extract/methods/token_region.h"

#include <assert.h>

#include "base/arena.h"
#include "extract/core/trace.h"
#include "page/page.h"

/* The ratio of a text's words that are inside the regions. */
struct ratio {
	uint32_t inside;
	uint32_t words; /* >= 1 */
};

static uint32_t token_range_overlap(struct token_range a, struct token_range b)
{
	uint32_t begin = a.begin > b.begin ? a.begin : b.begin;
	uint32_t end = a.end < b.end ? a.end : b.end;

	assert(a.begin <= a.end && b.begin <= b.end);
	return begin < end ? end - begin : 0;
}

/*
 * Return the ratio of a text that is in the regions from *next on; move *next
 * past the regions that end before the text.
 */
static struct ratio token_range_ratio(const struct token_regions *regions,
				      uint32_t *next, struct token_range text)
{
	struct ratio ratio = {.words = text.end - text.begin};

	assert(text.begin <= text.end);
	while (*next < regions->count &&
	       regions->ranges[*next].end < text.end) {
		ratio.inside +=
			token_range_overlap(regions->ranges[*next], text);
		++*next;
	}
	if (*next < regions->count)
		ratio.inside +=
			token_range_overlap(regions->ranges[*next], text);
	if (ratio.words > 0)
		return ratio;
	ratio.words = 1;
	if (*next < regions->count &&
	    regions->ranges[*next].begin < text.begin &&
	    text.end < regions->ranges[*next].end)
		ratio.inside = 1;
	return ratio;
}

void token_regions_judge(const struct extractor_input *input,
			 const struct token_stream *stream,
			 const bool *is_visible,
			 const struct token_regions *regions,
			 struct verdict *verdicts)
{
	uint32_t next = 0;

	for (uint32_t rank = 0; rank < input->page->text_count; rank++) {
		uint32_t i = page_text_in_source(input->page, rank);
		struct ratio ratio =
			token_range_ratio(regions, &next, stream->texts[i]);

		assert(ratio.words >= 1 && ratio.inside <= ratio.words);
		verdicts[i] = (struct verdict){
			.score = (float)ratio.inside / (float)ratio.words,
			.is_content =
				is_visible[i] && ratio.inside > ratio.words / 2,
		};
		if (!is_visible[i])
			trace_reason(input->trace, i, "not visible");
		else
			trace_reason(input->trace, i,
				     "%u of %u words in a chosen region",
				     ratio.inside, ratio.words);
	}
}

void token_regions_draw(struct arena *arena,
			const struct token_regions *regions,
			struct figure *figure)
{
	struct figure_range *ranges =
		ARENA_NEW(arena, struct figure_range, regions->count);

	for (uint32_t i = 0; i < regions->count; i++)
		ranges[i] = (struct figure_range){
			.begin = (float)regions->ranges[i].begin,
			.end = (float)regions->ranges[i].end,
			.is_content = true,
		};
	figure->ranges = ranges;
	figure->range_count = regions->count;
}
