#include <math.h>

#include "base/arena.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "extract/methods/methods.h"
#include "extract/text/block.h"
#include "page/page.h"

/*
 * A block is a block-level element. The quotas .25, .5 and .75 are from the
 * comparisons in the literature.
 */
enum { QUOTA };

#define QUOTA_PARAMETER(value)                                               \
	{                                                                    \
		{                                                            \
			.name = "quota",                                     \
			.unit = "ratio of a block's characters in links",    \
			.minimum = 0,                                        \
			.maximum = 1,                                        \
			.default_value = (value),                            \
			.meaning = "a block with a larger ratio is dropped", \
		},                                                           \
	}

static const struct parameter parameters_25[] = QUOTA_PARAMETER(.25);
static const struct parameter parameters_50[] = QUOTA_PARAMETER(.5);
static const struct parameter parameters_75[] = QUOTA_PARAMETER(.75);

/* The rest of a block without the dropped blocks inside it. */
struct lqf_block {
	uint32_t characters;
	uint32_t link_characters;
};

static double quota_of(const struct lqf_block *rest)
{
	if (rest->characters == 0)
		return 0;
	return (double)rest->link_characters / rest->characters;
}

/*
 * Return the link quota of every block [tree->count], innermost first: the
 * words of a block over `max_quota` do not count for the blocks around it.
 * rests_out [tree->count] is zeroed.
 */
static double *lqf_judge(struct arena *arena, const struct block_tree *tree,
			 double max_quota, struct lqf_block *rests_out)
{
	double *quotas = ARENA_NEW(arena, double, tree->count);

	for (uint32_t i = tree->count; i-- > 0;) {
		const struct block *block = &tree->blocks[i];
		struct lqf_block *rest = &rests_out[i];

		rest->characters += block->own.characters;
		rest->link_characters += block->own.link_characters;
		quotas[i] = quota_of(rest);
		if (quotas[i] > max_quota || block->parent == NO_BLOCK)
			continue;
		rests_out[block->parent].characters += rest->characters;
		rests_out[block->parent].link_characters +=
			rest->link_characters;
	}
	return quotas;
}

/*
 * Draw the figure; `quotas` are the quotas of the blocks before they are
 * inherited.
 */
static void lqf_draw(struct trace *trace, const struct block_tree *tree,
		     const struct lqf_block *rests, const double *quotas,
		     double max_quota)
{
	double *values = ARENA_NEW(trace->arena, double, tree->count);

	for (uint32_t i = 0; i < tree->count; i++)
		values[i] = rests[i].characters > 0 ? quotas[i] : (double)NAN;
	trace_histogram(trace, &(struct value_histogram){
				       .title = "Link quota of the blocks",
				       .x_label = "characters in links, ratio",
				       .y_label = "blocks",
				       .values = values,
				       .count = tree->count,
				       .threshold = max_quota,
			       });
}

/*
 * Add the reason; `highest` is the highest link quota of the blocks around the
 * text.
 */
static void lqf_explain(struct trace *trace, uint32_t text, double highest,
			double max_quota)
{
	if (highest <= max_quota)
		trace_reason(trace, text,
			     "link quota %.2f at most around it, limit %.2f",
			     highest, max_quota);
	else
		trace_reason(trace, text,
			     "link quota %.2f of a block around it, over %.2f",
			     highest, max_quota);
}

static void lqf_run(const struct extractor_input *input,
		    struct verdict *verdicts)
{
	const struct page *page = input->page;
	double max_quota = input->parameters[QUOTA];
	const bool *is_visible = visible_texts(input->arena, page);
	struct block_tree tree =
		block_tree_make(input->arena, page, is_visible);
	struct lqf_block *rests =
		ARENA_NEW(input->arena, struct lqf_block, tree.count);
	double *quotas = lqf_judge(input->arena, &tree, max_quota, rests);

	if (input->trace != NULL)
		lqf_draw(input->trace, &tree, rests, quotas, max_quota);
	block_tree_inherit(&tree, quotas);
	for (uint32_t i = 0; i < page->text_count; i++) {
		double highest = quotas[tree.text_blocks[i]];

		verdicts[i] = (struct verdict){
			.score = (float)(1 - highest),
			.is_content = is_visible[i] && highest <= max_quota,
		};
		if (input->trace != NULL)
			lqf_explain(input->trace, i, highest, max_quota);
	}
}

#define LQF(name_, summary_, parameters_)                                 \
	{                                                                 \
		.name = (name_), .summary = (summary_),                   \
		.source = "Mantratzis, Orgun, Cassidy, Separating XHTML " \
			  "Content from Navigation Clutter Using "        \
			  "DOM-Structure Block Analysis, HYPERTEXT 2005", \
		.parameters = (parameters_), .parameter_count = 1,        \
		.run = lqf_run,                                           \
	}

const struct extractor extractor_lqf_25 =
	LQF("lqf-25", "Blocks with at most a quarter of their text in links.",
	    parameters_25);
const struct extractor extractor_lqf_50 =
	LQF("lqf-50", "Blocks with at most half of their text in links.",
	    parameters_50);
const struct extractor extractor_lqf_75 = LQF(
	"lqf-75", "Blocks with at most three quarters of their text in links.",
	parameters_75);
