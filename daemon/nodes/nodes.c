#include "daemon/nodes/nodes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/nodes_internal.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/thread.h"
#include "store/partitions.h"

enum {
	PACK_LEVEL = -5, /* fast, because bodies are compressed already */
	SUM_ENTRIES = 1000,
	SNAPSHOT_STORE_CONNECT_MS = 10 * 1000,
	SNAPSHOT_STORE_STALL_S = 30,
	JOBS_AT_ONCE = 64,
	LOOK_AGAIN_MS = 1000, /* between two checks of a log because of hints */
	REMIND_MS =
		60 * 1000, /* between two log lines about the same problem */
};

bool nodes_have_lease(const struct node_group *group)
{
	assert(lock_is_held(&group->lock));
	return clock_lease_ms() < group->lease_until_ms;
}

void node_wake_set(struct node_wake *wake)
{
	wake->is_set = true;
	condition_signal(&wake->condition);
}

bool node_wake_wait(struct node_group *group, struct node_wake *wake,
		    uint64_t pause_ms)
{
	uint64_t until_ms = clock_steady_ms() + pause_ms;
	bool goes_on;

	lock_acquire(&group->lock);
	while (pause_ms > 0 && !wake->is_set && !group->is_ending &&
	       condition_wait_until(&wake->condition, &group->lock, until_ms))
		;
	wake->is_set = false;
	goes_on = !group->is_ending;
	lock_release(&group->lock);
	return goes_on;
}

bool reminder_is_due(uint64_t *reminded_ms)
{
	uint64_t now_ms = clock_steady_ms();

	if (*reminded_ms != 0 && now_ms < *reminded_ms + REMIND_MS)
		return false;
	*reminded_ms = now_ms;
	return true;
}

struct node_state *node_state_find(struct node_group *group, const char *name)
{
	for (size_t i = 0; i < group->member_count; i++)
		if (strcmp(group->members[i].facts.name, name) == 0)
			return &group->members[i];
	return NULL;
}

static const char drains_name[] = "node.drains"; /* 1 = this node is draining */

/*
 * Read the id of this store, which is created once and unique among all stores,
 * and whether the node is draining.
 */
static void node_read_id(struct node_group *group)
{
	static const char name[] = "node.id";
	struct txn txn = txn_begin_write(group->store);
	uint64_t id = store_last_number(&txn, name);

	if (id == 0) {
		uint64_t seed[2] = {clock_read_us(CLOCK_REALTIME),
				    clock_read_us(CLOCK_MONOTONIC)};

		id = hash64(seed, sizeof(seed),
			    hash64(group->options.bus.name,
				   strlen(group->options.bus.name), 0)) |
		     1;
		txn_put(&txn, TABLE_META, slice_of(name),
			(struct slice){&id, sizeof(id)});
	}
	group->is_draining = store_last_number(&txn, drains_name) != 0;
	txn_end(&txn);
	snprintf(group->id, sizeof(group->id), "%016" PRIx64, id);
}

/*
 * Read from the store how much of each partition's log an earlier run has
 * applied.
 */
