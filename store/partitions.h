/*
 * store/partitions.h - the partition of each row (see store/journal.h), and the
 * partitions that this process owns. If the store has no partitions, the
 * process owns the whole store.
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

/*
 * Return the partition of a host, a site or an event. In a store without
 * partitions it is 0.
 */
unsigned store_partition_of_host(const struct store *store, struct slice host);
unsigned store_partition_of_site(const struct store *store, uint32_t site);
unsigned store_partition_of_event(const struct store *store, uint64_t event);

/*
 * Return the partition of the row of `table` at `key`. NO_PARTITION: the row
 * belongs only to this store, for example a counter. The store must have
 * partitions.
 */
unsigned store_partition_of_key(const struct store *store, enum table table,
				struct slice key);

/*
 * Set whether this process may change the sites, hosts and events of a
 * partition and act on them. At first it owns no partition. Any thread may call
 * this.
 */
void store_set_owned(struct store *store, unsigned partition, bool is_own);
bool store_owns(const struct store *store, unsigned partition);
bool store_owns_site(const struct store *store, uint32_t site);
bool store_owns_event(const struct store *store, uint64_t event);

/*
 * Return the number for a new site of this host, as store_next_number() does.
 * In a store with partitions, its highest bits are the partition. ERR_TOO_LARGE
 * of the transaction: all numbers of the partition are used.
 */
uint32_t store_next_site(struct txn *txn, struct slice host);

/*
 * Raise the counter of sites above the numbers of all partitions. Call this
 * before a store that had partitions is used without them.
 */
void store_leave_partitions(struct txn *txn);

/*
 * Return whether the store has sites and was used without partitions. Then the
 * numbers of its sites may be wrong for their partitions, and no log contains
 * its changes. Call this before using the store with partitions.
 */
bool store_has_unpartitioned_sites(struct txn *txn);

/*
 * Return the number for a new event of this host. An event without a host
 * belongs to JOURNAL_COMMON.
 */
uint64_t store_next_event(struct txn *txn, struct slice host);

enum { COUNTER_NAME_BYTES = 16 };

/* A job in the stream of the node group. */
struct job_mark {
	uint64_t number;
	uint64_t time_ms; /* time when the broker stored the job */
	uint64_t hash;    /* hash of the job's bytes */
};

/*
 * Write the name of a counter of a partition: "STEM.017". The stems are: "site"
 * for the last number of its sites; "job" for the number of the last executed
 * job in the stream of the node group; "jobtime" for the time when the broker
 * stored that job, in Unix milliseconds; "jobhash" for the hash of that job. A
 * hash is stored like a counter, but another node replaces it instead of
 * raising it. is_job_hash() returns whether `name` is the name of such a hash.
 */
void counter_name(char out[COUNTER_NAME_BYTES], const char *stem,
		  unsigned partition);
bool is_job_hash(struct slice name);

/*
 * Return the number of the last event in the partition of the site; in a store
 * without partitions, of all events. 0 = there is no event.
 */
uint64_t store_last_event(struct txn *txn, uint32_t site);

/*
 * The conversion of a store without partitions to a store with partitions
 * (store/journal.h).
 *
 * Sites get new numbers: in the order of the old numbers, each site gets the
 * next number of its partition in all its rows. Event N gets the number N * 512
 * + partition, so the order of events does not change. Pages, clusters,
 * templates and guards keep their numbers.
 */

struct partitions_migration_report {
	uint64_t rows;
	uint64_t sites;
	uint64_t events;
	/* number of texts in store/secrets.h that rows refer to */
	uint64_t secrets;
	uint64_t secrets_copied; /* number of these texts that were copied */
};

/*
 * Copy all rows of `from` to `to`, which has partitions and no sites. No thread
 * may change `from` meanwhile. If `with_secrets` is set and `from` is not
 * read-only, also copy the texts of store/secrets.h. Otherwise the sites and
 * hooks with such texts do not work until a client sets the texts again
 * (ERR_NO_CREDENTIALS). ERR_ADDRESS_FORBIDDEN: `to` has sites. ERR_MALFORMED:
 * `from` already has partitions. ERR_CORRUPT: a row is damaged, or belongs to a
 * site that does not exist. ERR_TOO_LARGE: a partition of `to` has no free site
 * number. After an error `to` has some of the rows. The calling thread must
 * have no open transaction.
 */
enum error partitions_migrate(struct store *from, struct store *to,
			      bool with_secrets,
			      struct partitions_migration_report *report_out);

#endif
