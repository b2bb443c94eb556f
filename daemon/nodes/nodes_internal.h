/*
 * daemon/nodes/nodes_internal.h - lifecycle and shared state of a node in the
 * node group. It is opened before the engine, which commits through its log,
 * and stopped after the pipeline.
 *
 * A node has three threads: one renews the lease and watches the other nodes
 * (membership.c), one follows the logs and moves partitions (log_apply.c,
 * ownership.c, resync.c), one saves snapshots and publishes events
 * (snapshot_publisher.c). The pipeline's committer thread appends to the log
 * (log_append.c), and some threads execute jobs (import_jobs.c).
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
 * When the leases of nodes were renewed, by our own steady clock.
 *
 * The servers expire leases by their clocks, which an operator may set. After a
 * step forward all leases expire together although the nodes live; after a step
 * back no lease expires although a node has failed. These functions do not
 * lock.
 */

struct failure_detector_item {
	char name[NODE_NAME_BYTES];
	uint64_t revision;
	uint64_t seen_ms;   /* when it appeared or was renewed */
	uint64_t looked_ms; /* when it was last seen */
	uint64_t silent_ms; /* observed time without a renewal */
};

struct failure_detector {
	uint64_t lease_ms;
	uint64_t since_ms;  /* start of the current observation without a gap */
	uint64_t looked_ms; /* last observation */
	struct failure_detector_item *items; /* [count]; free() */
	size_t count;
	size_t capacity;
};

/* Note all current leases: the key is the node's name. */
void failure_detector_note(struct failure_detector *sightings,
			   const struct broker_row *rows, size_t count,
			   uint64_t now_ms);

/*
 * Return whether this existing lease was not renewed for two lease durations
 * while we observed it: its node has failed long ago.
 */
bool failure_detector_is_silent(const struct failure_detector *sightings,
				const struct broker_row *row);

/*
 * Return whether the lease of a node, which has no row, has expired by our
 * clock too: its last renewal is one lease ago, and we have observed without a
 * gap since.
 */
bool failure_detector_has_expired(const struct failure_detector *sightings,
				  const char *name, uint64_t now_ms);

struct nodes_options {
	struct broker_options bus;
	const char *address;  /* for direct connections, or "" */
	const char *version;  /* of this program */
	uint32_t capacity;    /* weight: its share of the partitions; >= 1 */
	uint64_t patience_ms; /* a missing node keeps its replicas for this
				 time; the same on all nodes; 0 = it does not */
	/* Encrypt secrets between nodes, as the store's cipher; or NULL. */
	const struct encryption_keys *secret_keys;
	unsigned copies; /* replicas of a partition with the owner's: 1 to 3 */
	const char *snapshots;     /* location of a snapshot store, or "" */
	const char *snapshots_key; /* path of its key file, or "" */
	const char *spool_folder;  /* for snapshots before they are sent */
	uint64_t snapshot_bytes;   /* size of a log that triggers a snapshot */
	uint32_t sum_entries; /* between comparisons of replicas; 0 = 1000 */
};

/*
 * Connect to the broker if it responds; otherwise retry when the node runs. The
 * texts of the options and the store must outlive the result; the store has
 * partitions. Errors as of broker_ops.open() except ERR_NETWORK, with a line in
 * the log. ERR_IO: the broker's module is not installed.
 */
enum error nodes_open(struct node_group **group_out, struct store *store,
		      const struct nodes_options *options);

/* Return the log for engine_options. */
const struct commit_log *nodes_log(const struct node_group *group);

/* Start to own and follow partitions. ERR_IO: cannot create the threads. */
enum error nodes_run(struct node_group *group, struct engine *engine,
		     struct pipeline *pipeline);

/*
 * Release the lease so that other nodes need not wait until it expires, and
 * stop the threads. Call while the pipeline still runs.
 */
void nodes_stop(struct node_group *group);

/* Call after the engine is closed. NULL is a no-op. */
void nodes_close(struct node_group *group);

/* Number of jobs executed at the same time, each of another partition. */
enum { JOB_THREADS = 4 };

