/*
 * daemon/web/site_report_tree.h - the common elements of a template's pages,
 * as nested lists that can be unfolded. Internal to site_report*.c.
 */
#ifndef DAEMON_WEB_SITE_REPORT_TREE_H
#define DAEMON_WEB_SITE_REPORT_TREE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "template/page_tree.h"

struct arena;

enum { REPORT_TREE_DEPTH = 48 }; /* nested elements; there are fewer rows */

/* Create with report_tree_make(). */
struct report_tree {
	const struct page_tree *tree;
	struct page_tree_choice choice; /* at most REPORT_TREE_DEPTH levels */
	bool *is_region;                /* [nodes] holds content */
	bool *leads;                    /* [nodes] has a region below it */
	bool *is_joined;    /* [nodes] shares the row of its parent */
	struct buffer *out; /* output */
	unsigned depth;     /* current depth of rows in the output */
};

struct report_tree report_tree_make(struct arena *arena,
				    const struct page_tree *tree,
				    struct page_tree_choice choice);

/* Mark the node as holding content, if it exists and is shown. */
void report_tree_mark(struct report_tree *drawn, uint32_t index);

/* Append the tree: one row for each node, or for a chain of nodes. */
void report_tree_append(struct report_tree *drawn, struct buffer *out);

#endif
