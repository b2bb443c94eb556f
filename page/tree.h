/*
 * page/tree.h - builds the tree of a page from its tokens, as browsers do.
 * Source: the HTML standard, section 13.2.6, without scripts. The names are
 * from the standard.
 */
#ifndef PAGE_TREE_H
#define PAGE_TREE_H

#include "page/page.h"

/*
 * Set nodes, texts, attributes, text and unknown tags of the page; its arena
 * and source must be set. If a limit is exceeded, set is_truncated. There are
 * at most `max_items` texts, and as many attributes. Linear in the source.
 */
void tree_build(struct page *page, const struct page_limits *limits,
		size_t max_items);

/*
 * Stores the order of nodes and texts when some of them are not inserted at the
 * end of the tree.
 */

/* An item is a node (its index), or a text (its index + ITEM_IS_TEXT). */
#define ITEM_IS_TEXT (UINT32_C(1) << 31)
#define NO_ITEM      UINT32_MAX

struct order_links {
	uint32_t parent; /* index of a node; NO_NODE: the item is not in the
			    tree */
	uint32_t next;   /* next item with the same parent, or NO_ITEM */
	uint32_t previous;
	uint32_t first; /* first item whose parent is this node */
	uint32_t last;
};

struct tree_order {
	bool is_kept; /* the order is stored here; otherwise the arrays have
			 this order */
	struct order_links *nodes;
	size_t node_capacity;
	struct order_links *texts;
	size_t text_capacity;
	uint32_t node_count;
	uint32_t text_count;
};

/* The arrays with the nodes and texts of a tree. */
struct tree_arrays {
	struct node *nodes;
	uint32_t node_count;
	struct text *texts;
	uint32_t text_count;
};

/* Begin to store the order. Until now it was the order of the arrays. */
void order_begin(struct tree_order *order, struct tree_arrays arrays);

/*
 * Add the next node or text of the arrays as an item. It has no position in the
 * tree yet.
 */
void order_add(struct tree_order *order, uint32_t item);

/*
 * Insert an item, which must not have a position yet, into `parent`: before the
 * item `before`, or at the end if that is NO_ITEM.
 */
void order_insert(struct tree_order *order, uint32_t item, uint32_t parent,
		  uint32_t before);

/* Remove an item from its parent. Do nothing if it has none. */
void order_remove(struct tree_order *order, uint32_t item);

/* Move all items in the node `from` to the end of the node `to`. */
void order_move(struct tree_order *order, uint32_t from, uint32_t to);

#endif
