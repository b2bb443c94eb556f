/* store/rows_dictionary.h - the rows of dictionaries, as store/row.h says of
 * all. */
#ifndef STORE_ROWS_DICTIONARY_H
#define STORE_ROWS_DICTIONARY_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/slice.h"
#include "store/txn.h"

/* No dictionary is larger when it is unpacked. */
enum { DICTIONARY_MAX_BYTES = 256 << 10 };

/*
 * What the pages of a template have in common: bytes of a few typical ones, by
 * which the others are packed. A row is never changed, and its number, of
 * store_next_number() by "dictionary", is never given again; the highest one of
 * a cluster is its current one.
 */
struct dictionary_row {
	uint64_t created_ms;
	uint32_t cluster;    /* whose pages they are; it may be gone */
	uint32_t body_bytes; /* of `bodies` when unpacked; these two at most */
	uint32_t record_bytes; /* DICTIONARY_MAX_BYTES */
	struct slice bodies;   /* compress_well() of bytes of bodies */
	struct slice records;  /* the same of records */
};

bool dictionary_row_get(struct txn *txn, uint32_t site, uint32_t dictionary,
			struct dictionary_row *row_out);
void dictionary_row_put(struct txn *txn, uint32_t site, uint32_t dictionary,
			const struct dictionary_row *row);
/* The value of the row; buffer_free() it. */
struct buffer dictionary_row_encode(const struct dictionary_row *row);
bool dictionary_row_decode(struct slice value, struct dictionary_row *row_out);

#endif
