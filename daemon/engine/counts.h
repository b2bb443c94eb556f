/*
 * daemon/engine/counts.h - the document frequencies of a site that a batch
 * changes: read once from the table, and written once, at its end. Internal to
 * the engine.
 */
#ifndef DAEMON_ENGINE_COUNTS_H
#define DAEMON_ENGINE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "store/txn.h"

struct count;
struct df_reader;

/* {0} is empty. A hash table by cluster and fragment. */
struct counts {
	struct count *slots; /* [slot_count], a power of two; or NULL */
	size_t slot_count;
	size_t used; /* slots */
};

/* Free what was not written. */
void counts_forget(struct counts *counts);

/* Add `delta` to the count of the fragment; the table has it later. */
void counts_add(struct counts *counts, uint32_t cluster, uint64_t fragment,
		int32_t delta);

/*
 * How many pages of the reader's cluster hold the fragment: what the table has,
 * and what was added since. An error is the transaction's.
 */
uint32_t counts_get(struct counts *counts, struct df_reader *reader,
		    uint64_t fragment);

/*
 * Write what was added, in key order, and forget all. A count below 0 fails
 * the transaction with ERR_CORRUPT.
 */
void counts_write(struct counts *counts, struct txn *txn, uint32_t site);

#endif
