/*
 * daemon/cluster/cluster_parts.h - what the threads of a node share. Internal
 * to daemon/cluster.
 *
 * Three threads of its own: one renews the lease and looks who else is there
 * (membership.c), one has the copies and moves partitions (copying.c), one
 * saves snapshots and publishes events (tending.c). The committing thread of
 * the pipeline appends to the log (appending.c).
 */
#ifndef DAEMON_CLUSTER_CLUSTER_PARTS_H
#define DAEMON_CLUSTER_CLUSTER_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "daemon/bus/bus.h"
#include "daemon/cluster/cluster.h"
#include "daemon/cluster/cluster_node.h"
#include "daemon/cluster/depot.h"
#include "daemon/cluster/sightings.h"
#include "daemon/engine/engine.h"
#include "daemon/pipeline/pipeline.h"
#include "daemon/runtime/condition.h"
#include "store/compress.h"
#include "store/journal.h"
#include "store/log.h"

/* So many jobs are done at a time, each of another partition. */
enum { JOB_THREADS = 4 };

/* All rows of a partition, behind an entry of its log. */
struct partition_sum {
	uint64_t entry; /* its hash; 0: none yet */
	uint64_t sum;   /* journal_sum() */
	uint64_t rows;
};

/* How far the jobs of a partition are done. */
struct job_place {
	struct job_mark last; /* that is; its hash is 0: not known */
	uint64_t noted;       /* hash of the last one that the store knows of */
	unsigned unnoted;     /* so many are done that it does not know of */
	unsigned singly; /* so many seeds go one by one, as together they did
			    not */
	/* Where the last one is not found, those that are done: */
	uint64_t done;         /* up to this number */
	uint64_t done_time_ms; /* and which came before it; 0: not known */
	/* One that cannot be done now. */
	uint64_t waiting;  /* its number; 0: there is none */
	uint64_t since_ms; /* steady: since then */
};

/* A partition, as this node has it. Under the lock, but where it says so. */
struct partition {
	char owner[NODE_NAME_BYTES];  /* by its row in BUS_FACTS; "": there is
					 none */
	char wanted[NODE_NAME_BYTES]; /* who shall own it */
	enum partition_state state;   /* the copying thread changes it */
	uint32_t entries;             /* since one was summed up */
	uint64_t revision;            /* of the owner's row; 0: there is none */
	uint64_t row_epoch;           /* in that row: each that is written has a
					 higher one, whatever its revision is */
	uint64_t epoch;               /* of our ownership */

	/* The log, and how far it is here. */
	uint64_t applied;      /* number of the last entry that is here */
	uint64_t applied_hash; /* entry_hash() of it; 0: not known */
	uint64_t read_epoch;   /* the highest one that is here */
	uint64_t last;         /* the last entry that we have heard of */
	uint64_t sought;       /* hash of one that is to be read; 0: it was */
	uint64_t claim;        /* the last one we wrote: its hash; 0: none */
	uint64_t pending;      /* number of an entry whose transaction has not
				  ended; 0: there is none */
	uint64_t pending_hash;
	uint64_t behind_ms;  /* steady: since then an entry is missing that we
				have heard of; 0: none is */
	uint64_t looked_ms;  /* steady: it was read on, or compared with the
				last of its log */
	uint64_t checked_ms; /* steady: look_for_damage(); 0: not yet */
	uint64_t damaged_ms; /* steady: it is known since then that some rows
				cannot be read; 0: of none */
	uint64_t begin_ms;   /* steady: no snapshot is loaded before this */
	uint64_t locked_until_ms; /* steady: a secret in it cannot be opened,
				     and it is not read before this; 0: it is
				     read */
	/* What its copies were found to be, behind the same entry. */
	struct partition_sum own_sum;
	struct partition_sum owner_sum;

	/* What is tended. */
	uint64_t summed_ms;    /* steady: copies were compared, or our start */
	uint64_t log_bytes;    /* of the log, since the last snapshot */
	uint64_t saved_ms;     /* steady: of the last snapshot, or our start */
	uint64_t saved_bytes;  /* of it; 0: we made none yet */
	uint64_t published;    /* the last event of ours that others can read */
	struct job_place jobs; /* of the thread that does them */
	uint64_t job_ms;       /* steady: not looked for before this */

	bool wants_copy;     /* this node shall have it */
	bool is_first;       /* of those that have it whole, this node comes
				first; or none has it whole */
	bool wanted_has_it;  /* the one who shall own it has it whole */
	bool others_have_it; /* as many as shall have it have it whole */
	bool is_owner_gone;
	bool is_whole;
	bool is_dropping;    /* it is to be deleted: that has failed, or, of one
				that is whole, has to wait */
	bool is_unsure;      /* what the log has of us is not known */
	bool is_log_full;    /* it has no room for our claim */
	bool wants_snapshot; /* the log has lost what is here */
	bool sums;           /* the pending entry is to be summed up */
	bool is_resealed;    /* it was saved since it is ours: nothing in it is
				sealed but by the first of our keys */
	bool is_published_known; /* `published` was asked for */
	bool has_events;         /* there may be some to be published */
	bool is_job_known;       /* `jobs` was read */
	bool is_working;         /* a thread does its jobs */
	bool has_jobs;           /* a hint of some came */
};

