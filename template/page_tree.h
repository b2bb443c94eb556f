/*
 * template/page_tree.h - the elements of several pages of a template as one
 * tree: elements with the same tag and classes (cluster/class.h) under the same
 * parent are one node. A node has the number of its pages and the amount of
 * template text.
 */
#ifndef TEMPLATE_PAGE_TREE_H
#define TEMPLATE_PAGE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "template/step_tree.h"

struct arena;
struct page;
struct template_counts;

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
 * Merge a page into the tree; `counts` are the counts of its texts in its
 * cluster. Omit the head, elements without text or appearance (scripts, styles,
 * links, line breaks), and the content of svg and iframe. Afterwards nothing
 * points into the page. O(nodes + texts), and O(depth) for each new node.
 */
void page_tree_add(struct page_tree *tree, const struct page *page,
		   const struct template_counts *counts);

/* Compute `inside` of all nodes, after all pages were added. */
void page_tree_sum(struct page_tree *tree);

/*
 * Return the node at a path such as "html>body>div.main", as path_write()
 * writes it; of html and body only the names are compared. Return NO_STEP if
 * there is no such node.
 */
uint32_t page_tree_find(const struct page_tree *tree, struct slice path);

/*
 * Return the lowest node that holds most of the content of the pages (four
 * fifths); NO_STEP if there is no such node.
 */
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
 * Select the nodes on most pages, of equal ones those with more text inside. A
 * node is shown only with its parent. In `arena`. O(n log n).
 */
struct page_tree_choice page_tree_choose(struct arena *arena,
					 const struct page_tree *tree,
					 struct page_tree_limits limits);

#endif
