#include "daemon/nodes/cluster_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/sealed_job.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/thread.h"
#include "store/partitions.h"

enum {
	PACK_LEVEL = -5, /* bodies are compressed already */
	SUM_ENTRIES = 1000,
	DEPOT_CONNECT_MS = 10 * 1000,
	DEPOT_STALL_S = 30,
	JOBS_AT_ONCE = 64,
	LOOK_AGAIN_MS = 1000, /* between reads of the end of a log */
};

bool has_lease(const struct cluster *cluster)
{
	assert(lock_is_held(&cluster->lock));
	return clock_lease_ms() < cluster->lease_until_ms;
}

void log_subject_of(unsigned partition, char out[BUS_SUBJECT_BYTES])
{
	snprintf(out, BUS_SUBJECT_BYTES, "tpl.log.%03u", partition);
}

void question_subject_of(unsigned partition, char out[BUS_SUBJECT_BYTES])
{
	snprintf(out, BUS_SUBJECT_BYTES, "tpl.q.%03u", partition);
}

void partition_key(unsigned partition, char out[BUS_KEY_BYTES])
{
	snprintf(out, BUS_KEY_BYTES, "p.%03u", partition);
}

void wake_copying(struct cluster *cluster)
{
	assert(lock_is_held(&cluster->lock));
	cluster->is_news = true;
	condition_signal(&cluster->has_news);
}

void wake_tending(struct cluster *cluster)
{
	assert(lock_is_held(&cluster->lock));
	cluster->is_work = true;
	condition_signal(&cluster->has_work);
}

static const char drains_name[] = "node.drains"; /* 1 = this node is draining */

/*
 * Read the id of this store, unique among all stores and created once; and
 * whether the node is drained.
 */
static void read_id(struct cluster *cluster)
{
	static const char name[] = "node.id";
	struct txn txn = txn_begin_write(cluster->store);
	uint64_t id = store_last_number(&txn, name);

	if (id == 0) {
		uint64_t seed[2] = {clock_read_us(CLOCK_REALTIME),
				    clock_read_us(CLOCK_MONOTONIC)};

		id = hash64(seed, sizeof(seed),
			    hash64(cluster->options.bus.name,
				   strlen(cluster->options.bus.name), 0)) |
		     1;
		txn_put(&txn, TABLE_META, slice_of(name),
			(struct slice){&id, sizeof(id)});
	}
	cluster->is_draining = store_last_number(&txn, drains_name) != 0;
	txn_end(&txn);
	snprintf(cluster->id, sizeof(cluster->id), "%016" PRIx64, id);
}

/* Read the partitions that the store holds from an earlier run. */
static void read_places(struct cluster *cluster)
{
	struct txn txn = txn_begin_read(cluster->store);

	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		struct partition *partition = &cluster->partitions[i];
		struct journal_place place;

		if (!journal_place_get(&txn, i, &place))
			continue;
		partition->applied = place.number;
		partition->applied_hash = place.hash;
		partition->read_epoch = place.epoch;
		partition->is_whole = place.is_whole != 0;
		partition->state = partition->is_whole ? PARTITION_FOLLOWED
						       : PARTITION_COPYING;
	}
	txn_end(&txn);
}

/* A hint: "tpl.hint.log" or "tpl.hint.jobs", with a partition and a number. */
struct hint {
	uint64_t number;
	uint16_t partition;
};

void hint_write(struct cluster *cluster, unsigned partition, uint64_t number)
{
	struct hint hint = {0};

	hint.number = number;
	hint.partition = (uint16_t)partition;
	cluster->ops->tell(cluster->bus, "tpl.hint.log",
			   (struct slice){&hint, sizeof(hint)});
}

void owners_changed(struct cluster *cluster)
{
	const struct hint hint = {0};

	cluster->ops->tell(cluster->bus, "tpl.hint.owners",
			   (struct slice){&hint, sizeof(hint)});
}

/*
 * Schedule an early read of the end of the log: an entry came with a number
 * that we have passed. The hint may be late, or the log continues with other
 * numbers. Call with the lock held.
 */
static void look_soon(struct cluster *cluster, struct partition *partition)
{
	if (partition->state != PARTITION_FOLLOWED ||
	    clock_steady_ms() < partition->looked_ms + LOOK_AGAIN_MS)
		return;
	partition->looked_ms = 0;
	wake_copying(cluster);
}