static void read_places(struct node_group *group)
{
	struct txn txn = txn_begin_read(group->store);

	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		struct partition *partition = &group->partitions[i];
		struct journal_position place;

		if (!journal_position_get(&txn, i, &place))
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

/* The content of a hint. */
struct node_hint {
	uint64_t number;
	uint16_t partition;
};

void node_hint_publish(struct node_group *group, const char *subject,
		       unsigned partition, uint64_t number)
{
	struct node_hint hint = {0};

	hint.number = number;
	hint.partition = (uint16_t)partition;
	group->ops->tell(group->bus, subject,
			 (struct slice){&hint, sizeof(hint)});
}

/* Handle a hint of another node; a broker_listener for tpl.hint.*. */
static void nodes_handle_hint(void *context, const char *subject,
			      struct slice data)
{
	struct node_group *group = context;
	struct partition *partition;
	struct node_hint hint;

	if (data.size != sizeof(hint))
		return;
	memcpy(&hint, data.data, sizeof(hint));
	if (hint.partition >= ALL_PARTITIONS)
		return;
	partition = &group->partitions[hint.partition];
	lock_acquire(&group->lock);
	if (strcmp(subject, JOBS_HINT) == 0) {
		partition->job_ms = 0;
		partition->has_jobs = true;
		condition_signal(&group->has_jobs);
	} else if (strcmp(subject, OWNERS_HINT) == 0) {
		node_wake_set(&group->wake_membership);
	} else if (hint.number > partition->last) {
		partition->last = hint.number;
		node_wake_set(&group->wake_copying);
	} else if (hint.number < partition->applied &&
		   partition->state == PARTITION_FOLLOWED &&
		   clock_steady_ms() >= partition->looked_ms + LOOK_AGAIN_MS) {
		/*
		 * the hint came late, or the log continues with other numbers:
		 * check the end of the log soon
		 */
		partition->looked_ms = 0;
		node_wake_set(&group->wake_copying);
	}
	lock_release(&group->lock);
}

static enum error open_depot(struct node_group *group)
{
	const struct nodes_options *options = &group->options;
	const struct snapshot_store_options depot = {
		.location = options->snapshots,
		.key_file = options->snapshots_key,
		.ca_file = options->bus.ca_file,
		.spool_folder = options->spool_folder,
		.connect_timeout_ms = SNAPSHOT_STORE_CONNECT_MS,
		.stall_timeout_s = SNAPSHOT_STORE_STALL_S,
	};

	return *options->snapshots == '\0'
		       ? ERR_NONE
		       : snapshot_store_open(&group->depot, &depot);
}

enum error nodes_open(struct node_group **group_out, struct store *store,
		      const struct nodes_options *options)
{
	struct node_group *group = mem_alloc(1, sizeof(*group));
	enum error error;

	group->options = *options;
	group->sightings.lease_ms = options->bus.lease_ms;
	group->store = store;
	group->log = (struct commit_log){log_append, log_append_settle, group};
	group->packer = packer_create(slice_of(""), PACK_LEVEL);
	lock_init(&group->lock, LOCK_NODES);
	condition_init(&group->wake_copying.condition);
	condition_init(&group->wake_tending.condition);
	condition_init(&group->wake_membership.condition);
	condition_init(&group->is_quiet);
	condition_init(&group->has_jobs);
	if (group->options.sum_entries == 0)
		group->options.sum_entries = SUM_ENTRIES;
	group->ops = broker_load(options->bus.servers);
	error = group->ops == NULL ? ERR_IO : open_depot(group);
	if (error == ERR_NONE) {
		node_read_id(group);
		read_places(group);
		error = nodes_connect(group);
	}
	if (error == ERR_NETWORK) { /* the membership thread retries */
		log_warn("nodes: waiting for the NATS servers; until then this "
			 "node fetches and changes nothing, and responses may "
			 "be outdated");
		error = ERR_NONE;
	}
	if (error != ERR_NONE) {
		nodes_close(group);
		return error;
	}
	*group_out = group;
	return ERR_NONE;
}

const struct commit_log *nodes_log(const struct node_group *group)
{
	return &group->log;
}

enum error nodes_run(struct node_group *group, struct engine *engine,
		     struct pipeline *pipeline)
{
	bool has_all;

	group->engine = engine;
	group->pipeline = pipeline;
	if (!thread_start(&group->copying, NULL, log_apply_main, group))
		return ERR_IO;
	has_all =
		thread_start(&group->tending, NULL, snapshot_publisher_main,
			     group) &&
		thread_start(&group->membership, NULL, membership_main, group);
	for (unsigned i = 0; has_all && i < JOB_THREADS; i++)
		has_all = thread_start(&group->workers[i], NULL,
				       import_jobs_main, group);
	if (!has_all) {
		/* a daemon without these threads cannot work */
		log_error("cannot continue without the threads of the node");
		abort();
	}
	group->is_running = true;
	return ERR_NONE;
}

void nodes_stop(struct node_group *group)
{
	if (group == NULL || !group->is_running)
		return;
	lock_acquire(&group->lock);
	group->is_ending = true;
	node_wake_set(&group->wake_copying);
	node_wake_set(&group->wake_tending);
	node_wake_set(&group->wake_membership);
	condition_broadcast(&group->has_jobs);
	lock_release(&group->lock);
	for (unsigned i = 0; i < JOB_THREADS; i++)
		pthread_join(group->workers[i], NULL);
	pthread_join(group->tending, NULL);
	pthread_join(group->copying, NULL);
	pthread_join(group->membership, NULL);
	/*
	 * all fetches have ended, so another node may adopt the partitions
	 * immediately
	 */
	membership_leave(group);
	group->is_running = false;
}

void nodes_close(struct node_group *group)
{
	if (group == NULL)
		return;
	assert(!group->is_running);
	if (group->ops != NULL && group->bus != NULL)
		group->ops->close(group->bus);
	for (size_t i = 0; group->ops != NULL && i < group->closed_count; i++)
		group->ops->close(group->closed[i]);
	free(group->closed);
	packer_destroy(group->packer);
	condition_destroy(&group->has_jobs);
	condition_destroy(&group->is_quiet);
	condition_destroy(&group->wake_membership.condition);
	condition_destroy(&group->wake_tending.condition);
	condition_destroy(&group->wake_copying.condition);
	snapshot_store_close(group->depot);
	lock_destroy(&group->lock);
	free(group->members);
	free(group->sightings.items);
	free(group->presences);
	free(group);
}

uint64_t partition_lag(enum partition_state state, uint64_t applied,
		       uint64_t last)
{
	return state != PARTITION_NOT_HERE && last > applied ? last - applied
							     : 0;
}

void nodes_facts(struct node_group *group, struct cluster_facts *facts_out)
{
	lock_acquire(&group->lock);
	*facts_out = (struct cluster_facts){
		.has_joined = group->bus != NULL,
		.is_connected = group->is_connected,
		.has_lease = nodes_have_lease(group),
		.failovers = group->failovers,
		.moves = group->moves,
		.divergences = group->divergences,
		.appends = group->appends,
		.append_us = group->append_us,
		.append_bytes = group->append_bytes,
		.jobs = group->jobs,
		.nodes = mem_alloc(group->member_count + 1,
				   sizeof(struct node_facts)),
		.node_count = group->member_count,
	};
	snprintf(facts_out->name, sizeof(facts_out->name), "%s",
		 group->options.bus.name);
	snprintf(facts_out->trouble, sizeof(facts_out->trouble), "%s",
		 group->trouble);
	for (size_t i = 0; i < group->member_count; i++)
		facts_out->nodes[i] = group->members[i].facts;
	heartbeat_facts(group, facts_out);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		const struct partition *partition = &group->partitions[i];
		struct partition_facts *facts = &facts_out->partitions[i];

		facts->state = partition->state;
		memcpy(facts->owner, partition->owner, sizeof(facts->owner));
		memcpy(facts->wanted, partition->wanted, sizeof(facts->wanted));
		facts->epoch = partition->state == PARTITION_OWNED
				       ? partition->epoch
				       : partition->row_epoch;
		facts->applied = partition->applied;
		facts->last = partition->last < partition->applied
				      ? partition->applied
				      : partition->last;
		facts->is_locked = partition->locked_until_ms != 0;
		facts_out->locked += facts->is_locked;
	}
	lock_release(&group->lock);
}

