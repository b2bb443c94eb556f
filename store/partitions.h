/*
 * store/partitions.h - which partition a row is of, and which of them are this
 * process's own: store/journal.h says what partitions are. A store without is
 * all of its own.
 */
#ifndef STORE_PARTITIONS_H
#define STORE_PARTITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"
#include "store/store.h"
#include "store/txn.h"

enum { NO_PARTITION = UINT16_MAX };

bool store_is_partitioned(const struct store *store);

/* 0 in a store without partitions. */
unsigned store_partition_of_host(const struct store *store, struct slice host);
unsigned store_partition_of_site(const struct store *store, uint32_t site);
unsigned store_partition_of_event(const struct store *store, uint64_t event);

/* The partition of the row of `table` at `key`; NO_PARTITION: it is of this
 * store alone, such as a counter of it. Caller: the store has partitions. */
unsigned store_partition_of_key(const struct store *store, enum table table,
				struct slice key);

/*
 * Whether sites, hosts and events of a partition may be changed and acted on by
 * this process. At first none are its own. Any thread.
 */
void store_own(struct store *store, unsigned partition, bool is_own);
bool store_owns(const struct store *store, unsigned partition);
bool store_owns_site(const struct store *store, uint32_t site);
bool store_owns_event(const struct store *store, uint64_t event);

/* The number of a new site of that host: as store_next_number(), and in a
 * partition with that in front. ERR_TOO_LARGE of the transaction: there is none
 * left. */
uint32_t store_next_site(struct txn *txn, struct slice host);

/*
 * Before a store is used without partitions that was used with them: numbers of
 * new sites are above all that partitions have given.
 */
void store_leave_partitions(struct txn *txn);

/* Before it is used with them: whether it has sites, and was used without, so
 * that their numbers may be of no partition and its changes are in no log. */
bool store_was_whole(struct txn *txn);

/* The number of a new event of that host; no host: one of all. */
uint64_t store_next_event(struct txn *txn, struct slice host);

enum { COUNTER_NAME_BYTES = 16 };

/* Where a job stands in the stream of a cluster. */
struct job_mark {
	uint64_t number;
	uint64_t time_ms; /* when the servers had got it */
	uint64_t hash;    /* of its bytes */
};

/* The counter of the sites of a partition; that of the jobs that were done, by
 * their numbers in the cluster's stream; and when the servers had got the last
 * one of these, Unix milliseconds. */
void site_counter_name(unsigned partition, char out[COUNTER_NAME_BYTES]);
void job_counter_name(unsigned partition, char out[COUNTER_NAME_BYTES]);
void job_time_counter_name(unsigned partition, char out[COUNTER_NAME_BYTES]);

/* The hash of the last one, which goes where counters go, and is not raised but
 * replaced. */
void job_hash_name(unsigned partition, char out[COUNTER_NAME_BYTES]);
bool is_job_hash(struct slice name);

/* The number of the last event of the partition that the site is of, of all
 * events in a store without; 0: there was none. */
uint64_t store_last_event(struct txn *txn, uint32_t site);

#endif