void take_hint(void *context, const char *subject, struct slice data)
{
	struct cluster *cluster = context;
	struct partition *partition;
	struct hint hint;

	if (data.size != sizeof(hint))
		return;
	memcpy(&hint, data.data, sizeof(hint));
	if (hint.partition >= ALL_PARTITIONS)
		return;
	partition = &cluster->partitions[hint.partition];
	lock_acquire(&cluster->lock);
	if (strcmp(subject, "tpl.hint.jobs") == 0) {
		partition->job_ms = 0;
		partition->has_jobs = true;
		condition_signal(&cluster->has_jobs);
	} else if (strcmp(subject, "tpl.hint.owners") == 0) {
		cluster->looks = true;
		condition_signal(&cluster->ends);
	} else if (hint.number > partition->last) {
		partition->last = hint.number;
		wake_copying(cluster);
	} else if (hint.number < partition->applied) {
		look_soon(cluster, partition);
	}
	lock_release(&cluster->lock);
}

static enum error open_depot(struct cluster *cluster)
{
	const struct cluster_options *options = &cluster->options;
	const struct depot_options depot = {
		.location = options->snapshots,
		.key_file = options->snapshots_key,
		.ca_file = options->bus.ca_file,
		.spool_folder = options->spool_folder,
		.connect_timeout_ms = DEPOT_CONNECT_MS,
		.stall_timeout_s = DEPOT_STALL_S,
	};

	return *options->snapshots == '\0'
		       ? ERR_NONE
		       : depot_open(&cluster->depot, &depot);
}

enum error cluster_open(struct cluster **cluster_out, struct store *store,
			const struct cluster_options *options)
{
	struct cluster *cluster = mem_alloc(1, sizeof(*cluster));
	enum error error;

	cluster->options = *options;
	cluster->sightings.lease_ms = options->bus.lease_ms;
	cluster->store = store;
	cluster->log =
		(struct commit_log){cluster_append, cluster_settle, cluster};
	cluster->packer = packer_create(slice_of(""), PACK_LEVEL);
	lock_init(&cluster->lock, LOCK_CLUSTER);
	condition_init(&cluster->has_news);
	condition_init(&cluster->has_work);
	condition_init(&cluster->ends);
	condition_init(&cluster->is_quiet);
	condition_init(&cluster->has_jobs);
	if (cluster->options.sum_entries == 0)
		cluster->options.sum_entries = SUM_ENTRIES;
	cluster->ops = bus_load(options->bus.servers);
	error = cluster->ops == NULL ? ERR_IO : open_depot(cluster);
	if (error == ERR_NONE) {
		read_id(cluster);
		read_places(cluster);
		error = join_at_start(cluster);
	}
	if (error != ERR_NONE) {
		cluster_close(cluster);
		return error;
	}
	*cluster_out = cluster;
	return ERR_NONE;
}

const struct commit_log *cluster_log(const struct cluster *cluster)
{
	return &cluster->log;
}

static bool start_workers(struct cluster *cluster)
{
	for (unsigned i = 0; i < JOB_THREADS; i++)
		if (!thread_start(&cluster->workers[i], NULL, jobs_main,
				  cluster))
			return false;
	return true;
}

enum error cluster_run(struct cluster *cluster, struct engine *engine,
		       struct pipeline *pipeline)
{
	cluster->engine = engine;
	cluster->pipeline = pipeline;
	if (!thread_start(&cluster->copying, NULL, copying_main, cluster))
		return ERR_IO;
	if (!thread_start(&cluster->tending, NULL, tending_main, cluster) ||
	    !thread_start(&cluster->membership, NULL, membership_main,
			  cluster) ||
	    !start_workers(cluster)) {
		/* a daemon without these threads cannot continue */
		log_error("cannot continue without the threads of the node");
		abort();
	}
	cluster->is_running = true;
	return ERR_NONE;
}