void nodes_find_route(struct node_group *group, unsigned partition,
		      struct partition_route *out)
{
	const struct partition *row = &group->partitions[partition];
	const struct node_state *owner;

	assert(partition < ALL_PARTITIONS);
	lock_acquire(&group->lock);
	*out = (struct partition_route){
		.is_own = row->state == PARTITION_OWNED &&
			  nodes_have_lease(group),
		.is_copy = row->is_whole,
		.epoch = row->row_epoch,
		.last = row->last,
	};
	if (strcmp(row->owner, group->options.bus.name) != 0)
		memcpy(out->owner, row->owner, sizeof(out->owner));
	owner = node_state_find(group, out->owner);
	if (owner != NULL)
		memcpy(out->address, owner->facts.address,
		       sizeof(out->address));
	lock_release(&group->lock);
}

/* A request that waits for its response. */
struct node_request {
	struct node_group *group;
	unsigned partition;
	const char *node; /* the node that gets the request; NULL = the owner
			     of the partition */
	uint64_t epoch;   /* epoch of the owner when the request was sent */
};

/* Return whether the node that got the request may still send a response. */
static bool may_answer(const void *context)
{
	const struct node_request *asking = context;
	struct node_group *group = asking->group;
	bool may;

	lock_acquire(&group->lock);
	may = asking->node != NULL
		      ? node_state_find(group, asking->node) != NULL
		      : group->partitions[asking->partition].row_epoch ==
				asking->epoch;
	may &= !group->is_ending;
	lock_release(&group->lock);
	return may;
}