/* Subjects of a partition or a node, and keys of rows in BROKER_FACTS. */
#define LOG_SUBJECT   "tpl.log.%03u"
#define JOBS_SUBJECT  "tpl.job.%03u.%s"
#define OWNER_SUBJECT "tpl.q.%03u"  /* requests to a partition's owner */
#define NODE_SUBJECT  "tpl.node.%s" /* requests to a node */
#define OWNER_KEY     "p.%03u"
#define SUM_KEY       "s.%03u" /* the owner's sum */
#define HEARTBEAT_KEY "n.%s"

/*
 * Hints about the last entry of a partition's log, about new jobs of a
 * partition, and that an owner has changed. Hints may be lost.
 */
#define LOG_HINT    "tpl.hint.log"
#define JOBS_HINT   "tpl.hint.jobs"
#define OWNERS_HINT "tpl.hint.owners"

/*
 * Check the end of a log, and search jobs, this often: hints may be lost and
 * numbers may change.
 */
enum { LOOK_MS = 60000 };

/* Wakes a thread of the node. The lock of the node group guards it. */
struct node_wake {
	struct condition condition;
	bool is_set;
};

/* The sum of all rows of a partition after an entry of its log. */
struct partition_sum {
	uint64_t entry; /* hash of the entry; 0 = no sum yet */
	uint64_t sum;   /* journal_sum() */
	uint64_t rows;
};

/* The progress of a partition's jobs. */
struct import_job_progress {
	struct job_mark last; /* the last executed job; hash 0 = unknown */
	uint64_t noted;   /* hash of the last job that the store has noted */
	unsigned unnoted; /* number of jobs executed since then */
	unsigned singly; /* seeds to execute one by one, after a failed group */
	/* If the last job is not found, these jobs are done: */
	uint64_t done;         /* all up to this number */
	uint64_t done_time_ms; /* and all older than this; 0 = unknown */
	/* A job that cannot be executed now. */
	uint64_t waiting;  /* its number; 0 = none */
	uint64_t since_ms; /* when it began to wait */
};

/*
 * A partition on this node. The lock protects all fields unless stated. Times
 * are of the steady clock; 0 = none.
 */
struct partition {
	char owner[NODE_NAME_BYTES];  /* from its row; "" = no row */
	char wanted[NODE_NAME_BYTES]; /* the node that should own it */
	enum partition_state state;   /* written by the copying thread */
	uint32_t entries;             /* entries since the last sum */
	uint64_t revision;            /* of the owner's row; 0 = no row */
	uint64_t row_epoch; /* epoch in that row: every new row has a higher
			       one, whatever its revision is */
	uint64_t epoch;     /* of our ownership */

	/* The log and how much of it is applied here. */
	uint64_t applied;      /* number of the last applied entry */
	uint64_t applied_hash; /* log_entry_hash() of it; 0 = unknown */
	uint64_t read_epoch;   /* highest epoch that was applied */
	uint64_t last;         /* number of the last known entry */
	uint64_t sought;  /* hash of an entry to be read; 0 = it was read */
	uint64_t claim;   /* hash of our last claim; 0 = none */
	uint64_t pending; /* entry whose transaction is open; 0 = none */
	uint64_t pending_hash;
	uint64_t behind_ms;  /* since when a known entry is missing here */
	uint64_t looked_ms;  /* the log was read, or its last entry compared */
	uint64_t checked_ms; /* last replica_check_partition() */
	uint64_t damaged_ms; /* since when some rows are unreadable */
	uint64_t begin_ms;   /* load no snapshot before this time */
	uint64_t locked_until_ms; /* no key: do not read before this time */
	/* The sums of its replicas after the same entry. */
	struct partition_sum own_sum;
	struct partition_sum owner_sum;

	/* State of the tending thread. */
	uint64_t summed_ms;   /* replicas were compared, or our start */
	uint64_t log_bytes;   /* size of the log since the last snapshot */
	uint64_t saved_ms;    /* time of the last snapshot, or our start */
	uint64_t saved_bytes; /* size of our last snapshot; 0 = none yet */
	uint64_t published; /* the last event that is published to the stream */
	struct import_job_progress
		jobs;    /* written by the thread that executes the jobs */
	uint64_t job_ms; /* search no jobs before this time */

