/*
 * store/rows_cluster.h - the rows of clusters and of their members, as
 * store/row.h says of all.
 */
#ifndef STORE_ROWS_CLUSTER_H
#define STORE_ROWS_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"
#include "store/txn.h"

struct cluster_row {
	uint32_t page_count;
	uint32_t changes; /* of its pages, or of what stands on them; what is
			     learned of it is the same as long as this is: its
			     number is given once, this wraps */
	uint64_t created_ms;
	uint64_t changed_ms;
	uint64_t interval_ms; /* between visits that its pages deserve: a mean;
				 0: not known yet */
};

bool cluster_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
		     struct cluster_row *row_out);
void cluster_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
		     const struct cluster_row *row);
bool cluster_row_decode(struct slice value, struct cluster_row *row_out);

/* Add or remove one page of a cluster, with the number of its distinct
 * signature (TABLE_MEMBERS alone). */
void member_put(struct txn *txn, uint32_t site, uint32_t cluster, uint64_t page,
		uint32_t set);
void member_delete(struct txn *txn, uint32_t site, uint32_t cluster,
		   uint64_t page);

/* The set of a row of TABLE_MEMBERS; false when it is damaged. */
bool member_decode(struct slice value, uint32_t *set_out);

#endif