/* A node, by its row in BUS_NODES. */
struct member {
	struct node_facts facts;
	uint64_t revision;
	uint64_t time_ms; /* by the server's clock, when it was written */
	bool has[ALL_PARTITIONS]; /* whole */
	bool owns[ALL_PARTITIONS];
	uint64_t last[ALL_PARTITIONS]; /* entry of the log, of those it owns */
	bool has_other_domains; /* its list of public suffixes is not ours */
};

/* A node that has said that it is there, by its row in BUS_FACTS. */
struct presence {
	char name[NODE_NAME_BYTES];
	uint32_t capacity;
	bool is_draining;
	bool is_away; /* it has no lease, and is expected back */
	uint64_t revision;
	uint64_t time_ms; /* by the server's clock, when it said so */
};

struct cluster {
	const struct bus_ops *ops;
	/* NULL while no server has answered. Another one when it is closed for
	 * good; who works with that one gets errors, so it stays till the end.
	 */
	_Atomic(struct bus *) bus;
	struct bus **closed; /* [closed_count], the membership thread's */
	size_t closed_count;
	size_t closed_capacity;
	struct cluster_options options;
	struct store *store;
	struct engine *engine;     /* set by cluster_run() */
	struct pipeline *pipeline; /* as well */
	struct commit_log log;
	struct packer *packer; /* the committing thread's */
	pthread_t membership;
	pthread_t copying;
	pthread_t tending;
	pthread_t workers[JOB_THREADS];
	bool is_running;
	bool asks_leader;    /* of entries; the copying thread's */
	struct depot *depot; /* NULL: no snapshots */
	uint64_t locked_ms;  /* steady: it was told that a key is missing */
	unsigned begun;      /* the next copy to go on with, of those that are
				made */
	uint64_t depot_ms;   /* it failed: not asked for a copy before this */
	uint64_t doubted_until_ms; /* steady: replicas' numbers are not relied
				      on before this; the copying thread's */
	uint64_t job_told_ms; /* steady: it was told that one waits; 0: not yet;
				 under the lock */
	uint64_t renumbered_ms; /* steady: it was told that entries have other
				   numbers; under the lock */
	uint64_t full_until_ms; /* steady: so long this node takes nothing, as
				   its disk is full; under the lock */
	char id[32];            /* of the store */

	struct lock lock;
	struct condition has_news; /* for the copying thread */
	struct condition has_work; /* for the tending thread */
	bool is_work;
	struct condition ends; /* for the membership thread */
	cluster_answerer *answerer;
	void *answer_context;
	const struct cluster_worker *worker;
	void *worker_context;
	unsigned calls;            /* of both that run */
	struct condition is_quiet; /* none runs any more */
	struct condition has_jobs; /* for the threads that do jobs */
	bool is_news;
	bool is_ending;
	bool is_lost;     /* the lease has ended since all was left: what was
			     ours is not, even if there is another one */
	bool has_new_bus; /* on which nobody answers yet */
	bool looks;       /* an owner has changed: look before it is time */
	bool is_draining;
	bool yields; /* others have another key for secrets: we own nothing */
	bool is_connected;
	char trouble[NODE_TROUBLE_BYTES]; /* why it is not, or "" */
	uint64_t trouble_ms;              /* steady: it was logged */
	uint64_t join_ms;                 /* steady: not tried before this */
	uint64_t joined_ms;        /* steady: the last time; 0: not yet */
	uint64_t joined_before_ms; /* and the time before */
	uint64_t answered_ms;      /* steady: the servers have answered */
	bool has_members;          /* they were looked at once */
	uint64_t lease_until_ms;   /* by clock_lease_ms(); 0: there is none */
	uint64_t revision;         /* of our row in BUS_NODES */
	int64_t clock_ms;
	uint64_t failovers;
	uint64_t moves;
	uint64_t divergences;
	uint64_t appends;
	uint64_t append_us;
	uint64_t append_bytes;
	uint64_t jobs;
	struct member *members; /* [member_count], sorted by name */
	size_t member_count;
	struct sightings sightings; /* of leases */
	struct presence *presences; /* [presence_count]; written by the
				       membership thread alone */
	size_t presence_count;
	uint64_t told_ms; /* steady: when we last said so; 0: not yet */
	struct partition partitions[ALL_PARTITIONS];
};

/* Whether our lease holds, with the lock held. */
bool has_lease(const struct cluster *cluster);

/* The subject of a partition's log. */
void log_subject_of(unsigned partition, char out[BUS_SUBJECT_BYTES]);

/* As well, of the questions to its owner. */
void question_subject_of(unsigned partition, char out[BUS_SUBJECT_BYTES]);

/* Who owns a partition, by its row, "NODE", a NUL, "EPOCH": the epoch; that of
 * a row without one is its revision. */
