/*
 * The thread that has the copies: it follows the logs of partitions, takes and
 * leaves them. A partition goes ELSEWHERE -> COPYING -> FOLLOWED -> TAKEN ->
 * OWN
 * -> LEFT -> FOLLOWED, and out of OWN at once when its owner may be another.
 */
#include "daemon/cluster/cluster_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/cluster/entry.h"
#include "daemon/cluster/partition_copy.h"
#include "daemon/runtime/clock.h"
#include "store/log.h"
#include "store/memory.h"
#include "store/partitions.h"

enum {
	IDLE_MS = 1000,    /* hints may be lost: all logs are looked at */
	BEHIND_MS = 20,    /* the replica that was asked lacks an entry yet */
	LEAVE_MS = 5000,   /* what is being fetched may end by itself */
	CLEAR_ROWS = 2000, /* at a time */
	ANSWERERS = 4,
	DEPOT_PAUSE_MS = 10000, /* after it has failed */
	SNAPSHOTS = 2,          /* that are looked at, when one is damaged */
	LOCKED_MS = 60000,      /* until a copy without a key is tried again */
	FULL_MS = 10000,        /* until a full disk is written to again */
	YIELD_MS = 60000,       /* so long after it was full nothing is taken */
	/* Until the log is asked for its last entry, as hints are lost, and
	 * numbers change: */
	LOOK_MS = 60000,
	LOOK_BEHIND_MS = 1000, /* when we have heard of one that is not there */
};

static void set_state(struct cluster *cluster, unsigned number,
		      enum partition_state state)
{
	lock_acquire(&cluster->lock);
	cluster->partitions[number].state = state;
	lock_release(&cluster->lock);
}

/* A copy of what is known and wanted. */
static struct partition view(struct cluster *cluster, unsigned number)
{
	struct partition partition;

	lock_acquire(&cluster->lock);
	partition = cluster->partitions[number];
	lock_release(&cluster->lock);
	return partition;
}

/* One number of it. */
static uint64_t number_of(struct cluster *cluster, const uint64_t *field)
{
	uint64_t number;

	lock_acquire(&cluster->lock);
	number = *field;
	lock_release(&cluster->lock);
	return number;
}

static bool holds_lease(struct cluster *cluster)
{
	bool holds;

	lock_acquire(&cluster->lock);
	holds = has_lease(cluster) && !cluster->is_lost;
	lock_release(&cluster->lock);
	return holds;
}

static void answer_questions(struct cluster *cluster, unsigned number,
			     bool answers)
{
	char subject[BUS_SUBJECT_BYTES];

	question_subject_of(number, subject);
	cluster->ops->answer(cluster->bus, subject,
			     answers ? cluster_answer : NULL, cluster,
			     ANSWERERS);
}

/* Have the engine take the sites of the partition, or forget them. */
static enum error change_engine(struct cluster *cluster, unsigned number,
				bool is_own)
{
	struct change change = {
		.kind = CHANGE_PARTITION,
		.partition = {.partition = number, .is_own = is_own},
	};

	store_own(cluster->store, number, is_own);
	return pipeline_command(cluster->pipeline, &change);
}

/* Whether its row is as we know it but for its revision, which servers that
 * were killed give anew. */
static bool has_other_revision(struct cluster *cluster, const char *key,
			       const struct partition *known,
			       uint64_t *revision_out)
{
	struct bus_row row = {0};
	char owner[NODE_NAME_BYTES];
	bool is_it = cluster->ops->get(cluster->bus, BUS_FACTS, key, &row) ==
			     ERR_NONE &&
		     owner_read(&row, owner) == known->row_epoch &&
		     strcmp(owner, known->owner) == 0;

	*revision_out = row.revision;
	buffer_free(&row.value);
	return is_it;
}

/* Write the row that says who owns it: "NODE", a NUL, "EPOCH"; versions before
 * there were epochs read as far as the NUL. */
