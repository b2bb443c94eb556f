/*
 * store/rows_poison.h - the rows of poisoned pages, as store/row.h says of all:
 * pages whose bytes ended the worker that read them, kept to be looked at, and
 * not read again until they change.
 */
#ifndef STORE_ROWS_POISON_H
#define STORE_ROWS_POISON_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"
#include "store/txn.h"

struct poison_row {
	uint64_t time_ms;      /* when they last did */
	uint64_t content_hash; /* hash64 of the body */
	uint64_t body_bytes;   /* of the body */
	struct slice url;
	struct slice charset; /* of the Content-Type, or empty */
	struct slice reason;  /* English: how the worker ended */
	struct slice body;    /* compress() of it */
};

bool poison_row_get(struct txn *txn, uint32_t site, uint64_t page,
		    struct poison_row *row_out);
void poison_row_put(struct txn *txn, uint32_t site, uint64_t page,
		    const struct poison_row *row);
bool poison_row_decode(struct slice value, struct poison_row *row_out);

#endif