uint64_t owner_read(const struct bus_row *row, char name[NODE_NAME_BYTES]);

/* The row of a partition in BUS_FACTS: "p.017". */
void partition_key(unsigned partition, char out[BUS_KEY_BYTES]);

/* There is something to do for the copying thread. With the lock held. */
void wake_copying(struct cluster *cluster);

/* As well for the tending thread. */
void wake_tending(struct cluster *cluster);

/* Tell those who follow the partition of its last entry; hints may be lost. */
void hint_write(struct cluster *cluster, unsigned partition, uint64_t number);

/* An owner has changed: all look who it is. */
void owners_changed(struct cluster *cluster);

/* appending.c */
enum error cluster_append(void *context, struct txn *txn,
			  struct journal *journal);
void cluster_settle(void *context, enum error error);

/* joining.c */

/* Reach the broker, if it answers; else joining is the membership thread's.
 * Errors that no time will mend, with a line in the log. */
enum error join_at_start(struct cluster *cluster);

/* Reach it, if there is none (any more); the membership thread. */
enum error join(struct cluster *cluster);

/* What is wrong, for /v1/cluster and the log, which has the same once a minute;
 * "": nothing is. */
void set_trouble(struct cluster *cluster, enum log_level level,
		 const char *text);

/* cluster.c: a bus_listener of tpl.hint.* */
void take_hint(void *context, const char *subject, struct slice data);

/* membership.c */
void *membership_main(void *argument);

/* Our row goes: the others need not wait for the lease to end. */
void membership_leave(struct cluster *cluster);

/* presence.c: for the membership thread. The rows of BUS_FACTS say who is
 * expected, those of others are passed over. */
void presence_read(struct cluster *cluster, const struct bus_row *rows,
		   size_t count);

/* Say that we are there, when it is time, and forget who does not come back. */
void presence_tell(struct cluster *cluster);

/* How long all nodes are silent, and who is away; with the lock held, any
 * thread, behind the facts of the members. */
void presence_facts(const struct cluster *cluster, struct cluster_facts *out);

/* "n.NAME" in BUS_FACTS. */
void presence_key(const char *node, char out[BUS_KEY_BYTES]);

/* cluster.c: a bus_answerer; and what does jobs, or NULL: behind it
 * cluster_end_call(). */
void cluster_answer(void *context, struct slice question,
		    struct buffer *answer);
const struct cluster_worker *cluster_begin_work(struct cluster *cluster,
						void **context_out);
void cluster_end_call(struct cluster *cluster);

/* copying.c */
void *copying_main(void *argument);

/* tending.c */
void *tending_main(void *argument);

/* jobs.c */
void *jobs_main(void *argument);

/* damage.c: after ERR_CORRUPT, look whether rows of the partition cannot be
 * read; if so the copying thread mends it. Reads all of them, once a minute at
 * most. */
void look_for_damage(struct cluster *cluster, unsigned number);

/* sums.c: the rows of the partition, as the store has them now, which is behind
 * the entry with this hash; or that they are damaged. For the thread that wrote
 * it, before it writes more. */
void sum_up(struct cluster *cluster, unsigned partition, uint64_t entry);

/* Compare what is known; a copy that differs is made anew. The copying thread.
 */
bool sums_differ(struct cluster *cluster, unsigned partition);

/* "s.017" in BUS_FACTS: what the owner has found. */
void sum_key(unsigned partition, char out[BUS_KEY_BYTES]);
bool sum_read(struct slice text, struct partition_sum *sum_out);

/* following.c: read what is new of the partition's log into the store, a
 * bounded piece; *more_out: there may be more. ERR_NOT_FOUND: entries that are
 * missing here are no longer in the log. */
enum error follow(struct cluster *cluster, unsigned number, bool *more_out);

/* Replicas may number entries each in its own way: for some minutes the leader
 * alone is asked. False: it is already. The copying thread. */
bool doubt_numbers(struct cluster *cluster);

/* Where the last entry that is here stands in the log. */
enum place {
	PLACE_SAME,    /* where it did, or that is not known */
	PLACE_OTHER,   /* under another number, which we know now */
	PLACE_NONE,    /* nowhere near: it was purged, or lost */
	PLACE_UNKNOWN, /* the broker does not say */
};

/* By the leader: servers of 2.9 that were killed may number entries anew. */
enum place find_place(struct cluster *cluster, unsigned number);

/* The last entry of a log; zeros: it has none. */
struct log_end {
	uint64_t number;
	uint64_t hash;  /* entry_hash() */
	uint64_t epoch; /* UINT64_MAX: no node of ours has written it */
};

/* By the leader. */
enum error last_of_log(struct cluster *cluster, unsigned number,
		       struct log_end *end_out);

/* The entry that is the last one here has this number. */
void renumber(struct cluster *cluster, unsigned number, uint64_t to);

/* Log that it has, once a minute at most. */
void tell_renumbered(struct cluster *cluster, unsigned number, uint64_t from,
		     uint64_t to);

#endif
