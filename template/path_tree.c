#include "template/path_tree.h"

#include <assert.h>

#include "base/arena.h"
#include "base/hash.h"

struct path_tree path_tree_make(struct arena *arena)
{
	return (struct path_tree){
		.arena = arena,
		.steps = step_tree_make(arena, sizeof(struct path_tree_node),
					PATH_TREE_MAX_NODES),
	};
}

/* Return the node one step below; NO_STEP if the tree is full. */
static uint32_t add_step(struct path_tree *tree, uint32_t parent,
			 struct slice label)
{
	uint32_t before = step_tree_count(&tree->steps);
	uint32_t index = step_tree_add(&tree->steps, parent,
				       hash64(label.data, label.size, 0));

	if (index == before)
		step_tree_node(&tree->steps, index)->label = (struct slice){
			arena_copy(tree->arena, label.data, label.size),
			label.size};
	return index;
}

void path_tree_add(struct path_tree *tree, const struct shown_path *told)
{
	struct slice rest = told->path;
	uint32_t index = NO_STEP;
	struct path_tree_node *node = NULL;

	for (unsigned i = 0; rest.size > 0; i++) {
		struct slice label = rest;

		if (i < PATH_TREE_MAX_STEPS)
			label = step_take(&rest);
		else
			rest.size = 0;
		index = add_step(tree, index, label);
		if (index == NO_STEP)
			return;
		node = path_tree_node(tree, index);
		assert(index < step_tree_count(&tree->steps));
		node->is_there[told->side] = true;
		node->is_told[told->side] |= told->is_told;
	}
	if (node == NULL || !told->is_told)
		return;
	node->is_end[told->side] = true;
	node->ratios[told->side] = told->ratio;
}