static enum error write_owner(struct cluster *cluster, unsigned number,
			      const char *owner)
{
	struct partition *partition = &cluster->partitions[number];
	const struct partition before = view(cluster, number);
	uint64_t epoch =
		1 + (before.row_epoch > before.read_epoch ? before.row_epoch
							  : before.read_epoch);
	char key[BUS_KEY_BYTES];
	struct buffer text = {0};
	uint64_t revision;
	enum error error;

	partition_key(number, key);
	buffer_append_text(&text, owner);
	buffer_append_byte(&text, '\0');
	buffer_printf(&text, "%" PRIu64, epoch);
	error = cluster->ops->put(cluster->bus, BUS_FACTS, key,
				  buffer_slice(&text), before.revision,
				  &revision);
	if (error == ERR_BUSY && before.revision != 0 &&
	    has_other_revision(cluster, key, &before, &revision))
		error = cluster->ops->put(cluster->bus, BUS_FACTS, key,
					  buffer_slice(&text), revision,
					  &revision);
	buffer_free(&text);
	if (error != ERR_NONE)
		return error;
	lock_acquire(&cluster->lock);
	partition->revision = revision;
	partition->row_epoch = epoch;
	snprintf(partition->owner, sizeof(partition->owner), "%s", owner);
	lock_release(&cluster->lock);
	return ERR_NONE;
}

/* It is not ours any more, or may not be: nothing of it is fetched, committed
 * or answered from here on. */
static enum error leave(struct cluster *cluster, unsigned number)
{
	enum error error;

	answer_questions(cluster, number, false);
	/* the disk may be full; as long as the engine has its sites, it is left
	 * again */
	error = change_engine(cluster, number, false);
	lock_acquire(&cluster->lock);
	cluster->partitions[number].is_unsure = false;
	cluster->partitions[number].epoch = 0;
	cluster->partitions[number].state =
		error == ERR_NONE ? PARTITION_FOLLOWED : PARTITION_LEFT;
	lock_release(&cluster->lock);
	return error;
}

/* What is here ends with this entry, or has no hash and ends with its number.
 */
static bool ends_with(struct cluster *cluster, unsigned number,
		      const struct log_end *end)
{
	struct partition *partition = &cluster->partitions[number];
	bool is_it;

	lock_acquire(&cluster->lock);
	if (partition->applied_hash == 0 && partition->applied == end->number)
		partition->applied_hash = end->hash;
	is_it = partition->applied_hash == end->hash;
	lock_release(&cluster->lock);
	if (is_it)
		renumber(cluster, number, end->number);
	return is_it;
}

/* All that there is of the log. *end_out: its last entry. */
static enum error read_to_end(struct cluster *cluster, unsigned number,
			      struct log_end *end_out)
{
	struct partition *partition = &cluster->partitions[number];
	bool more = true;
	enum error error = last_of_log(cluster, number, end_out);

	if (error != ERR_NONE)
		return error;
	if (ends_with(cluster, number, end_out))
		return ERR_NONE;
	lock_acquire(&cluster->lock);
	partition->sought = end_out->hash;
	if (partition->last < end_out->number)
		partition->last = end_out->number;
	lock_release(&cluster->lock);
	while (error == ERR_NONE && more)
		error = follow(cluster, number, &more);
	/* the replica that answers may not have it all yet */
	cluster->asks_leader = true;
	more = number_of(cluster, &partition->sought) != 0;
	while (error == ERR_NONE && more)
		error = follow(cluster, number, &more);
	cluster->asks_leader = false;
	if (error != ERR_NONE || number_of(cluster, &partition->sought) == 0)
		return error;
	/* it may stand under a number that we believe to be behind us */
	return find_place(cluster, number) == PLACE_NONE ? ERR_NOT_FOUND
							 : ERR_BUSY;
}

/*
 * Whether what the log lacks is its end: all servers lost their power, say, and
 * what they had acknowledged. Then nobody has written behind it, and what is
 * here goes on: who has it, too, follows; who has not, makes a new copy.
 */
static bool is_cut(struct cluster *cluster, unsigned number,
		   const struct log_end *last)
{
	const struct partition partition = view(cluster, number);

	if (!partition.is_whole || partition.applied_hash == 0 ||
	    last->number >= partition.applied ||
	    last->epoch > partition.read_epoch)
		return false;
	log_error("cluster: partition %u: the servers have lost the end of its "
		  "log, entries %" PRIu64 " to %" PRIu64
		  "; what was in them is here, and goes on from here",
		  number, last->number + 1, partition.applied);
	lock_acquire(&cluster->lock);
	cluster->partitions[number].wants_snapshot = true;
	lock_release(&cluster->lock);
	return true;
}

