/*
 * daemon/nodes/nodes_internal.h - lifecycle and shared state of a node in the
 * node group. The node is opened before the engine, which commits through its
 * log, and stopped after the pipeline.
 *
 * A node has three threads. The membership thread renews the lease and watches
 * the other nodes (membership.c). The copying thread follows the logs, and
 * adopts and leaves partitions (log_apply.c, ownership.c, resync.c). The
 * tending thread saves snapshots and publishes events (snapshot_publisher.c).
 * In addition, JOB_THREADS threads execute jobs (import_jobs.c), and the
 * committer thread of the pipeline appends to the logs (log_append.c).
 */
#ifndef DAEMON_NODES_NODES_INTERNAL_H
#define DAEMON_NODES_NODES_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/compress.h"
#include "base/error.h"
#include "base/log.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/pipeline.h"
#include "daemon/nodes/broker.h"
#include "daemon/nodes/encryption_keys.h"
#include "daemon/nodes/nodes.h"
#include "daemon/nodes/snapshot_store.h"
#include "daemon/runtime/lock.h"
#include "store/journal.h"
#include "store/store.h"

/*
 * The failure detector: when the leases of nodes were renewed, by the steady
 * clock of this machine.
 *
 * The servers expire leases by their clocks, which an operator may set. After a
 * step forward all leases expire together although the nodes run; after a step
 * back no lease expires although a node has failed. These functions do not
 * lock.
 */

struct failure_detector_item {
	char name[NODE_NAME_BYTES];
	uint64_t revision;
	uint64_t seen_ms;   /* time when the lease appeared or was renewed */
	uint64_t looked_ms; /* time when the lease was last listed */
	uint64_t silent_ms; /* total time in which the lease was observed and
			       not renewed */
};

struct failure_detector {
	uint64_t lease_ms;
	uint64_t since_ms;  /* start of the current time of observations
			       without a gap */
	uint64_t looked_ms; /* last observation */
	struct failure_detector_item *items; /* [count]; free() */
	size_t count;
	size_t capacity;
};

/* Note all current leases. The key of a row is the name of its node. */
void failure_detector_note(struct failure_detector *sightings,
			   const struct broker_row *rows, size_t count,
			   uint64_t now_ms);

/*
 * Return whether the lease in `row` was not renewed for two lease durations
 * while this node observed it. Then the node of the row has failed.
 */
bool failure_detector_is_silent(const struct failure_detector *sightings,
				const struct broker_row *row);

/*
 * Return whether the lease of a node, which has no row any longer, has also
 * expired by the local clock: its last renewal was at least one lease duration
 * ago, and this node has observed the leases without a gap since.
 */
bool failure_detector_has_expired(const struct failure_detector *sightings,
				  const char *name, uint64_t now_ms);

struct nodes_options {
	struct broker_options bus;
	const char *address;  /* address of this node for direct connections,
				 or "" */
	const char *version;  /* version of this program */
	uint32_t capacity;    /* weight of this node: its share of the
				 partitions; >= 1 */
	uint64_t patience_ms; /* a missing node keeps its replicas for this
				 time, which must be the same on all nodes; 0
				 = it keeps none */
	/*
	 * The keys for secrets that nodes exchange (nodes.encryption_key_file);
	 * NULL = do not encrypt them. The store uses the same keys as its
	 * cipher.
	 */
	const struct encryption_keys *secret_keys;
	unsigned copies;       /* replicas of a partition, with the one of the
				  owner: 1 to 3 */
	const char *snapshots; /* location of a snapshot store, or "" */
	const char *snapshots_key; /* path of the key file of the snapshot
				      store, or "" */
	const char *spool_folder;  /* folder for snapshots before they are
				      sent */
	uint64_t snapshot_bytes;   /* size of a log that triggers a snapshot */
	uint32_t sum_entries; /* log entries between comparisons of replicas;
				 0 = 1000 */
};

/*
 * Connect to the broker. If it does not respond, return ERR_NONE; the node
 * connects later, when it runs. The strings in `options` and the store must
 * outlive the node group; the store must have partitions. Other errors are
 * logged, and are the same as of broker_ops.open(), or ERR_IO: the module of
 * the broker is not installed.
 */