void cluster_stop(struct cluster *cluster)
{
	if (cluster == NULL || !cluster->is_running)
		return;
	lock_acquire(&cluster->lock);
	cluster->is_ending = true;
	wake_copying(cluster);
	wake_tending(cluster);
	condition_signal(&cluster->ends);
	condition_broadcast(&cluster->has_jobs);
	lock_release(&cluster->lock);
	for (unsigned i = 0; i < JOB_THREADS; i++)
		pthread_join(cluster->workers[i], NULL);
	pthread_join(cluster->tending, NULL);
	pthread_join(cluster->copying, NULL);
	pthread_join(cluster->membership, NULL);
	/*
	 * all fetches have ended: another node may take the partitions
	 * immediately
	 */
	membership_leave(cluster);
	cluster->is_running = false;
}

static void close_buses(struct cluster *cluster)
{
	if (cluster->bus != NULL)
		cluster->ops->close(cluster->bus);
	for (size_t i = 0; i < cluster->closed_count; i++)
		cluster->ops->close(cluster->closed[i]);
}

void cluster_close(struct cluster *cluster)
{
	if (cluster == NULL)
		return;
	assert(!cluster->is_running);
	if (cluster->ops != NULL)
		close_buses(cluster);
	free(cluster->closed);
	packer_destroy(cluster->packer);
	condition_destroy(&cluster->has_jobs);
	condition_destroy(&cluster->is_quiet);
	condition_destroy(&cluster->ends);
	condition_destroy(&cluster->has_work);
	condition_destroy(&cluster->has_news);
	depot_close(cluster->depot);
	lock_destroy(&cluster->lock);
	free(cluster->members);
	sightings_free(&cluster->sightings);
	free(cluster->presences);
	free(cluster);
}

uint64_t partition_lag(enum partition_state state, uint64_t applied,
		       uint64_t last)
{
	return state != PARTITION_ELSEWHERE && last > applied ? last - applied
							      : 0;
}

void cluster_facts(struct cluster *cluster, struct cluster_facts *facts_out)
{
	lock_acquire(&cluster->lock);
	*facts_out = (struct cluster_facts){
		.has_joined = cluster->bus != NULL,
		.is_connected = cluster->is_connected,
		.has_lease = has_lease(cluster),
		.failovers = cluster->failovers,
		.moves = cluster->moves,
		.divergences = cluster->divergences,
		.appends = cluster->appends,
		.append_us = cluster->append_us,
		.append_bytes = cluster->append_bytes,
		.jobs = cluster->jobs,
		.nodes = mem_alloc(cluster->member_count + 1,
				   sizeof(struct node_facts)),
		.node_count = cluster->member_count,
	};
	snprintf(facts_out->name, sizeof(facts_out->name), "%s",
		 cluster->options.bus.name);
	snprintf(facts_out->trouble, sizeof(facts_out->trouble), "%s",
		 cluster->trouble);
	for (size_t i = 0; i < cluster->member_count; i++)
		facts_out->nodes[i] = cluster->members[i].facts;
	presence_facts(cluster, facts_out);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		const struct partition *partition = &cluster->partitions[i];
		struct partition_facts *facts = &facts_out->partitions[i];

		facts->state = partition->state;
		memcpy(facts->owner, partition->owner, sizeof(facts->owner));
		memcpy(facts->wanted, partition->wanted, sizeof(facts->wanted));
		facts->epoch = partition->state == PARTITION_OWN
				       ? partition->epoch
				       : partition->row_epoch;
		facts->applied = partition->applied;
		facts->last = partition->last < partition->applied
				      ? partition->applied
				      : partition->last;
		facts->is_locked = partition->locked_until_ms != 0;
		facts_out->locked += facts->is_locked;
	}
	lock_release(&cluster->lock);
}

void cluster_find(struct cluster *cluster, unsigned partition,
		  struct whereabouts *out)
{
	const struct partition *row = &cluster->partitions[partition];

	assert(partition < ALL_PARTITIONS);
	lock_acquire(&cluster->lock);
	*out = (struct whereabouts){
		.is_own = row->state == PARTITION_OWN && has_lease(cluster),
		.is_copy = row->is_whole,
		.epoch = row->row_epoch,
		.last = row->last,
	};
	if (strcmp(row->owner, cluster->options.bus.name) != 0)
		memcpy(out->owner, row->owner, sizeof(out->owner));
	for (size_t i = 0; i < cluster->member_count; i++)
		if (strcmp(cluster->members[i].facts.name, out->owner) == 0)
			memcpy(out->address, cluster->members[i].facts.address,
			       sizeof(out->address));
	lock_release(&cluster->lock);
}

