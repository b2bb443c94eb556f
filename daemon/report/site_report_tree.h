/*
 * daemon/report/site_report_tree.h - what the pages of a template have in
 * common, as lists that unfold. Internal to site_report*.c.
 */
#ifndef DAEMON_REPORT_SITE_REPORT_TREE_H
#define DAEMON_REPORT_SITE_REPORT_TREE_H

#include <stdbool.h>

#include "store/buffer.h"
#include "template/page_tree.h"

struct arena;

enum {
	REPORT_TREE_DEPTH = 48
}; /* elements inside each other; rows are fewer
    */

/* Begin with report_tree_make(). */
struct report_tree {
	const struct page_tree *tree;
	struct page_tree_choice choice; /* of at most REPORT_TREE_DEPTH */
	bool *is_region;                /* [nodes] content stands there */
	bool *leads;                    /* [nodes] to a region */
	bool *is_joined;    /* [nodes] it shares the row of its parent */
	struct buffer *out; /* where it is written to */
	unsigned depth;     /* of rows, there */
};

struct report_tree report_tree_make(struct arena *arena,
				    const struct page_tree *tree,
				    struct page_tree_choice choice);

/* Content stands in the node, if it is one and shown. */
void report_tree_mark(struct report_tree *drawn, uint32_t index);

/* Append the tree: a row a node, but one for all of a chain. */
void report_tree_append(struct report_tree *drawn, struct buffer *out);

#endif
