/* daemon/ctl/partition.h - number clusters by their pages only. */
#ifndef DAEMON_CTL_PARTITION_H
#define DAEMON_CTL_PARTITION_H

#include <stddef.h>
#include <stdint.h>

/*
 * Number the clusters from 1 by descending size; on a tie the cluster with the
 * earlier first item comes first. `labels` [count] are labels of a linkage, any
 * numbers; `numbers_out` [count] gets the new numbers. Return the number of
 * clusters. O(count log count).
 */
uint32_t clustering_result_number(const uint32_t *labels, size_t count,
				  uint32_t *numbers_out);

#endif
