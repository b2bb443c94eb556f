/*
 * daemon/cluster/cluster.h - this node in its cluster: which partitions are its
 * own, which it follows, and who has the others.
 *
 * A partition is the sites of one 256th of all registrable domains, for ever
 * (daemon/cluster/placement.h). One node owns it, as long as it renews its
 * lease; `replicas` - 1 others follow its log (store/journal.h). The owner
 * alone fetches, commits and tells; who follows can answer what it has.
 */
#ifndef DAEMON_CLUSTER_CLUSTER_H
#define DAEMON_CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/cluster/secret_keys.h"
#include "store/buffer.h"
#include "store/error.h"
#include "store/partitions.h"
#include "store/slice.h"

struct cluster;

enum {
	PARTITIONS = 256,
	/* What concerns all sites: hooks and silences. Every node follows it.
	 */
	PARTITION_COMMON = PARTITIONS,
	ALL_PARTITIONS,
	NODE_NAME_BYTES = 64,     /* with NUL: letters, digits, '-', '_' */
	NODE_ADDRESS_BYTES = 256, /* "https://host:port", or "" */
	NODE_TROUBLE_BYTES = 512
};

enum partition_state {
	PARTITION_ELSEWHERE, /* nothing of it is here */
	PARTITION_COPYING,   /* a snapshot and the log behind it are read */
	PARTITION_FOLLOWED,
	PARTITION_TAKEN, /* it is to be ours: the log is read to its end */
	PARTITION_OWN,
	PARTITION_LEFT, /* it is to be another's: what is under way ends */
};

struct partition_facts {
	enum partition_state state;   /* here */
	char owner[NODE_NAME_BYTES];  /* "": nobody yet */
	char wanted[NODE_NAME_BYTES]; /* who shall own it; "": nobody can */
	uint64_t epoch;               /* of the owner's lease; 0: none yet */
	uint64_t applied; /* number of the last entry of its log that is here */
	uint64_t last;    /* as far as is known, the last one there is */
	bool is_locked; /* its copy here waits for a key of cluster.secret_file
			 */
};

/* How far a copy is behind: in numbers of the stream, which all partitions
 * share, so that it is at least the entries that it lacks. Pure. */
uint64_t partition_lag(enum partition_state state, uint64_t applied,
		       uint64_t last);

struct node_facts {
	char name[NODE_NAME_BYTES];
	char address[NODE_ADDRESS_BYTES]; /* for direct connections */
	char version[32];
	uint32_t capacity;
	uint32_t owned;     /* partitions */
	uint32_t copies;    /* partitions that it has whole, its own too */
	uint64_t lag;       /* partition_lag() of all of these */
	uint64_t silent_ms; /* since it was heard of */
	int64_t clock_ms;   /* ahead of the servers */
	bool is_self;
	bool is_draining;
	/* What seals its secrets: see daemon/cluster/secret_keys.h; or "" */
	char key[SECRET_KEY_ID_BYTES];
	bool has_strange_key; /* which is not here */
	/* Of its own partitions, those whose snapshots may be sealed by another
	 * of its keys; 0 when it has one key alone. */
	uint32_t reseals;
};

/* A node without a lease that is expected back (cluster.patience). */
struct away_facts {
	char name[NODE_NAME_BYTES];
	uint32_t capacity;
	uint64_t silent_ms; /* since it last said that it is there */
};

enum { AWAY_SHOWN = 32 };

struct cluster_facts {
	char name[NODE_NAME_BYTES]; /* this node's */
	bool has_joined;    /* it has reached the broker since it started */
	bool is_connected;  /* to the broker */
	bool has_lease;     /* without it nothing is committed or fetched */
	uint64_t failovers; /* partitions taken from nodes that are gone */
	uint64_t moves;     /* partitions handed over or taken over */
	uint64_t appends;   /* transactions that went to the log */
	uint64_t append_us; /* for all of them */
	uint64_t append_bytes;
	uint64_t jobs;                    /* that were done here */
	uint64_t divergences;             /* copies that were found to differ */
	unsigned locked;                  /* partitions that are so */
	char trouble[NODE_TROUBLE_BYTES]; /* why there is no lease, for people;
					     or "" */
	struct node_facts *nodes; /* [node_count], sorted by name; free() */
	size_t node_count;
	size_t away_count; /* AWAY_SHOWN at most */
	struct away_facts away[AWAY_SHOWN];
	struct partition_facts partitions[ALL_PARTITIONS];
};