/* NOLINTNEXTLINE(readability-function-size): a request has this many cases */
enum error nodes_request(struct node_group *group, unsigned partition,
			 const char *node, struct slice question,
			 uint32_t timeout_ms, struct buffer *answer)
{
	struct node_request asking = {group, partition, node, 0};
	const struct broker_wait patience = {timeout_ms, may_answer, &asking};
	struct broker_subject subject;
	struct broker *bus = group->bus;

	if (bus == NULL)
		return ERR_NOT_FOUND;
	if (node != NULL) {
		subject = broker_subject(NODE_SUBJECT, node);
	} else {
		subject = broker_subject(OWNER_SUBJECT, partition);
		lock_acquire(&group->lock);
		asking.epoch = group->partitions[partition].row_epoch;
		lock_release(&group->lock);
	}
	return group->ops->ask(bus, subject.text, question, &patience, answer);
}

void nodes_end_call(struct node_group *group)
{
	lock_acquire(&group->lock);
	assert(group->calls > 0);
	if (--group->calls == 0)
		condition_broadcast(&group->is_quiet);
	lock_release(&group->lock);
}

void nodes_handle_request(void *context, struct slice question,
			  struct buffer *answer)
{
	struct node_group *group = context;
	nodes_request_handler *answerer;
	void *answer_context;

	lock_acquire(&group->lock);
	answerer = group->answerer;
	answer_context = group->answer_context;
	group->calls += answerer != NULL;
	lock_release(&group->lock);
	if (answerer == NULL)
		return;
	answerer(answer_context, question, answer);
	nodes_end_call(group);
}

const struct import_job_runner *nodes_begin_job(struct node_group *group,
						void **context_out)
{
	const struct import_job_runner *worker;

	lock_acquire(&group->lock);
	worker = group->worker;
	*context_out = group->worker_context;
	group->calls += worker != NULL;
	lock_release(&group->lock);
	return worker;
}

void nodes_set_request_handler(struct node_group *group,
			       nodes_request_handler *answerer, void *context)
{
	lock_acquire(&group->lock);
	group->answer_context = context;
	group->answerer = answerer;
	while (answerer == NULL && group->calls > 0)
		condition_wait(&group->is_quiet, &group->lock);
	lock_release(&group->lock);
}

void nodes_set_job_runner(struct node_group *group,
			  const struct import_job_runner *worker, void *context)
{
	lock_acquire(&group->lock);
	group->worker_context = context;
	group->worker = worker;
	while (worker == NULL && group->calls > 0)
		condition_wait(&group->is_quiet, &group->lock);
	condition_broadcast(&group->has_jobs);
	lock_release(&group->lock);
}

