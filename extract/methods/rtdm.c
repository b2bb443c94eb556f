#include "base/arena.h"
#include "extract/core/sample.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "extract/methods/item_tree.h"
#include "extract/methods/methods.h"
#include "extract/methods/tree_mapping.h"
#include "page/page.h"

/*
 * Both have the highest mean word F1 over four sites whose templates have many
 * pages (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
enum { REFERENCES, MAX_RATIO };

static const struct parameter parameters[] = {
	[REFERENCES] =
		{
			.name = "references",
			.unit = "pages",
			.minimum = 1,
			.maximum = MAX_SAMPLE_PAGES,
			.default_value = 16,
			.meaning = "number of pages of the cluster to map the "
				   "page to",
		},
	[MAX_RATIO] =
		{
			.name = "max_ratio",
			.unit = "ratio of the references",
			.minimum = 0,
			.maximum = 1,
			.default_value = 0.1,
			.meaning = "text mapped to the same text in a larger "
				   "ratio is template",
		},
};

/* A page of the sample. */
struct reference_page {
	struct item_tree tree;
	uint32_t bit; /* of the page in the sample */
};

struct reference_trees {
	struct sample_pages pages;
	struct reference_page references[MAX_SAMPLE_PAGES]; /* [count] */
	uint32_t count;
};

/* Keep an even selection of the sample's pages. */
static const void *rtdm_build_model(const struct sample *sample,
				    const double *values, struct arena *arena)
{
	struct reference_trees *known =
		ARENA_NEW(arena, struct reference_trees, 1);
	uint32_t wanted = (uint32_t)values[REFERENCES];

	known->pages = sample_pages_of(sample);
	known->count = wanted < sample->count ? wanted : sample->count;
	for (uint32_t i = 0; i < known->count; i++) {
		uint32_t page =
			(uint32_t)((uint64_t)i * sample->count / known->count);
		struct reference_page *reference = &known->references[i];
		struct arena *scratch = arena_create();
		struct item_tree tree =
			item_tree_make(scratch, sample->pages[page]);

		reference->bit = UINT32_C(1) << page;
		reference->tree = item_tree_copy(arena, &tree);
		arena_destroy(scratch);
	}
	return known;
}

/* Write the trees except the page's own; return their number. */
static uint32_t other_trees(const struct extractor_input *input,
			    const struct item_tree **trees_out)
{
	const struct reference_trees *known = input->learned;
	uint32_t own_bit = sample_bit(&known->pages, input->page);
	uint32_t count = 0;

	for (uint32_t i = 0; i < known->count; i++)
		if (known->references[i].bit != own_bit)
			trees_out[count++] = &known->references[i].tree;
	return count;
}

static void rtdm_run(const struct extractor_input *input,
		     struct verdict *verdicts)
{
	const struct page *page = input->page;
	const bool *is_visible = visible_texts(input->arena, page);
	struct item_tree tree = item_tree_make(input->arena, page);
	const struct item_tree *trees[MAX_SAMPLE_PAGES];
	uint32_t count = other_trees(input, trees);
	const uint32_t *matches =
		tree_mapping_matches(input->arena, &tree, trees, count);
	double max_ratio = input->parameters[MAX_RATIO];

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t same = matches[tree.text_items[i]];
		double ratio = count == 0 ? 0 : (double)same / count;

		verdicts[i] = (struct verdict){
			.score = (float)(1 - ratio),
			.is_content = is_visible[i] && ratio <= max_ratio,
		};
		if (input->trace != NULL)
			trace_reason(input->trace, i,
				     "mapped to the same text in %u of %u "
				     "pages, maximum %.2f",
				     same, count, max_ratio);
	}
}

const struct extractor extractor_rtdm = {
	.name = "rtdm",
	.summary = "Text that other pages do not have at the same position.",
	.source = "Reis, Golgher, Silva and Laender, Automatic Web News "
		  "Extraction Using Tree Edit Distance, WWW 2004",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.needs = NEEDS_SAMPLE,
	.learn = rtdm_build_model,
	.learned_parameters = sizeof(parameters) / sizeof(parameters[0]),
	.run = rtdm_run,
};