	bool wants_copy; /* this node should have a replica */
	bool is_first;   /* this node is the first of the nodes with a complete
			    replica, or no node has one */
	bool wanted_has_it;  /* the wanted owner has a complete replica */
	bool others_have_it; /* all other holders have a complete replica */
	bool is_owner_gone;
	bool is_whole;
	bool is_dropping; /* to be deleted: the deletion failed, or a complete
			     replica must be kept for now */
	bool is_unsure;   /* it is unknown whether the log holds our entry */
	bool is_log_full; /* the log has no space for our claim */
	bool wants_snapshot; /* the log lost the applied entry */
	bool sums;           /* sum up the rows after the pending entry */
	bool is_resealed; /* saved since we own it: everything in the snapshot
			     is encrypted with our first key */
	bool is_published_known; /* `published` was read */
	bool has_events;         /* there may be events to publish */
	bool is_job_known;       /* `jobs` was read */
	bool is_working;         /* a thread executes its jobs */
	bool has_jobs;           /* a hint about new jobs came */
};

/* A node, from its row in BROKER_NODES. */
struct node_state {
	struct node_facts facts;
	uint64_t revision;
	uint64_t time_ms;         /* server clock: when the row was written */
	bool has[ALL_PARTITIONS]; /* complete */
	bool owns[ALL_PARTITIONS];
	uint64_t last[ALL_PARTITIONS]; /* last log entries of its own */
	bool has_other_domains; /* its list of public suffixes is another */
};

/* A node that has sent a heartbeat, from its row in BROKER_FACTS. */
struct node_heartbeat {
	char name[NODE_NAME_BYTES];
	uint32_t capacity;
	bool is_draining;
	bool is_away; /* it has no lease and is expected to return */
	uint64_t revision;
	uint64_t time_ms; /* server clock: time of the heartbeat */
};

struct node_group {
	const struct broker_ops *ops;
	/*
	 * NULL until a server has responded. A bus that is closed permanently
	 * is replaced; threads that still use the old one get errors, so it is
	 * freed at the end.
	 */
	_Atomic(struct broker *) bus;
	struct broker *
		*closed; /* [closed_count], owned by the membership thread */
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
	bool asks_leader;   /* read entries from the leader */
	uint64_t locked_ms; /* a missing key was logged */
	unsigned begun; /* index of the next unfinished replica to continue */
	uint64_t depot_ms; /* do not use the snapshot store before this */
	uint64_t doubted_until_ms; /* read only from the leader before */

	/* Guards the following; times of the steady clock unless stated. */
	struct lock lock;
	uint64_t job_told_ms;   /* a waiting job was logged */
	uint64_t renumbered_ms; /* changed entry numbers were logged */
	uint64_t full_until_ms; /* disk is full: adopt nothing before */
	struct node_wake wake_copying;
	struct node_wake wake_tending;
	struct node_wake wake_membership;
	nodes_request_handler *answerer;
	void *answer_context;
	const struct import_job_runner *worker;
	void *worker_context;
	unsigned calls; /* number of running calls of both handlers */
	struct condition is_quiet; /* no call runs */
	struct condition has_jobs; /* wakes the threads that execute jobs */
	bool is_ending;
	bool is_lost; /* the lease has expired since all partitions were left:
			 our ownership is lost even if there is a new lease */
	bool has_new_bus; /* no handlers are set on it yet */
	bool is_draining;
	bool yields; /* other nodes have another encryption key: own nothing */
	bool is_connected;
	char trouble[NODE_TROUBLE_BYTES]; /* why the node has no lease, or "" */
	uint64_t trouble_ms;              /* when it was logged */
	uint64_t join_ms;                 /* do not connect before this time */
	uint64_t joined_ms;               /* last connection; 0 = none */
	uint64_t joined_before_ms;        /* the connection before that */
	uint64_t answered_ms;             /* last response of the servers */
	bool has_members;        /* the nodes were read at least once */
	uint64_t lease_until_ms; /* by clock_lease_ms(); 0 = no lease */
	uint64_t revision;       /* of our row in BROKER_NODES */
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
	struct node_heartbeat *presences; /* [presence_count], of that thread */
	size_t presence_count;
	uint64_t told_ms; /* our last heartbeat; 0 = none yet */
	struct partition partitions[ALL_PARTITIONS];
};

/* nodes.c */

/* With the lock held: return whether our lease is valid. */
bool nodes_have_lease(const struct node_group *group);

