#include <math.h>

#include "base/arena.h"
#include "base/hash.h"
#include "extract/core/hash_table.h"
#include "extract/core/sample.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "extract/methods/entropy.h"
#include "extract/methods/methods.h"
#include "extract/text/block.h"
#include "extract/text/term.h"
#include "page/page.h"

/*
 * The source chooses a threshold for each site. This one has the highest mean
 * word F1 over four sites whose templates have many pages. The method compares
 * it with the mean over the distinct words of a block, which is better than the
 * mean over all words (tests/eval/RESULTS.md, "What parameters were chosen
 * by").
 */
enum { MAX_ENTROPY };

static const struct parameter parameters[] = {
	[MAX_ENTROPY] =
		{
			.name = "max_entropy",
			.unit = "",
			.minimum = 0,
			.maximum = 1,
			.default_value = 0.75,
			.meaning = "a block with a higher mean entropy of its "
				   "words is template",
		},
};

struct term {
	uint64_t key;
	struct entropy entropy;
};

struct knowledge_of_terms {
	struct sample_pages pages;
	struct hash_table terms; /* struct term */
};

static void entropy_add_page(struct hash_table *table, uint32_t page,
			     const struct term_list *list, uint32_t text_count)
{
	for (uint32_t i = 0; i < list->begin[text_count]; i++) {
		struct term *term = hash_table_add(table, list->terms[i]);

		entropy_add(&term->entropy, page);
	}
}

static const void *infodiscoverer_build_model(const struct sample *sample,
					      const double *unused_parameters,
					      struct arena *arena)
{
	struct knowledge_of_terms *known =
		ARENA_NEW(arena, struct knowledge_of_terms, 1);
	struct arena *scratch = arena_create();
	struct hash_table table = hash_table_make(scratch, sizeof(struct term));

	(void)unused_parameters;
	for (uint32_t i = 0; i < sample->count; i++) {
		const struct page *page = sample->pages[i];
		struct arena *of_page = arena_create();
		struct term_list list = terms_of_page(
			of_page, page, visible_texts(of_page, page));

		entropy_add_page(&table, i, &list, page->text_count);
		arena_destroy(of_page);
	}
	known->pages = sample_pages_of(sample);
	known->terms = hash_table_copy(arena, &table);
	arena_destroy(scratch);
	return known;
}

/* A block of the page and the entropy of its words. */
struct judged_block {
	double entropy; /* first the sum, at the end the mean */
	uint32_t terms; /* number of distinct terms */
};

/*
 * Return the entropy of every term of the page [list->begin[text_count]], over
 * the pages of the sample and this page.
 */
static const double *term_entropies(const struct extractor_input *input,
				    const struct term_list *list)
{
	const struct knowledge_of_terms *known = input->learned;
	uint32_t count = list->begin[input->page->text_count];
	bool is_new = sample_bit(&known->pages, input->page) == 0;
	struct hash_table own =
		hash_table_make(input->arena, sizeof(struct term));
	double *entropies = ARENA_NEW(input->arena, double, count);

	for (uint32_t i = 0; i < count; i++) {
		struct term *mine = hash_table_add(&own, list->terms[i]);
		const struct term *theirs =
			hash_table_find(&known->terms, list->terms[i]);

		if (mine->entropy.total == 0 && theirs != NULL)
			mine->entropy = theirs->entropy;
		if (is_new)
			entropy_add(&mine->entropy, known->pages.count);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct term *term = hash_table_find(&own, list->terms[i]);

		if (term != NULL)
			entropies[i] = entropy_value(
				&term->entropy, known->pages.count + is_new);
	}
	return entropies;
}

/* Each term counts once in a block: the features of a block are a set. */
static const struct judged_block *
judge_blocks(const struct extractor_input *input, const struct block_tree *tree,
	     const struct term_list *list)
{
	const double *entropies = term_entropies(input, list);
	struct judged_block *blocks =
		ARENA_NEW(input->arena, struct judged_block, tree->count);
	struct hash_table seen =
		hash_table_make(input->arena, sizeof(uint64_t));

	for (uint32_t i = 0; i < input->page->text_count; i++) {
		uint32_t block = tree->text_blocks[i];

		for (uint32_t k = list->begin[i]; k < list->begin[i + 1]; k++) {
			uint32_t before = seen.count;

			hash_table_add(&seen,
				       hash_chain(list->terms[k], block));
			if (seen.count == before)
				continue;
			blocks[block].terms++;
			blocks[block].entropy += entropies[k];
		}
	}
	for (uint32_t i = 0; i < tree->count; i++)
		if (blocks[i].terms > 0)
			blocks[i].entropy /= blocks[i].terms;
	return blocks;
}

static void infodiscoverer_draw(const struct extractor_input *input,
				const struct judged_block *blocks,
				uint32_t count)
{
	double *values = ARENA_NEW(input->arena, double, count);

	for (uint32_t i = 0; i < count; i++)
		values[i] =
			blocks[i].terms > 0 ? blocks[i].entropy : (double)NAN;
	trace_histogram(input->trace,
			&(struct value_histogram){
				.title = "Entropy of the blocks",
				.x_label = "mean entropy of the block's words",
				.y_label = "blocks",
				.values = values,
				.count = count,
				.threshold = input->parameters[MAX_ENTROPY],
			});
}

static void infodiscoverer_run(const struct extractor_input *input,
			       struct verdict *verdicts)
{
	const struct page *page = input->page;
	const bool *is_visible = visible_texts(input->arena, page);
	struct block_tree tree =
		block_tree_make(input->arena, page, is_visible);
	struct term_list list = terms_of_page(input->arena, page, is_visible);
	const struct judged_block *blocks = judge_blocks(input, &tree, &list);
	double threshold = input->parameters[MAX_ENTROPY];

	for (uint32_t i = 0; i < page->text_count; i++) {
		const struct judged_block *block = &blocks[tree.text_blocks[i]];

		verdicts[i] = (struct verdict){
			.score = (float)(1 - block->entropy),
			.is_content =
				is_visible[i] && block->entropy <= threshold,
		};
		if (input->trace != NULL)
			trace_reason(input->trace, i,
				     "its block's %u words have the entropy "
				     "%.2f, maximum %.2f",
				     block->terms, block->entropy, threshold);
	}
	if (input->trace != NULL)
		infodiscoverer_draw(input, blocks, tree.count);
}

const struct extractor extractor_infodiscoverer = {
	.name = "infodiscoverer",
	.summary = "Blocks whose words are not spread evenly over the pages.",
	.source = "Lin and Ho, Discovering Informative Content Blocks from Web "
		  "Documents, KDD 2002",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.needs = NEEDS_SAMPLE,
	.learn = infodiscoverer_build_model,
	.run = infodiscoverer_run,
};
