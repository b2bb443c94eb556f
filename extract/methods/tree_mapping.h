/*
 * extract/methods/tree_mapping.h - which texts of two pages stand at the same
 * place: the restricted top-down mapping of Reis, Golgher, Silva and Laender,
 * WWW 2004. An element is mapped only below a mapped one, to one of the same
 * tag and class.
 */
#ifndef EXTRACT_METHODS_TREE_MAPPING_H
#define EXTRACT_METHODS_TREE_MAPPING_H

#include <stdint.h>

struct arena;
struct item_tree;

/*
 * Map `mine` to each of `theirs` [count] and count how often each item was
 * mapped to an equal one: [mine->count], in `arena`; right for texts alone.
 * Equal subtrees are mapped as they are. Other children are aligned by an edit
 * distance, of which only the 65 cells nearest to the diagonal are worked out
 * (the source's is quadratic): at most 65 steps an item of `mine` and tree of
 * `theirs`, and 65 bytes an item.
 */
const uint32_t *tree_mapping_matches(struct arena *arena,
				     const struct item_tree *mine,
				     const struct item_tree *const *theirs,
				     uint32_t count);

#endif
