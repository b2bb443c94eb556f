/*
 * store/rows_poison.h - the rows of quarantined pages (see store/row.h): pages
 * whose bytes crashed or stalled a worker. They are stored for analysis, and
 * skipped until they change.
 */
#ifndef STORE_ROWS_POISON_H
#define STORE_ROWS_POISON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/txn.h"

struct quarantine_row {
	uint64_t time_ms;      /* time of the last crash or stall */
	uint64_t content_hash; /* hash64 of the body */
	uint64_t body_bytes;   /* size of the body */
	struct slice url;
	struct slice charset; /* charset of the Content-Type header, or empty */
	struct slice reason;  /* English: how the worker exited */
	struct slice body;    /* body, compressed with compress_slice() */
};

bool quarantine_row_get(struct txn *txn, uint32_t site, uint64_t page,
			struct quarantine_row *row_out);
void quarantine_row_put(struct txn *txn, uint32_t site, uint64_t page,
			const struct quarantine_row *row);
bool quarantine_row_decode(struct slice value, struct quarantine_row *row_out);

#endif
