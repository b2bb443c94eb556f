/*
 * daemon/ctl/ctl_group.h - the true labels of pages, in a TSV file with the
 * columns path and label.
 */
#ifndef DAEMON_CTL_CTL_GROUP_H
#define DAEMON_CTL_CTL_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* The label of a page. */
struct label {
	struct slice path;
	struct slice text;
	uint32_t number; /* from 1; equal labels have the same number */
};

struct labels {
	struct buffer bytes; /* the texts of the labels */
	struct label *items; /* [count], sorted by path */
	size_t count;
};

/*
 * Read labels from the lines "PATH TAB LABEL" of `bytes`, which is moved into
 * *labels_out. Further columns are ignored, and so are lines without a tab, and
 * a first line "path TAB label". If several lines have one path, the last one
 * counts. Free the labels with labels_free().
 */
void labels_read(struct buffer *bytes, struct labels *labels_out);
void labels_free(struct labels *labels);

/*
 * Return the number of the label of `path`. Return 0 if it has none, or if the
 * label says that it is not a page (redirect-stub, not-html).
 */
uint32_t labels_find(const struct labels *labels, const char *path);

/* Numbering of clusters that depends only on their pages. */

/*
 * Number the clusters from 1, the largest first; of two clusters of equal size,
 * the one whose first item comes first. `labels` [count] has the label of each
 * item's cluster, which is any number; `numbers_out` [count] gets the new
 * numbers. Return the number of clusters. O(count log count).
 */
uint32_t clustering_result_number(const uint32_t *labels, size_t count,
				  uint32_t *numbers_out);

#endif
