#include "base/arena.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "extract/methods/methods.h"
#include "extract/text/block.h"
#include "page/page.h"

/*
 * A pagelet is an element none of whose children has k links; k = 3 is from the
 * source. The source also makes a pagelet of every sibling of a pagelet, even
 * with few links: the largest of these is mostly a single paragraph. Here they
 * are one part together, the page without its link pagelets. Elements are the
 * block-level ones, and text in links does not add to the size of a part. The
 * effect of each of these changes: tests/eval/RESULTS.md, "What parameters were
 * chosen by".
 */
enum { LINKS };

static const struct parameter parameters[] = {
	[LINKS] =
		{
			.name = "links",
			.unit = "links",
			.minimum = 1,
			.maximum = 1000,
			.default_value = 3,
			.meaning = "minimum in a pagelet, while each of its "
				   "children has fewer",
		},
};

/*
 * A pagelet is identified by the index of its block; 0 is the page without
 * pagelets.
 */
enum { REMAINDER = 0 };

/* Return [tree->count]: true if a child of the block holds `links` links. */
static const bool *find_divided(struct arena *arena,
				const struct block_tree *tree, uint32_t links)
{
	bool *is_divided = ARENA_NEW(arena, bool, tree->count);

	for (uint32_t i = 1; i < tree->count; i++)
		if (tree->blocks[i].all.links >= links)
			is_divided[tree->blocks[i].parent] = true;
	return is_divided;
}

/* Return the pagelet of every block, or REMAINDER: [tree->count]. */
static const uint32_t *find_pagelets(struct arena *arena,
				     const struct block_tree *tree,
				     uint32_t links)
{
	const bool *is_divided = find_divided(arena, tree, links);
	uint32_t *pagelets = ARENA_NEW(arena, uint32_t, tree->count);

	for (uint32_t i = 1; i < tree->count; i++) {
		const struct block *block = &tree->blocks[i];

		pagelets[i] = pagelets[block->parent];
		if (pagelets[i] == REMAINDER && !is_divided[i] &&
		    block->all.links >= links)
			pagelets[i] = i;
	}
	return pagelets;
}

static uint32_t block_text_size(const struct block_counts *counts)
{
	return counts->characters - counts->link_characters;
}

/*
 * Return the amount of text of every pagelet, and of the REMAINDER:
 * [tree->count].
 */
static const uint32_t *measure_pagelets(struct arena *arena,
					const struct block_tree *tree,
					const uint32_t *pagelets)
{
	uint32_t *sizes = ARENA_NEW(arena, uint32_t, tree->count);

	for (uint32_t i = 0; i < tree->count; i++)
		sizes[pagelets[i]] += block_text_size(&tree->blocks[i].own);
	return sizes;
}

static uint32_t find_largest(const uint32_t *sizes, uint32_t count)
{
	uint32_t largest = REMAINDER;

	for (uint32_t i = 0; i < count; i++)
		if (sizes[i] > sizes[largest])
			largest = i;
	return largest;
}

static void lp_explain(struct trace *trace, uint32_t text,
		       const struct block *pagelet,
		       const struct verdict *verdict)
{
	const char *largest = verdict->is_content ? ", the largest" : "";

	if (pagelet->parent == NO_BLOCK)
		trace_reason(trace, text,
			     "the page without its pagelets: %.2f of the "
			     "text%s",
			     (double)verdict->score, largest);
	else
		trace_reason(
			trace, text, "pagelet of %u links: %.2f of the text%s",
			pagelet->all.links, (double)verdict->score, largest);
}

static void lp_run(const struct extractor_input *input,
		   struct verdict *verdicts)
{
	const struct page *page = input->page;
	uint32_t links = (uint32_t)input->parameters[LINKS];
	const bool *is_visible = visible_texts(input->arena, page);
	struct block_tree tree =
		block_tree_make(input->arena, page, is_visible);
	const uint32_t *pagelets = find_pagelets(input->arena, &tree, links);
	const uint32_t *sizes = measure_pagelets(input->arena, &tree, pagelets);
	uint32_t largest = find_largest(sizes, tree.count);
	uint32_t whole = block_text_size(&tree.blocks[0].all);

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t pagelet = pagelets[tree.text_blocks[i]];

		verdicts[i] = (struct verdict){
			.score = whole == 0
					 ? 0
					 : (float)sizes[pagelet] / (float)whole,
			.is_content = is_visible[i] && pagelet == largest,
		};
		if (input->trace != NULL)
			lp_explain(input->trace, i, &tree.blocks[pagelet],
				   &verdicts[i]);
	}
}

const struct extractor extractor_lp = {
	.name = "lp",
	.summary = "The largest pagelet: pages are divided at groups of links.",
	.source = "Bar-Yossef, Rajagopalan, Template Detection via Data "
		  "Mining and its Applications, WWW 2002, section 2.1: "
		  "pagelets",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = lp_run,
};