enum error nodes_open(struct node_group **group_out, struct store *store,
		      const struct nodes_options *options);

/* Return the log for engine_options. */
const struct commit_log *nodes_log(const struct node_group *group);

/* Start to own and follow partitions. ERR_IO: the threads cannot be created. */
enum error nodes_run(struct node_group *group, struct engine *engine,
		     struct pipeline *pipeline);

/*
 * Stop the threads and release the lease, so that other nodes need not wait
 * until it expires. Call while the pipeline still runs.
 */
void nodes_stop(struct node_group *group);

/* Free the node group; NULL is a no-op. Call after the engine is closed. */
void nodes_close(struct node_group *group);

/* Number of threads that execute jobs, each for another partition. */
enum { JOB_THREADS = 4 };

/*
 * Subjects of the messages to a partition or a node, and keys of rows in
 * BROKER_FACTS.
 */
#define LOG_SUBJECT   "tpl.log.%03u"
#define JOBS_SUBJECT  "tpl.job.%03u.%s"
#define OWNER_SUBJECT "tpl.q.%03u"  /* requests to the owner of a partition */
#define NODE_SUBJECT  "tpl.node.%s" /* requests to a node */
#define OWNER_KEY     "p.%03u"
#define SUM_KEY       "s.%03u" /* the sum computed by the owner */
#define HEARTBEAT_KEY "n.%s"

/*
 * Subjects of hints: the log of a partition has a new entry, a partition has
 * new jobs, the owner of a partition has changed. Hints may be lost.
 */
#define LOG_HINT    "tpl.hint.log"
#define JOBS_HINT   "tpl.hint.jobs"
#define OWNERS_HINT "tpl.hint.owners"

/*
 * Check the end of each log, and search for jobs, this often: hints may be lost
 * and the servers may renumber entries.
 */
enum { LOOK_MS = 60000 };

/* Wakes a thread of the node. The lock of the node group guards it. */
struct node_wake {
	struct condition condition;
	bool is_set;
};

/* The sum of all rows of a partition after a certain entry of its log. */
struct partition_sum {
	uint64_t entry; /* hash of the entry; 0 = no sum yet */
	uint64_t sum;   /* journal_sum() */
	uint64_t rows;
};

/* The progress of the jobs of a partition. */
struct import_job_progress {
	struct job_mark last; /* the last executed job; hash 0 = unknown */
	uint64_t noted;   /* hash of the last job whose execution is stored */
	unsigned unnoted; /* number of jobs executed since then */
	unsigned singly;  /* number of seeds to execute one by one, because a
			     group of seeds failed */
	/*
	 * If the last executed job is not found in the stream, jobs count as
	 * executed if both hold:
	 */
	uint64_t done;         /* their number is at most this one */
	uint64_t done_time_ms; /* they are older than this; 0 = any age */
	/* The job that cannot be executed now. */
	uint64_t waiting;  /* its number; 0 = none */
	uint64_t since_ms; /* when it began to wait */
};

/*
 * A partition on this node. The lock guards all fields unless stated otherwise.
 * Times are of the steady clock; 0 = none.
 */
struct partition {
	char owner[NODE_NAME_BYTES];  /* owner according to its row; "" = no
					 row */
	char wanted[NODE_NAME_BYTES]; /* the node that should own it */
	enum partition_state state;   /* written by the copying thread */
	uint32_t entries;             /* entries of the log since the last
					 comparison of replicas */
	uint64_t revision;  /* revision of the owner's row; 0 = no row */
	uint64_t row_epoch; /* epoch in the owner's row; a newer row has a
			       higher epoch, whatever its revision is */
	uint64_t epoch;     /* epoch of this node's ownership */

