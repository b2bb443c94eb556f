/*
 * daemon/report/site_report_tree.h - the common elements of a template's pages,
 * as nested lists that can be unfolded. Internal to site_report*.c.
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

/* Mark the node as holding content, if it exists and is shown. */
void report_tree_mark(struct report_tree *drawn, uint32_t index);

/* Append the tree: one row for each node, or for a chain of nodes. */
void report_tree_append(struct report_tree *drawn, struct buffer *out);

#endif