/* From here on entries of those before us do not count. */
static enum error append_claim(struct cluster *cluster, unsigned number,
			       const struct log_end *last)
{
	struct partition *partition = &cluster->partitions[number];
	char subject[BUS_SUBJECT_BYTES];
	struct buffer bytes = {0};
	const struct entry_head head = {
		.kind = ENTRY_CLAIM,
		.partition = (uint16_t)number,
		.parts = 1,
		.epoch = number_of(cluster, &partition->row_epoch),
		.before = last->number,
		.chain = number_of(cluster, &partition->applied_hash),
	};
	struct bus_entry entry = {.subject = subject, .expected = last->number};
	enum error error;

	log_subject_of(number, subject);
	entry_write(&head, slice_of(cluster->options.bus.name), &bytes);
	entry.data = buffer_slice(&bytes);
	lock_acquire(&cluster->lock);
	partition->claim = entry_hash(entry.data);
	lock_release(&cluster->lock);
	error = cluster->ops->append(cluster->bus, &entry, 1);
	buffer_free(&bytes);
	lock_acquire(&cluster->lock);
	partition->is_log_full = error == ERR_STORE_FULL;
	if (partition->is_log_full)
		wake_tending(cluster);
	lock_release(&cluster->lock);
	return error == ERR_STORE_FULL ? ERR_UNLOGGED : error;
}

/* Whether the log ends with our claim of this epoch. */
static bool has_claim(struct cluster *cluster, unsigned number, uint64_t epoch)
{
	const struct partition partition = view(cluster, number);

	return partition.claim != 0 &&
	       partition.applied_hash == partition.claim &&
	       partition.read_epoch == epoch;
}

/* Read the log to its end, and put our claim there. ERR_BUSY: not now. */
static enum error claim_log(struct cluster *cluster, unsigned number,
			    uint64_t epoch)
{
	struct log_end last;
	enum error error = read_to_end(cluster, number, &last);

	if (error == ERR_NOT_FOUND && is_cut(cluster, number, &last))
		error = ERR_NONE;
	if (error != ERR_NONE || has_claim(cluster, number, epoch))
		return error;
	/* rows may have been lost or numbered anew: this one is written again,
	 * with an epoch above all that the log has */
	if (number_of(cluster, &cluster->partitions[number].read_epoch) >=
	    epoch) {
		set_state(cluster, number, PARTITION_FOLLOWED);
		return ERR_BUSY;
	}
	error = append_claim(cluster, number, &last);
	if (error == ERR_NONE)
		error = read_to_end(cluster, number, &last);
	if (error == ERR_NONE && !has_claim(cluster, number, epoch))
		error = ERR_BUSY;
	return error;
}

/* The row names us, with an epoch that nobody else has: the log is read to its
 * end, and is ours from there. */
static enum error activate(struct cluster *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];
	uint64_t epoch = number_of(cluster, &partition->row_epoch);
	enum error error = claim_log(cluster, number, epoch);

	if (error == ERR_NONE && !holds_lease(cluster))
		error = ERR_BUSY;
	if (error != ERR_NONE)
		return error;
	lock_acquire(&cluster->lock);
	partition->epoch = epoch;
	partition->is_unsure = false;
	lock_release(&cluster->lock);
	error = change_engine(cluster, number, true);
	if (error != ERR_NONE) {
		store_own(cluster->store, number, false);
		return error;
	}
	lock_acquire(&cluster->lock);
	partition->state = PARTITION_OWN;
	partition->saved_ms = clock_steady_ms();
	partition->summed_ms = clock_steady_ms();
	partition->is_resealed =
		cluster->depot == NULL ||
		secret_keys_count(cluster->options.secret_keys) < 2;
	partition->is_published_known = false;
	partition->is_job_known = false;
	partition->job_ms = 0;
	condition_broadcast(&cluster->has_jobs);
	partition->has_events = true;
	wake_tending(cluster);
	lock_release(&cluster->lock);
	answer_questions(cluster, number, true);
	owners_changed(cluster);
	return ERR_NONE;
}

