#include "template/step_tree.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

struct step_tree step_tree_make(struct arena *arena, size_t node_bytes,
				uint32_t max_nodes)
{
	return (struct step_tree){
		.nodes = hash_table_make(arena, node_bytes),
		.max_nodes = max_nodes,
		.first_root = NO_STEP,
		.last_root = NO_STEP,
	};
}

/* Append the node to the children of its parent. */
static void link_node(struct step_tree *tree, uint32_t index)
{
	struct step_node *node = step_tree_node(tree, index);
	uint32_t *first = &tree->first_root;
	uint32_t *last = &tree->last_root;

	assert(node->next_sibling == NO_STEP);
	if (node->parent != NO_STEP) {
		struct step_node *parent = step_tree_node(tree, node->parent);

		first = &parent->first_child;
		last = &parent->last_child;
	}
	if (*last == NO_STEP)
		*first = index;
	else
		step_tree_node(tree, *last)->next_sibling = index;
	*last = index;
}

uint32_t step_tree_add(struct step_tree *tree, uint32_t parent, uint64_t step)
{
	uint64_t key = hash_chain(step, (uint64_t)parent + 1);
	struct step_node *node = hash_table_find(&tree->nodes, key);
	uint32_t index;

	assert(parent == NO_STEP || parent < tree->nodes.count);
	if (node != NULL)
		return hash_table_index(&tree->nodes, node);
	if (tree->nodes.count >= tree->max_nodes)
		return NO_STEP;
	node = hash_table_add(&tree->nodes, key);
	index = hash_table_index(&tree->nodes, node);
	if (index == NO_ENTRY)
		return NO_STEP;
	assert(parent == NO_STEP || parent < index);
	node->parent = parent;
	node->first_child = NO_STEP;
	node->last_child = NO_STEP;
	node->next_sibling = NO_STEP;
	link_node(tree, index);
	return index;
}

struct slice step_take(struct slice *path)
{
	const char *bytes = path->data;
	const char *end = memchr(bytes, '>', path->size);
	size_t size = end == NULL ? path->size : (size_t)(end - bytes);

	assert(path->size > 0);
	path->data = bytes + size + (end != NULL);
	path->size -= size + (end != NULL);
	return (struct slice){bytes, size};
}

/* Enter the node, if it exists. */
static bool step_walk_enter(struct step_walk *walk, uint32_t node)
{
	if (node == NO_STEP)
		return false;
	walk->node = node;
	walk->is_leaving = false;
	return true;
}

bool step_walk_next(struct step_walk *walk)
{
	const struct step_node *node;

	if (!walk->is_started) {
		walk->is_started = true;
		return step_walk_enter(walk, walk->tree->first_root);
	}
	assert(walk->node < walk->tree->nodes.count);
	node = step_tree_node(walk->tree, walk->node);
	if (!walk->is_leaving) {
		if (!step_walk_enter(walk, node->first_child))
			walk->is_leaving = true;
		return true;
	}
	if (step_walk_enter(walk, node->next_sibling))
		return true;
	walk->node = node->parent;
	return walk->node != NO_STEP;
}
