/*
 * daemon/nodes/nodes.h - this node in the node group: which partitions it
 * owns, which it replicates, and which nodes own the other ones.
 *
 * A partition is the sites of one 256th of all registrable domains, permanently
 * (daemon/nodes/placement.h). One node owns a partition as long as it renews
 * its lease; `replicas` - 1 other nodes follow its log (store/journal.h). Only
 * the owner fetches, commits and emits events; a follower can respond with its
 * stored data.
 */
#ifndef DAEMON_NODES_NODES_H
#define DAEMON_NODES_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "daemon/nodes/encryption_keys.h"
#include "store/journal.h"
#include "store/partitions.h"
#include "store/store.h"

struct node_group;

enum {
	PARTITIONS = 256,
	/* Hooks and silences. Every node replicates it. */
	PARTITION_COMMON = PARTITIONS,
	ALL_PARTITIONS,
	NODE_NAME_BYTES = 64,     /* with NUL: letters, digits, '-', '_' */
	NODE_ADDRESS_BYTES = 256, /* "https://host:port", or "" */
	NODE_TROUBLE_BYTES = 512
};

enum partition_state {
	PARTITION_NOT_HERE, /* no data of the partition is stored here */
	PARTITION_COPYING, /* this node reads a snapshot and the log after it */
	PARTITION_FOLLOWED,
	PARTITION_ADOPTING, /* it reads the log to its end, to own it */
	PARTITION_OWNED,
	PARTITION_LEAVING, /* another node will own it: work ends */
};

struct partition_facts {
	enum partition_state state;   /* on this node */
	char owner[NODE_NAME_BYTES];  /* "" = no owner yet */
	char wanted[NODE_NAME_BYTES]; /* should own it; "" = no node can */
	uint64_t epoch;   /* of the owner's lease; 0 = no lease yet */
	uint64_t applied; /* number of the last log entry that is stored here */
	uint64_t last;    /* number of the last known entry of the log */
	bool is_locked;   /* this replica waits for a key of
			   * nodes.encryption_key_file
			   */
};

/*
 * Return how far a replica is behind, in sequence numbers of the stream. All
 * partitions share these numbers, so the result is at least the number of
 * missing entries. Pure.
 */
uint64_t partition_lag(enum partition_state state, uint64_t applied,
		       uint64_t last);

struct node_facts {
	char name[NODE_NAME_BYTES];
	char address[NODE_ADDRESS_BYTES]; /* for connections; "" = none */
	char version[32];
	uint32_t capacity;
	uint32_t owned;     /* number of partitions */
	uint32_t copies;    /* complete partitions, owned ones included */
	uint64_t lag;       /* sum of partition_lag() over its partitions */
	uint64_t silent_ms; /* since its last heartbeat */
	int64_t clock_ms; /* how far its clock is ahead of the servers' clock */
	bool is_self;
	bool is_draining;
	/* Id of its encryption key (daemon/nodes/encryption_keys.h), or "". */
	char key[ENCRYPTION_KEY_ID_BYTES];
	bool has_strange_key; /* this node does not have that key */
	/*
	 * Number of its own partitions whose snapshots may be encrypted with
	 * another of its keys; 0 if the node has only one key.
	 */
	uint32_t reseals;
};

/* A node without a lease that is expected to return (nodes.rebalance_delay). */
struct missing_node_facts {
	char name[NODE_NAME_BYTES];
	uint32_t capacity;
	uint64_t silent_ms; /* since its last heartbeat */
};

enum { MISSING_NODES_SHOWN = 32 };

struct cluster_facts {
	char name[NODE_NAME_BYTES]; /* name of this node */
	bool has_joined;   /* the node has reached the broker since its start */
	bool is_connected; /* to the broker */
	bool has_lease;    /* otherwise it commits and fetches nothing */
	uint64_t failovers; /* partitions adopted from failed nodes */
	uint64_t moves;     /* partitions that this node released or adopted */
	uint64_t appends;   /* transactions appended to the log */
	uint64_t append_us; /* total duration of all appends */
	uint64_t append_bytes;
	uint64_t jobs;        /* jobs that this node has done */
	uint64_t divergences; /* replicas that were found to differ */
	unsigned locked;      /* number of partitions with is_locked */
	char trouble[NODE_TROUBLE_BYTES]; /* why it has no lease; or "" */
	struct node_facts *nodes; /* [node_count], sorted by name; free() */
	size_t node_count;
	size_t away_count; /* at most MISSING_NODES_SHOWN */
	struct missing_node_facts away[MISSING_NODES_SHOWN];
	struct partition_facts partitions[ALL_PARTITIONS];
};

