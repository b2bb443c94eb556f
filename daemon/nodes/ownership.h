/*
 * daemon/nodes/ownership.h - size of each partition in a store, also in
 * a store whose site numbers have no partition.
 */
#ifndef DAEMON_NODES_OWNERSHIP_H
#define DAEMON_NODES_OWNERSHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "store/journal.h"
#include "store/store.h"

struct partition_size {
	uint64_t sites;
	uint64_t pages;
	uint64_t rows;  /* in all tables */
	uint64_t bytes; /* of their keys and values */
};

struct partition_sizes {
	struct partition_size items[JOURNAL_PARTITIONS];
	/*
	 * Sites whose number does not match the partition of their host: all,
	 * in a store without partitions.
	 */
	uint64_t strange_sites;
};

/* Read all of the store in one read transaction. ERR_CORRUPT, ERR_IO. */
enum error partition_sizes_read(struct store *store,
				struct partition_sizes *sizes_out);

#endif
