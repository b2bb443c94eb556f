#include <math.h>

#include "base/arena.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "extract/methods/box_figure.h"
#include "extract/methods/methods.h"
#include "extract/methods/vce_tree.h"
#include "page/page.h"

/*
 * The source does not define the thresholds. These have the highest mean word
 * F1 over five sets; with a smaller distance too many elements become separate
 * blocks (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
enum { DISTANCE, LINK_DENSITY };

static const struct parameter parameters[] = {
	[DISTANCE] =
		{
			.name = "distance",
			.unit = "differences",
			.minimum = 0,
			.maximum = 6,
			.default_value = 4,
			.meaning = "an element that differs from its parent in "
				   "more of width, height, font size, "
				   "background, left and top begins a block",
		},
	[LINK_DENSITY] =
		{
			.name = "link_density",
			.unit = "ratio of the text",
			.minimum = 0,
			.maximum = 1,
			.default_value = 0.3,
			.meaning =
				"the text of an element with this ratio of "
				"links or more does not count for its parent",
		},
};

/*
 * The source divides by zero for a block with no links and no repeats; here the
 * divisor has a minimum, so that fewer links than one in twenty characters are
 * no advantage.
 */
static const double least_divisor = 0.05;

struct main_block_search {
	const struct vce_tree *tree;
	double *factors; /* [tree->block_count]; 0: not a candidate */
	bool *is_main; /* [page->node_count]: its texts belong to the main block
			*/
	uint32_t main; /* index of the main block, or NO_VCE_BLOCK */
};

/* Section 2.2.1: "the least conditions". */
static bool is_valid(const struct vce_tree *tree, const struct vce_block *block)
{
	const struct vce_averages *averages = &tree->averages;
	const struct vce_element *element = &tree->elements[block->node];
	const struct box *box = &tree->boxes[block->node];

	return element->length >= averages->length &&
	       vce_link_density(element) <= averages->link_density &&
	       (double)box->width >= averages->width &&
	       (double)box->height >= averages->height;
}

/*
 * Equation 1. The "distance from bottom of the page" is measured from the
 * block's upper edge, like the distance from the top: measured from its lower
 * edge, a block at the end of the page would always lose.
 */
static double factor_value(const struct vce_tree *tree,
			   const struct vce_block *block)
{
	const struct vce_element *element = &tree->elements[block->node];
	const struct box *box = &tree->boxes[block->node];
	double top = (double)box->top;
	double font_size = block->font_length > 0
				   ? block->font_weight / block->font_length
				   : (double)box->font_size;
	double divisor = vce_link_density(element) + block->repeats * top;

	return element->length * (double)box->width * font_size *
	       (tree->page_height - top) / fmax(divisor, least_divisor);
}

/*
 * FindMainBlock, section 2.2 and figure 7; `is_strict`: only blocks that meet
 * the averages.
 */
static void find_main_block(struct main_block_search *search, bool is_strict)
{
	double highest = 0;

	search->main = NO_VCE_BLOCK;
	for (uint32_t i = 0; i < search->tree->block_count; i++) {
		const struct vce_block *block = &search->tree->blocks[i];

		search->factors[i] = 0;
		if (is_strict && !is_valid(search->tree, block))
			continue;
		search->factors[i] = factor_value(search->tree, block);
		if (search->factors[i] > highest) {
			highest = search->factors[i];
			search->main = i;
		}
	}
}

/* Mark the elements whose text was added, step by step, to the main block. */
static void mark_main_block(struct main_block_search *search)
{
	const struct page *page = search->tree->page;
	uint32_t head;

	if (search->main == NO_VCE_BLOCK)
		return;
	head = search->tree->blocks[search->main].node;
	search->is_main[head] = true;
	for (uint32_t i = head + 1; i < page->nodes[head].end; i++)
		search->is_main[i] = search->tree->elements[i].is_added &&
				     search->is_main[page->nodes[i].parent];
}