/*
 * Return the maximum size of a request, a response or a job in bytes; 0 while
 * the node is not connected.
 */
size_t nodes_max_bytes(struct node_group *group);

/* Get the current state. Any thread may call this. */
void nodes_facts(struct node_group *group, struct cluster_facts *facts_out);

/* The partition of a host (host[:port], as in struct url). Pure. */
unsigned nodes_partition_of(struct slice host);

/* Where requests about a partition are sent. */
struct partition_route {
	bool is_own;  /* this node, with a lease */
	bool is_copy; /* this node, as a follower, or as an owner without a
			 lease: responses may be outdated */
	char owner[NODE_NAME_BYTES];      /* another node; "" = no owner */
	char address[NODE_ADDRESS_BYTES]; /* of the owner; "" = none */
	uint64_t epoch;
	uint64_t last; /* last known entry of its log */
};

void nodes_find_route(struct node_group *group, unsigned partition,
		      struct partition_route *out);

/*
 * Send a request to the owner of the partition or, with `node`, to that node,
 * and append the response. Errors as of broker_ops.ask(). ERR_STOPPED: the
 * partition has another owner by now, or the node has left; the request may
 * have been executed. Until the broker is reached for the first time, the error
 * is ERR_NOT_FOUND or ERR_NETWORK.
 */
enum error nodes_request(struct node_group *group, unsigned partition,
			 const char *node, struct slice question,
			 uint32_t timeout_ms, struct buffer *answer);

/*
 * Handle requests of other nodes with this function. NULL = reject them; no
 * handler runs when the call returns.
 */
typedef void nodes_request_handler(void *context, struct slice question,
				   struct buffer *answer);
void nodes_set_request_handler(struct node_group *group,
			       nodes_request_handler *answerer, void *context);

/* A request that the owner executes later: see docs/howto/nodes.md. */
struct import_job {
	unsigned partition;
	const char *verb;  /* last token of its subject, tpl.job.<P>.<verb> */
	const char *id;    /* the broker ignores a recent id */
	struct slice data; /* JSON */
	bool has_secret;   /* encrypt the job before the broker gets it */
	bool is_known;     /* out: the broker already has the id */
};

/* A job with the verb seed; such jobs can be executed in groups. */
struct import_site {
	struct slice data; /* JSON */
	struct job_mark mark;
	struct buffer
		why; /* out: why the job was skipped, one human-readable line */
};

/*
 * The functions that execute the jobs of our partitions. `run` executes one:
 * ERR_BUSY = try again later; any other error = never. It appends the reason to
 * `why`, one human-readable line. `seed` executes the first of these [count]
 * jobs in one transaction, which also stores the mark of the last one, and
 * returns how many it executed. 0 = execute the first one with `run`, or the
 * last stored hash is not `before`.
 */
struct import_job_runner {
	enum error (*run)(void *context, unsigned partition, struct slice data,
			  struct buffer *why);
	size_t (*seed)(void *context, unsigned partition,
		       struct import_site *jobs, size_t count, uint64_t before);
};

/* Set these functions. The caller keeps ownership of the worker. */
void nodes_set_job_runner(struct node_group *group,
			  const struct import_job_runner *worker,
			  void *context);

/*
 * Append jobs [count] to the stream BROKER_JOBS. ERR_NONE: all are stored.
 * After any other error some may be stored; submit all again.
 * ERR_NO_ENCRYPTION_KEY: some have secrets, and nodes.encryption_key_file is
 * not set; none was appended.
 */
enum error import_jobs_submit(struct node_group *group, struct import_job *jobs,
			      size_t count);

/*
 * Release all partitions of this node, or (false) accept partitions again. The
 * store saves the setting: it survives a restart.
 */
void nodes_drain(struct node_group *group, bool drains);

/*
 * Remove a node that will not return: other nodes get its replicas without
 * waiting for nodes.rebalance_delay. ERR_NOT_FOUND; ERR_BUSY: the node has a
 * lease.
 */
enum error nodes_remove(struct node_group *group, const char *node);

/*
 * The size of each partition in a store, also in a store whose site numbers
 * have no partition.
 */

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