/* A request that waits for its response. */
struct asking {
	struct cluster *cluster;
	unsigned partition;
	const char *node; /* or NULL */
	uint64_t epoch;   /* epoch of the partition's row when the request was
			     sent */
};

static bool has_member(const struct cluster *cluster, const char *name)
{
	for (size_t i = 0; i < cluster->member_count; i++)
		if (strcmp(cluster->members[i].facts.name, name) == 0)
			return true;
	return false;
}

/* Return whether the node that got the request may still respond. */
static bool may_answer(const void *context)
{
	const struct asking *asking = context;
	struct cluster *cluster = asking->cluster;
	bool may;

	lock_acquire(&cluster->lock);
	may = asking->node != NULL
		      ? has_member(cluster, asking->node)
		      : cluster->partitions[asking->partition].row_epoch ==
				asking->epoch;
	may &= !cluster->is_ending;
	lock_release(&cluster->lock);
	return may;
}

/* NOLINTNEXTLINE(readability-function-size): a request has this many cases */
enum error cluster_ask(struct cluster *cluster, unsigned partition,
		       const char *node, struct slice question,
		       uint32_t timeout_ms, struct buffer *answer)
{
	struct asking asking = {cluster, partition, node, 0};
	const struct bus_patience patience = {timeout_ms, may_answer, &asking};
	char subject[BUS_SUBJECT_BYTES];
	struct bus *bus = cluster->bus;

	if (bus == NULL)
		return ERR_NOT_FOUND;
	if (node != NULL) {
		snprintf(subject, sizeof(subject), "tpl.node.%s", node);
	} else {
		question_subject_of(partition, subject);
		lock_acquire(&cluster->lock);
		asking.epoch = cluster->partitions[partition].row_epoch;
		lock_release(&cluster->lock);
	}
	return cluster->ops->ask(bus, subject, question, &patience, answer);
}

void cluster_end_call(struct cluster *cluster)
{
	lock_acquire(&cluster->lock);
	assert(cluster->calls > 0);
	if (--cluster->calls == 0)
		condition_broadcast(&cluster->is_quiet);
	lock_release(&cluster->lock);
}

void cluster_answer(void *context, struct slice question, struct buffer *answer)
{
	struct cluster *cluster = context;
	cluster_answerer *answerer;
	void *answer_context;

	lock_acquire(&cluster->lock);
	answerer = cluster->answerer;
	answer_context = cluster->answer_context;
	cluster->calls += answerer != NULL;
	lock_release(&cluster->lock);
	if (answerer == NULL)
		return;
	answerer(answer_context, question, answer);
	cluster_end_call(cluster);
}

const struct cluster_worker *cluster_begin_work(struct cluster *cluster,
						void **context_out)
{
	const struct cluster_worker *worker;

	lock_acquire(&cluster->lock);
	worker = cluster->worker;
	*context_out = cluster->worker_context;
	cluster->calls += worker != NULL;
	lock_release(&cluster->lock);
	return worker;
}

void cluster_set_answerer(struct cluster *cluster, cluster_answerer *answerer,
			  void *context)
{
	lock_acquire(&cluster->lock);
	cluster->answer_context = context;
	cluster->answerer = answerer;
	while (answerer == NULL && cluster->calls > 0)
		condition_wait(&cluster->is_quiet, &cluster->lock);
	lock_release(&cluster->lock);
}

void cluster_set_worker(struct cluster *cluster,
			const struct cluster_worker *worker, void *context)
{
	lock_acquire(&cluster->lock);
	cluster->worker_context = context;
	cluster->worker = worker;
	while (worker == NULL && cluster->calls > 0)
		condition_wait(&cluster->is_quiet, &cluster->lock);
	condition_broadcast(&cluster->has_jobs);
	lock_release(&cluster->lock);
}

size_t cluster_max_bytes(struct cluster *cluster)
{
	struct bus *bus = cluster->bus;

	return bus == NULL ? 0 : cluster->ops->max_bytes(bus);
}