	/* The log of the partition, and which part of it is applied here. */
	uint64_t applied;      /* number of the last applied entry */
	uint64_t applied_hash; /* log_entry_hash() of it; 0 = unknown */
	uint64_t read_epoch;   /* highest epoch that was applied */
	uint64_t last;         /* number of the last known entry */
	uint64_t sought;       /* hash of an entry that must still be read; 0 =
				  none */
	uint64_t claim;   /* hash of the last claim that this node appended;
			     0 = none */
	uint64_t pending; /* number of the entry whose transaction is open; 0
			     = none */
	uint64_t pending_hash;
	uint64_t behind_ms;  /* time since which a known entry is missing
				here */
	uint64_t looked_ms;  /* time when the log was read or its end was
				checked */
	uint64_t checked_ms; /* last replica_check_partition() */
	uint64_t damaged_ms; /* time since which some rows are unreadable */
	uint64_t begin_ms;   /* load no snapshot before this time */
	uint64_t locked_until_ms; /* an encryption key is missing: do not
				     read the log before this time */
	/*
	 * Sums of this replica and of the owner's. They are comparable if they
	 * belong to the same entry.
	 */
	struct partition_sum own_sum;
	struct partition_sum owner_sum;

	/* Fields of the tending thread. */
	uint64_t summed_ms;   /* time of the last comparison of replicas, or
				 since which this node owns it */
	uint64_t log_bytes;   /* size of the log since the last snapshot */
	uint64_t saved_ms;    /* time of the last snapshot, or since which
				 this node owns it */
	uint64_t saved_bytes; /* size of the last snapshot of this node; 0 =
				 none yet */
	uint64_t published;   /* number of the last event that is published to
				 the stream */
	struct import_job_progress
		jobs;    /* written by the thread that executes the jobs */
	uint64_t job_ms; /* search for no jobs before this time */

	bool wants_copy;    /* this node should have a replica */
	bool is_first;      /* no node with a complete replica ranks before this
			       node */
	bool wanted_has_it; /* the wanted owner has a complete replica */
	bool others_have_it; /* all other nodes that should have a replica
				have a complete one */
	bool is_owner_gone;
	bool is_whole;
	bool is_dropping; /* the replica must be deleted; the deletion has
			     failed, or has to wait until another node has a
			     complete replica */
	bool is_unsure;   /* it is unknown whether the log has the last entry
			     of this node */
	bool is_log_full; /* the log has no space for the claim of this node */
	bool wants_snapshot; /* the servers have lost entries of the log, so
				save a snapshot */
	bool sums;           /* compare replicas after the pending entry */
	bool is_resealed;    /* a snapshot was saved since this node owns the
				partition, so that all of it is encrypted with
				the first key */
	bool is_published_known; /* `published` was read from the broker */
	bool has_events;         /* there may be events to publish */
	bool is_job_known;       /* `jobs` was read from the store */
	bool is_working;         /* a thread executes its jobs */
	bool has_jobs;           /* a hint about new jobs came */
};

/* A node, from its row in BROKER_NODES. */
struct node_state {
	struct node_facts facts;
	uint64_t revision;
	uint64_t time_ms;         /* server clock: when the row was written */
	bool has[ALL_PARTITIONS]; /* it has a complete replica of the
				     partition */
	bool owns[ALL_PARTITIONS];
	uint64_t last[ALL_PARTITIONS]; /* for its own partitions: the last
					  entry of the log */
	bool has_other_domains; /* its list of public suffixes differs from
				   the local one */
};

/* An expected node, from its row in BROKER_FACTS. */
struct node_heartbeat {
	char name[NODE_NAME_BYTES];
	uint32_t capacity;
	bool is_draining;
	bool is_away; /* it has no lease and is expected to return */
	uint64_t revision;
	uint64_t time_ms; /* server clock: when the row was written */
};

struct node_group {
	const struct broker_ops *ops;
	/*
	 * The connection to the broker; NULL until a server has responded. The
	 * membership thread replaces a connection that is closed permanently.
	 * Other threads that still use the old one get errors, so nodes_close()
	 * frees it.
	 */
	_Atomic(struct broker *) bus;
	struct broker **closed; /* old connections [closed_count]; only the
				   membership thread uses them */
	size_t closed_count;
	size_t closed_capacity;
	struct nodes_options options;
	struct store *store;
	struct engine *engine;     /* set by nodes_run() */
	struct pipeline *pipeline; /* set by nodes_run() */
	struct commit_log log;
	struct packer *packer; /* used by the committer thread */
	pthread_t membership;
	pthread_t copying;
	pthread_t tending;
	pthread_t workers[JOB_THREADS];
	bool is_running;
	char id[32];                  /* id of the store */
	struct snapshot_store *depot; /* NULL = no snapshots */

