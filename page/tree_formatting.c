#include <assert.h>

#include "page/tree_parts.h"

uint32_t tree_find_formatting(const struct tree_builder *tree, uint32_t node)
{
	for (uint32_t i = tree->formatting_count; i-- > 0;)
		if (tree->formatting[i].node == node)
			return i;
	return NO_NODE;
}

uint32_t tree_find_format(const struct tree_builder *tree, uint16_t name)
{
	for (uint32_t i = tree->formatting_count; i-- > 0;) {
		if (tree->formatting[i].node == NO_NODE)
			return NO_NODE;
		if (tree->formatting[i].name == name)
			return i;
	}
	return NO_NODE;
}

void tree_remove_formatting(struct tree_builder *tree, uint32_t index)
{
	assert(index < tree->formatting_count);
	memmove(tree->formatting + index, tree->formatting + index + 1,
		(--tree->formatting_count - index) * sizeof(*tree->formatting));
}

static void insert_entry(struct tree_builder *tree, uint32_t index,
			 struct formatting entry)
{
	if (tree->formatting_count == MAX_FORMATTING) {
		tree_remove_formatting(tree, 0);
		index -= index > 0;
	}
	assert(index <= tree->formatting_count);
	memmove(tree->formatting + index + 1, tree->formatting + index,
		(tree->formatting_count++ - index) * sizeof(entry));
	tree->formatting[index] = entry;
}

void tree_add_marker(struct tree_builder *tree)
{
	insert_entry(tree, tree->formatting_count,
		     (struct formatting){.node = NO_NODE});
}

void tree_clear_to_marker(struct tree_builder *tree)
{
	while (tree->formatting_count > 0 &&
	       tree->formatting[--tree->formatting_count].node != NO_NODE)
		;
}

/* The Noah's Ark clause. */
static void formatting_remove_fourth(struct tree_builder *tree, uint16_t name,
				     uint64_t attributes)
{
	uint32_t count = 0;
	uint32_t first = 0;

	for (uint32_t i = tree->formatting_count; i-- > 0;) {
		if (tree->formatting[i].node == NO_NODE)
			break;
		if (tree->formatting[i].name == name &&
		    tree->formatting[i].attributes == attributes) {
			first = i;
			count++;
		}
	}
	if (count >= 3)
		tree_remove_formatting(tree, first);
}

void tree_format(struct tree_builder *tree)
{
	const struct open_element *top = tree_top(tree);
	const struct node *node;
	uint64_t attributes;

	if (tree->is_stopped || (top->category & IS_FORMATTING) == 0)
		return;
	node = &tree->nodes[top->node];
	attributes = attribute_list_hash(
		&tree->attributes,
		(struct attribute_range){node->first_attribute,
					 node->attribute_count});
	formatting_remove_fourth(tree, top->name, attributes);
	insert_entry(
		tree, tree->formatting_count,
		(struct formatting){top->node, top->name, true, attributes});
}

void tree_reconstruct_slowly(struct tree_builder *tree)
{
	const struct tree_token token = tree->token;
	uint32_t first = tree->formatting_count;

	while (first > 0 && tree->formatting[first - 1].node != NO_NODE &&
	       !tree->formatting[first - 1].is_open)
		first--;
	for (uint32_t i = first; i < tree->formatting_count; i++) {
		const struct node *node =
			&tree->nodes[tree->formatting[i].node];

		tree->token.tag = node->tag;
		tree->token.first_attribute = node->first_attribute;
		tree->token.attribute_count = node->attribute_count;
		tree->token.flags = node->flags;
		tree->token.source.end = tree->token.source.begin;
		tree_insert(tree);
		if (tree->is_stopped)
			break;
		tree->formatting[i].node = tree_top(tree)->node;
		tree->formatting[i].is_open = true;
	}
	tree->token = token;
}

/* --- the adoption agency --- */

struct adoption_agency {
	uint32_t format;   /* index of the formatting element in the list */
	uint32_t element;  /* and on the stack */
	uint32_t block;    /* index of the furthest block on the stack */
	uint32_t bookmark; /* the new entry is inserted before this entry */
};

/* Return the furthest block, or NO_NODE. */
static uint32_t furthest_block(const struct tree_builder *tree,
			       uint32_t element)
{
	for (uint32_t i = element + 1; i < tree->depth; i++)
		if ((tree->open[i].category & IS_SPECIAL) != 0)
			return i;
	return NO_NODE;
}

static void formatting_put_node(struct tree_builder *tree, uint32_t node,
				struct tree_position place)
{
	order_remove(&tree->order, node);
	order_insert(&tree->order, node, place.parent, place.before);
}

static void formatting_remove(struct tree_builder *tree,
			      struct adoption_agency *adoption, uint32_t entry)
{
	tree_remove_formatting(tree, entry);
	adoption->format -= entry < adoption->format;
	adoption->bookmark -= entry < adoption->bookmark;
}

/*
 * Replace the element at `index` with a copy, on the stack and in the list;
 * return false at a limit.
 */