/* With the lock held: wake the thread. */
void node_wake_set(struct node_wake *wake);

/*
 * Wait until it is set or the time is over, and reset it; return false if the
 * node stops.
 */
bool node_wake_wait(struct node_group *group, struct node_wake *wake,
		    uint64_t pause_ms);

/*
 * Return whether to log a problem again, at most once a minute, and note the
 * time; 0 = it was not logged yet.
 */
bool reminder_is_due(uint64_t *reminded_ms);

/* With the lock held: return the node, or NULL. */
struct node_state *node_state_find(struct node_group *group, const char *name);

void node_hint_publish(struct node_group *group, const char *subject,
		       unsigned partition, uint64_t number);

/* Connect if there is no connection. For the membership thread. */
enum error nodes_connect(struct node_group *group);

/*
 * Set the current problem for /v1/nodes, and log it at most once a minute; ""
 * = no problem.
 */
void nodes_set_problem(struct node_group *group, enum log_level level,
		       const char *text);

/* A broker_request_handler. */
void nodes_handle_request(void *context, struct slice question,
			  struct buffer *answer);

/*
 * Return the functions that execute jobs, or NULL: call nodes_end_call()
 * afterwards.
 */
const struct import_job_runner *nodes_begin_job(struct node_group *group,
						void **context_out);
void nodes_end_call(struct node_group *group);

/* membership.c */

void *membership_main(void *argument);

/* Delete our row, so that other nodes need not wait until the lease expires. */
void membership_leave(struct node_group *group);

/*
 * With the lock held: fill in the silent time of each node and the missing
 * nodes, after the facts of the members.
 */
void heartbeat_facts(const struct node_group *group, struct cluster_facts *out);

/*
 * Read the owner of a partition from its row, "NODE", a NUL, "EPOCH". Return
 * the epoch; 0 if the row has none.
 */
uint64_t owner_read(const struct broker_row *row, char name[NODE_NAME_BYTES]);

/* log_append.c: a commit_log. */
enum error log_append(void *context, struct txn *txn, struct journal *journal);
void log_append_settle(void *context, enum error error);

/* snapshot_publisher.c, import_jobs.c */

void *snapshot_publisher_main(void *argument);
void *import_jobs_main(void *argument);

/*
 * The broker stores a job with secrets, such as a site with headers, as a mark
 * and the encrypted job. Other jobs are plain JSON.
 */

/* Append the job, encrypted for this subject. `keys` is not NULL. */
void import_job_encrypt(const struct encryption_keys *keys, const char *subject,
			struct slice job, struct buffer *out);

/*
 * Append the decrypted job. ERR_NO_ENCRYPTION_KEY; ERR_CORRUPT: it was changed,
 * or belongs to another subject.
 */
enum error import_job_decrypt(const struct encryption_keys *keys,
			      const char *subject, struct slice bytes,
			      struct buffer *out);

/*
 * The copying thread. Call the following functions only in this thread, unless
 * stated, and never with the lock held.
 */

/* log_apply.c */

void *log_apply_main(void *argument);

void partition_set_state(struct node_group *group, unsigned number,
			 enum partition_state state);

/* Return a copy of the partition's state. Any thread. */
struct partition partition_copy_state(struct node_group *group,
				      unsigned number);

/* Read one number of a partition under the lock. Any thread. */
uint64_t partition_read_number(struct node_group *group, const uint64_t *field);

bool nodes_hold_lease(struct node_group *group);

/*
 * Read from the leader only, for some minutes: replicas may number entries
 * differently. Return false if this is already the case.
 */
bool log_apply_doubt_numbers(struct node_group *group);

/* Where the log has the last entry that is applied here. */
enum log_position {
	LOG_POSITION_SAME,    /* at its number, or unknown */
	LOG_POSITION_OTHER,   /* at another number, which is known now */
	LOG_POSITION_NONE,    /* not nearby: it was purged or lost */
	LOG_POSITION_UNKNOWN, /* the broker does not respond */
};

/* Ask the leader: servers that were killed may renumber entries (2.9). */
enum log_position log_apply_find_position(struct node_group *group,
					  unsigned number);

/* The last entry of a log; all 0 = empty log. */
struct log_end {
	uint64_t number;
	uint64_t hash;  /* log_entry_hash() */
	uint64_t epoch; /* UINT64_MAX: not written by a node */
};

