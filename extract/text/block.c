#include "extract/text/block.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <strings.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "extract/core/numeric.h"
#include "extract/text/word.h"
#include "page/page.h"

/*
 * The names of the features that are not words. They are small numbers; the
 * names of words are hashes.
 */
enum { NAME_IMAGES, NAME_SCRIPTS, NAME_LINKS, NAME_COUNT };

/*
 * Return the index of the first feature of each block, for an array of the
 * features of all blocks: [tree->count + 1].
 */
static uint32_t *feature_offsets(struct arena *arena, const struct page *page,
				 const struct block_tree *tree,
				 const struct term_list *list)
{
	uint32_t *begin = ARENA_NEW(arena, uint32_t, tree->count + 1);

	for (uint32_t i = 0; i < page->text_count; i++)
		begin[tree->text_blocks[i] + 1] +=
			list->begin[i + 1] - list->begin[i];
	for (uint32_t i = 0; i < tree->count; i++)
		begin[i + 1] += begin[i] + NAME_COUNT;
	return begin;
}

static void feature_add(struct feature *features, uint32_t *used, uint32_t name,
			uint32_t count)
{
	if (count > 0)
		features[(*used)++] = (struct feature){name, count};
}

static int compare_features(const void *a, const void *b)
{
	uint32_t x = ((const struct feature *)a)->name;
	uint32_t y = ((const struct feature *)b)->name;

	return (x > y) - (x < y);
}

/*
 * Sort the features [used] by name, add up the counts of equal names, and
 * return the result as a vector.
 */
static struct feature_vector feature_vector_finish(struct feature *features,
						   uint32_t used)
{
	struct feature_vector vector = {.features = features};
	double squares = 0;

	if (used > 1)
		qsort(features, used, sizeof(*features), compare_features);
	for (uint32_t i = 0; i < used; i++) {
		struct feature feature = features[i];

		if (vector.count > 0 &&
		    features[vector.count - 1].name == feature.name)
			features[vector.count - 1].count += feature.count;
		else
			features[vector.count++] = feature;
	}
	for (uint32_t i = 0; i < vector.count; i++)
		squares += (double)features[i].count * features[i].count;
	vector.norm = (float)sqrt(squares);
	vector.hash = hash64(features, vector.count * sizeof(*features), 0);
	assert(vector.count <= used);
	return vector;
}

const struct feature_vector *block_features(struct arena *arena,
					    const struct page *page,
					    const struct block_tree *tree,
					    const struct term_list *list)
{
	struct feature_vector *vectors =
		ARENA_NEW(arena, struct feature_vector, tree->count);
	uint32_t *begin = feature_offsets(arena, page, tree, list);
	struct feature *features =
		ARENA_NEW(arena, struct feature, begin[tree->count]);
	uint32_t *used = ARENA_NEW(arena, uint32_t, tree->count);

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t block = tree->text_blocks[i];

		for (uint32_t k = list->begin[i]; k < list->begin[i + 1]; k++)
			feature_add(features + begin[block], &used[block],
				    (uint32_t)list->terms[k], 1);
	}
	for (uint32_t i = 0; i < tree->count; i++) {
		const struct block_counts *own = &tree->blocks[i].own;
		struct feature *mine = features + begin[i];

		feature_add(mine, &used[i], NAME_IMAGES, own->images);
		feature_add(mine, &used[i], NAME_SCRIPTS, own->scripts);
		feature_add(mine, &used[i], NAME_LINKS, own->links);
		assert(begin[i] + used[i] <= begin[i + 1]);
		vectors[i] = feature_vector_finish(mine, used[i]);
	}
	return vectors;
}

float feature_cosine(const struct feature_vector *a,
		     const struct feature_vector *b)
{
	double product = 0;
	uint32_t i = 0;
	uint32_t k = 0;

	while (i < a->count && k < b->count) {
		if (a->features[i].name < b->features[k].name) {
			i++;
		} else if (a->features[i].name > b->features[k].name) {
			k++;
		} else {
			product += (double)a->features[i++].count *
				   b->features[k++].count;
		}
	}
	assert(product == 0 || (a->norm > 0 && b->norm > 0));
	return product == 0 ? 0 : (float)(product / a->norm / b->norm);
}

void feature_min_hashes(const struct feature_vector *vector,
			uint64_t out[MIN_HASHES])
{
	for (uint32_t i = 0; i < MIN_HASHES; i++) {
		out[i] = UINT64_MAX;
		for (uint32_t k = 0; k < vector->count; k++) {
			uint64_t hash = hash_chain(vector->features[k].name, i);

			if (hash < out[i])
				out[i] = hash;
		}
		out[i] = hash_chain(out[i], i);
	}
}

enum { MAX_READ = 1 << 16 };

const char *direction_name(enum direction direction)
{
	return direction == DIRECTION_RTL ? "rtl" : "ltr";
}

/*
 * Return true if the character is in a Unicode block of a right-to-left script
 * (Unicode 15, classes R and AL).
 */