size_t nodes_max_bytes(struct node_group *group)
{
	struct broker *bus = group->bus;

	return bus == NULL ? 0 : group->ops->max_bytes(bus);
}

/* A job as it is sent to the broker. */
struct job_entry {
	struct broker_subject subject;
	char id[ENCRYPTION_NAME_BYTES]; /* id of an encrypted job */
	struct buffer sealed;
};

/*
 * Submit at most JOBS_AT_ONCE jobs. They may have the same subject; the broker
 * stores them in order.
 */
static enum error submit_some(struct node_group *group, struct import_job *jobs,
			      size_t count)
{
	const struct encryption_keys *keys = group->options.secret_keys;
	struct broker_entry entries[JOBS_AT_ONCE];
	struct job_entry own[JOBS_AT_ONCE];
	bool has_told[ALL_PARTITIONS] = {false};
	enum error error;

	for (size_t i = 0; i < count; i++) {
		const struct import_job *job = &jobs[i];
		struct job_entry *entry = &own[i];

		*entry = (struct job_entry){
			.subject = broker_subject(JOBS_SUBJECT, job->partition,
						  job->verb)};
		entries[i] = (struct broker_entry){
			.subject = entry->subject.text,
			.id = job->id,
			.data = job->data,
			.expected = BROKER_ANY,
		};
		if (!job->has_secret)
			continue;
		import_job_encrypt(keys, entry->subject.text, job->data,
				   &entry->sealed);
		entries[i].data = buffer_slice(&entry->sealed);
		/* the id of the job could be guessed from its content */
		encryption_keys_name(keys, slice_of(job->id), entry->id);
		entries[i].id = entry->id;
	}
	error = group->ops->append(group->bus, entries, count);
	for (size_t i = 0; i < count; i++) {
		jobs[i].is_known = entries[i].is_known;
		buffer_free(&own[i].sealed);
		if (!has_told[jobs[i].partition])
			node_hint_publish(group, JOBS_HINT, jobs[i].partition,
					  0);
		has_told[jobs[i].partition] = true;
	}
	return error;
}

enum error import_jobs_submit(struct node_group *group, struct import_job *jobs,
			      size_t count)
{
	enum error error = group->bus == NULL ? ERR_NETWORK : ERR_NONE;

	for (size_t i = 0; i < count; i++)
		if (jobs[i].has_secret && group->options.secret_keys == NULL)
			return ERR_NO_ENCRYPTION_KEY;
	for (size_t i = 0; i < count && error == ERR_NONE; i += JOBS_AT_ONCE) {
		size_t left = count - i;

		error = submit_some(group, &jobs[i],
				    left < JOBS_AT_ONCE ? left : JOBS_AT_ONCE);
	}
	return error;
}

enum error nodes_remove(struct node_group *group, const char *node)
{
	struct broker *bus = group->bus;
	const struct broker_subject key = broker_subject(HEARTBEAT_KEY, node);
	struct broker_row row = {0};
	enum error error =
		bus == NULL ? ERR_NETWORK
			    : group->ops->get(bus, BROKER_NODES, node, &row);

	buffer_clear(&row.value);
	if (error == ERR_NONE) {
		error = ERR_BUSY;
	} else if (error == ERR_NOT_FOUND) {
		error = group->ops->get(bus, BROKER_FACTS, key.text, &row);
		if (error == ERR_NONE)
			error = group->ops->remove(bus, BROKER_FACTS, key.text,
						   row.revision);
	}
	buffer_free(&row.value);
	return error;
}

void nodes_drain(struct node_group *group, bool drains)
{
	uint64_t number = drains;
	struct txn txn = txn_begin_write(group->store);
	enum error error;

	txn_put(&txn, TABLE_META, slice_of(drains_name),
		(struct slice){&number, sizeof(number)});
	error = txn_end(&txn);
	if (error != ERR_NONE)
		log_error("nodes: this node %s only until its restart, because "
			  "the store cannot be written: %s",
			  drains ? "is drained" : "accepts partitions",
			  error_text(error));
	lock_acquire(&group->lock);
	group->is_draining = drains;
	lock_release(&group->lock);
}

