#include "base/arena.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "extract/methods/ad_server.h"
#include "extract/methods/methods.h"
#include "extract/text/block.h"
#include "page/page.h"

/*
 * The source filters a DOM tree: scripts and styles, links to ad servers, link
 * lists, text lists, empty tables. Scripts and styles are not text here. The
 * link lists of the source are table cells, found by the ratio of links to
 * words outside of links. Here every block is checked, because page layouts no
 * longer use tables, and a list has at least two links, so that a linked
 * headline remains.
 *
 * The source leaves the limits to the user. These have the highest mean word F1
 * over five sets; among equal ones, the limits that drop less. The ratio
 * matters, the other two hardly do (tests/eval/RESULTS.md, "What parameters
 * were chosen by").
 */
enum { LINKS_PER_WORD, ITEM_WORDS, TABLE_CHARACTERS };

static const struct parameter parameters[] = {
	[LINKS_PER_WORD] =
		{
			.name = "ratio",
			.unit = "links per word outside of links",
			.minimum = 0,
			.maximum = 100,
			.default_value = 0.1,
			.meaning = "a block with more is a list of links",
		},
	[ITEM_WORDS] =
		{
			.name = "item_words",
			.unit = "words",
			.minimum = 0,
			.maximum = 1000,
			.default_value = 2,
			.meaning = "a list whose items have fewer on average "
				   "is dropped",
		},
	[TABLE_CHARACTERS] =
		{
			.name = "table_characters",
			.unit = "characters",
			.minimum = 0,
			.maximum = 10000,
			.default_value = 100,
			.meaning = "a table with fewer is empty",
		},
};

/*
 * Apply the first filter: return [page->text_count], the visible texts outside
 * of links to ad servers.
 */
static const bool *drop_ads(struct arena *arena, const struct page *page,
			    const bool *is_visible)
{
	bool *is_left = ARENA_NEW(arena, bool, page->text_count);
	uint32_t next = 0; /* first text not yet counted */

	for (uint32_t i = 0; i < page->text_count; i++)
		is_left[i] = is_visible[i];
	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];

		if (node->tag != TAG_a || node->end_text <= next ||
		    !ad_server_has(page_attribute(page, i, "href")))
			continue;
		if (next < node->first_text)
			next = node->first_text;
		while (next < node->end_text)
			is_left[next++] = false;
	}
	return is_left;
}

enum filter {
	FILTER_NONE,
	FILTER_AD,
	FILTER_LINK_LIST,
	FILTER_TEXT_LIST,
	FILTER_EMPTY_TABLE,
};

/* The rest of a block after filtering the blocks inside it. */
struct crunch_block {
	uint32_t links;
	uint32_t items;
	uint32_t words; /* outside of links */
	uint32_t characters;
	enum filter filter; /* the filter that drops the block */
};

static bool is_crunch_list(uint16_t tag)
{
	switch (tag) {
	case TAG_ul:
	case TAG_ol:
	case TAG_dl:
	case TAG_dir:
	case TAG_menu:
		return true;
	default:
		return false;
	}
}

/*
 * Return links per word outside of links; without such words, the number of
 * links.
 */
static double link_ratio(const struct crunch_block *rest)
{
	return (double)rest->links / (rest->words > 0 ? rest->words : 1);
}

static double words_per_item(const struct crunch_block *rest)
{
	return (double)rest->words / rest->items;
}

static enum filter filter_of(const struct crunch_block *rest, uint16_t tag,
			     const double *limits)
{
	if (rest->links > 1 && link_ratio(rest) > limits[LINKS_PER_WORD])
		return FILTER_LINK_LIST;
	if (is_crunch_list(tag) && rest->items > 1 &&
	    words_per_item(rest) < limits[ITEM_WORDS])
		return FILTER_TEXT_LIST;
	if (tag == TAG_table && rest->characters < limits[TABLE_CHARACTERS])
		return FILTER_EMPTY_TABLE;
	return FILTER_NONE;
}

static void crunch_add(struct crunch_block *sum,
		       const struct crunch_block *rest)
{
	sum->links += rest->links;
	sum->items += rest->items;
	sum->words += rest->words;
	sum->characters += rest->characters;
}

