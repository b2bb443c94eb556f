/*
 * template/page_tree.h - the elements of several pages of a template as one
 * tree: elements with the same tag and classes under the same parent are one
 * node. Also the paths of two versions as one tree, and the elements that hold
 * the content.
 */
#ifndef TEMPLATE_PAGE_TREE_H
#define TEMPLATE_PAGE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "extract/core/numeric.h"
#include "template/version.h"

struct arena;
struct page;
struct template_counts;

/*
 * A tree whose nodes are identified by their parent and a step, so that equal
 * paths are the same node.
 */

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

enum {
	PAGE_TREE_MAX_NODES = 20000, /* others count in their parents */
	PAGE_TREE_MAX_TEXT = 160,    /* bytes of an example */
};

/* Bytes of text, white space collapsed. */
struct page_tree_text {
	uint64_t template; /* of fragments on over a third of all pages */
	uint64_t content;  /* of the other fragments */
};

struct page_tree_node {
	struct step_node step;        /* its label is as in "div.menu.menu-0" */
	uint32_t pages;               /* pages with such an element */
	uint32_t elements;            /* elements on all these pages */
	struct page_tree_text own;    /* text directly in it */
	struct page_tree_text inside; /* text in it and below */
	struct slice example;  /* the fragment of its own text with the highest
				  rank: common and long; or empty */
	uint64_t example_rank; /* rank of the example */
	uint32_t last_page;    /* the last page merged into it, from 1 */
};

struct page_tree {
	struct arena *arena;
	struct step_tree steps; /* of page_tree_nodes */
	uint32_t page_count;    /* merged pages */
	uint32_t left_out;      /* elements that found the tree full */
};

struct page_tree page_tree_make(struct arena *arena);

static inline struct page_tree_node *
page_tree_node(const struct page_tree *tree, uint32_t index)
{
	return (struct page_tree_node *)step_tree_node(&tree->steps, index);
}

/*
 * Merge a page into the tree; `counts` are those of its texts in its cluster.
 * Omit the head, elements without text or appearance, and the content of svg
 * and iframe. Nothing points into the page afterwards. O(nodes + texts), and
 * O(depth) for each new node.
 */
void page_tree_add(struct page_tree *tree, const struct page *page,
		   const struct template_counts *counts);

/* Compute `inside` of all nodes, after all pages were added. */
void page_tree_sum(struct page_tree *tree);

/*
 * Return the node at a path such as "html>body>div.main" (path_write()), or
 * NO_STEP; of html and body only the names are compared.
 */
uint32_t page_tree_find(const struct page_tree *tree, struct slice path);

/* Return the lowest node with four fifths of the content, or NO_STEP. */
uint32_t page_tree_content(const struct page_tree *tree);

/* The nodes to show to users. */
struct page_tree_choice {
	bool *is_shown;   /* [nodes] */
	uint32_t *hidden; /* [nodes]: number of hidden nodes whose nearest shown
			     ancestor this is */
	uint32_t shown_count;
};

struct page_tree_limits {
	uint32_t max_nodes;
	uint32_t max_depth; /* parents up to the root */
	uint32_t min_pages; /* hide nodes on fewer pages */
};

/*
 * Select the nodes on most pages, of equals those with more text, each only
 * with its parent. In `arena`. O(n log n).
 */
struct page_tree_choice page_tree_choose(struct arena *arena,
					 const struct page_tree *tree,
					 struct page_tree_limits limits);

/* Append the tree, without the sums of page_tree_sum(). */
void page_tree_encode(const struct page_tree *tree, struct buffer *out);

/*
 * Decode the tree into `arena`, with its sums; pages can no longer be added.
 * Return false if the bytes are not exactly one tree.
 */
bool page_tree_decode(struct arena *arena, struct slice bytes,
		      struct page_tree *tree_out);

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

enum { VERSION_MAX_REGIONS = 5 };

/*
 * Find the paths of elements that hold the content of `pages` [count], as the
 * default method extracts it from each page alone. Of the paths with one
 * element per page, take the lowest that holds most of the words; repeat for
 * the rest. Write up to VERSION_MAX_REGIONS to `regions_out`, most words first;
 * return their number. O(n log n).
 */
uint32_t regions_find(struct arena *arena, const struct page *const *pages,
		      uint32_t count, struct version_region *regions_out);

#endif
