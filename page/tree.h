/*
 * page/tree.h - builds the tree of a page from its tokens, as browsers do.
 * Source: the HTML standard, section 13.2.6, without
 * scripts; the names are the standard's.
 */
#ifndef PAGE_TREE_H
#define PAGE_TREE_H

#include "page/page.h"

/*
 * Fill in nodes, texts, attributes, text and unknown tags of the page, whose
 * arena and source are set; set is_truncated at a limit. At most `max_items`
 * texts and attributes. Linear in the source.
 */
void tree_build(struct page *page, const struct page_limits *limits,
		size_t max_items);

/*
 * The order of nodes and texts in a tree where some are not inserted at the
 * end.
 */

/* A node by its index, or a text by its index + ITEM_IS_TEXT. */
#define ITEM_IS_TEXT (UINT32_C(1) << 31)
#define NO_ITEM      UINT32_MAX

struct order_links {
	uint32_t parent; /* a node; NO_NODE: the item is not in the tree */
	uint32_t next;   /* next item in the same parent, or NO_ITEM */
	uint32_t previous;
	uint32_t first; /* first item in the node */
	uint32_t last;
};

struct tree_order {
	bool is_kept; /* the lists exist */
	struct order_links *nodes;
	size_t node_capacity;
	struct order_links *texts;
	size_t text_capacity;
	uint32_t node_count;
	uint32_t text_count;
};

/* The arrays of a tree. */
struct tree_arrays {
	struct node *nodes;
	uint32_t node_count;
	struct text *texts;
	uint32_t text_count;
};

/*
 * Begin to store the order in lists; until now it was the order of the arrays.
 */
void order_begin(struct tree_order *order, struct tree_arrays arrays);

/* Add an item without a position: the next node or text of the arrays. */
void order_add(struct tree_order *order, uint32_t item);

/*
 * Insert an item without a position at the end of `parent`, or before `before`.
 */
void order_insert(struct tree_order *order, uint32_t item, uint32_t parent,
		  uint32_t before);

/* Remove an item from its parent, if it has one. */
void order_remove(struct tree_order *order, uint32_t item);

/* Move all items of `from` to the end of `to`. */
void order_move(struct tree_order *order, uint32_t from, uint32_t to);

#endif