/* Why a copy here is of no use, for now. */
static bool is_useless(enum error error)
{
	return error == ERR_NO_KEY || error == ERR_VERSION ||
	       error == ERR_STORE_FULL || error == ERR_IO;
}

/* A node whose disk is full takes nothing, and gives away what it has. */
static void note_full(struct cluster *cluster, enum error error)
{
	uint64_t now_ms = clock_steady_ms();
	bool was_full;

	lock_acquire(&cluster->lock);
	was_full = now_ms < cluster->full_until_ms;
	cluster->full_until_ms = now_ms + YIELD_MS;
	lock_release(&cluster->lock);
	if (!was_full)
		log_error("cluster: the store of this node cannot be written "
			  "(%s): others have its sites until it can",
			  error_text(error));
}

static void tell_useless(struct cluster *cluster, unsigned number,
			 enum error error)
{
	uint64_t now_ms = clock_steady_ms();

	if (cluster->locked_ms != 0 && now_ms < cluster->locked_ms + LOCKED_MS)
		return;
	cluster->locked_ms = now_ms;
	if (error == ERR_NO_KEY)
		log_error("cluster: partition %u, and maybe others: secrets in "
			  "it are sealed by a key that is not in "
			  "cluster.secret_file here; no copy of it is made "
			  "until it is",
			  number);
	else
		log_error("cluster: partition %u, and maybe others: its log "
			  "has what only a later version can read: upgrade "
			  "this node; no copy of it is made until then",
			  number);
}

/* It waits, and is nobody's copy meanwhile. */
static void lock_copy(struct cluster *cluster, unsigned number,
		      enum error error)
{
	struct partition *partition = &cluster->partitions[number];
	bool is_full = error == ERR_STORE_FULL || error == ERR_IO;

	lock_acquire(&cluster->lock);
	partition->is_whole = false;
	partition->state = PARTITION_COPYING;
	partition->locked_until_ms =
		clock_steady_ms() + (is_full ? FULL_MS : LOCKED_MS);
	lock_release(&cluster->lock);
	if (is_full)
		note_full(cluster, error);
	else
		tell_useless(cluster, number, error);
}

/* Another node that has all of it; false: there is none. */
static bool find_whole(struct cluster *cluster, unsigned number,
		       char name[NODE_NAME_BYTES])
{
	name[0] = '\0';
	lock_acquire(&cluster->lock);
	for (size_t i = 0; i < cluster->member_count; i++) {
		const struct member *member = &cluster->members[i];

		if (!member->facts.is_self && member->has[number])
			memcpy(name, member->facts.name, NODE_NAME_BYTES);
	}
	lock_release(&cluster->lock);
	return name[0] != '\0';
}

/* What is here is of no use, and the row names us: it is to be of one who has
 * all of it. */
static void give_up(struct cluster *cluster, unsigned number)
{
	char name[NODE_NAME_BYTES];

	if (find_whole(cluster, number, name) &&
	    write_owner(cluster, number, name) == ERR_NONE)
		owners_changed(cluster);
}

/* Whether the owner's lease has ended for the leader of the servers, too: what
 * was listed may be of another one, and old. */
static bool is_surely_gone(struct cluster *cluster,
			   const struct partition *partition)
{
	struct bus_row row = {0};
	enum error error = cluster->ops->get(cluster->bus, BUS_NODES,
					     partition->owner, &row);

	buffer_free(&row.value);
	return error == ERR_NOT_FOUND;
}

/* The row is as the servers say, also if it was newer: their numbers may go
 * back (nats_rows.c). */
static void forget_revision(struct cluster *cluster, unsigned number)
{
	lock_acquire(&cluster->lock);
	cluster->partitions[number].revision = 0;
	cluster->partitions[number].row_epoch = 0;
	lock_release(&cluster->lock);
}

/* Give it to the one who shall own it. */
static void hand_over(struct cluster *cluster, unsigned number)
{
	const struct partition before = view(cluster, number);

	set_state(cluster, number, PARTITION_LEFT);
	leave(cluster, number);
	pipeline_leave_strangers(cluster->pipeline, LEAVE_MS);
	/* nothing of it is committed here any more, be it left or not */
	if (write_owner(cluster, number, before.wanted) == ERR_NONE) {
		lock_acquire(&cluster->lock);
		cluster->moves++;
		lock_release(&cluster->lock);
		owners_changed(cluster);
	}
}

