/*
 * page/tree_order.h - the order of nodes and texts in a tree where some were
 * put elsewhere than at its end. Internal to page/tree*.c.
 */
#ifndef PAGE_TREE_ORDER_H
#define PAGE_TREE_ORDER_H

#include "page/page.h"

/* A node by its index, or a text by its index + ITEM_IS_TEXT. */
#define ITEM_IS_TEXT (UINT32_C(1) << 31)
#define NO_ITEM      UINT32_MAX

struct order_links {
	uint32_t parent; /* a node; NO_NODE: the item is not in the tree */
	uint32_t next;   /* item behind it in its parent, or NO_ITEM */
	uint32_t previous;
	uint32_t first; /* item in a node */
	uint32_t last;
};

struct tree_order {
	bool is_kept; /* the lists are there */
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

/* Begin to keep the order; until now it was that of the arrays. */
void order_begin(struct tree_order *order, struct tree_arrays arrays);
void order_free(struct tree_order *order);

/* A new item, in no place yet: the next node or text of the arrays. */
void order_add(struct tree_order *order, uint32_t item);

/* Put an item that has no place at the end of `parent`, or before `before`. */
void order_insert(struct tree_order *order, uint32_t item, uint32_t parent,
		  uint32_t before);

/* Take an item out of its parent, if it has one. */
void order_remove(struct tree_order *order, uint32_t item);

/* Move all items in `from` to the end of `to`. */
void order_move(struct tree_order *order, uint32_t from, uint32_t to);

/*
 * Sort the arrays by the lists: sets parent and first_text of the nodes, and
 * node of the texts. Returns the arrays anew, from malloc; the old ones are
 * freed. What is deeper than `max_depth` or has no place is left out;
 * `is_cut_out` says whether something was too deep. `text_ranks` [text_count
 * before] gets the index of each old text, or NO_ITEM.
 */
struct tree_arrays order_sort(struct tree_order *order,
			      struct tree_arrays arrays, uint32_t max_depth,
			      uint32_t *text_ranks, bool *is_cut_out);

#endif