/* Publish "tpl.hint.jobs" with the partition of each job. */
static void tell_of_jobs(struct cluster *cluster,
			 const struct cluster_job *jobs, size_t count)
{
	bool has_told[ALL_PARTITIONS] = {false};

	for (size_t i = 0; i < count; i++) {
		struct hint hint = {0};

		if (has_told[jobs[i].partition])
			continue;
		has_told[jobs[i].partition] = true;
		hint.partition = (uint16_t)jobs[i].partition;
		cluster->ops->tell(cluster->bus, "tpl.hint.jobs",
				   (struct slice){&hint, sizeof(hint)});
	}
}

/* A job that is sent to the broker. */
struct job_entry {
	char subject[BUS_SUBJECT_BYTES];
	char id[SECRET_NAME_BYTES]; /* id of an encrypted job */
	struct buffer sealed;
};

static struct bus_entry entry_of(const struct cluster *cluster,
				 const struct cluster_job *job,
				 struct job_entry *entry)
{
	const struct secret_keys *keys = cluster->options.secret_keys;

	*entry = (struct job_entry){0};
	snprintf(entry->subject, sizeof(entry->subject), "tpl.job.%03u.%s",
		 job->partition, job->verb);
	if (job->has_secret) {
		sealed_job_write(keys, entry->subject, job->data,
				 &entry->sealed);
		/* the plain id can be guessed from the content */
		secret_keys_name(keys, slice_of(job->id), entry->id);
	}
	return (struct bus_entry){
		.subject = entry->subject,
		.id = job->has_secret ? entry->id : job->id,
		.data = job->has_secret ? buffer_slice(&entry->sealed)
					: job->data,
		.expected = BUS_ANY,
	};
}

/*
 * Submit at most this many at a time. Their subjects may be equal: the broker
 * stores them in order.
 */
static enum error submit_some(struct cluster *cluster, struct cluster_job *jobs,
			      size_t count)
{
	struct bus_entry entries[JOBS_AT_ONCE];
	struct job_entry own[JOBS_AT_ONCE];
	enum error error;

	for (size_t i = 0; i < count; i++)
		entries[i] = entry_of(cluster, &jobs[i], &own[i]);
	error = cluster->ops->append(cluster->bus, entries, count);
	for (size_t i = 0; i < count; i++) {
		jobs[i].is_known = entries[i].is_known;
		buffer_free(&own[i].sealed);
	}
	tell_of_jobs(cluster, jobs, count);
	return error;
}

enum error cluster_submit(struct cluster *cluster, struct cluster_job *jobs,
			  size_t count)
{
	enum error error = cluster->bus == NULL ? ERR_NETWORK : ERR_NONE;

	for (size_t i = 0; i < count; i++)
		if (jobs[i].has_secret && cluster->options.secret_keys == NULL)
			return ERR_NO_KEY;
	for (size_t i = 0; i < count && error == ERR_NONE; i += JOBS_AT_ONCE) {
		size_t left = count - i;

		error = submit_some(cluster, &jobs[i],
				    left < JOBS_AT_ONCE ? left : JOBS_AT_ONCE);
	}
	return error;
}

enum error cluster_remove(struct cluster *cluster, const char *node)
{
	struct bus *bus = cluster->bus;
	char key[BUS_KEY_BYTES];
	struct bus_row row = {0};
	enum error error =
		bus == NULL ? ERR_NETWORK
			    : cluster->ops->get(bus, BUS_NODES, node, &row);

	buffer_clear(&row.value);
	if (error == ERR_NONE) {
		error = ERR_BUSY;
	} else if (error == ERR_NOT_FOUND) {
		presence_key(node, key);
		error = cluster->ops->get(bus, BUS_FACTS, key, &row);
		if (error == ERR_NONE)
			error = cluster->ops->remove(bus, BUS_FACTS, key,
						     row.revision);
	}
	buffer_free(&row.value);
	return error;
}

void cluster_drain(struct cluster *cluster, bool drains)
{
	uint64_t number = drains;
	struct txn txn = txn_begin_write(cluster->store);
	enum error error;

	txn_put(&txn, TABLE_META, slice_of(drains_name),
		(struct slice){&number, sizeof(number)});
	error = txn_end(&txn);
	if (error != ERR_NONE)
		log_error("nodes: this node %s only until its restart, because "
			  "the store cannot be written: %s",
			  drains ? "is drained" : "accepts partitions",
			  error_text(error));
	lock_acquire(&cluster->lock);
	cluster->is_draining = drains;
	lock_release(&cluster->lock);
}
