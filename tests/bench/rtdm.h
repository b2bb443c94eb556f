/*
 * tests/bench/rtdm.h - the tree distance of two pages: the baseline of the
 * evaluation.
 */
#ifndef TESTS_BENCH_RTDM_H
#define TESTS_BENCH_RTDM_H

#include <stdint.h>

#include "base/error.h"

struct arena;
struct page;

/*
 * The restricted top-down mapping distance of two pages: the baseline of the
 * evaluation. Quadratic, so never used on crawled pages. Source: Reis,
 * Golgher, Silva & Laender, Automatic Web News Extraction Using Tree Edit
 * Distance, WWW 2004; Gottron 2008, sections 2, 3 and 5.
 *
 * A mapping is a set of pairs of nodes of two ordered trees, each node in at
 * most one pair, that preserves the order of ancestors and of siblings. It is
 * top-down if for each pair the parents are a pair, too. It is restricted if
 * nothing below a pair with different names is mapped: a node is replaced only
 * as a leaf of the mapping, and its descendants are deleted and inserted.
 * Nodes without a pair are deleted from the one tree or inserted from the
 * other. The cost of a mapping is one for each deletion, each insertion and
 * each pair with different names.
 *
 * Nodes are elements and their names, as for the other measures; text and
 * attributes do not count.
 */

struct rtdm_node {
	uint64_t subtree; /* equivalence class: equal for equal subtrees */
	uint64_t name;    /* hash */
	uint32_t end;     /* index one past the last descendant */
	uint32_t child_count;
};

/* In pre-order. Node 0 is above the page, so that an empty page is a tree. */
struct rtdm_tree {
	const struct rtdm_node *nodes; /* [count + 1] */
	uint32_t count;                /* elements of the page */
};

/*
 * Build the tree of a page. Like Reis, compute the classes in one pass from the
 * last node to the first; but a class is a hash of 64 bits here, so that
 * classes of different pages can be compared. The nodes belong to `arena`.
 * Linear; constant stack.
 */
struct rtdm_tree rtdm_tree_make(struct arena *arena, const struct page *page);

/*
 * Return the least cost of a restricted top-down mapping; it is 0 only for
 * equal trees. A metric. If two nodes have equal names and different classes,
 * align their child sequences with dynamic programming: a cell for each pair of
 * children, at most |a| * |b| in total. ERR_TOO_LARGE if it would need more
 * than `max_cells`. Time is linear in the cells, memory in the nodes; constant
 * stack.
 */
enum error rtdm_cost(struct rtdm_tree a, struct rtdm_tree b, uint64_t max_cells,
		     uint32_t *cost_out);

/*
 * Return `cost` / (|a| + |b|), in [0, 1]; 0 for two empty pages. The
 * normalisation is ours: Gottron writes that Reis et al. "form clusters with a
 * similarity threshold of 80%" (section 3), which requires a distance in [0,
 * 1], but does not state the normalisation. Deleting one tree and inserting the
 * other costs |a| + |b|, so this is the ratio to the costliest mapping; if no
 * node is replaced it is the ratio of nodes without a pair, 1 minus Dice's
 * coefficient. The 80 % are a distance of 0.2.
 */
double rtdm_distance(struct rtdm_tree a, struct rtdm_tree b, uint32_t cost);

#endif