/*
 * Connect to the broker, at the start or as soon as its servers respond. Until
 * then the node owns no partition and knows no other nodes, so that only the
 * API can cause requests to other nodes, and these fail.
 */

enum {
	NODE_ANSWERERS = 4,
	RETRY_MS = 500,
	SOON_MS = 10 * 1000,
	DEAF_LEASES = 2,
	WRONG_MS = 2000, /* wait after an error that a retry does not solve,
			    such as wrong settings */
};

void nodes_set_problem(struct node_group *group, enum log_level level,
		       const char *text)
{
	bool is_told;

	lock_acquire(&group->lock);
	if (strcmp(group->trouble, text) != 0)
		group->trouble_ms = 0;
	is_told = reminder_is_due(&group->trouble_ms);
	snprintf(group->trouble, sizeof(group->trouble), "%s", text);
	lock_release(&group->lock);
	if (is_told && *text != '\0')
		log_line(level, "nodes: %s", text);
}

/*
 * Use another connection. The copying thread registers the request handlers of
 * the partitions on it.
 */
static void replace_bus(struct node_group *group, struct broker *bus)
{
	struct broker *old = atomic_exchange(&group->bus, bus);

	if (old == NULL)
		return;
	group->closed =
		mem_grow(group->closed, group->closed_count,
			 &group->closed_capacity, sizeof(struct broker *));
	group->closed[group->closed_count++] = old;
	lock_acquire(&group->lock);
	group->has_new_bus = true;
	node_wake_set(&group->wake_copying);
	lock_release(&group->lock);
}

enum error nodes_connect(struct node_group *group)
{
	char why[BROKER_WHY_BYTES] = "the connection was lost immediately";
	struct broker *bus = group->bus;
	enum error error;

	if (bus != NULL && !group->ops->is_closed(bus)) {
		/*
		 * A server of version 2.9 that is disconnected from the others
		 * may accept a connection but have no JetStream until its
		 * restart. So connect to another server if this one has not
		 * responded for DEAF_LEASES lease durations.
		 */
		if (clock_steady_ms() - group->answered_ms <
		    (uint64_t)DEAF_LEASES * group->options.bus.lease_ms)
			return ERR_NONE;
		log_warn("nodes: the NATS server does not respond; trying "
			 "another one");
		group->ops->hang_up(bus);
	}
	bus = NULL;
	/*
	 * a connection that failed twice in a short time will fail again, and
	 * each one leaves an entry in `closed`
	 */
	if (clock_steady_ms() < group->join_ms ||
	    (group->joined_before_ms != 0 &&
	     clock_steady_ms() < group->joined_before_ms + SOON_MS))
		return ERR_NETWORK;
	error = group->ops->open(&bus, &group->options.bus, why);
	if (error == ERR_NONE)
		error = group->ops->listen(bus, "tpl.hint.*", nodes_handle_hint,
					   group);
	if (error == ERR_NONE)
		error = group->ops->answer(
			bus,
			broker_subject(NODE_SUBJECT, group->options.bus.name)
				.text,
			nodes_handle_request, group, NODE_ANSWERERS);
	if (error == ERR_NONE) {
		group->answered_ms = clock_steady_ms();
		group->joined_before_ms = group->joined_ms;
		group->joined_ms = group->answered_ms;
		replace_bus(group, bus);
		return ERR_NONE;
	}
	if (bus != NULL)
		group->ops->close(bus);
	nodes_set_problem(
		group, error == ERR_NETWORK ? LOG_LEVEL_WARN : LOG_LEVEL_ERROR,
		why);
	group->join_ms = clock_steady_ms() +
			 (error == ERR_NETWORK ? RETRY_MS : WRONG_MS);
	return error;
}
