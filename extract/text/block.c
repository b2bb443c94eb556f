#include "extract/text/block.h"

#include <assert.h>

#include "base/arena.h"
#include "extract/text/word.h"
#include "page/page.h"

/* The block tree under construction; it grows one block at a time. */
struct builder {
	const struct page *page;
	struct block *blocks;
	uint32_t count;
	uint32_t *node_blocks; /* [node_count]: the block of the node, or around
				  it */
};

static uint32_t count_blocks(const struct page *page)
{
	uint32_t count = 1;

	for (uint32_t i = 0; i < page->node_count; i++)
		if ((tag_flags(page->nodes[i].tag) & TAG_IS_BLOCK) != 0)
			count++;
	return count;
}

static uint32_t enclosing_block(const struct builder *builder, uint32_t node)
{
	assert(node == NO_NODE || node < builder->page->node_count);
	return node == NO_NODE ? 0 : builder->node_blocks[node];
}

static bool is_in_picture(const struct page *page, const struct node *node)
{
	return node->parent != NO_NODE &&
	       page->nodes[node->parent].tag == TAG_picture;
}

/*
 * Count an element, unless it is hidden; do not count the img inside a picture
 * again.
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
		counts->images += !is_in_picture(page, node);
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

/* Count each element in the block around it, even if it is a block. */
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
		assert(parent < builder->count);
		builder->blocks[builder->count++] = (struct block){
			.node = i,
			.parent = parent,
		};
	}
}

/* Count all bytes except UTF-8 continuation bytes. */
static uint32_t count_text_characters(const char *text, size_t length)
{
	uint32_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += ((unsigned char)text[i] & 0xC0) != 0x80;
	return count;
}

static void count_text(struct block_counts *counts, struct slice text,
		       bool is_link, char *scratch)
{
	size_t length = text_collapse(text, scratch);
	uint32_t characters = count_text_characters(scratch, length);
	uint32_t words = word_count((struct slice){scratch, length});

	assert(length <= text.size);
	counts->texts++;
	counts->characters += characters;
	counts->words += words;
	if (is_link) {
		counts->link_characters += characters;
		counts->link_words += words;
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

		assert(block < builder->count);
		text_blocks[i] = block;
		if (is_visible[i])
			count_text(&builder->blocks[block].own,
				   page_text(page, i),
				   (text->flags & TEXT_IS_LINK) != 0, scratch);
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

/* Add up from the last block to the first: a block's children come after it. */
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
		.blocks = ARENA_NEW(arena, struct block, count_blocks(page)),
		.count = 1,
		.node_blocks = ARENA_NEW(arena, uint32_t, page->node_count),
	};
	const uint32_t *text_blocks;

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
