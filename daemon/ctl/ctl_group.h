/*
 * daemon/ctl/ctl_group.h - the true labels of pages: a TSV file of path and
 * label.
 */
#ifndef DAEMON_CTL_CTL_GROUP_H
#define DAEMON_CTL_CTL_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* The label of a path as a number from 1. Owned by struct labels. */
struct label {
	struct slice path;
	struct slice text;
	uint32_t number; /* equal for equal texts */
};

struct labels {
	struct buffer bytes; /* the slices point into it */
	struct label *items; /* [count], ascending by path */
	size_t count;
};

/*
 * Read the lines "PATH TAB LABEL", with or without further columns, of `bytes`,
 * which is moved into the labels. A first line "path TAB label" is a head;
 * lines without a tab are ignored; the last of two lines for a path counts. End
 * with labels_free().
 */
void labels_read(struct buffer *bytes, struct labels *labels_out);
void labels_free(struct labels *labels);

/*
 * Return the number of the label of `path`; 0 if it has none, or a label of
 * something that is not a page (redirect-stub, not-html).
 */
uint32_t labels_find(const struct labels *labels, const char *path);

/* Number clusters by their pages only. */

/*
 * Number the clusters from 1 by descending size; on a tie the cluster with the
 * earlier first item comes first. `labels` [count] are labels of a linkage, any
 * numbers; `numbers_out` [count] gets the new numbers. Return the number of
 * clusters. O(count log count).
 */
uint32_t clustering_result_number(const uint32_t *labels, size_t count,
				  uint32_t *numbers_out);

#endif
