/*
 * store/repartition.h - the rows of a store without partitions as those of one
 * that has them (store/journal.h).
 *
 * Each site gets the next number of its partition, in the order of the old
 * ones, and all of its rows go along. Event N becomes N * 512 + partition, so
 * their order is as it was. Pages, clusters, templates and guards keep their
 * numbers.
 */
#ifndef STORE_REPARTITION_H
#define STORE_REPARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "store/error.h"
#include "store/store.h"

struct repartition_report {
	uint64_t rows;
	uint64_t sites;
	uint64_t events;
	uint64_t secrets;        /* texts of store/secrets.h that rows name */
	uint64_t secrets_copied; /* those of them that went along */
};

/*
 * Copy all rows of `from`, which nobody changes meanwhile, into `to`, which has
 * partitions and no sites. With `with_secrets` the texts of store/secrets.h go
 * along, if `from` is not read only; else those sites and hooks wait until
 * theirs are given again (ERR_LOCKED). ERR_REFUSED: `to` has sites;
 * ERR_MALFORMED: `from` has partitions already; ERR_CORRUPT: a row is damaged,
 * or of a site that does not exist; ERR_TOO_LARGE: a partition has no number
 * left. After an error `to` has some of the rows. No transaction of this thread
 * may be open.
 */
enum error store_repartition(struct store *from, struct store *to,
			     bool with_secrets,
			     struct repartition_report *report_out);

#endif