static bool is_to_the_left(uint32_t code)
{
	return (code >= 0x590 && code <= 0x8FF) ||
	       (code >= 0xFB1D && code <= 0xFDFF) ||
	       (code >= 0xFE70 && code <= 0xFEFC) ||
	       (code >= 0x10800 && code <= 0x10FFF) ||
	       (code >= 0x1E800 && code <= 0x1EFFF);
}

static bool is_letter_of_any(uint32_t code)
{
	enum word_role role;

	if (code < 0x80)
		return (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
	role = word_role(code);
	return role == ROLE_LETTER || role == ROLE_WORD;
}

static enum direction direction_of_text(struct slice text)
{
	const unsigned char *at = text.data;
	size_t size = text.size < MAX_READ ? text.size : MAX_READ;
	const unsigned char *end = at == NULL ? NULL : at + size;
	size_t to_left = 0;
	size_t letters = 0;

	while (at < end) {
		uint32_t code = utf8_next(&at, end);

		letters += is_letter_of_any(code);
		to_left += is_to_the_left(code) && is_letter_of_any(code);
	}
	return to_left > letters / 2 ? DIRECTION_RTL : DIRECTION_LTR;
}

enum direction direction_of(const struct page *page, struct slice text)
{
	for (uint32_t i = 0; i < page->node_count; i++) {
		uint16_t tag = page->nodes[i].tag;
		struct slice dir;

		if (tag != TAG_html && tag != TAG_body)
			continue;
		dir = page_attribute(page, i, "dir");
		if (list_has_in_any_case("rtl", dir))
			return DIRECTION_RTL;
		if (list_has_in_any_case("ltr", dir))
			return DIRECTION_LTR;
		if (tag == TAG_body)
			break;
	}
	return direction_of_text(text);
}

/*
 * Elements that do not count for the density, because CETD first removes them.
 */
static const bool uncounted[TAG_COUNT] = {
	[TAG_base] = true,  [TAG_br] = true,     [TAG_canvas] = true,
	[TAG_head] = true,  [TAG_iframe] = true, [TAG_link] = true,
	[TAG_meta] = true,  [TAG_object] = true, [TAG_script] = true,
	[TAG_style] = true, [TAG_title] = true,
};

struct subtrees subtrees_make(struct arena *arena,
			      const struct passages *passages)
{
	const struct page *page = passages->page;
	uint32_t *before =
		ARENA_NEW(arena, uint32_t, (size_t)page->node_count + 1);

	for (uint32_t i = 0; i < page->node_count; i++) {
		uint16_t tag = page->nodes[i].tag;

		before[i + 1] =
			before[i] + !(tag < TAG_COUNT && uncounted[tag]);
	}
	return (struct subtrees){passages, before};
}

static uint32_t elements_of(const struct subtrees *subtrees, uint32_t node)
{
	const struct page *page = subtrees->passages->page;
	uint32_t begin = node == NO_NODE ? 0 : node;
	uint32_t end =
		node == NO_NODE ? page->node_count : page->nodes[node].end;
	uint32_t count = subtrees->elements_before[end] -
			 subtrees->elements_before[begin];

	return count == 0 ? 1 : count;
}

struct subtree subtree_of(const struct subtrees *subtrees, uint32_t node)
{
	const struct passages *passages = subtrees->passages;
	const struct passage_sums sums =
		passages_sum(passages, passages_inside(passages, node));
	const struct passage_sums page = passages->sums[passages->count];
	const float link_ratio = ratio(sums.link_characters, sums.characters);
	const float characters = (float)sums.characters;
	const float density = characters / (float)elements_of(subtrees, node);

	return (struct subtree){
		.words = ln1((float)sums.words),
		.passages = ln1((float)sums.passages),
		.link_ratio = link_ratio,
		.page_ratio = ratio(sums.words, page.words),
		.long_ratio = ratio(sums.long_words, sums.words),
		.sentence_ends = ratio(sums.ends, sums.passages),
		.prices = ratio(sums.prices, sums.passages),
		.dates = ratio(sums.dates, sums.passages),
		.density = density,
		.composite_density = density *
				     ln1(characters * (1 - link_ratio)) /
				     logf(2 + characters * link_ratio),
	};
}

float subtree_link_ratio(const struct passages *passages, uint32_t node)
{
	const struct passage_sums sums =
		passages_sum(passages, passages_inside(passages, node));

	return ratio(sums.link_characters, sums.characters);
}

/* A block tree under construction. */
struct builder {
	const struct page *page;
	struct block *blocks;
	uint32_t count;
	uint32_t *node_blocks; /* [node_count]: the node's own block if the node
				  is a block, otherwise the block around it */
};

static uint32_t enclosing_block(const struct builder *builder, uint32_t node)
{
	return node == NO_NODE ? 0 : builder->node_blocks[node];
}

/*
 * Count an element if it is not hidden. Do not count the img inside a picture,
 * because the picture is counted.
 */
static void count_element(struct block_counts *counts, const struct page *page,
			  const struct node *node)
{
	if ((node->flags & TEXT_IS_HIDDEN) != 0)
		return;
	switch (node->tag) {
	case TAG_a:
		counts->links += (node->flags & TEXT_IS_LINK) != 0;
		break;
	case TAG_img:
		counts->images += node->parent == NO_NODE ||
				  page->nodes[node->parent].tag != TAG_picture;
		break;
	case TAG_picture:
	case TAG_svg:
	case TAG_canvas:
		counts->images++;
		break;
	case TAG_li:
	case TAG_dt:
	case TAG_dd:
	case TAG_option:
		counts->items++;
		break;
	case TAG_input:
	case TAG_select:
	case TAG_textarea:
	case TAG_button:
		counts->fields++;
		break;
	case TAG_script:
	case TAG_object:
	case TAG_embed:
	case TAG_applet:
	case TAG_iframe:
		counts->scripts++;
		break;
	default:
		break;
	}
}

/*
 * Count each element in the block around it, also if the element is a block
 * itself.
 */
static void block_tree_add_nodes(struct builder *builder)
{
	const struct page *page = builder->page;

	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];
		uint32_t parent = enclosing_block(builder, node->parent);

		count_element(&builder->blocks[parent].own, page, node);
		builder->node_blocks[i] = parent;
		if ((tag_flags(node->tag) & TAG_IS_BLOCK) == 0)
			continue;
		builder->node_blocks[i] = builder->count;
		builder->blocks[builder->count++] = (struct block){
			.node = i,
			.parent = parent,
		};
	}
}

