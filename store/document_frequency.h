/* store/document_frequency.h - how many pages of a cluster hold a fragment. */
#ifndef STORE_DOCUMENT_FREQUENCY_H
#define STORE_DOCUMENT_FREQUENCY_H

#include <stddef.h>
#include <stdint.h>

#include "store/txn.h"

/* How many pages of the cluster hold the fragment; 0 when none does. */
uint32_t df_get(struct txn *txn, uint32_t site, uint32_t cluster,
		uint64_t fragment);

/* A change of one count; a count that reaches 0 leaves the table. */
struct df_delta {
	uint32_t cluster;
	int32_t delta;
	uint64_t fragment;
};

/*
 * Sort `deltas` [count] in place, add up equal ones and apply them in key
 * order. A count that would go below 0 fails with ERR_CORRUPT.
 */
void df_apply(struct txn *txn, uint32_t site, struct df_delta *deltas,
	      size_t count);

#endif