	/* Used by the copying thread; times of the steady clock. */
	bool asks_leader;   /* read entries only from the leader */
	uint64_t locked_ms; /* when a missing key was logged */
	unsigned begun; /* number of the incomplete replica to continue next */
	uint64_t depot_ms; /* do not use the snapshot store before this time */
	uint64_t doubted_until_ms; /* read entries only from the leader until
				      this time */

	/*
	 * The lock guards the following fields. Times are of the steady clock
	 * unless stated otherwise.
	 */
	struct lock lock;
	uint64_t job_told_ms;   /* when a waiting job was logged */
	uint64_t renumbered_ms; /* when changed entry numbers were logged */
	uint64_t full_until_ms; /* the disk is full: adopt nothing before
				   this time */
	struct node_wake wake_copying;
	struct node_wake wake_tending;
	struct node_wake wake_membership;
	nodes_request_handler *answerer;
	void *answer_context;
	const struct import_job_runner *worker;
	void *worker_context;
	unsigned calls; /* number of running calls of `answerer` and `worker` */
	struct condition is_quiet; /* no call runs */
	struct condition has_jobs; /* wakes the threads that execute jobs */
	bool is_ending;
	bool is_lost; /* the lease has expired since the last leave_all(), so
			 that this node has lost its partitions even if it
			 has a new lease */
	bool has_new_bus; /* the connection is new: no handlers are
			     registered on it yet */
	bool is_draining;
	bool yields; /* other nodes use an encryption key that this node does
			not have, so it owns nothing */
	bool is_connected;
	char trouble[NODE_TROUBLE_BYTES]; /* why the node has no lease, or "" */
	uint64_t trouble_ms;              /* time when it was logged */
	uint64_t join_ms;                 /* do not connect before this time */
	uint64_t joined_ms;               /* last connection; 0 = none */
	uint64_t joined_before_ms;        /* the connection before the last
					     one; 0 = none */
	uint64_t answered_ms;             /* last response of the servers */
	bool has_members;        /* the nodes were read at least once */
	uint64_t lease_until_ms; /* by clock_lease_ms(); 0 = no lease */
	uint64_t revision;       /* of this node's row in BROKER_NODES */
	int64_t clock_ms;
	_Atomic uint64_t failovers;
	_Atomic uint64_t moves;
	_Atomic uint64_t divergences;
	_Atomic uint64_t jobs;
	uint64_t appends;
	uint64_t append_us;
	uint64_t append_bytes;
	struct node_state *members; /* [member_count], sorted by name */
	size_t member_count;
	struct failure_detector sightings; /* of leases */
	struct node_heartbeat *presences;  /* [presence_count], written by the
					      membership thread */
	size_t presence_count;
	uint64_t told_ms; /* time when the row of this node was written; 0 =
			     not yet */
	struct partition partitions[ALL_PARTITIONS];
};

/* nodes.c */

/* With the lock held: return whether this node's lease is valid. */
bool nodes_have_lease(const struct node_group *group);

/* With the lock held: wake the thread. */
void node_wake_set(struct node_wake *wake);

/*
 * Wait until `wake` is set or `pause_ms` is over, and reset `wake`. Return
 * false if the node stops.
 */
bool node_wake_wait(struct node_group *group, struct node_wake *wake,
		    uint64_t pause_ms);

/*
 * Return whether a problem is due to be logged, which is at most once a minute,
 * and note the time in *reminded_ms; 0 there = it was not logged yet.
 */
bool reminder_is_due(uint64_t *reminded_ms);

/* With the lock held: return the node with this name, or NULL. */
struct node_state *node_state_find(struct node_group *group, const char *name);

void node_hint_publish(struct node_group *group, const char *subject,
		       unsigned partition, uint64_t number);

/*
 * Connect to the broker if there is no connection. For the membership thread.
 */
enum error nodes_connect(struct node_group *group);

/*
 * Set the current problem, which /v1/nodes shows, and log it at most once a
 * minute; "" = no problem.
 */
