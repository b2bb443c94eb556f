/*
 * daemon/nodes/cluster_node.h - lifecycle of a node in the node group. It is
 * opened before the engine, which commits through its log, and stopped after
 * the pipeline.
 */
#ifndef DAEMON_NODES_CLUSTER_NODE_H
#define DAEMON_NODES_CLUSTER_NODE_H

#include <stdint.h>

#include "base/error.h"
#include "daemon/nodes/bus.h"
#include "daemon/nodes/cluster.h"
#include "store/store.h"

struct commit_log;
struct engine;
struct pipeline;

struct nodes_options {
	struct broker_options bus;
	const char *address;  /* for direct connections, or "" */
	const char *version;  /* of this program */
	uint32_t capacity;    /* weight: its share of the partitions; >= 1 */
	uint64_t patience_ms; /* a missing node keeps its replicas for this
				 time; the same on all nodes; 0 = it does not */
	/* Encrypt secrets between nodes, as the store's cipher; or NULL. */
	const struct encryption_keys *secret_keys;
	unsigned copies; /* replicas of a partition, including the owner's: 1 to
			    3 */
	const char *snapshots;     /* location of a snapshot store, or "" */
	const char *snapshots_key; /* path of its key file, or "" */
	const char *spool_folder;  /* for snapshots before they are sent */
	uint64_t snapshot_bytes;   /* size of a partition's log that triggers a
				      snapshot */
	uint32_t sum_entries; /* compare replicas every this many entries; 0 =
				 1000 */
};

/*
 * Connect to the broker if it responds; otherwise retry when the node runs. The
 * texts of the options and the store must outlive the result; the store has
 * partitions. Errors as of bus_ops.open() except ERR_NETWORK, with a line in
 * the log. ERR_IO: the broker's module is not installed.
 */
enum error nodes_open(struct node_group **cluster_out, struct store *store,
		      const struct nodes_options *options);

/* Return the log for engine_options. */
const struct commit_log *nodes_log(const struct node_group *cluster);

/* Start to own and follow partitions. ERR_IO: cannot create the threads. */
enum error nodes_run(struct node_group *cluster, struct engine *engine,
		     struct pipeline *pipeline);

/*
 * Release the lease so that other nodes need not wait until it expires, and
 * stop the threads. Call while the pipeline still runs.
 */
void nodes_stop(struct node_group *cluster);

/* Call after the engine is closed. NULL is a no-op. */
void nodes_close(struct node_group *cluster);

#endif
