/*
 * daemon/cluster/cluster_node.h - a node's life in its cluster: from before the
 * engine, which commits through its log, to behind the pipeline.
 */
#ifndef DAEMON_CLUSTER_CLUSTER_NODE_H
#define DAEMON_CLUSTER_CLUSTER_NODE_H

#include <stdint.h>

#include "daemon/bus/bus.h"
#include "daemon/cluster/cluster.h"
#include "store/error.h"
#include "store/store.h"

struct commit_log;
struct engine;
struct pipeline;

struct cluster_options {
	struct bus_options bus;
	const char *address;  /* for direct connections, or "" */
	const char *version;  /* of the program */
	uint32_t capacity;    /* its share of the partitions; 1 and up */
	uint64_t patience_ms; /* a node that is gone for less keeps its
				 copies' places; the same for all; 0: it
				 does not */
	/* What seals secrets between nodes, as the store's cipher; or NULL */
	const struct secret_keys *secret_keys;
	unsigned copies;           /* of a partition, the owner's too: 1 to 3 */
	const char *snapshots;     /* a depot's location, or "" */
	const char *snapshots_key; /* file, or "" */
	const char *spool_folder;  /* for what is sent there */
	uint64_t snapshot_bytes;   /* of a partition's log, that make another */
	uint32_t sum_entries; /* so many apart, copies are compared; 0: 1000
			       */
};

/*
 * Connect to the broker, if it answers: else that is tried again when the node
 * runs. The texts of the options and the store, which has partitions, outlive
 * it. Errors as of bus_ops.open() but for ERR_NETWORK, with a line in the log;
 * ERR_IO: the broker's module is not there.
 */
enum error cluster_open(struct cluster **cluster_out, struct store *store,
			const struct cluster_options *options);

/* For engine_options. */
const struct commit_log *cluster_log(const struct cluster *cluster);

/* Begin to take and follow partitions. ERR_IO: there can be no threads. */
enum error cluster_run(struct cluster *cluster, struct engine *engine,
		       struct pipeline *pipeline);

/* Give the lease back, so that others need not wait for its end; the threads
 * end. The pipeline runs still. */
void cluster_stop(struct cluster *cluster);

/* After the engine. NULL is a no-op. */
void cluster_close(struct cluster *cluster);

#endif