void nodes_set_problem(struct node_group *group, enum log_level level,
		       const char *text);

/*
 * The broker_request_handler of the node: call the function of
 * nodes_set_request_handler().
 */
void nodes_handle_request(void *context, struct slice question,
			  struct buffer *answer);

/*
 * Return the functions that execute jobs, or NULL. If they are not NULL, call
 * nodes_end_call() after the last use.
 */
const struct import_job_runner *nodes_begin_job(struct node_group *group,
						void **context_out);
void nodes_end_call(struct node_group *group);

/* membership.c */

void *membership_main(void *argument);

/*
 * Delete the row of this node, so that other nodes need not wait until its
 * lease expires.
 */
void membership_leave(struct node_group *group);

/*
 * With the lock held: complete `out`, whose nodes are filled in already: set
 * silent_ms of each node, and add the missing nodes.
 */
void heartbeat_facts(const struct node_group *group, struct cluster_facts *out);

/*
 * Read the row of an owner, which is "NODE", a NUL, "EPOCH": copy the node into
 * `name` and return the epoch; 0 if the row has none.
 */
uint64_t owner_read(const struct broker_row *row, char name[NODE_NAME_BYTES]);

/* log_append.c: a commit_log. */
enum error log_append(void *context, struct txn *txn, struct journal *journal);
void log_append_settle(void *context, enum error error);

/* snapshot_publisher.c, import_jobs.c */

void *snapshot_publisher_main(void *argument);
void *import_jobs_main(void *argument);

/*
 * A job with secrets, such as a site with request headers, is stored at the
 * broker as a mark and the encrypted job. Other jobs are plain JSON.
 */

/* Append the job to `out`, encrypted for this subject. `keys` is not NULL. */
void import_job_encrypt(const struct encryption_keys *keys, const char *subject,
			struct slice job, struct buffer *out);

/*
 * Append the decrypted job to `out`. ERR_NO_ENCRYPTION_KEY; ERR_CORRUPT: the
 * bytes were changed, or belong to another subject.
 */
enum error import_job_decrypt(const struct encryption_keys *keys,
			      const char *subject, struct slice bytes,
			      struct buffer *out);

/*
 * The copying thread. Call the following functions only in this thread, unless
 * their comment says "Any thread", and never with the lock held.
 */

/* log_apply.c */

void *log_apply_main(void *argument);

void partition_set_state(struct node_group *group, unsigned number,
			 enum partition_state state);

/* Return a copy of the partition. Any thread. */
struct partition partition_copy_state(struct node_group *group,
				      unsigned number);

/* Return *field, a number of a partition, read under the lock. Any thread. */
uint64_t partition_read_number(struct node_group *group, const uint64_t *field);

bool nodes_hold_lease(struct node_group *group);

/*
 * Read entries only from the leader for some minutes, because replicas may
 * number them differently. Return false if this is already the case.
 */
bool log_apply_doubt_numbers(struct node_group *group);

/* Where the log has the entry that was applied here last. */
enum log_position {
	LOG_POSITION_SAME,    /* at the known number; or its hash is unknown */
	LOG_POSITION_OTHER,   /* at another number, which was noted */
	LOG_POSITION_NONE,    /* not nearby: it was purged or lost */
	LOG_POSITION_UNKNOWN, /* the broker does not respond */
};

/*
 * Search for the last applied entry in the log of the leader: servers of
 * version 2.9 that were killed may renumber entries.
 */
enum log_position log_apply_find_position(struct node_group *group,
					  unsigned number);

/* The last entry of a log; all fields are 0 if the log is empty. */
struct log_end {
	uint64_t number;
	uint64_t hash;  /* log_entry_hash() */
	uint64_t epoch; /* UINT64_MAX = no node wrote the entry */
};

/* Read the last entry of the log from the leader. Any thread. */
enum error log_read_last(struct node_group *group, unsigned number,
			 struct log_end *end_out);

/* Log that an entry changed its number, at most once a minute. Any thread. */
void log_apply_log_renumbered(struct node_group *group, unsigned number,
			      uint64_t from, uint64_t to);

/*
 * Apply the log to its end; *end_out is its last entry. ERR_NOT_FOUND: the log
 * does not contain the last applied entry any longer. ERR_BUSY: try again.
 */
