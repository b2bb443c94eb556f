/*
 * daemon/engine/counts.h - the document frequencies of a site that a commit
 * changes: read once from the table, and written once at the end. Internal to
 * the engine.
 */
#ifndef DAEMON_ENGINE_COUNTS_H
#define DAEMON_ENGINE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "store/txn.h"

struct counts_entry;
struct df_reader;

/* A hash table by cluster and fragment; {0} is empty. */
struct counts {
	struct counts_entry *slots; /* [slot_count], a power of two; or NULL */
	size_t slot_count;
	size_t used; /* number of slots */
};

/* Free without writing. */
void counts_reset(struct counts *counts);

/* Add `delta` to the count of the fragment; the table is updated later. */
void counts_add(struct counts *counts, uint32_t cluster, uint64_t fragment,
		int32_t delta);

/*
 * Return how many pages of the reader's cluster have the fragment, including
 * unwritten changes. An error is set in the transaction.
 */
uint32_t counts_get(struct counts *counts, struct df_reader *reader,
		    uint64_t fragment);

/*
 * Write the changes in key order, and reset. A count below 0 fails the
 * transaction with ERR_CORRUPT.
 */
void counts_write(struct counts *counts, struct txn *txn, uint32_t site);

#endif
