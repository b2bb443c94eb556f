/*
 * template/page_tree.h - the elements of several pages of a template as one
 * tree. Elements that have the same tag and classes, and the same parent node,
 * are one node. There is also a tree of the paths of two versions, and a search
 * for the elements that contain the content.
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
 * A tree whose nodes are identified by their parent and their step, so that
 * equal paths lead to the same node.
 */

#define NO_STEP UINT32_MAX

/* A node. Its parent has a lower index. */
struct step_node {
	uint64_t key;    /* hash of the parent and the step */
	uint32_t parent; /* NO_STEP: this is a root; also in the following
			    fields */
	uint32_t first_child;
	uint32_t last_child;
	uint32_t next_sibling; /* siblings are in the order of insertion */
	struct slice label;    /* in the arena */
};

/* The nodes may be of any struct whose first member is a step_node. */
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

/* Return a node. The pointer is valid until the next node is added. */
static inline struct step_node *step_tree_node(const struct step_tree *tree,
					       uint32_t index)
{
	return hash_table_entry(&tree->nodes, index);
}

/* Return an empty tree whose nodes have `node_bytes` bytes each. */
struct step_tree step_tree_make(struct arena *arena, size_t node_bytes,
				uint32_t max_nodes);

/*
 * Return the child of `parent` (NO_STEP: a root) whose step has the hash
 * `step`. If none exists, add it with an empty label; the bytes after its
 * step_node are zero. Return NO_STEP if the tree is full. O(1).
 */
uint32_t step_tree_add(struct step_tree *tree, uint32_t parent, uint64_t step);

/*
 * A walk over the nodes in pre-order. It visits each node twice: when it enters
 * the node and when it leaves it. Initialise with {.tree = tree}.
 */
struct step_walk {
	const struct step_tree *tree;
	uint32_t node;
	bool is_leaving;
	bool is_started;
};

/* Go to the next node; return false at the end. */
bool step_walk_next(struct step_walk *walk);

/* Do not visit the children of the node that was just entered. */
static inline void step_walk_skip(struct step_walk *walk)
{
	walk->is_leaving = true;
}

enum {
	PAGE_TREE_MAX_NODES = 20000, /* when the tree is full, further elements
					count in their parents */
	PAGE_TREE_MAX_TEXT = 160,    /* maximum size of an example */
};

/* Numbers of bytes of text, after collapsing white space. */
struct page_tree_text {
	uint64_t template; /* in fragments that are on more than a third of all
			      pages */
	uint64_t content;  /* in the other fragments */
};

struct page_tree_node {
	struct step_node step; /* its label is for example "div.menu.menu-0" */
	uint32_t pages;    /* number of pages that contain such an element */
	uint32_t elements; /* number of such elements on all these pages */
	struct page_tree_text own; /* text directly in the elements */
	/* text in the elements and their descendants */
	struct page_tree_text inside;
	/*
	 * one of its own texts: the one with the highest rank, which is long
	 * and on many pages; or empty
	 */
	struct slice example;
	uint64_t example_rank; /* rank of the example, see rank_text() */
	uint32_t last_page; /* number of the last page that was added to it; the
			       first page is 1 */
};

struct page_tree {
	struct arena *arena;
	struct step_tree steps; /* its nodes are page_tree_nodes */
	uint32_t page_count;    /* number of pages that were added */
	uint32_t left_out; /* number of elements that were not added because the
			      tree was full */
};

struct page_tree page_tree_make(struct arena *arena);

/* Return whether page trees omit the element and everything in it. */
bool page_tree_omits(const struct page *page, uint32_t node);

static inline struct page_tree_node *
page_tree_node(const struct page_tree *tree, uint32_t index)
{
	return (struct page_tree_node *)step_tree_node(&tree->steps, index);
}

