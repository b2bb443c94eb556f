/*
 * store/sets.h - the unique signatures of a site, which the code also calls
 * sets
 *
 * TABLE_SHINGLES gives each shingle of a site a number. A row of TABLE_SETS is
 * a unique signature: a set of these numbers. Rows of TABLE_MEMBERS refer to
 * the number of the set.
 */
#ifndef STORE_SETS_H
#define STORE_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "store/txn.h"

void shingle_put(struct txn *txn, uint32_t site, uint32_t shingle_id,
		 uint64_t shingle);
void shingle_delete(struct txn *txn, uint32_t site, uint32_t shingle_id);
bool shingle_decode(struct slice value, uint64_t *shingle_out);

/*
 * Write a set. `shingle_ids` [count] are strictly ascending. They are stored as
 * differences, which usually take one byte each.
 */
void set_put(struct txn *txn, uint32_t site, uint32_t set,
	     const uint32_t *shingle_ids, size_t count);
void set_delete(struct txn *txn, uint32_t site, uint32_t set);

/*
 * Read and write the weights of the shingles of a site, encoded by
 * shingle_weights_encode(). {NULL, 0}: the site has none. The result of
 * weights_get() is valid as that of txn_get().
 */
struct slice weights_get(struct txn *txn, uint32_t site);
void weights_put(struct txn *txn, uint32_t site, struct slice weights);

/*
 * Decode a set to `shingles_out` [value.size], strictly ascending. Return the
 * number of shingles; SIZE_MAX if the value is damaged.
 */
size_t set_decode(struct slice value, uint32_t *shingles_out);

/*
 * A scan over the sets of a site:
 *
 *         struct set_scan scan = set_scan_begin(&txn, site);
 *         while (set_scan_next(&scan))
 *                 ... scan.set, scan.shingle_ids, scan.count ...
 *         set_scan_end(&scan);
 *
 * A damaged row fails the transaction with ERR_CORRUPT.
 */
struct set_scan {
	struct scan rows;
	uint32_t set;
	uint32_t *shingle_ids; /* [count], valid until the next step */
	size_t count;
	size_t capacity;
};

struct set_scan set_scan_begin(struct txn *txn, uint32_t site);
bool set_scan_next(struct set_scan *scan);
void set_scan_end(struct set_scan *scan);

#endif
