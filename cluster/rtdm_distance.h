/*
 * cluster/rtdm_distance.h - the restricted top-down mapping distance of two
 * pages: the baseline of the evaluation. Quadratic, so never used on crawled
 * pages. Source: Reis, Golgher, Silva & Laender, Automatic Web News Extraction
 * Using Tree Edit Distance, WWW 2004; Gottron 2008, sections 2, 3 and 5.
 *
 * A mapping is a set of pairs of nodes of two ordered trees, each node in one
 * pair at most, that keeps ancestors above descendants and left siblings left.
 * It is top-down when with each pair the parents are a pair, too. It is
 * restricted when nothing below a pair of different names is mapped: a node is
 * replaced only as a leaf of the mapping, and what stood under it is deleted
 * and inserted. Nodes without a pair are deleted from the one tree or inserted
 * from the other. The cost of a mapping is one for each deletion, each
 * insertion and each pair of different names.
 *
 * Nodes are elements and their names, as for the other measures; text and
 * attributes do not count.
 */
#ifndef CLUSTER_RTDM_DISTANCE_H
#define CLUSTER_RTDM_DISTANCE_H

#include <stdint.h>

#include "store/error.h"

struct arena;
struct page;

struct rtdm_node {
	uint64_t subtree; /* equivalence class: equal in equal subtrees */
	uint64_t name;    /* hash */
	uint32_t end;     /* index one past the last descendant */
	uint32_t child_count;
};

/* Pre-order. Node 0 stands above the page, so that an empty page is a tree. */
struct rtdm_tree {
	const struct rtdm_node *nodes; /* [count + 1] */
	uint32_t count;                /* elements of the page */
};

/*
 * The classes are made in one pass from the last node to the first, as Reis
 * does; a class is a hash of 64 bits here, so that classes of different pages
 * can be compared. The nodes belong to `arena`. Linear; constant stack.
 */
struct rtdm_tree rtdm_tree_make(struct arena *arena, const struct page *page);

/*
 * The least cost of a restricted top-down mapping; 0 for equal trees alone. A
 * metric. Where the names of two nodes are equal and their classes are not,
 * their child sequences are aligned by dynamic programming: a cell for each
 * pair of children, at most |a| * |b| in all. ERR_TOO_LARGE: it would take more
 * than `max_cells`. Time is linear in the cells, memory in the nodes; constant
 * stack.
 */
enum error rtdm_cost(struct rtdm_tree a, struct rtdm_tree b, uint64_t max_cells,
		     uint32_t *cost_out);

/*
 * `cost` / (|a| + |b|), in [0, 1]; 0 for two empty pages. The normalisation is
 * ours: Gottron writes that Reis et al. "form clusters with a similarity
 * threshold of 80%" (section 3), which needs a distance in [0, 1], but not how
 * it is normalised. To delete one tree and insert the other costs |a| + |b|, so
 * that this is the ratio to the costliest mapping; when no node is replaced it
 * is the ratio of nodes without a pair, 1 minus Dice's coefficient. The 80 %
 * are a distance of 0.2.
 */
double rtdm_distance(struct rtdm_tree a, struct rtdm_tree b, uint32_t cost);

#endif