/*
 * Filter the innermost blocks first, so that a table is filtered after its
 * cells.
 */
static const struct crunch_block *filter_blocks(struct arena *arena,
						const struct page *page,
						const struct block_tree *tree,
						const double *limits)
{
	struct crunch_block *rests =
		ARENA_NEW(arena, struct crunch_block, tree->count);

	for (uint32_t i = tree->count; i-- > 1;) {
		const struct block *block = &tree->blocks[i];
		const struct block_counts *own = &block->own;

		crunch_add(&rests[i],
			   &(struct crunch_block){
				   .links = own->links,
				   .items = own->items,
				   .words = own->words - own->link_words,
				   .characters = own->characters,
			   });
		rests[i].filter = filter_of(
			&rests[i], page->nodes[block->node].tag, limits);
		if (rests[i].filter == FILTER_NONE)
			crunch_add(&rests[block->parent], &rests[i]);
	}
	return rests;
}

/*
 * Return [tree->count]: the filtered block, itself or around it, with which
 * each block was dropped; 0 = not dropped.
 */
static const uint32_t *find_dropped(struct arena *arena,
				    const struct block_tree *tree,
				    const struct crunch_block *rests)
{
	uint32_t *dropped = ARENA_NEW(arena, uint32_t, tree->count);

	for (uint32_t i = 1; i < tree->count; i++)
		dropped[i] = rests[i].filter == FILTER_NONE
				     ? dropped[tree->blocks[i].parent]
				     : i;
	return dropped;
}

static void crunch_explain(struct trace *trace, uint32_t text, bool is_ad_text,
			   const struct crunch_block *rest)
{
	switch (is_ad_text ? FILTER_AD : rest->filter) {
	case FILTER_AD:
		trace_reason(trace, text, "link to an advertisement server");
		break;
	case FILTER_LINK_LIST:
		trace_reason(trace, text,
			     "list of %u links to %u words outside of links",
			     rest->links, rest->words);
		break;
	case FILTER_TEXT_LIST:
		trace_reason(trace, text, "list of %u items of %.1f words",
			     rest->items, words_per_item(rest));
		break;
	case FILTER_EMPTY_TABLE:
		trace_reason(trace, text, "table of %u characters",
			     rest->characters);
		break;
	case FILTER_NONE:
		trace_reason(trace, text, "no filter dropped it");
		break;
	}
}

/*
 * Crunch keeps or drops and has no score. Here the score of a text is the
 * highest link ratio of the blocks around it.
 */
static const double *find_highest(struct arena *arena,
				  const struct block_tree *tree,
				  const struct crunch_block *rests)
{
	double *highest = ARENA_NEW(arena, double, tree->count);

	for (uint32_t i = 0; i < tree->count; i++)
		highest[i] = link_ratio(&rests[i]);
	block_tree_inherit(tree, highest);
	return highest;
}

static void crunch_run(const struct extractor_input *input,
		       struct verdict *verdicts)
{
	const struct page *page = input->page;
	const bool *is_visible = visible_texts(input->arena, page);
	const bool *is_left = drop_ads(input->arena, page, is_visible);
	struct block_tree tree = block_tree_make(input->arena, page, is_left);
	const struct crunch_block *rests =
		filter_blocks(input->arena, page, &tree, input->parameters);
	const uint32_t *dropped = find_dropped(input->arena, &tree, rests);
	const double *highest = find_highest(input->arena, &tree, rests);

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t block = tree.text_blocks[i];
		bool is_kept = is_left[i] && dropped[block] == 0;

		verdicts[i] = (struct verdict){
			.score =
				is_kept ? (float)(1 / (1 + highest[block])) : 0,
			.is_content = is_kept,
		};
		if (input->trace != NULL)
			crunch_explain(input->trace, i,
				       is_visible[i] && !is_left[i],
				       &rests[dropped[block]]);
	}
}

const struct extractor extractor_crunch = {
	.name = "crunch",
	.summary = "The page without links to ads, lists of links, bare lists "
		   "and empty tables.",
	.source = "Gupta, Kaiser, Neistadt, Grimm, DOM-Based Content "
		  "Extraction of HTML Documents, WWW 2003",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = crunch_run,
};
