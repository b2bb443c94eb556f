/*
 * store/partitions.h - the partitions of rows (see store/journal.h), and which
 * of them this process owns. A process owns all of a store without partitions.
 */
#ifndef STORE_PARTITIONS_H
#define STORE_PARTITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/store.h"
#include "store/txn.h"

enum { NO_PARTITION = UINT16_MAX };

bool store_is_partitioned(const struct store *store);

/* Return the partition of a host; 0 in a store without partitions. */
unsigned store_partition_of_host(const struct store *store, struct slice host);
unsigned store_partition_of_site(const struct store *store, uint32_t site);
unsigned store_partition_of_event(const struct store *store, uint64_t event);

/*
 * Return the partition of the row of `table` at `key`; NO_PARTITION if the row
 * belongs to this store only, for example a counter. The store must have
 * partitions.
 */
unsigned store_partition_of_key(const struct store *store, enum table table,
				struct slice key);

/*
 * Set whether this process may change and act on the sites, hosts and events of
 * a partition. At first it owns none. Any thread.
 */
void store_set_owned(struct store *store, unsigned partition, bool is_own);
bool store_owns(const struct store *store, unsigned partition);
bool store_owns_site(const struct store *store, uint32_t site);
bool store_owns_event(const struct store *store, uint64_t event);

/*
 * Return the number of a new site of that host, as store_next_number() does; in
 * a store with partitions it begins with the partition. ERR_TOO_LARGE of the
 * transaction: no number is left.
 */
uint32_t store_next_site(struct txn *txn, struct slice host);

/*
 * Raise the counter of sites above all numbers of the partitions, before a
 * store that had partitions is used without them.
 */
void store_leave_partitions(struct txn *txn);

/*
 * Return whether the store has sites and was used without partitions, so that
 * their numbers may be of no partition and no log contains its changes. Call it
 * before using the store with partitions.
 */
bool store_has_unpartitioned_sites(struct txn *txn);

/*
 * Return the number of a new event of that host; without a host it belongs to
 * JOURNAL_COMMON.
 */
uint64_t store_next_event(struct txn *txn, struct slice host);

enum { COUNTER_NAME_BYTES = 16 };

/* The position of a job in the stream of the node group. */
struct job_mark {
	uint64_t number;
	uint64_t time_ms; /* when the broker stored it */
	uint64_t hash;    /* hash of its bytes */
};

/*
 * Write the name of a counter of a partition, "STEM.017". The stem "site" is
 * the counter of its sites; "job" the number of the last completed job in the
 * stream of the node group; "jobtime" the time when the broker stored that job,
 * in Unix milliseconds; "jobhash" the hash of that job, which is stored like a
 * counter, but replaced and not raised.
 */
void counter_name(char out[COUNTER_NAME_BYTES], const char *stem,
		  unsigned partition);
bool is_job_hash(struct slice name);

/*
 * Return the number of the last event of the site's partition, or of all events
 * in a store without partitions, or 0.
 */
uint64_t store_last_event(struct txn *txn, uint32_t site);

/*
 * Converts the rows of a store without partitions for a store with partitions
 * (store/journal.h).
 *
 * Each site gets the next number of its partition, in the order of the old
 * numbers, for all of its rows. Event N becomes N * 512 + partition, so the
 * order of events does not change. Pages, clusters, templates and guards keep
 * their numbers.
 */

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
