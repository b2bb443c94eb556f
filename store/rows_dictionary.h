/* store/rows_dictionary.h - the rows of dictionaries (see store/row.h). */
#ifndef STORE_ROWS_DICTIONARY_H
#define STORE_ROWS_DICTIONARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "store/txn.h"

/* Maximum decompressed size of a dictionary. */
enum { DICTIONARY_MAX_BYTES = 256 << 10 };

/*
 * A dictionary: the bytes of a few typical pages of a template, with which the
 * others are compressed. A row never changes, and its number, from
 * store_next_number() for "dictionary", is never reused; the highest number of
 * a cluster is its current dictionary.
 */
struct dictionary_row {
	uint64_t created_ms;
	uint32_t cluster;    /* the cluster of the pages; it may be deleted */
	uint32_t body_bytes; /* decompressed size of `bodies`; each of these two
				at most */
	uint32_t record_bytes; /* DICTIONARY_MAX_BYTES */
	struct slice
		bodies; /* bytes of bodies, compressed with compress_well() */
	struct slice records; /* bytes of records, compressed in the same way */
};

bool dictionary_row_get(struct txn *txn, uint32_t site, uint32_t dictionary,
			struct dictionary_row *row_out);
void dictionary_row_put(struct txn *txn, uint32_t site, uint32_t dictionary,
			const struct dictionary_row *row);
/* Return the value of the row; free it with buffer_free(). */
struct buffer dictionary_row_encode(const struct dictionary_row *row);
bool dictionary_row_decode(struct slice value, struct dictionary_row *row_out);

#endif
