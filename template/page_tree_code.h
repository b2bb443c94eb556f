/* template/page_tree_code.h - encode a page tree as bytes. */
#ifndef TEMPLATE_PAGE_TREE_CODE_H
#define TEMPLATE_PAGE_TREE_CODE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "template/page_tree.h"

/* Append the tree, without the sums of page_tree_sum(). */
void page_tree_encode(const struct page_tree *tree, struct buffer *out);

/*
 * Decode the tree into `arena`, with its sums. Nothing points into the bytes;
 * pages can no longer be added. Return false if the bytes are not exactly one
 * tree.
 */
bool page_tree_decode(struct arena *arena, struct slice bytes,
		      struct page_tree *tree_out);

#endif
