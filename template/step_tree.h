/*
 * template/step_tree.h - a tree whose nodes are identified by their parent and
 * a step, so that equal paths are the same node: the common part of page_tree.h
 * and path_tree.h.
 */
#ifndef TEMPLATE_STEP_TREE_H
#define TEMPLATE_STEP_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "extract/core/hash_table.h"

struct arena;

#define NO_STEP UINT32_MAX

/* A node. Its parent has a lower index. */
struct step_node {
	uint64_t key;    /* hash of the parent and the step */
	uint32_t parent; /* NO_STEP = a root; the same below */
	uint32_t first_child;
	uint32_t last_child;
	uint32_t next_sibling; /* in insertion order */
	struct slice label;    /* in the arena */
};

/* Nodes are any struct that begins with a step_node. */
struct step_tree {
	struct hash_table nodes;
	uint32_t max_nodes;
	uint32_t first_root;
	uint32_t last_root;
};

struct step_tree step_tree_make(struct arena *arena, size_t node_bytes,
				uint32_t max_nodes);

static inline uint32_t step_tree_count(const struct step_tree *tree)
{
	return tree->nodes.count;
}

/* Valid until the next node is added. */
static inline struct step_node *step_tree_node(const struct step_tree *tree,
					       uint32_t index)
{
	return hash_table_entry(&tree->nodes, index);
}

/*
 * Return the child of `parent` (NO_STEP: a root) at `step`, a hash. Add it if
 * it does not exist, with an empty label and zeros after its step_node. Return
 * NO_STEP if the tree is full. O(1).
 */
uint32_t step_tree_add(struct step_tree *tree, uint32_t parent, uint64_t step);

/*
 * Remove the first step of a path such as "html>body>div", which is not empty.
 */
struct slice step_take(struct slice *path);

/* A walk through the nodes in pre-order; it enters and leaves each node. */
struct step_walk {
	const struct step_tree *tree;
	uint32_t node;
	bool is_leaving;
	bool is_started;
};

/* Start with {.tree = tree}. Return false at the end. */
bool step_walk_next(struct step_walk *walk);

/* Leave the entered node without visiting its children. */
static inline void step_walk_skip(struct step_walk *walk)
{
	walk->is_leaving = true;
}

#endif
