/*
 * extract/methods/item_tree.h - a page as a compact tree of elements and texts,
 * which can outlive the page.
 */
#ifndef EXTRACT_METHODS_ITEM_TREE_H
#define EXTRACT_METHODS_ITEM_TREE_H

#include <stdint.h>

struct arena;
struct page;

enum { TEXT_LABEL = 0 };

/*
 * An element or a text. Texts are leaves, whose subtree is the hash of the
 * text; item 0 is the page and holds all others.
 */
struct tree_item {
	uint64_t subtree; /* hash of everything in it */
	uint32_t end;     /* index one past its last descendant */
	uint32_t label;   /* of the tag and class; TEXT_LABEL for a text */
};

struct item_tree {
	const struct tree_item *items; /* [count], pre-order */
	uint32_t count;
	const uint32_t *text_items; /* [text_count], or NULL in a copy */
};

/*
 * Build the tree in `arena`: 16 bytes an item, and as much again as scratch.
 * Linear.
 */
struct item_tree item_tree_make(struct arena *arena, const struct page *page);

/* Copy only the items to `arena`. */
struct item_tree item_tree_copy(struct arena *arena,
				const struct item_tree *tree);

#endif
