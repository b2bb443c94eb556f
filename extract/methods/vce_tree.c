#include "extract/methods/vce_tree.h"

#include <math.h>

#include "base/arena.h"
#include "base/hash.h"
#include "extract/core/hash_table.h"
#include "page/page.h"

struct vce_tree_maker {
	const struct page *page;
	const struct box *boxes;
	const bool *is_visible;
	const struct vce_options *options;
	struct vce_element *elements;
	struct vce_block *blocks;
	uint32_t block_count;
};

static unsigned lengths_differ(float a, float b)
{
	return fabsf(a - b) >= 1 ? 1 : 0;
}

unsigned vce_distance(const struct box *a, const struct box *b)
{
	return lengths_differ(a->width, b->width) +
	       lengths_differ(a->height, b->height) +
	       lengths_differ(a->font_size, b->font_size) +
	       (a->background != b->background ? 1 : 0) +
	       lengths_differ(a->left, b->left) +
	       lengths_differ(a->top, b->top);
}

double vce_link_density(const struct vce_element *element)
{
	return element->length == 0
		       ? 0
		       : (double)element->link_length / (double)element->length;
}

/* DetectBlock, section 2.1.3: top-down. */
static void detect_block(struct vce_tree_maker *maker, uint32_t index)
{
	const uint32_t parent = maker->page->nodes[index].parent;
	struct vce_element *element = &maker->elements[index];
	const struct box *box = &maker->boxes[index];

	element->block = NO_VCE_BLOCK;
	if (!box->is_displayed)
		return;
	if (parent != NO_NODE) {
		element->block = maker->elements[parent].block;
		if (vce_distance(box, &maker->boxes[parent]) <=
		    maker->options->distance)
			return;
	}
	maker->blocks[maker->block_count] = (struct vce_block){
		.node = index,
		.parent = element->block,
	};
	element->is_head = true;
	element->block = maker->block_count++;
}

/* AddText, section 2.1.4. */
static void vce_tree_add_text(struct vce_tree_maker *maker, uint32_t index)
{
	const struct text *text = &maker->page->texts[index];
	uint32_t length = text_extent(page_text(maker->page, index));
	struct vce_element *element;
	struct vce_block *block;

	if (text->node == NO_NODE || !maker->is_visible[index] ||
	    maker->elements[text->node].block == NO_VCE_BLOCK)
		return;
	element = &maker->elements[text->node];
	element->length += length;
	if ((text->flags & TEXT_IS_LINK) != 0)
		element->link_length += length;
	block = &maker->blocks[element->block];
	block->font_length += length;
	block->font_weight +=
		(double)length * (double)maker->boxes[text->node].font_size;
}

/*
 * TextManipulation, section 2.1.5 and figure 6: bottom-up. "The distance to the
 * parent is below the threshold, or it is not parent of any block" (figure 6)
 * and "its link density is below the threshold, or it is a leaf link". A leaf
 * link is here any element inside a link that holds no block.
 */
static void manipulate_text(struct vce_tree_maker *maker, uint32_t index)
{
	const struct node *node = &maker->page->nodes[index];
	struct vce_element *element = &maker->elements[index];
	bool is_leaf_link =
		(node->flags & TEXT_IS_LINK) != 0 && !element->holds_block;
	struct vce_element *parent;

	if (element->block == NO_VCE_BLOCK || node->parent == NO_NODE)
		return;
	parent = &maker->elements[node->parent];
	if (element->is_head || element->holds_block)
		parent->holds_block = true;
	if (element->is_head && element->holds_block)
		return;
	if (!is_leaf_link &&
	    vce_link_density(element) >= maker->options->link_density)
		return;
	element->is_added = true;
	parent->length += element->length;
	parent->link_length += element->link_length;
}

/*
 * The source does not define the pattern of a block: here it is the block's tag
 * and box, without height and top, which depend on the length of the text.
 */
static uint64_t pattern_of(const struct vce_tree_maker *maker,
			   const struct vce_block *block)
{
	const struct box *box = &maker->boxes[block->node];
	uint64_t hash =
		page_tag_hash(maker->page, maker->page->nodes[block->node].tag);

	hash = hash_chain((uint64_t)lroundf(box->width), hash);
	hash = hash_chain((uint64_t)lroundf(box->left), hash);
	hash = hash_chain((uint64_t)lroundf(box->font_size), hash);
	return hash_chain(box->background, hash);
}

/*
 * PatternVerifier, sections 2.1.2 and 2.1.5, figure 5: one cache for all
 * parents; the key of a pattern includes the parent.
 */
static void verify_patterns(struct vce_tree_maker *maker, struct arena *arena)
{
	struct hash_table cache = hash_table_make(arena, sizeof(uint64_t));

	for (uint32_t i = 0; i < maker->block_count; i++) {
		const struct vce_block *block = &maker->blocks[i];
		uint32_t known = cache.count;

		if (block->parent == NO_VCE_BLOCK)
			continue;
		hash_table_add(&cache, hash_chain(block->parent,
						  pattern_of(maker, block)));
		if (cache.count == known)
			maker->blocks[block->parent].repeats++;
	}
}

/* Final ElementManipulation, section 2.1.6. */
static void vce_tree_sum_up(const struct vce_tree_maker *maker,
			    struct vce_tree *tree)
{
	struct vce_averages *sums = &tree->averages;
	double count = 0;

	for (uint32_t i = 0; i < maker->page->node_count; i++) {
		const struct vce_element *element = &maker->elements[i];
		const struct box *box = &maker->boxes[i];

		if (element->block == NO_VCE_BLOCK)
			continue;
		count++;
		sums->length += element->length;
		sums->link_density += vce_link_density(element);
		sums->width += (double)box->width;
		sums->height += (double)box->height;
		tree->page_height =
			fmax(tree->page_height,
			     (double)box->top + (double)box->height);
	}
	count = fmax(count, 1);
	sums->length /= count;
	sums->link_density /= count;
	sums->width /= count;
	sums->height /= count;
}

struct vce_tree vce_tree_make(struct arena *arena, const struct page *page,
			      const bool *is_visible,
			      const struct vce_options *options)
{
	struct vce_tree_maker maker = {
		.page = page,
		.boxes = boxes_estimate(arena, page, is_visible),
		.is_visible = is_visible,
		.options = options,
		.elements =
			ARENA_NEW(arena, struct vce_element, page->node_count),
		.blocks = ARENA_NEW(arena, struct vce_block, page->node_count),
	};
	struct vce_tree tree = {
		.page = page,
		.boxes = maker.boxes,
		.elements = maker.elements,
		.blocks = maker.blocks,
	};

	for (uint32_t i = 0; i < page->node_count; i++)
		detect_block(&maker, i);
	for (uint32_t i = 0; i < page->text_count; i++)
		vce_tree_add_text(&maker, i);
	for (uint32_t i = page->node_count; i-- > 0;)
		manipulate_text(&maker, i);
	verify_patterns(&maker, arena);
	tree.block_count = maker.block_count;
	vce_tree_sum_up(&maker, &tree);
	return tree;
}