/* The place that a snapshot has brought. */
static void take_place(struct cluster *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];
	struct txn txn = txn_begin_read(cluster->store);
	struct journal_place place;

	journal_place_get(&txn, number, &place);
	txn_end(&txn);
	lock_acquire(&cluster->lock);
	partition->applied = place.number;
	partition->applied_hash = place.hash;
	partition->read_epoch = place.epoch;
	partition->is_whole = false; /* until the log behind it is read */
	partition->state = PARTITION_COPYING;
	lock_release(&cluster->lock);
}

static enum error load_snapshot(struct cluster *cluster, unsigned number,
				uint64_t newest)
{
	struct partition_copy copy;
	enum error error;

	lock_acquire(&cluster->lock);
	cluster->partitions[number].is_whole = false;
	cluster->partitions[number].state = PARTITION_COPYING;
	lock_release(&cluster->lock);
	error = partition_load(cluster->store,
			       (struct depot_item){number, newest},
			       cluster->depot, &copy);
	if (error == ERR_NONE)
		log_info("cluster: partition %u: its snapshot %" PRIu64
			 " was loaded",
			 number, newest);
	take_place(cluster, number);
	if (number == PARTITION_COMMON)
		engine_forget_audience(cluster->engine);
	return error;
}

/* Some of its rows go; true while there are more. */
static bool clear_rows(struct cluster *cluster, unsigned number)
{
	struct txn txn = txn_begin_write(cluster->store);
	uint64_t gone;

	journal_place_put(&txn, number, &(struct journal_place){0});
	gone = journal_clear(&txn, number, CLEAR_ROWS);
	if (gone < CLEAR_ROWS)
		journal_place_delete(&txn, number);
	return txn_end(&txn) == ERR_NONE && gone == CLEAR_ROWS;
}

/* All of it goes, before anything else is done with it. */
static void drop_copy(struct cluster *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];

	lock_acquire(&cluster->lock);
	partition->is_whole = false;
	lock_release(&cluster->lock);
	while (clear_rows(cluster, number))
		;
	lock_acquire(&cluster->lock);
	partition->state = PARTITION_ELSEWHERE;
	partition->applied = 0;
	partition->applied_hash = 0;
	partition->read_epoch = 0;
	lock_release(&cluster->lock);
}

/* The newest snapshot, or the one before it, when that is damaged. One with a
 * number below `least` (that of a migrated store has 0), or with that of what
 * is here, does not help. */
static enum error load_newest(struct cluster *cluster, unsigned number,
			      uint64_t least, uint64_t here)
{
	uint64_t below = UINT64_MAX;
	enum error error = ERR_CORRUPT;

	for (unsigned i = 0; i < SNAPSHOTS && error == ERR_CORRUPT; i++) {
		error = depot_latest(cluster->depot, number, below, &below);
		if (error == ERR_NONE && (below < least || below == here))
			error = ERR_NOT_FOUND;
		if (error == ERR_NONE)
			error = load_snapshot(cluster, number, below);
	}
	return error;
}

/*
 * The log does not have what is missing here: a snapshot has. When what is here
 * is not in the log, either, any snapshot is better, and the beginning of the
 * log, if another node has all of it.
 */
static enum error fill_gap(struct cluster *cluster, unsigned number,
			   enum place place)
{
	char name[NODE_NAME_BYTES];
	enum error error = ERR_NOT_FOUND;
	uint64_t here =
		number_of(cluster, &cluster->partitions[number].applied);

	if (cluster->depot != NULL)
		error = load_newest(cluster, number,
				    place == PLACE_NONE ? 0 : here, here);
	if (error == ERR_NONE)
		return ERR_NONE;
	if (error == ERR_NOT_FOUND && place == PLACE_NONE &&
	    find_whole(cluster, number, name))
		drop_copy(cluster, number);
	else
		take_place(cluster, number);
	return error;
}

/* What is to be done when its log could not be read on. */
static void mend_copy(struct cluster *cluster, unsigned number,
		      enum error error)
{
	bool is_gap = error == ERR_NOT_FOUND || error == ERR_CORRUPT;
	enum place place = PLACE_SAME;