static const uint32_t *block_tree_add_texts(struct arena *arena,
					    struct builder *builder,
					    const bool *is_visible)
{
	const struct page *page = builder->page;
	uint32_t *text_blocks = ARENA_NEW(arena, uint32_t, page->text_count);
	char *scratch = ARENA_NEW(arena, char, page_longest_text(page));

	for (uint32_t i = 0; i < page->text_count; i++) {
		const struct text *text = &page->texts[i];
		uint32_t block = enclosing_block(builder, text->node);
		struct block_counts *own = &builder->blocks[block].own;
		const bool is_link = (text->flags & TEXT_IS_LINK) != 0;
		uint32_t characters = 0;
		uint32_t words;
		size_t length;

		text_blocks[i] = block;
		if (!is_visible[i])
			continue;
		length = text_collapse(page_text(page, i), scratch);
		for (size_t k = 0; k < length; k++)
			characters += !utf8_continues(scratch[k]);
		words = word_count((struct slice){scratch, length});
		own->texts++;
		own->characters += characters;
		own->words += words;
		own->link_characters += is_link ? characters : 0;
		own->link_words += is_link ? words : 0;
	}
	return text_blocks;
}

static void block_counts_add(struct block_counts *sum,
			     const struct block_counts *counts)
{
	sum->characters += counts->characters;
	sum->link_characters += counts->link_characters;
	sum->words += counts->words;
	sum->link_words += counts->link_words;
	sum->texts += counts->texts;
	sum->links += counts->links;
	sum->images += counts->images;
	sum->items += counts->items;
	sum->fields += counts->fields;
	sum->scripts += counts->scripts;
}

/*
 * Compute `all` of each block from the last block to the first, because a
 * block's children come after the block.
 */
static void block_tree_sum_up(struct block *blocks, uint32_t count)
{
	for (uint32_t i = count; i-- > 0;) {
		struct block *block = &blocks[i];
		struct block *parent;

		block_counts_add(&block->all, &block->own);
		if (block->end == 0)
			block->end = i + 1;
		if (block->parent == NO_BLOCK)
			continue;
		parent = &blocks[block->parent];
		block_counts_add(&parent->all, &block->all);
		if (parent->end < block->end)
			parent->end = block->end;
	}
}

struct block_tree block_tree_make(struct arena *arena, const struct page *page,
				  const bool *is_visible)
{
	struct builder builder = {
		.page = page,
		.count = 1,
		.node_blocks = ARENA_NEW(arena, uint32_t, page->node_count),
	};
	const uint32_t *text_blocks;
	uint32_t count = 1;

	for (uint32_t i = 0; i < page->node_count; i++)
		count += (tag_flags(page->nodes[i].tag) & TAG_IS_BLOCK) != 0;
	builder.blocks = ARENA_NEW(arena, struct block, count);
	builder.blocks[0] = (struct block){.node = NO_NODE, .parent = NO_BLOCK};
	block_tree_add_nodes(&builder);
	text_blocks = block_tree_add_texts(arena, &builder, is_visible);
	block_tree_sum_up(builder.blocks, builder.count);
	return (struct block_tree){
		.blocks = builder.blocks,
		.count = builder.count,
		.text_blocks = text_blocks,
	};
}

void block_tree_inherit(const struct block_tree *tree, double *values)
{
	for (uint32_t i = 1; i < tree->count; i++)
		if (values[i] < values[tree->blocks[i].parent])
			values[i] = values[tree->blocks[i].parent];
}