/*
 * Add the elements of a page to the tree. `counts` are the document frequencies
 * of its fragments in its cluster. The head, elements without text or
 * appearance, and everything in svg and iframe are omitted. Afterwards the tree
 * does not refer to the page. O(nodes + texts), and O(depth) for each new node.
 */
void page_tree_add(struct page_tree *tree, const struct page *page,
		   const struct template_counts *counts);

/* Compute `inside` of all nodes, after all pages were added. */
void page_tree_sum(struct page_tree *tree);

/*
 * Return the node with a path such as "html>body>div.main" (see path_write()),
 * or NO_STEP. For html and body the classes are ignored.
 */
uint32_t page_tree_find(const struct page_tree *tree, struct slice path);

/*
 * Return the lowest node that contains four fifths of the content, or NO_STEP.
 */
uint32_t page_tree_content(const struct page_tree *tree);

/* The nodes to show to users. */
struct page_tree_choice {
	bool *is_shown;   /* [nodes] */
	uint32_t *hidden; /* [nodes]: number of hidden nodes whose nearest shown
			     ancestor is this node */
	uint32_t shown_count;
};

struct page_tree_limits {
	uint32_t max_nodes;
	uint32_t max_depth; /* maximum number of ancestors */
	uint32_t min_pages; /* nodes on fewer pages are hidden */
};

/*
 * Select the nodes that users see: those on most pages, then those with more
 * text. A node is selected only if its parent is. The result is in `arena`. O(n
 * log n).
 */
struct page_tree_choice page_tree_choose(struct arena *arena,
					 const struct page_tree *tree,
					 struct page_tree_limits limits);

/* Append the encoded tree to `out`, without the sums of page_tree_sum(). */
void page_tree_encode(const struct page_tree *tree, struct buffer *out);

/*
 * Decode a tree into `arena` and compute its sums. No page can be added to it.
 * Return false if the bytes are not exactly one tree.
 */
bool page_tree_decode(struct arena *arena, struct slice bytes,
		      struct page_tree *tree_out);

enum {
	PATH_TREE_MAX_NODES = 4000,
	PATH_TREE_MAX_STEPS = 32, /* maximum number of steps of a path; the rest
				     of a longer path is a single step */
};

enum path_side { PATH_BEFORE, PATH_AFTER, PATH_SIDES };

struct path_tree_node {
	struct step_node step;
	bool is_there[PATH_SIDES]; /* a path of this side contains the node */
	bool is_told[PATH_SIDES];  /* a path of this side with is_told contains
				      the node */
	bool is_end[PATH_SIDES]; /* a path of this side with is_told ends at the
				    node */
	float ratios[PATH_SIDES]; /* ratio of the pages with this path */
};

struct path_tree {
	struct arena *arena;
	struct step_tree steps; /* its nodes are path_tree_nodes */
};

struct path_tree path_tree_make(struct arena *arena);

static inline struct path_tree_node *
path_tree_node(const struct path_tree *tree, uint32_t index)
{
	return (struct path_tree_node *)step_tree_node(&tree->steps, index);
}

/* A path of a version, such as "html>body>div.menu". */
struct shown_path {
	struct slice path;
	float ratio; /* ratio of the pages that contain the path */
	enum path_side side;
	bool is_told; /* the user must see the path; otherwise it is only
			 context */
};

/* Add a copy of a path to the tree. O(size). */
void path_tree_add(struct path_tree *tree, const struct shown_path *told);

enum { VERSION_MAX_REGIONS = 5 };

/*
 * Find the paths of the elements that contain the content of `pages` [count],
 * as the default method extracts it from each page alone. Of the paths that
 * have only one element per page, use the lowest that contains most of the
 * words. Then repeat this with the remaining words. Write up to
 * VERSION_MAX_REGIONS regions to `regions_out`, the one with most words first;
 * return their number. O(n log n).
 */
uint32_t regions_find(struct arena *arena, const struct page *const *pages,
		      uint32_t count, struct version_region *regions_out);

#endif