	if (is_gap && doubt_numbers(cluster))
		return; /* the leader may have it otherwise */
	if (is_gap)
		place = find_place(cluster, number);
	if (is_gap && (place == PLACE_OTHER || place == PLACE_UNKNOWN))
		return;
	if (is_gap)
		error = fill_gap(cluster, number, place);
	/* what is wrong with the depot says nothing of our disk */
	if (error == ERR_NO_KEY || (!is_gap && is_useless(error)))
		lock_copy(cluster, number, error);
	else if (is_gap && error != ERR_NONE)
		log_warn("cluster: partition %u: the log begins behind what is "
			 "here, and no snapshot could be loaded: %s",
			 number, error_text(error));
}

/* It is to be ours: we say so in its row, and take it when nobody was faster.
 */
static void take(struct cluster *cluster, unsigned number)
{
	const struct partition before = view(cluster, number);
	const char *self = cluster->options.bus.name;
	enum error error = ERR_NONE;

	if (before.state != PARTITION_TAKEN) {
		if (before.is_owner_gone && strcmp(before.owner, self) != 0 &&
		    !is_surely_gone(cluster, &before))
			return;
		error = write_owner(cluster, number, self);
		if (error == ERR_BUSY) /* it is not as we know it */
			forget_revision(cluster, number);
		if (error != ERR_NONE)
			return;
		set_state(cluster, number, PARTITION_TAKEN);
		lock_acquire(&cluster->lock);
		if (before.is_owner_gone && strcmp(before.owner, self) != 0)
			cluster->failovers++;
		else if (before.revision != 0 &&
			 strcmp(before.owner, self) != 0)
			cluster->moves++;
		lock_release(&cluster->lock);
	}
	error = activate(cluster, number);
	mend_copy(cluster, number, error);
	if (is_useless(error))
		give_up(cluster, number);
	else if (error != ERR_NONE && error != ERR_BUSY)
		log_warn("cluster: partition %u cannot be taken yet: %s",
			 number, error_text(error));
}

/*
 * A copy begins with the newest snapshot, if there is one, even when the log
 * has all since its first entry: what was there before the cluster
 * (templatectl partition migrate) has number 0 and is in no log. False: the
 * depot does not say now.
 */
static bool begin_copy(struct cluster *cluster, unsigned number)
{
	uint64_t now_ms = clock_steady_ms();
	enum error error;

	if (cluster->depot == NULL)
		return true;
	if (now_ms < cluster->depot_ms)
		return false;
	error = load_newest(cluster, number, 0, UINT64_MAX);
	if (error == ERR_NONE || error == ERR_NOT_FOUND)
		return true;
	if (error == ERR_NO_KEY) {
		lock_copy(cluster, number, error);
		return false;
	}
	cluster->depot_ms = now_ms + DEPOT_PAUSE_MS;
	log_warn("cluster: partition %u waits for its snapshot: %s", number,
		 error_text(error));
	return false;
}

/* Read what is new. A copy is whole when there is nothing more. */
static bool keep_up(struct cluster *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];
	const struct partition before = view(cluster, number);
	bool more = false;
	enum error error = follow(cluster, number, &more);

	mend_copy(cluster, number, error);
	if ((is_useless(error) ||
	     (error == ERR_NOT_FOUND && !before.is_whole)) &&
	    !view(cluster, number).is_whole &&
	    strcmp(before.owner, cluster->options.bus.name) == 0)
		give_up(cluster, number);
	if (error == ERR_NONE && !more && !view(cluster, number).is_whole) {
		struct log_end last;

		error = read_to_end(cluster, number, &last);
		mend_copy(cluster, number, error);
		lock_acquire(&cluster->lock);
		if (error == ERR_NONE) {
			partition->is_whole = true;
			partition->state = PARTITION_FOLLOWED;
			partition->locked_until_ms = 0;
		}
		lock_release(&cluster->lock);
	}
	return more && !is_useless(error);
}

/* Whether the partition is to be ours, and is there to be taken. */
static bool is_to_be_taken(const struct cluster *cluster,
			   const struct partition *partition)
{
	const char *self = cluster->options.bus.name;

	if (!partition->is_whole)
		return false;
	if (partition->state == PARTITION_TAKEN)
		return strcmp(partition->owner, self) == 0;
	if (partition->revision == 0)
		return strcmp(partition->wanted, self) == 0;
	if (strcmp(partition->owner, self) == 0)
		return true;
	return partition->is_owner_gone && partition->is_first;
}

