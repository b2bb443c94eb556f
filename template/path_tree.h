/*
 * template/path_tree.h - the paths of two versions of a template as one tree,
 * to show the removed and new paths in the page.
 */
#ifndef TEMPLATE_PATH_TREE_H
#define TEMPLATE_PATH_TREE_H

#include <stdbool.h>

#include "base/slice.h"
#include "template/step_tree.h"

struct arena;

enum {
	PATH_TREE_MAX_NODES = 4000,
	PATH_TREE_MAX_STEPS = 32, /* steps of a path; the rest of a longer one
				     is a single step */
};

enum path_side { PATH_BEFORE, PATH_AFTER, PATH_SIDES };

struct path_tree_node {
	struct step_node step;
	bool is_there[PATH_SIDES]; /* a path of that side contains it */
	bool is_told[PATH_SIDES];  /* a shown path of that side contains it */
	bool is_end[PATH_SIDES];   /* such a path ends here */
	float ratios[PATH_SIDES];  /* ratio of pages with that path */
};

struct path_tree {
	struct arena *arena;
	struct step_tree steps; /* of path_tree_nodes */
};

struct path_tree path_tree_make(struct arena *arena);

static inline struct path_tree_node *
path_tree_node(const struct path_tree *tree, uint32_t index)
{
	return (struct path_tree_node *)step_tree_node(&tree->steps, index);
}

/* A path such as "html>body>div.menu", of one version. */
struct shown_path {
	struct slice path;
	float ratio; /* ratio of pages with the path */
	enum path_side side;
	bool is_told; /* shown; other paths are only context */
};

/* Add a path, which is copied. O(size). */
void path_tree_add(struct path_tree *tree, const struct shown_path *told);

#endif
