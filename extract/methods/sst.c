#include "base/arena.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "extract/methods/methods.h"
#include "extract/methods/style_tree.h"
#include "page/page.h"

/*
 * gamma is from the source. The threshold has the highest mean word F1 over
 * four sites whose templates have many pages (tests/eval/RESULTS.md, "What
 * parameters were chosen by").
 */
enum { MIN_IMPORTANCE, ATTENUATION };

static const struct parameter parameters[] = {
	[MIN_IMPORTANCE] =
		{
			.name = "min_importance",
			.unit = "",
			.minimum = 0,
			.maximum = 1,
			.default_value = 0.42,
			.meaning = "a node with less composite importance is "
				   "noise",
		},
	[ATTENUATION] =
		{
			.name = "attenuation",
			.unit = "",
			.minimum = 0,
			.maximum = 1,
			.default_value = 0.9,
			.meaning = "how much the children of a node with few "
				   "styles decide its importance",
		},
};

static const void *sst_build_model(const struct sample *sample,
				   const double *values, struct arena *arena)
{
	struct hash_table *known = ARENA_NEW(arena, struct hash_table, 1);

	*known = style_tree_rate(arena, sample, values[ATTENUATION]);
	return known;
}

/* Return the innermost block-level element around a text, or NO_NODE. */
static uint32_t block_of_text(const struct page *page, uint32_t text)
{
	uint32_t node = page->texts[text].node;

	while (node != NO_NODE &&
	       (tag_flags(page->nodes[node].tag) & TAG_IS_BLOCK) == 0)
		node = page->nodes[node].parent;
	return node;
}

/*
 * The source drops an element if it and all its descendants are under the
 * threshold. For a text this depends only on the leaf, which keeps a date or a
 * name in a menu. This implementation departs from it: the composite importance
 * of a block decides about the texts that the block owns, which is better
 * (tests/eval/RESULTS.md, "What parameters were chosen by"). A place that no
 * other page has gets the importance 1.
 */
static void sst_run(const struct extractor_input *input,
		    struct verdict *verdicts)
{
	const struct page *page = input->page;
	const bool *is_visible = visible_texts(input->arena, page);
	struct page_places places = style_tree_places(input->arena, page);
	double threshold = input->parameters[MIN_IMPORTANCE];

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t block = block_of_text(page, i);
		const struct importance *known = hash_table_find(
			input->learned, block == NO_NODE ? places.texts[i]
							 : places.nodes[block]);
		double composite = known == NULL ? 1 : known->composite;

		verdicts[i] = (struct verdict){
			.score = (float)composite,
			.is_content = is_visible[i] && composite >= threshold,
		};
		if (input->trace != NULL)
			trace_reason(input->trace, i,
				     "importance of its block %.2f, minimum "
				     "%.2f; on %u pages",
				     composite, threshold,
				     known == NULL ? 0 : known->pages);
	}
}

const struct extractor extractor_sst = {
	.name = "sst",
	.summary = "Places whose texts differ from page to page.",
	.source = "Yi, Liu and Li, Eliminating Noisy Information in Web Pages "
		  "for Data Mining, KDD 2003",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.needs = NEEDS_SAMPLE,
	.learn = sst_build_model,
	.learned_parameters = sizeof(parameters) / sizeof(parameters[0]),
	.run = sst_run,
};