/* Whether the log has nothing that is not here: then what we were not sure of
 * has not come about. */
static bool is_nothing_new(struct cluster *cluster, unsigned number)
{
	struct log_end last;

	return last_of_log(cluster, number, &last) == ERR_NONE &&
	       ends_with(cluster, number, &last);
}

/* An owner's turn. */
static void own(struct cluster *cluster, unsigned number,
		const struct partition *partition)
{
	const char *self = cluster->options.bus.name;

	if (strcmp(partition->owner, self) != 0 ||
	    partition->row_epoch != partition->epoch) {
		leave(cluster, number);
	} else if (partition->is_unsure) {
		if (is_nothing_new(cluster, number)) {
			lock_acquire(&cluster->lock);
			cluster->partitions[number].is_unsure = false;
			lock_release(&cluster->lock);
		} else {
			leave(cluster, number);
		}
	} else if (strcmp(partition->wanted, self) != 0 &&
		   partition->wanted_has_it) {
		hand_over(cluster, number);
	} else if (clock_steady_ms() >= partition->looked_ms + LOOK_MS) {
		lock_acquire(&cluster->lock);
		cluster->partitions[number].looked_ms = clock_steady_ms();
		lock_release(&cluster->lock);
		/* what was numbered anew is told to those who follow */
		is_nothing_new(cluster, number);
	}
}

enum turn { TURN_DONE, TURN_SOON /* BEHIND_MS */, TURN_AGAIN };

/* Whether the log has entries that are not here: by hints, or by what owners
 * say of themselves. */
static bool is_behind(struct cluster *cluster, unsigned number)
{
	const struct partition *partition = &cluster->partitions[number];
	bool is_behind;

	lock_acquire(&cluster->lock);
	is_behind = partition->is_whole && partition->last > partition->applied;
	lock_release(&cluster->lock);
	return is_behind;
}

/* For how long an entry is missing that we have heard of. */
static uint64_t behind_for_ms(struct cluster *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];
	uint64_t now_ms = clock_steady_ms();
	uint64_t behind_ms;

	lock_acquire(&cluster->lock);
	if (!partition->is_whole || partition->last <= partition->applied)
		partition->behind_ms = 0;
	else if (partition->behind_ms == 0)
		partition->behind_ms = now_ms;
	behind_ms = partition->behind_ms;
	lock_release(&cluster->lock);
	return behind_ms == 0 ? 0 : now_ms - behind_ms;
}

/* What we have heard of may have been numbered anew since, and so may what is
 * here. */
static void look(struct cluster *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];
	uint64_t now_ms = clock_steady_ms();
	bool is_late = behind_for_ms(cluster, number) >= LOOK_BEHIND_MS;
	struct log_end last;

	if (!view(cluster, number).is_whole ||
	    now_ms < number_of(cluster, &partition->looked_ms) +
			     (is_late ? LOOK_BEHIND_MS : LOOK_MS) ||
	    last_of_log(cluster, number, &last) != ERR_NONE)
		return;
	lock_acquire(&cluster->lock);
	partition->looked_ms = now_ms;
	partition->last = last.number;
	lock_release(&cluster->lock);
	if (ends_with(cluster, number, &last))
		return;
	if (last.number <= number_of(cluster, &partition->applied))
		find_place(cluster, number);
	else if (is_late)
		doubt_numbers(cluster);
}

/* It was not left to its end. */
static void leave_again(struct cluster *cluster, unsigned number,
			const struct partition *partition)
{
	enum error error = leave(cluster, number);

	if (!is_useless(error))
		return;
	note_full(cluster, error);
	if (strcmp(partition->owner, cluster->options.bus.name) == 0)
		give_up(cluster, number);
}

