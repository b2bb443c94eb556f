/*
 * store/repartition.h - converts the rows of a store without partitions for a
 * store with partitions (store/journal.h).
 *
 * Each site gets the next number of its partition, in the order of the old
 * numbers, for all of its rows. Event N becomes N * 512 + partition, so the
 * order of events does not change. Pages, clusters, templates and guards keep
 * their numbers.
 */
#ifndef STORE_REPARTITION_H
#define STORE_REPARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "store/store.h"

struct partitions_migration_report {
	uint64_t rows;
	uint64_t sites;
	uint64_t events;
	uint64_t secrets; /* texts of store/secrets.h that rows refer to */
	uint64_t secrets_copied; /* the copied ones of these */
};

/*
 * Copy all rows of `from`, which no thread may change meanwhile, into `to`,
 * which has partitions and no sites. With `with_secrets` copy the texts of
 * store/secrets.h, too, if `from` is not read-only; otherwise the affected
 * sites and hooks are stopped until a client sets their texts again
 * (ERR_NO_CREDENTIALS). ERR_ADDRESS_FORBIDDEN: `to` has sites; ERR_MALFORMED:
 * `from` has partitions already; ERR_CORRUPT: a row is damaged, or belongs to a
 * site that does not exist; ERR_TOO_LARGE: a partition has no number left.
 * After an error `to` contains some of the rows. This thread must have no open
 * transaction.
 */
enum error partitions_migrate(struct store *from, struct store *to,
			      bool with_secrets,
			      struct partitions_migration_report *report_out);

#endif
