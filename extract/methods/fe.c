#include "base/arena.h"
#include "extract/core/trace.h"
#include "extract/methods/feature_ratio.h"
#include "extract/methods/methods.h"
#include "page/page.h"

/*
 * One block is hardly ever the whole content, so the recall is low and the
 * precision high: CETR's authors measured a mean F1 of .073 (WWW 2010), and
 * this implementation is low on every set (tests/eval/RESULTS.md). This is a
 * property of the method, not a bug: kfe keeps all blocks of this kind.
 */
enum { WEIGHT };

static const struct parameter parameters[] = {[WEIGHT] = FEATURE_WEIGHT};

/*
 * Return the block with the highest ratio of text. Many blocks of a page hold
 * only text and have the same ratio; the source keeps one of them but does not
 * define which. Here it is the block with most words. NO_BLOCK without text.
 */
static uint32_t find_best(const struct feature_ratios *ratios)
{
	const struct block *blocks = ratios->tree.blocks;
	uint32_t best = NO_BLOCK;

	for (uint32_t i = 0; i < ratios->count; i++) {
		uint32_t block = ratios->blocks[i];
		float ratio = ratios->ratios[block];

		if (best == NO_BLOCK || ratio > ratios->ratios[best] ||
		    (ratio == ratios->ratios[best] &&
		     blocks[block].own.words > blocks[best].own.words))
			best = block;
	}
	return best;
}

static void fe_explain(const struct extractor_input *input,
		       const struct feature_ratios *ratios, uint32_t best)
{
	for (uint32_t i = 0; i < input->page->text_count; i++) {
		uint32_t block = ratios->tree.text_blocks[i];

		trace_reason(input->trace, i,
			     "text is %.2f of its block of %u words, %s",
			     (double)ratios->ratios[block],
			     ratios->tree.blocks[block].own.words,
			     block == best ? "which is the best one"
					   : "which is not the best one");
	}
}

static void fe_run(const struct extractor_input *input,
		   struct verdict *verdicts)
{
	struct feature_ratios ratios =
		feature_ratios_make(input, input->parameters[WEIGHT]);
	bool *is_kept = ARENA_NEW(input->arena, bool, ratios.tree.count);
	uint32_t best = find_best(&ratios);

	if (best != NO_BLOCK)
		is_kept[best] = true;
	feature_ratios_judge(input, &ratios, is_kept, verdicts);
	if (input->trace != NULL)
		fe_explain(input, &ratios, best);
}

const struct extractor extractor_fe = {
	.name = "fe",
	.summary = "The block with the highest ratio of text.",
	.source = "Debnath, Mitra, Giles, Identifying Content Blocks from Web "
		  "Documents, ISMIS 2005: FeatureExtractor",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = fe_run,
};
