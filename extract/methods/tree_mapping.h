/*
 * extract/methods/tree_mapping.h - finds the texts of two pages at the same
 * position: the restricted top-down mapping of Reis, Golgher, Silva and
 * Laender, WWW 2004. An element is mapped only below a mapped element, to an
 * element of the same tag and class.
 */
#ifndef EXTRACT_METHODS_TREE_MAPPING_H
#define EXTRACT_METHODS_TREE_MAPPING_H

#include <stdint.h>

struct arena;
struct item_tree;

/*
 * Map `mine` to each of `theirs` [count] and count how often each item was
 * mapped to an equal one: [mine->count], in `arena`; correct only for texts.
 * Equal subtrees are mapped whole. Other children are aligned by an edit
 * distance, computed only in the 65 cells nearest to the diagonal (the source's
 * is quadratic): at most 65 steps an item of `mine` and tree of `theirs`, and
 * 65 bytes an item.
 */
const uint32_t *tree_mapping_matches(struct arena *arena,
				     const struct item_tree *mine,
				     const struct item_tree *const *theirs,
				     uint32_t count);

#endif
