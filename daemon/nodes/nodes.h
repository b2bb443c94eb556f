/*
 * daemon/nodes/nodes.h - this node in the node group: which partitions it owns,
 * which it replicates, and which nodes own the other partitions.
 *
 * A partition is one of 256 groups of sites. All sites of a registrable domain
 * are in the same partition; this never changes (nodes_partition_of()). One
 * node owns a partition as long as it renews its lease; `replicas` - 1 other
 * nodes follow its log (store/journal.h). Only the owner fetches, commits and
 * emits events; a follower can answer requests from its stored data.
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
	/* The partition of hooks and silences. Every node replicates it. */
	PARTITION_COMMON = PARTITIONS,
	ALL_PARTITIONS,
	NODE_NAME_BYTES = 64,     /* with NUL: letters, digits, '-', '_' */
	NODE_ADDRESS_BYTES = 256, /* "https://host:port", or "" */
	NODE_TROUBLE_BYTES = 512
};

enum partition_state {
	PARTITION_NOT_HERE, /* no data of the partition is stored here */
	PARTITION_COPYING,  /* this node loads a snapshot and reads the log
			       after it */
	PARTITION_FOLLOWED,
	PARTITION_ADOPTING, /* this node reads the log to its end, to own the
			       partition */
	PARTITION_OWNED,
	PARTITION_LEAVING, /* another node will own it: this node ends its
			      work */
};

struct partition_facts {
	enum partition_state state;   /* on this node */
	char owner[NODE_NAME_BYTES];  /* "" = no owner yet */
	char wanted[NODE_NAME_BYTES]; /* the node that should own it; "" = no
					 node can */
	uint64_t epoch;               /* epoch of the owner; 0 = no owner yet */
	uint64_t applied; /* number of the last log entry that is stored here */
	uint64_t last;    /* number of the last known entry of the log */
	bool is_locked;   /* this node lacks the encryption key of the
			     replica (nodes.encryption_key_file) */
};

/*
 * Return how far a replica is behind, as a difference of sequence numbers of
 * the stream. All partitions share these numbers, so the result is at least the
 * number of missing entries. No side effects.
 */
uint64_t partition_lag(enum partition_state state, uint64_t applied,
		       uint64_t last);

struct node_facts {
	char name[NODE_NAME_BYTES];
	char address[NODE_ADDRESS_BYTES]; /* address for direct connections; ""
					     = none */
	char version[32];
	uint32_t capacity;
	uint32_t owned;     /* number of partitions that it owns */
	uint32_t copies;    /* number of its complete replicas, with the
			       owned partitions */
	uint64_t lag;       /* sum of partition_lag() over its partitions */
	uint64_t silent_ms; /* time since it last wrote its row */
	int64_t clock_ms; /* how far its clock is ahead of the servers' clock */
	bool is_self;
	bool is_draining;
	/*
	 * Id of the key with which it encrypts
	 * (daemon/nodes/encryption_keys.h), or "".
	 */
	char key[ENCRYPTION_KEY_ID_BYTES];
	bool has_strange_key; /* the local node does not have that key */
	/*
	 * Number of owned partitions whose snapshots may be encrypted with an
	 * old key of this node; 0 if the node has only one key.
	 */
	uint32_t reseals;
};

/* A node without a lease that is expected to return (nodes.rebalance_delay). */
struct missing_node_facts {
	char name[NODE_NAME_BYTES];
	uint32_t capacity;
	uint64_t silent_ms; /* time since it last wrote its row */
};

enum { MISSING_NODES_SHOWN = 32 };

