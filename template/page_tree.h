/*
 * template/page_tree.h - the elements of several pages of a template as one
 * tree: elements with the same tag and classes (cluster/class.h) under the same
 * parent are one node, which knows how many pages have it and how much of its
 * text is template.
 */
#ifndef TEMPLATE_PAGE_TREE_H
#define TEMPLATE_PAGE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"
#include "template/step_tree.h"

struct arena;
struct page;
struct template_counts;

enum {
	PAGE_TREE_MAX_NODES = 20000, /* more are one with their parents */
	PAGE_TREE_MAX_TEXT = 160,    /* bytes of an example */
};

/* Bytes of text, white space collapsed. */
struct page_tree_text {
	uint64_t template; /* of fragments on over a third of all pages */
	uint64_t content;  /* of the others */
};

struct page_tree_node {
	struct step_node step;        /* its label is as in "div.menu.menu-0" */
	uint32_t pages;               /* that have it */
	uint32_t elements;            /* of all these */
	struct page_tree_text own;    /* stands in it directly */
	struct page_tree_text inside; /* with all below it */
	struct slice example;  /* of its own text the fragment that tells most:
				  common, and more than a word; or empty */
	uint64_t example_rank; /* of that */
	uint32_t last_page;    /* that was merged, from 1 */
};

struct page_tree {
	struct arena *arena;
	struct step_tree steps; /* of page_tree_nodes */
	uint32_t page_count;    /* merged */
	uint32_t left_out;      /* elements that found no room */
};

struct page_tree page_tree_make(struct arena *arena);

static inline struct page_tree_node *
page_tree_node(const struct page_tree *tree, uint32_t index)
{
	return (struct page_tree_node *)step_tree_node(&tree->steps, index);
}

/*
 * Merge a page into it; `counts` are those of its texts in its cluster. The
 * head, what has no text and no look (scripts, styles, links, line breaks), and
 * what stands in svg and iframe is left out. Nothing points into the page
 * afterwards. O(nodes + texts), and O(depth) for each new node.
 */
void page_tree_add(struct page_tree *tree, const struct page *page,
		   const struct template_counts *counts);

/* Add up what is inside of what, once all pages are there. */
void page_tree_sum(struct page_tree *tree);

/* The node at a path such as "html>body>div.main", as path_write() has it, but
 * that of html and body the names alone count; NO_STEP: there is none. */
uint32_t page_tree_find(const struct page_tree *tree, struct slice path);

/* The lowest node that holds most of the content of the pages (four fifths);
 * NO_STEP when there is none. */
uint32_t page_tree_content(const struct page_tree *tree);

/* What is shown of it to people. */
struct page_tree_choice {
	bool *is_shown;   /* [nodes] */
	uint32_t *hidden; /* [nodes]: below it, and not below another one that
			     is shown */
	uint32_t shown_count;
};

struct page_tree_limits {
	uint32_t max_nodes;
	uint32_t max_depth; /* parents up to the root */
	uint32_t min_pages; /* nodes on fewer ones are not shown */
};

/*
 * The nodes that most pages have, of equals those with more text inside: a node
 * is shown only with its parent. In `arena`. O(n log n).
 */
struct page_tree_choice page_tree_choose(struct arena *arena,
					 const struct page_tree *tree,
					 struct page_tree_limits limits);

#endif
