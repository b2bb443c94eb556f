/* daemon/ctl/partition.h - clusters with numbers that depend on the pages
 * alone. */
#ifndef DAEMON_CTL_PARTITION_H
#define DAEMON_CTL_PARTITION_H

#include <stddef.h>
#include <stdint.h>

/*
 * Number the clusters from 1: the largest first, of equal ones the one whose
 * first item comes first. `labels` [count] are those of a linkage, in any
 * numbers; `numbers_out` [count] gets the new ones. Returns how many there are.
 * O(count log count).
 */
uint32_t partition_number(const uint32_t *labels, size_t count,
			  uint32_t *numbers_out);

#endif