/* Bytes that a question, an answer or a job may have; 0 while there is nobody
 * to ask. */
size_t cluster_max_bytes(struct cluster *cluster);

/* What is known now; any thread. */
void cluster_facts(struct cluster *cluster, struct cluster_facts *facts_out);

/* The partition of a host (host[:port], as in struct url). Pure. */
unsigned cluster_partition(struct slice host);

/* Where questions about a partition go. */
struct whereabouts {
	bool is_own;  /* here, with a lease */
	bool is_copy; /* here, as a follower, or as an owner without a lease: an
			 answer may be old */
	char owner[NODE_NAME_BYTES];      /* another node; "": nobody */
	char address[NODE_ADDRESS_BYTES]; /* of it; "": no direct connections */
	uint64_t epoch;
	uint64_t last; /* entry of its log, as far as is known here */
};

void cluster_find(struct cluster *cluster, unsigned partition,
		  struct whereabouts *out);

/*
 * Until the broker is reached for the first time there is nobody to ask: what
 * asks it is ERR_NOT_FOUND (cluster_ask()) or ERR_NETWORK.
 *
 * Ask the owner of the partition (subject tpl.q.<P>) or, with `node`, that node
 * (tpl.node.<NAME>). As bus_ops.ask(); ERR_STOPPED: the partition has another
 * owner by now, or the node is gone, and what was asked for may have been done.
 */
enum error cluster_ask(struct cluster *cluster, unsigned partition,
		       const char *node, struct slice question,
		       uint32_t timeout_ms, struct buffer *answer);

/* What answers such questions of others; NULL: nothing does any more, and none
 * runs when this returns. */
typedef void cluster_answerer(void *context, struct slice question,
			      struct buffer *answer);
void cluster_set_answerer(struct cluster *cluster, cluster_answerer *answerer,
			  void *context);

/* What somebody asks for, to be done by the owner when it comes to it: see
 * docs/howto/cluster.md. */
struct cluster_job {
	unsigned partition;
	const char *verb;  /* the end of its subject, tpl.job.<P>.<verb> */
	const char *id;    /* one that was there in the last minutes is not
			      taken again */
	struct slice data; /* JSON */
	bool has_secret;   /* the broker gets it sealed */
	bool is_known;     /* out: the id was there */
};

/* A job of the verb seed, which is done with others. */
struct cluster_seed {
	struct slice data; /* JSON */
	struct job_mark mark;
	struct buffer why; /* out: it is passed over, a line for people */
};

/*
 * Who does the jobs of a partition that is ours. `run` does one: ERR_BUSY: not
 * now; any other error: never. What is wrong is appended to `why`, a line for
 * people. `seed` does the first ones of these [count] in one transaction, which
 * has the mark of the last one, too, and returns how many; 0: the first one is
 * for `run`, or it is not the hash `before` that was noted last.
 */
struct cluster_worker {
	enum error (*run)(void *context, unsigned partition, struct slice data,
			  struct buffer *why);
	size_t (*seed)(void *context, unsigned partition,
		       struct cluster_seed *jobs, size_t count,
		       uint64_t before);
};

/* As above; the worker is kept by the caller. */
void cluster_set_worker(struct cluster *cluster,
			const struct cluster_worker *worker, void *context);

/* Append jobs [count] to the stream BUS_JOBS. ERR_NONE: each is there; else
 * some may be, and all are to be sent again. ERR_NO_KEY: some have secrets, and
 * there is no cluster.secret_file; none was appended. */
enum error cluster_submit(struct cluster *cluster, struct cluster_job *jobs,
			  size_t count);

/* Have this node give all of its partitions away, or (false) take some again:
 * kept in the store, so that it is so after the next start, too. */
void cluster_drain(struct cluster *cluster, bool drains);

/*
 * Forget a node that will not come back: its copies are made elsewhere, without
 * the patience for one that is away. ERR_NOT_FOUND; ERR_BUSY: it has a lease.
 */
enum error cluster_remove(struct cluster *cluster, const char *node);

#endif