/* Read the last entry from the leader. Any thread. */
enum error log_read_last(struct node_group *group, unsigned number,
			 struct log_end *end_out);

/* Log the new number, at most once a minute. Any thread. */
void log_apply_log_renumbered(struct node_group *group, unsigned number,
			      uint64_t from, uint64_t to);

/*
 * Read the log to its end; *end_out is its last entry. ERR_NOT_FOUND: the log
 * ends with another entry than the applied one, or was started again.
 */
enum error log_apply_read_to_end(struct node_group *group, unsigned number,
				 struct log_end *end_out);

/*
 * Return whether the last applied entry is this one, or, if its hash is
 * unknown, has this number.
 */
bool log_apply_ends_with(struct node_group *group, unsigned number,
			 const struct log_end *end);

/* ownership.c */

/* Return whether this node should own the partition and can adopt it. */
bool ownership_should_adopt(const struct node_group *group,
			    const struct partition *partition);

/* Write us into the row, and adopt the partition if no other node did. */
void ownership_adopt(struct node_group *group, unsigned number);

/* One turn of a partition that we own. */
void ownership_turn(struct node_group *group, unsigned number,
		    const struct partition *partition);

/*
 * Leave a partition that another node owns or may own: from now on fetch,
 * commit and answer nothing for it. After an error, retry_leave() it.
 */
enum error ownership_leave(struct node_group *group, unsigned number);
void ownership_retry_leave(struct node_group *group, unsigned number,
			   const struct partition *partition);

/*
 * Name a node with a complete replica as owner: our data is unusable, but the
 * row names us.
 */
void ownership_renounce(struct node_group *group, unsigned number);

/* Start or stop handling requests about the partition. */
void ownership_serve_requests(struct node_group *group, unsigned number,
			      bool answers);

/* resync.c */

/*
 * Start a replica with the newest snapshot, if there is one, even if the log is
 * complete: data from before the node group (templatectl partition migrate) has
 * number 0 and is in no log. Return false if the snapshot store does not
 * respond now.
 */
bool resync_begin(struct node_group *group, unsigned number);

/* Decide how to continue after the log could not be read. */
void resync_repair(struct node_group *group, unsigned number, enum error error);

/* Delete all data of the replica before anything else happens with it. */
void resync_drop(struct node_group *group, unsigned number);

/*
 * Give a damaged partition to a node with a complete replica, and delete the
 * data here once that node owns it; or continue a deletion. Return false if the
 * data must be kept.
 */
bool resync_replace_damaged(struct node_group *group, unsigned number,
			    const struct partition *partition);

/* Delete a replica that differs from the owner's, now or as soon as allowed. */
void resync_replace_differing(struct node_group *group, unsigned number);

/* Return whether this error makes a replica unusable for now. */
bool resync_error_is_fatal(enum error error);

/* Note a full disk: this node adopts no partitions and gives away its own. */
void resync_note_full_disk(struct node_group *group, enum error error);

/* Find another node with a complete replica; false if no node has one. */
bool resync_find_complete(struct node_group *group, unsigned number,
			  char name[NODE_NAME_BYTES]);

/* Check all partitions that we own, as replica_check_partition(). */
void replica_check_all(struct node_group *group);

/*
 * Return whether rows are damaged and other nodes have had time to report their
 * own damage.
 */
bool replica_check_is_reported(const struct node_group *group,
			       const struct partition *partition);

/*
 * Compare the known sums; return whether this replica differs and must be
 * copied again.
 */
bool replica_check_differs(struct node_group *group, unsigned partition);

/*
 * Any thread: after ERR_CORRUPT, check whether rows of the partition are
 * unreadable; if so, the copying thread repairs it. Reads all rows, at most
 * once a minute.
 */
void replica_check_partition(struct node_group *group, unsigned number);

/*
 * Sum up the rows of the partition as the store has them now, after the entry
 * with this hash, or note that they are damaged. Call in the thread that wrote
 * the entry, before it writes more.
 */
void replica_check_sum(struct node_group *group, unsigned partition,
		       uint64_t entry);

bool replica_check_read(struct slice text, struct partition_sum *sum_out);

#endif
