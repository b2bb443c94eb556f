#include "extract/methods/item_tree.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "extract/core/walk.h"
#include "extract/text/fragment.h"
#include "extract/text/node_path.h"
#include "page/page.h"

/* TEXT_LABEL is 0. */
enum { PAGE_LABEL = TEXT_LABEL + 1, FIRST_LABEL };

/* A tree under construction. */
struct tree_maker {
	struct tree_item *items;
	uint32_t count;
	uint32_t *text_items; /* [text_count] */
	uint32_t *node_items; /* [node_count] */
	const uint64_t *steps;
};

static uint32_t item_tree_add(struct tree_maker *maker, uint64_t subtree,
			      uint32_t label)
{
	uint32_t index = maker->count++;

	maker->items[index] = (struct tree_item){subtree, index + 1, label};
	return index;
}

/* Add the hash of a complete child to the hash of its parent. */
static void item_tree_fold(struct tree_maker *maker, uint32_t parent,
			   uint32_t child)
{
	struct tree_item *items = maker->items;
	uint64_t *subtree =
		&items[parent == NO_NODE ? 0 : maker->node_items[parent]]
			 .subtree;

	assert(child < maker->count);
	assert(parent == NO_NODE || maker->node_items[parent] < child);
	*subtree = hash_chain(items[child].subtree, *subtree);
}

static void item_tree_open(struct tree_maker *maker, uint32_t node)
{
	uint64_t step = maker->steps[node];
	uint32_t label = (uint32_t)step | FIRST_LABEL;

	maker->node_items[node] = item_tree_add(maker, step, label);
}

struct item_tree item_tree_make(struct arena *arena, const struct page *page)
{
	const struct fragment *fragments = fragments_of_page(arena, page);
	struct tree_maker maker = {
		.items = ARENA_NEW(arena, struct tree_item,
				   (size_t)page->node_count + page->text_count +
					   1),
		.text_items = ARENA_NEW(arena, uint32_t, page->text_count),
		.node_items = ARENA_NEW(arena, uint32_t, page->node_count),
		.steps = node_steps(arena, page, true),
	};
	struct page_walk walk = walk_begin(page);
	enum step step;
	uint32_t index;

	item_tree_add(&maker, 0, PAGE_LABEL);
	while ((step = walk_next(&walk, &index)) != STEP_END) {
		uint32_t item;

		switch (step) {
		case STEP_OPEN:
			item_tree_open(&maker, index);
			break;
		case STEP_CLOSE:
			item = maker.node_items[index];
			maker.items[item].end = maker.count;
			item_tree_fold(&maker, page->nodes[index].parent, item);
			break;
		default:
			item = item_tree_add(&maker, fragments[index].hash,
					     TEXT_LABEL);
			maker.text_items[index] = item;
			item_tree_fold(&maker, page->texts[index].node, item);
			break;
		}
	}
	assert(maker.count == page->node_count + page->text_count + 1);
	maker.items[0].end = maker.count;
	return (struct item_tree){
		.items = maker.items,
		.count = maker.count,
		.text_items = maker.text_items,
	};
}

struct item_tree item_tree_copy(struct arena *arena,
				const struct item_tree *tree)
{
	struct tree_item *items =
		ARENA_NEW(arena, struct tree_item, tree->count);

	memcpy(items, tree->items, tree->count * sizeof(*items));
	return (struct item_tree){.items = items, .count = tree->count};
}