static uint32_t block_of(const struct main_block_search *search, uint32_t text)
{
	uint32_t node = search->tree->page->texts[text].node;

	return node == NO_NODE ? NO_VCE_BLOCK
			       : search->tree->elements[node].block;
}

/* Return the factor value of a text's block, relative to the highest. */
static struct verdict vce_judge(const struct main_block_search *search,
				uint32_t text, bool is_visible)
{
	uint32_t block = block_of(search, text);

	if (search->main == NO_VCE_BLOCK || block == NO_VCE_BLOCK ||
	    !is_visible)
		return (struct verdict){0};
	if (search->is_main[search->tree->page->texts[text].node])
		return (struct verdict){.score = 1, .is_content = true};
	return (struct verdict){
		.score = (float)(search->factors[block] /
				 search->factors[search->main]),
	};
}

static void vce_explain(const struct main_block_search *search, uint32_t text,
			struct verdict verdict, struct trace *trace)
{
	uint32_t block = block_of(search, text);

	if (block == NO_VCE_BLOCK)
		trace_reason(trace, text, "not displayed");
	else if (verdict.is_content)
		trace_reason(trace, text,
			     "in the main block, factor value %.3g",
			     search->factors[search->main]);
	else if (block == search->main)
		trace_reason(trace, text,
			     "in the main block, but among its links");
	else if (search->factors[block] > 0)
		trace_reason(trace, text,
			     "its block's factor value %.3g is %.2f of the "
			     "main block's",
			     search->factors[block], (double)verdict.score);
	else
		trace_reason(trace, text,
			     "its block is below the averages of the page");
}

static void vce_draw(const struct main_block_search *search,
		     struct trace *trace)
{
	const struct vce_tree *tree = search->tree;
	struct box_figure figure = box_figure_begin(trace, search->main);

	for (uint32_t i = 0; i < tree->block_count; i++) {
		const struct vce_block *block = &tree->blocks[i];
		const struct vce_element *element =
			&tree->elements[block->node];
		const struct box *box = &tree->boxes[block->node];

		box_figure_add(&figure, i,
			       (struct figure_box){
				       .left = box->left,
				       .top = box->top,
				       .width = box->width,
				       .height = box->height,
				       .value = (float)search->factors[i],
			       },
			       "factor %.3g: %u characters, links %.2f, "
			       "repeats %u, top %.0f",
			       search->factors[i], element->length,
			       vce_link_density(element), block->repeats,
			       (double)box->top);
	}
	box_figure_end(&figure, "Blocks by factor value");
}

static void vce_run(const struct extractor_input *input,
		    struct verdict *verdicts)
{
	const struct page *page = input->page;
	const bool *is_visible = visible_texts(input->arena, page);
	const struct vce_options options = {
		.distance = input->parameters[DISTANCE],
		.link_density = input->parameters[LINK_DENSITY],
	};
	const struct vce_tree tree =
		vce_tree_make(input->arena, page, is_visible, &options);
	struct main_block_search search = {
		.tree = &tree,
		.factors = ARENA_NEW(input->arena, double, tree.block_count),
		.is_main = ARENA_NEW(input->arena, bool, page->node_count),
	};

	find_main_block(&search, true);
	if (search.main == NO_VCE_BLOCK)
		find_main_block(&search, false);
	mark_main_block(&search);
	for (uint32_t i = 0; i < page->text_count; i++) {
		verdicts[i] = vce_judge(&search, i, is_visible[i]);
		if (input->trace != NULL)
			vce_explain(&search, i, verdicts[i], input->trace);
	}
	if (input->trace != NULL)
		vce_draw(&search, input->trace);
}

const struct extractor extractor_vce = {
	.name = "vce",
	.summary = "The main block, by position, size and text.",
	.source = "Asfia, Pedram, Rahmani, Main Content Extraction from "
		  "Detailed Web Pages, IJCA 2010 (VCE)",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = vce_run,
};