enum error log_apply_read_to_end(struct node_group *group, unsigned number,
				 struct log_end *end_out);

/*
 * Return whether `end` is the entry that was applied last; if the hash of that
 * is unknown, compare the numbers.
 */
bool log_apply_ends_with(struct node_group *group, unsigned number,
			 const struct log_end *end);

/* ownership.c */

/* Return whether this node should own the partition and can adopt it. */
bool ownership_should_adopt(const struct node_group *group,
			    const struct partition *partition);

/*
 * Write this node into the owner's row, if no other node was faster, and adopt
 * the partition.
 */
void ownership_adopt(struct node_group *group, unsigned number);

/* Do the next step for a partition that this node owns. */
void ownership_turn(struct node_group *group, unsigned number,
		    const struct partition *partition);

/*
 * ownership_leave(): leave a partition that another node owns or may own. From
 * then on this node fetches and commits nothing for it and handles no requests.
 * After an error the state is PARTITION_LEAVING; ownership_retry_leave() tries
 * again.
 */
enum error ownership_leave(struct node_group *group, unsigned number);
void ownership_retry_leave(struct node_group *group, unsigned number,
			   const struct partition *partition);

/*
 * Write a node with a complete replica into the owner's row: the row names this
 * node, but its data is unusable.
 */
void ownership_renounce(struct node_group *group, unsigned number);

/* Start or stop handling requests about the partition. */
void ownership_serve_requests(struct node_group *group, unsigned number,
			      bool answers);

/* resync.c */

/*
 * Start a replica with the newest snapshot, if there is one. A complete log
 * does not replace the snapshot: data from before the node group (templatectl
 * partition migrate) has number 0 and is in no log. Return false if the
 * snapshot store does not respond now.
 */
bool resync_begin(struct node_group *group, unsigned number);

/* Decide how to continue after reading the log has failed with `error`. */
void resync_repair(struct node_group *group, unsigned number, enum error error);

/*
 * Delete all data of the replica. If that fails, nothing else is done with it
 * before the deletion.
 */
void resync_drop(struct node_group *group, unsigned number);

/*
 * If the rows of the partition are damaged, let a node with a complete replica
 * own it, and then delete the data here; or continue such a deletion. Return
 * false if the data must be kept.
 */
bool resync_replace_damaged(struct node_group *group, unsigned number,
			    const struct partition *partition);

/*
 * Delete a replica that differs from the owner's, immediately or as soon as
 * that is safe.
 */
void resync_replace_differing(struct node_group *group, unsigned number);

/* Return whether this error makes a replica unusable for now. */
bool resync_error_is_fatal(enum error error);

/*
 * Note that the disk is full: this node adopts no partitions and transfers its
 * own.
 */
void resync_note_full_disk(struct node_group *group, enum error error);

/*
 * Write the name of another node with a complete replica into `name`. Return
 * false if no node has one.
 */
bool resync_find_complete(struct node_group *group, unsigned number,
			  char name[NODE_NAME_BYTES]);

/* Call replica_check_partition() for all partitions that this node owns. */
void replica_check_all(struct node_group *group);

/*
 * Return whether rows are damaged, and other nodes have had time to report
 * whether their replicas are damaged, too.
 */
bool replica_check_is_reported(const struct node_group *group,
			       const struct partition *partition);

/*
 * Compare the sum of this replica with the owner's. Return whether they differ,
 * so that this replica must be copied again.
 */
bool replica_check_differs(struct node_group *group, unsigned partition);

/*
 * Any thread: after ERR_CORRUPT, check whether rows of the partition are
 * unreadable; if some are, the copying thread repairs it. Reads all rows, at
 * most once a minute.
 */
void replica_check_partition(struct node_group *group, unsigned number);

/*
 * Compute the sum of the rows of the partition, as the store has them after the
 * entry with the hash `entry`; or note that rows are damaged. Call in the
 * thread that wrote the entry, before it writes more.
 */
void replica_check_sum(struct node_group *group, unsigned partition,
		       uint64_t entry);

bool replica_check_read(struct slice text, struct partition_sum *sum_out);

#endif