struct cluster_facts {
	char name[NODE_NAME_BYTES]; /* name of this node */
	bool has_joined;   /* the node has reached the broker since its start */
	bool is_connected; /* to the broker */
	bool has_lease;    /* without a lease it commits and fetches nothing */
	uint64_t failovers; /* partitions that this node adopted from failed
			       nodes */
	uint64_t moves;     /* partitions that this node transferred to or
			       adopted from living nodes */
	uint64_t appends;   /* transactions appended to the log */
	uint64_t append_us; /* total duration of all appends */
	uint64_t append_bytes;
	uint64_t jobs;        /* jobs that this node has done */
	uint64_t divergences; /* replicas of this node that differed from the
				 owner's */
	unsigned locked;      /* number of partitions with is_locked */
	char trouble[NODE_TROUBLE_BYTES]; /* why this node has no lease, or
					     "" */
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

/* Write the current state of the node group to *facts_out. Any thread. */
void nodes_facts(struct node_group *group, struct cluster_facts *facts_out);

/*
 * Return the partition of a host (host[:port], as in struct url). No side
 * effects.
 */
unsigned nodes_partition_of(struct slice host);

/* Where a request about a partition can be executed. */
struct partition_route {
	bool is_own;  /* by this node, which owns it and has a lease */
	bool is_copy; /* by this node, which has a complete replica without
			 owning it, or without a lease: responses may be
			 outdated */
	char owner[NODE_NAME_BYTES];      /* by this other node; "" = no
					     other node owns it */
	char address[NODE_ADDRESS_BYTES]; /* of the owner; "" = none */
	uint64_t epoch;
	uint64_t last; /* number of the last known entry of its log */
};

void nodes_find_route(struct node_group *group, unsigned partition,
		      struct partition_route *out);

/*
 * Send a request to the owner of the partition or, if `node` is not NULL, to
 * that node, and append the response to `answer`. Errors as of
 * broker_ops.ask(). ERR_STOPPED: the partition has another owner by now, or the
 * node has left; the request may have been executed. Until the node has reached
 * the broker for the first time, the error is ERR_NOT_FOUND or ERR_NETWORK.
 */
enum error nodes_request(struct node_group *group, unsigned partition,
			 const char *node, struct slice question,
			 uint32_t timeout_ms, struct buffer *answer);

/*
 * Handle requests of other nodes with `answerer`. NULL = reject them; when the
 * call returns, no handler runs.
 */
typedef void nodes_request_handler(void *context, struct slice question,
				   struct buffer *answer);
void nodes_set_request_handler(struct node_group *group,
			       nodes_request_handler *answerer, void *context);

/*
 * A job: a request of a user that the owner of the partition executes later,
 * see docs/howto/nodes.md.
 */
struct import_job {
	unsigned partition;
	const char *verb;  /* last token of its subject, tpl.job.<P>.<verb> */
	const char *id;    /* the broker ignores a job whose id it got in the
			      last two minutes */
	struct slice data; /* JSON */
	bool has_secret;   /* encrypt the job before the broker gets it */
	bool is_known;     /* out: the broker ignored the job because of its
			      id */
};

/* A job with the verb seed. Several such jobs can be executed together. */
struct import_site {
	struct slice data; /* JSON */
	struct job_mark mark;
	struct buffer
		why; /* out: why the job was skipped, one human-readable line */
};

/*
 * The functions that execute the jobs of the partitions that this node owns.
 *
 * `run` executes one job and appends the reason of an error to `why`, as one
 * human-readable line. ERR_BUSY: try again later; any other error is final.
 *
 * `seed` executes the first of these [count] jobs, as many as fit, in one
 * transaction, which also stores the mark of the last one. It returns how many
 * jobs it executed. 0 = the first job must be executed with `run`, or the hash
 * of the stored mark is not `before`.
 */
struct import_job_runner {
	enum error (*run)(void *context, unsigned partition, struct slice data,
			  struct buffer *why);
	size_t (*seed)(void *context, unsigned partition,
		       struct import_site *jobs, size_t count, uint64_t before);
};

/*
 * Set the functions that execute jobs; NULL = execute none, and return when no
 * function runs. The struct must exist until then.
 */
void nodes_set_job_runner(struct node_group *group,
			  const struct import_job_runner *worker,
			  void *context);

/*
 * Append jobs [count] to the stream BROKER_JOBS. ERR_NONE: all are stored.
 * ERR_NO_ENCRYPTION_KEY: a job has a secret, and nodes.encryption_key_file is
 * not set; none was appended. After any other error some may be stored; submit
 * all again.
 */
enum error import_jobs_submit(struct node_group *group, struct import_job *jobs,
			      size_t count);

/*
 * If `drains` is true, release all partitions of this node and accept no
 * others; if it is false, accept partitions again. The setting is stored and
 * survives a restart.
 */
void nodes_drain(struct node_group *group, bool drains);

/*
 * Delete the row of a node that will not return, so that other nodes get its
 * replicas without waiting for nodes.rebalance_delay. ERR_NOT_FOUND; ERR_BUSY:
 * the node has a lease.
 */
enum error nodes_remove(struct node_group *group, const char *node);

/*
 * The size of each partition in a store. Also for a store that was made without
 * a node group; its site numbers do not contain the partition.
 */

struct partition_size {
	uint64_t sites;
	uint64_t pages;
	uint64_t rows;  /* number of rows in all tables */
	uint64_t bytes; /* size of their keys and values */
};

struct partition_sizes {
	struct partition_size items[JOURNAL_PARTITIONS];
	/*
	 * Number of sites whose number does not contain the partition of their
	 * host; these are all sites of a store without partitions.
	 */
	uint64_t strange_sites;
};

/* Read the whole store in one read transaction. ERR_CORRUPT, ERR_IO. */
enum error partition_sizes_read(struct store *store,
				struct partition_sizes *sizes_out);

#endif