static bool formatting_replace(struct tree_builder *tree, uint32_t index,
			       uint32_t entry)
{
	uint32_t copy = tree_clone(tree, tree->open[index].node);

	if (copy == NO_NODE)
		return false;
	tree->nodes[tree->open[index].node].source.end =
		tree->token.source.begin;
	tree->open[index].node = copy;
	tree->formatting[entry].node = copy;
	return true;
}

/*
 * Step 13 and 14: copy the elements between the block and the formatting
 * element, and move what is below them into the copies. Return the last node,
 * or NO_NODE at a limit.
 */
static uint32_t move_between(struct tree_builder *tree,
			     struct adoption_agency *adoption)
{
	uint32_t last = tree->open[adoption->block].node;
	bool is_first = true;
	unsigned counter = 0;

	for (uint32_t i = adoption->block; --i > adoption->element;) {
		uint32_t entry = tree_find_formatting(tree, tree->open[i].node);

		if (++counter > 3 && entry != NO_NODE) {
			formatting_remove(tree, adoption, entry);
			entry = NO_NODE;
		}
		if (entry == NO_NODE) {
			tree_remove_open(tree, i);
			adoption->block--;
			continue;
		}
		if (!formatting_replace(tree, i, entry))
			return NO_NODE;
		if (is_first)
			adoption->bookmark = entry + 1;
		is_first = false;
		formatting_put_node(
			tree, last,
			(struct tree_position){tree->open[i].node, NO_ITEM});
		last = tree->open[i].node;
	}
	return last;
}

/* Step 15 to 19; return false at a limit. */
static bool adoption_move_block(struct tree_builder *tree,
				struct adoption_agency *adoption)
{
	const uint32_t block = tree->open[adoption->block].node;
	const struct open_element old = tree->open[adoption->element];
	const struct formatting entry = {
		tree_clone(tree, old.node), old.name, true,
		tree->formatting[adoption->format].attributes};

	if (entry.node == NO_NODE)
		return false;
	tree->nodes[entry.node].source.begin = tree->nodes[block].source.begin;
	order_move(&tree->order, block, entry.node);
	order_insert(&tree->order, entry.node, block, NO_ITEM);
	tree_remove_formatting(tree, adoption->format);
	adoption->bookmark -= adoption->format < adoption->bookmark;
	insert_entry(tree, adoption->bookmark, entry);
	tree_remove_open(tree, adoption->element);
	tree_push(tree,
		  (struct open_element){entry.node, old.name, old.category});
	/* the block is now one lower; the copy comes directly after it */
	memmove(tree->open + adoption->block + 1, tree->open + adoption->block,
		(tree->depth - 1 - adoption->block) * sizeof(old));
	tree->open[adoption->block] =
		(struct open_element){entry.node, old.name, old.category};
	return true;
}

static bool adoption_run(struct tree_builder *tree,
			 struct adoption_agency *adoption)
{
	struct tree_position place;
	uint32_t last;

	tree_begin_order(tree);
	adoption->bookmark = adoption->format;
	last = move_between(tree, adoption);
	if (last == NO_NODE)
		return false;
	/* the common ancestor is directly above the formatting element */
	assert(adoption->element > 0);
	place = tree_insert_position(tree, &tree->open[adoption->element - 1]);
	formatting_put_node(tree, last, place);
	return adoption_move_block(tree, adoption);
}

enum adopted { ADOPTED_NONE, ADOPTED_ALL, ADOPTED_ONE };

/*
 * Do one round of the outer loop. NONE: there is no such formatting element;
 * ONE: another round may be necessary.
 */
static enum adopted adopt_once(struct tree_builder *tree, uint16_t subject)
{
	struct adoption_agency adoption = {
		.format = tree_find_format(tree, subject),
	};

	if (adoption.format == NO_NODE)
		return ADOPTED_NONE;
	if (!tree->formatting[adoption.format].is_open) {
		tree_remove_formatting(tree, adoption.format);
		return ADOPTED_ALL;
	}
	adoption.element =
		tree_find_open(tree, tree->formatting[adoption.format].node);
	assert(adoption.element != NO_NODE);
	for (uint32_t i = adoption.element + 1; i < tree->depth; i++)
		if ((tree->open[i].category & IS_SCOPE) != 0)
			return ADOPTED_ALL;
	adoption.block = furthest_block(tree, adoption.element);
	if (adoption.block != NO_NODE)
		return adoption_run(tree, &adoption) ? ADOPTED_ONE
						     : ADOPTED_ALL;
	while (tree->depth > adoption.element)
		tree_pop(tree);
	tree_remove_formatting(tree, adoption.format);
	return ADOPTED_ALL;
}

bool tree_adopt(struct tree_builder *tree, uint16_t subject)
{
	enum adopted adopted = ADOPTED_ONE;

	if (tree_top_is(tree, subject) &&
	    tree_find_formatting(tree, tree_top(tree)->node) == NO_NODE) {
		tree_pop(tree);
		return true;
	}
	for (int i = 0; i < 8 && adopted == ADOPTED_ONE; i++)
		adopted = adopt_once(tree, subject);
	return adopted != ADOPTED_NONE;
}
