/*
 * store/rows_cluster.h - the rows of clusters and of their members (see
 * store/row.h).
 */
#ifndef STORE_ROWS_CLUSTER_H
#define STORE_ROWS_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/txn.h"

struct cluster_row {
	uint32_t page_count;
	uint32_t changes; /* counts changes of its pages or their content; a
			     model built from them is valid as long as it is the
			     same. A cluster's number is never reused; this
			     counter wraps */
	uint64_t created_ms;
	uint64_t changed_ms;
	uint64_t interval_ms; /* mean interval between useful visits of its
				 pages; 0 = unknown */
};

bool cluster_row_get(struct txn *txn, uint32_t site, uint32_t cluster,
		     struct cluster_row *row_out);
void cluster_row_put(struct txn *txn, uint32_t site, uint32_t cluster,
		     const struct cluster_row *row);
bool cluster_row_decode(struct slice value, struct cluster_row *row_out);

/*
 * Add or remove one page of a cluster, with the number of its unique signature
 * (only in TABLE_MEMBERS).
 */
void member_put(struct txn *txn, uint32_t site, uint32_t cluster, uint64_t page,
		uint32_t set);
void member_delete(struct txn *txn, uint32_t site, uint32_t cluster,
		   uint64_t page);

/*
 * Return the unique signature in a row of TABLE_MEMBERS; return false if it is
 * damaged.
 */
bool member_decode(struct slice value, uint32_t *set_out);

#endif
