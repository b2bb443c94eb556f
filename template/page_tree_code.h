/* template/page_tree_code.h - a page tree as bytes. */
#ifndef TEMPLATE_PAGE_TREE_CODE_H
#define TEMPLATE_PAGE_TREE_CODE_H

#include <stdbool.h>

#include "store/buffer.h"
#include "template/page_tree.h"

/* Append the tree, but for what page_tree_sum() makes of it. */
void page_tree_encode(const struct page_tree *tree, struct buffer *out);

/*
 * The same tree in `arena`, summed up; nothing points into the bytes, and no
 * page can be added any more. False when they are not exactly one tree.
 */
bool page_tree_decode(struct arena *arena, struct slice bytes,
		      struct page_tree *tree_out);

#endif
