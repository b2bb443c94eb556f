#include "page/tree_order.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

static struct order_links *links_of(const struct tree_order *order,
				    uint32_t item)
{
	const uint32_t index = item & ~ITEM_IS_TEXT;

	assert(order->is_kept && item != NO_ITEM);
	assert(index < ((item & ITEM_IS_TEXT) != 0 ? order->text_count
						   : order->node_count));
	return (item & ITEM_IS_TEXT) != 0 ? &order->texts[index]
					  : &order->nodes[index];
}

void order_add(struct tree_order *order, uint32_t item)
{
	static const struct order_links none = {NO_NODE, NO_ITEM, NO_ITEM,
						NO_ITEM, NO_ITEM};

	if ((item & ITEM_IS_TEXT) != 0) {
		order->texts = mem_grow(order->texts, order->text_count,
					&order->text_capacity, sizeof(none));
		order->texts[order->text_count++] = none;
	} else {
		order->nodes = mem_grow(order->nodes, order->node_count,
					&order->node_capacity, sizeof(none));
		order->nodes[order->node_count++] = none;
	}
}

void order_insert(struct tree_order *order, uint32_t item, uint32_t parent,
		  uint32_t before)
{
	struct order_links *links = links_of(order, item);
	struct order_links *owner = links_of(order, parent);

	assert(links->parent == NO_NODE && item != parent);
	assert(before == NO_ITEM || links_of(order, before)->parent == parent);
	links->parent = parent;
	links->next = before;
	links->previous = before == NO_ITEM ? owner->last
					    : links_of(order, before)->previous;
	if (links->previous == NO_ITEM)
		owner->first = item;
	else
		links_of(order, links->previous)->next = item;
	if (before == NO_ITEM)
		owner->last = item;
	else
		links_of(order, before)->previous = item;
}

void order_remove(struct tree_order *order, uint32_t item)
{
	struct order_links *links = links_of(order, item);

	if (links->parent == NO_NODE)
		return;
	if (links->previous == NO_ITEM)
		links_of(order, links->parent)->first = links->next;
	else
		links_of(order, links->previous)->next = links->next;
	if (links->next == NO_ITEM)
		links_of(order, links->parent)->last = links->previous;
	else
		links_of(order, links->next)->previous = links->previous;
	links->parent = NO_NODE;
}

void order_move(struct tree_order *order, uint32_t from, uint32_t to)
{
	struct order_links *source = links_of(order, from);
	struct order_links *target = links_of(order, to);

	assert(from != to);
	if (source->first == NO_ITEM)
		return;
	for (uint32_t item = source->first; item != NO_ITEM;
	     item = links_of(order, item)->next)
		links_of(order, item)->parent = to;
	links_of(order, source->first)->previous = target->last;
	if (target->last == NO_ITEM)
		target->first = source->first;
	else
		links_of(order, target->last)->next = source->first;
	target->last = source->last;
	source->first = NO_ITEM;
	source->last = NO_ITEM;
}

void order_begin(struct tree_order *order, struct tree_arrays arrays)
{
	uint32_t text = 0;

	assert(!order->is_kept && order->node_count == 0);
	order->is_kept = true;
	for (uint32_t i = 0; i <= arrays.node_count; i++) {
		const uint32_t until = i < arrays.node_count
					       ? arrays.nodes[i].first_text
					       : arrays.text_count;

		for (; text < until; text++) {
			order_add(order, text | ITEM_IS_TEXT);
			order_insert(order, text | ITEM_IS_TEXT,
				     arrays.texts[text].node, NO_ITEM);
		}
		if (i == arrays.node_count)
			break;
		order_add(order, i);
		if (arrays.nodes[i].parent != NO_NODE)
			order_insert(order, i, arrays.nodes[i].parent, NO_ITEM);
	}
	assert(text == arrays.text_count);
}

void order_free(struct tree_order *order)
{
	free(order->nodes);
	free(order->texts);
	*order = (struct tree_order){0};
}

/* A walk over the tree in document order. */
struct tree_order_walk {
	const struct tree_order *order;
	struct tree_arrays from;
	struct tree_arrays to;
	uint32_t *new_index; /* [from.node_count] new indices of the visited
				nodes */
	uint32_t *new_texts; /* [from.text_count] new indices of the visited
				texts */
	uint32_t depth;      /* depth of the current item */
};

static void tree_order_take_item(struct tree_order_walk *walk, uint32_t item)
{
	const uint32_t parent = links_of(walk->order, item)->parent;
	const uint32_t owner =
		parent == NO_NODE ? NO_NODE : walk->new_index[parent];

	if ((item & ITEM_IS_TEXT) != 0) {
		struct text *text = &walk->to.texts[walk->to.text_count++];

		*text = walk->from.texts[item & ~ITEM_IS_TEXT];
		walk->new_texts[item & ~ITEM_IS_TEXT] = walk->to.text_count - 1;
		text->node = owner;
	} else {
		struct node *node = &walk->to.nodes[walk->to.node_count];

		walk->new_index[item] = walk->to.node_count++;
		*node = walk->from.nodes[item];
		node->parent = owner;
		node->first_text = walk->to.text_count;
	}
}

/* Return the item after `item` and all its descendants, or NO_ITEM. */
static uint32_t tree_order_leave_item(struct tree_order_walk *walk,
				      uint32_t item)
{
	const struct order_links *links = links_of(walk->order, item);

	while (links->next == NO_ITEM && links->parent != NO_NODE) {
		links = links_of(walk->order, links->parent);
		walk->depth--;
	}
	return links->next;
}

struct tree_arrays order_sort(struct tree_order *order,
			      struct tree_arrays arrays, uint32_t max_depth,
			      uint32_t *text_ranks, bool *is_cut_out)
{
	struct tree_order_walk walk = {
		.order = order,
		.from = arrays,
		.to.nodes = mem_alloc(arrays.node_count, sizeof(struct node)),
		.to.texts =
			mem_alloc(arrays.text_count + 1, sizeof(struct text)),
		.new_index = mem_alloc(arrays.node_count, sizeof(uint32_t)),
		.new_texts = text_ranks,
	};
	uint32_t item = 0;

	assert(arrays.node_count > 0 && order->node_count == arrays.node_count);
	*is_cut_out = false;
	for (uint32_t i = 0; i < arrays.text_count; i++)
		text_ranks[i] = NO_ITEM;
	while (item != NO_ITEM) {
		const bool is_text = (item & ITEM_IS_TEXT) != 0;

		tree_order_take_item(&walk, item);
		if (is_text || links_of(order, item)->first == NO_ITEM) {
			item = tree_order_leave_item(&walk, item);
		} else if (walk.depth + 1 == max_depth) {
			*is_cut_out = true;
			item = tree_order_leave_item(&walk, item);
		} else {
			walk.depth++;
			item = links_of(order, item)->first;
		}
	}
	assert(walk.to.node_count <= arrays.node_count);
	assert(walk.to.text_count <= arrays.text_count);
	free(walk.new_index);
	free(arrays.nodes);
	free(arrays.texts);
	return walk.to;
}