/* A turn of a partition that is not ours. */
static enum turn copy(struct cluster *cluster, unsigned number,
		      const struct partition *partition)
{
	if (partition->state == PARTITION_LEFT) {
		leave_again(cluster, number, partition);
		return TURN_DONE;
	}
	if (clock_steady_ms() < partition->locked_until_ms)
		return TURN_DONE;
	if (is_to_be_taken(cluster, partition)) {
		take(cluster, number);
		return TURN_DONE;
	}
	if (sums_differ(cluster, number)) {
		drop_copy(cluster, number);
		return TURN_AGAIN;
	}
	if (partition->state == PARTITION_TAKEN)
		set_state(cluster, number, PARTITION_FOLLOWED);
	if (partition->state == PARTITION_ELSEWHERE) {
		if (!partition->wants_copy)
			return TURN_DONE;
		set_state(cluster, number, PARTITION_COPYING);
	}
	if (partition->applied == 0 && !partition->is_whole &&
	    !begin_copy(cluster, number))
		return TURN_DONE;
	if (!partition->wants_copy && partition->others_have_it &&
	    !partition->is_owner_gone) {
		drop_copy(cluster, number);
		return TURN_DONE;
	}
	look(cluster, number);
	if (partition->is_whole && !is_behind(cluster, number))
		return TURN_DONE;
	if (keep_up(cluster, number))
		return TURN_AGAIN;
	return is_behind(cluster, number) ? TURN_SOON : TURN_DONE;
}

/* Without a lease nothing is ours. */
static void leave_all(struct cluster *cluster)
{
	bool has_left = false;

	lock_acquire(&cluster->lock);
	cluster->is_lost = false;
	lock_release(&cluster->lock);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++)
		store_own(cluster->store, i, false);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		if (view(cluster, i).state != PARTITION_OWN)
			continue;
		leave(cluster, i);
		has_left = true;
	}
	if (has_left) {
		pipeline_leave_strangers(cluster->pipeline, 0);
		log_warn("cluster: the lease has ended: nothing is fetched or "
			 "changed until there is another one");
	}
}

/* Commits fail before they come to the log. */
static void look_at_store(struct cluster *cluster)
{
	struct pipeline_stats stats;

	pipeline_stats(cluster->pipeline, &stats);
	if (stats.is_paused && (stats.pause_error == ERR_STORE_FULL ||
				stats.pause_error == ERR_IO))
		note_full(cluster, stats.pause_error);
}

/* Look at all partitions; how soon there is more to do. */
static enum turn work(struct cluster *cluster)
{
	enum turn all = TURN_DONE;

	look_at_store(cluster);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		struct partition partition;

		if (!holds_lease(cluster)) {
			leave_all(cluster);
			return TURN_DONE;
		}
		partition = view(cluster, i);
		if (partition.state == PARTITION_OWN) {
			own(cluster, i, &partition);
		} else {
			enum turn turn = copy(cluster, i, &partition);

			all = turn > all ? turn : all;
		}
	}
	return all;
}

static bool wait_for_news(struct cluster *cluster, enum turn turn)
{
	uint64_t until_ms =
		clock_steady_ms() + (turn == TURN_SOON ? BEHIND_MS : IDLE_MS);
	bool goes_on;

	lock_acquire(&cluster->lock);
	while (turn != TURN_AGAIN && !cluster->is_news && !cluster->is_ending &&
	       condition_wait_until(&cluster->has_news, &cluster->lock,
				    until_ms))
		;
	cluster->is_news = false;
	goes_on = !cluster->is_ending;
	lock_release(&cluster->lock);
	return goes_on;
}

/* What was answered on a bus that is closed for good is on the new one. */
static void answer_again(struct cluster *cluster)
{
	bool is_new;

	lock_acquire(&cluster->lock);
	is_new = cluster->has_new_bus;
	cluster->has_new_bus = false;
	lock_release(&cluster->lock);
	for (unsigned i = 0; is_new && i < ALL_PARTITIONS; i++)
		if (view(cluster, i).state == PARTITION_OWN)
			answer_questions(cluster, i, true);
}

void *copying_main(void *argument)
{
	struct cluster *cluster = argument;
	enum turn turn = TURN_DONE;

	while (wait_for_news(cluster, turn)) {
		bool has_members;

		answer_again(cluster);
		lock_acquire(&cluster->lock);
		has_members = cluster->has_members;
		lock_release(&cluster->lock);
		turn = has_members ? work(cluster) : TURN_DONE;
	}
	leave_all(cluster);
	return NULL;
}
