#include "daemon/nodes/nodes_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/log_append.h"
#include "daemon/runtime/clock.h"
#include "store/partitions.h"

/*
 * The copying thread: it follows the logs of partitions, adopts partitions and
 * leaves them. A partition goes through the states NOT_HERE -> COPYING ->
 * FOLLOWED -> ADOPTING -> OWNED -> LEAVING -> FOLLOWED. It leaves OWNED
 * immediately when another node may be its owner.
 */

enum {
	IDLE_MS = 1000, /* check all logs this often, because hints may be
			   lost */
	BEGUN_MS = 200, /* time per turn for incomplete replicas */
	BEHIND_MS = 20, /* retry after this time if a replica of the broker does
			   not have an entry yet */
	LOOK_BEHIND_MS = 1000, /* check the end of the log this often if a known
				  entry is missing here */
};

void partition_set_state(struct node_group *group, unsigned number,
			 enum partition_state state)
{
	lock_acquire(&group->lock);
	group->partitions[number].state = state;
	lock_release(&group->lock);
}

struct partition partition_copy_state(struct node_group *group, unsigned number)
{
	struct partition partition;

	lock_acquire(&group->lock);
	partition = group->partitions[number];
	lock_release(&group->lock);
	return partition;
}

uint64_t partition_read_number(struct node_group *group, const uint64_t *field)
{
	uint64_t number;

	lock_acquire(&group->lock);
	number = *field;
	lock_release(&group->lock);
	return number;
}

bool nodes_hold_lease(struct node_group *group)
{
	bool holds;

	lock_acquire(&group->lock);
	holds = nodes_have_lease(group) && !group->is_lost;
	lock_release(&group->lock);
	return holds;
}

/* Reading the log of a partition into the store. */

enum {
	MAX_ENTRIES = 64, /* entries per transaction */
	MAX_BYTES = 8 << 20,
	NEAR = 32,       /* search for an entry first up to this distance
			    from its number, */
	FAR = 8192,      /* then up to this distance */
	MAX_LOOKS = 512, /* entries that one search reads at most */
	DOUBT_MS = 10 * 60 * 1000,
};

/* Entries that were read and are not stored yet. */
struct log_reader {
	struct node_group *group;
	unsigned partition;
	struct journal_position place; /* position after these entries */
	uint64_t read; /* number of the last entry read; later than `place`
			  while its transaction is incomplete */
	uint64_t read_hash;
	uint64_t sought;     /* hash of an entry that must still be read; 0 =
				none */
	struct buffer parts; /* parts of the incomplete transaction */
	unsigned next_part;
	struct buffer rows; /* rows of complete transactions; before each its
			       size (size_t) */
	size_t count;
	size_t bytes;
	bool sums; /* compare sums after the last entry */
};

/*
 * Add a part of a transaction; after the last part, decompress the transaction.
 * Discard an incomplete transaction when another one begins. Ignore entries of
 * an owner after which another one has claimed the partition.
 */
static enum error take_rows(struct log_reader *reading,
			    const struct log_entry_head *head,
			    struct slice part)
{
	struct buffer rows = {0};
	enum error error;

	if (head->part == 0) {
		buffer_clear(&reading->parts);
		reading->next_part = 0;
	}
	if (head->epoch < reading->place.epoch ||
	    head->part != reading->next_part) {
		reading->next_part = 0;
		return ERR_NONE;
	}
	reading->next_part++;
	buffer_append_slice(&reading->parts, part);
	if (reading->next_part < head->parts)
		return ERR_NONE;
	error = decompress_slice(buffer_slice(&reading->parts),
				 LOG_ENTRY_MAX_ROWS_BYTES, &rows);
	if (error == ERR_NONE) {
		buffer_append(&reading->rows, &rows.size, sizeof(rows.size));
		buffer_append(&reading->rows, rows.data, rows.size);
		reading->count++;
	}
	buffer_free(&rows);
	reading->sums = (head->flags & LOG_ENTRY_IS_SUMMED) != 0;
	buffer_clear(&reading->parts);
	reading->next_part = 0;
	return error;
}

static enum error log_reader_handle_entry(struct log_reader *reading,
					  const struct broker_message *message)
{
	struct log_entry_head head;
	struct slice part;
	bool is_newer;

	if (log_entry_is_foreign(buffer_slice(&message->data))) {
		log_warn_limited("nodes: entry %" PRIu64
				 " in the log of partition %u is from an "
				 "unknown client; ignoring it; check who may "
				 "publish to tpl.log.>",
				 message->number, reading->partition);
		return ERR_NONE;
	}
	if (!log_entry_read(buffer_slice(&message->data), &head, &part,
			    &is_newer) ||
	    head.partition != reading->partition) {
		log_error_limited(
			"nodes: entry %" PRIu64
			" in the log of partition %u %s",
			message->number, reading->partition,
			is_newer ? "needs a later version; upgrade this node"
				 : "is damaged");
		return is_newer ? ERR_VERSION : ERR_CORRUPT;
	}
	if (!log_entry_follows(&head, reading->read, reading->read_hash))
		return ERR_NOT_FOUND;
	reading->bytes += part.size;
	if (head.kind == LOG_ENTRY_ROWS)
		return take_rows(reading, &head, part);
	reading->next_part = 0; /* a transaction that has begun stays
				   incomplete */
	if (head.kind == LOG_ENTRY_CLAIM && head.epoch > reading->place.epoch)
		reading->place.epoch = head.epoch;
	return ERR_NONE;
}

bool log_apply_doubt_numbers(struct node_group *group)
{
	uint64_t now_ms = clock_steady_ms();
	bool was_doubted = now_ms < group->doubted_until_ms;

	group->doubted_until_ms = now_ms + DOUBT_MS;
	return !was_doubted;
}

/* Read the first entry with at least this number. */
static enum error entry_from(struct node_group *group, const char *subject,
			     uint64_t from, struct broker_message *message)
{
	const struct broker_ops *ops = group->ops;

	return group->asks_leader || clock_steady_ms() < group->doubted_until_ms
		       ? ops->next_of_leader(group->bus, BROKER_LOG, subject,
					     from, message)
		       : ops->next(group->bus, BROKER_LOG, subject, from,
				   message);
}

/*
 * Read the entry after reading->read. Servers need long to search the log for
 * the next entry of a subject, but find an entry by its number directly. So try
 * the last known entry first; it usually is the next one.
 */
static enum error next_entry(struct log_reader *reading, const char *subject,
			     uint64_t last, struct broker_message *message)
{
	struct node_group *group = reading->group;
	uint64_t read = reading->read;
	struct log_entry_head head;
	struct slice part;
	bool is_newer;

	if (last > read + 1 &&
	    entry_from(group, subject, last, message) == ERR_NONE) {
		if (log_entry_read(buffer_slice(&message->data), &head, &part,
				   &is_newer) &&
		    log_entry_follows(&head, read, reading->read_hash))
			return ERR_NONE;
		broker_message_free(message);
	}
	return entry_from(group, subject, read + 1, message);
}

/*
 * Read entries until there are enough, or until entry `last` (0 = the end of
 * the log). The position never stops inside a transaction, but before it.
 */
static enum error log_reader_read_entries(struct log_reader *reading,
					  uint64_t last, bool *more_out)
{
	const struct broker_subject subject =
		broker_subject(LOG_SUBJECT, reading->partition);
	enum error error = ERR_NONE;

	reading->read = reading->place.number;
	reading->read_hash = reading->place.hash;
	*more_out = true;
	while (error == ERR_NONE && !reading->sums &&
	       (last == 0 || reading->read < last) &&
	       (reading->next_part > 0 ||
		(reading->count < MAX_ENTRIES && reading->bytes < MAX_BYTES))) {
		struct broker_message message = {0};

		error = next_entry(reading, subject.text, last, &message);
		*more_out = error != ERR_NOT_FOUND;
		if (error == ERR_NONE)
			error = log_reader_handle_entry(reading, &message);
		if (error == ERR_NONE) {
			reading->read = message.number;
			reading->read_hash =
				log_entry_hash(buffer_slice(&message.data));
			if (reading->read_hash == reading->sought)
				reading->sought = 0;
			if (reading->next_part == 0) {
				reading->place.number = reading->read;
				reading->place.hash = reading->read_hash;
			}
		}
		broker_message_free(&message);
		if (!*more_out)
			return ERR_NONE;
	}
	*more_out = last == 0 || reading->read < last;
	return error;
}

static enum error log_reader_write_rows(struct log_reader *reading)
{
	struct node_group *group = reading->group;
	struct txn txn = txn_begin_write(group->store);
	struct slice rest = buffer_slice(&reading->rows);

	while (rest.size > 0 && txn.error == ERR_NONE) {
		const char *bytes = (const char *)rest.data + sizeof(size_t);
		size_t size;

		memcpy(&size, rest.data, sizeof(size));
		journal_apply(&txn, reading->partition,
			      (struct slice){bytes, size});
		rest = (struct slice){bytes + size,
				      rest.size - sizeof(size) - size};
	}
	journal_position_put(&txn, reading->partition, &reading->place);
	return txn_end(&txn);
}

static enum error log_apply_follow(struct node_group *group, unsigned number,
				   bool *more_out)
{
	struct partition *partition = &group->partitions[number];
	struct log_reader reading = {.group = group, .partition = number};
	uint64_t before; /* hash of the position before this call */
	uint64_t last;
	enum error error;

	lock_acquire(&group->lock);
	reading.place = (struct journal_position){
		partition->applied, partition->read_epoch, partition->is_whole,
		partition->applied_hash};
	reading.sought = partition->sought;
	last = partition->is_whole ? partition->last : 0;
	lock_release(&group->lock);
	before = reading.place.hash;
	error = log_reader_read_entries(&reading, last, more_out);
	lock_acquire(&group->lock);
	partition->sought = reading.sought;
	lock_release(&group->lock);
	if (reading.place.hash != before) {
		enum error written = log_reader_write_rows(&reading);

		if (written == ERR_NONE) {
			lock_acquire(&group->lock);
			partition->applied = reading.place.number;
			partition->applied_hash = reading.place.hash;
			partition->looked_ms = clock_steady_ms();
			partition->behind_ms = 0;
			partition->read_epoch = reading.place.epoch;
			if (partition->last < partition->applied)
				partition->last = partition->applied;
			partition->log_bytes += reading.bytes;
			partition->entries =
				reading.sums ? 0
					     : partition->entries +
						       (uint32_t)reading.count;
			lock_release(&group->lock);
			if (reading.sums)
				replica_check_sum(group, number,
						  reading.place.hash);
		} else {
			error = written;
		}
		if (number == PARTITION_COMMON)
			engine_reset_subscriptions(group->engine);
	}
	buffer_free(&reading.parts);
	buffer_free(&reading.rows);
	return error;
}

enum error log_read_last(struct node_group *group, unsigned number,
			 struct log_end *end_out)
{
	struct broker_message last = {0};
	struct log_entry_head head;
	struct slice part;
	bool is_newer;
	enum error error = group->ops->last(
		group->bus, BROKER_LOG,
		broker_subject(LOG_SUBJECT, number).text, &last);

	*end_out = (struct log_end){0};
	if (error == ERR_NONE) {
		struct slice bytes = buffer_slice(&last.data);
		bool is_ours = log_entry_read(bytes, &head, &part, &is_newer);

		*end_out = (struct log_end){
			.number = last.number,
			.hash = log_entry_hash(bytes),
			.epoch = is_ours ? head.epoch : UINT64_MAX,
		};
	}
	broker_message_free(&last);
	return error == ERR_NOT_FOUND ? ERR_NONE : error;
}

/*
 * Set the number of the last applied entry, which the servers have changed, to
 * `to`.
 */
static void log_apply_renumber(struct node_group *group, unsigned number,
			       uint64_t to)
{
	struct partition *partition = &group->partitions[number];
	uint64_t from;

	lock_acquire(&group->lock);
	from = partition->applied;
	partition->applied = to;
	lock_release(&group->lock);
	if (from != to)
		log_apply_log_renumbered(group, number, from, to);
}

void log_apply_log_renumbered(struct node_group *group, unsigned number,
			      uint64_t from, uint64_t to)
{
	bool tells;

	lock_acquire(&group->lock);
	tells = reminder_is_due(&group->renumbered_ms);
	lock_release(&group->lock);
	if (tells)
		log_warn_limited(
			"nodes: partition %u, and maybe others: entry %" PRIu64
			" of its log has number %" PRIu64
			" now; killed NATS servers may renumber acknowledged "
			"entries; no data is lost",
			number, from, to);
}

/*
 * Search for the entry with the hash place->hash at most `width` from its
 * number, and set its number. ERR_NOT_FOUND.
 */
static enum error find_near(struct node_group *group, const char *subject,
			    struct log_end *place, uint64_t width)
{
	uint64_t end = place->number + width;
	uint64_t from = place->number > width ? place->number - width : 1;
	struct broker_message message = {0};
	struct log_entry_head head;
	struct slice bytes;
	struct slice part;
	enum error error = ERR_NONE;
	bool is_newer;
	bool is_it = false;

	for (unsigned i = 0;
	     i < MAX_LOOKS && error == ERR_NONE && !is_it && from <= end; i++) {
		error = group->ops->next_of_leader(group->bus, BROKER_LOG,
						   subject, from, &message);
		if (error != ERR_NONE)
			break;
		bytes = buffer_slice(&message.data);
		is_it = log_entry_hash(bytes) == place->hash;
		if (is_it)
			place->number = message.number;
		/*
		 * the entry before this one, if this one names it as its
		 * predecessor
		 */
		if (!is_it && log_entry_read(bytes, &head, &part, &is_newer) &&
		    head.chain == place->hash) {
			is_it = true;
			place->number = message.number - 1;
		}
		from = message.number + 1;
	}
	if (!is_it && error == ERR_NONE)
		error = ERR_NOT_FOUND;
	broker_message_free(&message);
	return error;
}

enum log_position log_apply_find_position(struct node_group *group,
					  unsigned number)
{
	struct partition *partition = &group->partitions[number];
	const struct broker_subject subject =
		broker_subject(LOG_SUBJECT, number);
	enum error error = ERR_NOT_FOUND;
	struct log_end place;
	struct log_end last;
	uint64_t before;

	lock_acquire(&group->lock);
	place = (struct log_end){.number = partition->applied,
				 .hash = partition->applied_hash};
	lock_release(&group->lock);
	if (place.hash == 0)
		return LOG_POSITION_SAME;
	before = place.number;
	/*
	 * search near the old number, then near the end of the log if it is
	 * before that
	 */
	for (uint64_t width = NEAR; width <= FAR && error == ERR_NOT_FOUND;
	     width *= 16)
		error = find_near(group, subject.text, &place, width);
	if (error == ERR_NOT_FOUND &&
	    log_read_last(group, number, &last) == ERR_NONE &&
	    last.number + FAR < place.number) {
		place.number = last.number;
		error = find_near(group, subject.text, &place, NEAR);
	}
	if (error != ERR_NONE)
		return error == ERR_NOT_FOUND ? LOG_POSITION_NONE
					      : LOG_POSITION_UNKNOWN;
	if (place.number == before)
		return LOG_POSITION_SAME;
	log_apply_renumber(group, number, place.number);
	return LOG_POSITION_OTHER;
}

bool log_apply_ends_with(struct node_group *group, unsigned number,
			 const struct log_end *end)
{
	struct partition *partition = &group->partitions[number];
	bool is_it;

	lock_acquire(&group->lock);
	if (partition->applied_hash == 0 && partition->applied == end->number)
		partition->applied_hash = end->hash;
	is_it = partition->applied_hash == end->hash;
	if (is_it) /* the number of the last entry may have changed */
		partition->last = end->number;
	lock_release(&group->lock);
	if (is_it)
		log_apply_renumber(group, number, end->number);
	return is_it;
}

enum error log_apply_read_to_end(struct node_group *group, unsigned number,
				 struct log_end *end_out)
{
	struct partition *partition = &group->partitions[number];
	bool more = true;
	enum error error = log_read_last(group, number, end_out);

	if (error != ERR_NONE)
		return error;
	if (log_apply_ends_with(group, number, end_out))
		return ERR_NONE;
	lock_acquire(&group->lock);
	partition->sought = end_out->hash;
	if (partition->last < end_out->number)
		partition->last = end_out->number;
	lock_release(&group->lock);
	while (error == ERR_NONE && more)
		error = log_apply_follow(group, number, &more);
	/*
	 * a replica of the broker may not have all entries yet: ask the leader
	 */
	group->asks_leader = true;
	more = partition_read_number(group, &partition->sought) != 0;
	while (error == ERR_NONE && more)
		error = log_apply_follow(group, number, &more);
	group->asks_leader = false;
	if (error != ERR_NONE ||
	    partition_read_number(group, &partition->sought) == 0)
		return error;
	/* the sought entry may now have a number that was passed already */
	return log_apply_find_position(group, number) == LOG_POSITION_NONE
		       ? ERR_NOT_FOUND
		       : ERR_BUSY;
}

/* The copying thread. */

/*
 * Read new entries of the log. When there are no more, an incomplete replica
 * becomes complete. Return whether there are more entries.
 */
static bool keep_up(struct node_group *group, unsigned number)
{
	struct partition *partition = &group->partitions[number];
	const struct partition before = partition_copy_state(group, number);
	bool more = false;
	enum error error = log_apply_follow(group, number, &more);

	resync_repair(group, number, error);
	if ((resync_error_is_fatal(error) ||
	     (error == ERR_NOT_FOUND && !before.is_whole)) &&
	    !partition_copy_state(group, number).is_whole &&
	    strcmp(before.owner, group->options.bus.name) == 0)
		ownership_renounce(group, number);
	if (error == ERR_NONE && !more &&
	    !partition_copy_state(group, number).is_whole) {
		struct log_end last;

		error = log_apply_read_to_end(group, number, &last);
		resync_repair(group, number, error);
		lock_acquire(&group->lock);
		if (error == ERR_NONE) {
			partition->is_whole = true;
			partition->state = PARTITION_FOLLOWED;
			partition->locked_until_ms = 0;
		}
		lock_release(&group->lock);
	}
	return more && !resync_error_is_fatal(error);
}

/* try again after BEHIND_MS */
enum copying_turn { TURN_DONE, TURN_SOON, TURN_AGAIN };

/*
 * Return whether the log has entries that this node does not have, according to
 * hints and to the rows of the owners.
 */
static bool log_apply_is_behind(struct node_group *group, unsigned number)
{
	const struct partition partition = partition_copy_state(group, number);

	return partition.is_whole && partition.last > partition.applied;
}

/*
 * Compare the end of the log with the applied position, if that is due: the
 * servers may have renumbered the entries since.
 */
static void log_apply_check_end(struct node_group *group, unsigned number)
{
	struct partition *partition = &group->partitions[number];
	uint64_t now_ms = clock_steady_ms();
	struct log_end last;
	bool is_late; /* a known entry has been missing here for
			 LOOK_BEHIND_MS */
	bool is_due;

	lock_acquire(&group->lock);
	if (!partition->is_whole || partition->last <= partition->applied)
		partition->behind_ms = 0;
	else if (partition->behind_ms == 0)
		partition->behind_ms = now_ms;
	is_late = partition->behind_ms != 0 &&
		  now_ms >= partition->behind_ms + LOOK_BEHIND_MS;
	is_due = partition->is_whole &&
		 now_ms >= partition->looked_ms +
				   (is_late ? LOOK_BEHIND_MS : LOOK_MS);
	lock_release(&group->lock);
	if (!is_due || log_read_last(group, number, &last) != ERR_NONE)
		return;
	lock_acquire(&group->lock);
	partition->looked_ms = now_ms;
	partition->last = last.number;
	lock_release(&group->lock);
	if (log_apply_ends_with(group, number, &last))
		return;
	if (last.number <= partition_read_number(group, &partition->applied))
		log_apply_find_position(group, number);
	else if (is_late)
		log_apply_doubt_numbers(group);
}

/* Do the next step for a partition that this node does not own. */
static enum copying_turn log_apply_turn(struct node_group *group,
					unsigned number,
					const struct partition *partition)
{
	if (partition->state == PARTITION_LEAVING) {
		ownership_retry_leave(group, number, partition);
		return TURN_DONE;
	}
	if (clock_steady_ms() < partition->locked_until_ms)
		return TURN_DONE;
	if (resync_replace_damaged(group, number, partition))
		return TURN_DONE;
	if (ownership_should_adopt(group, partition)) {
		ownership_adopt(group, number);
		return TURN_DONE;
	}
	if (replica_check_differs(group, number)) {
		resync_replace_differing(group, number);
		return TURN_AGAIN;
	}
	if (partition->state == PARTITION_ADOPTING)
		partition_set_state(group, number, PARTITION_FOLLOWED);
	if (partition->state == PARTITION_NOT_HERE) {
		if (!partition->wants_copy)
			return TURN_DONE;
		partition_set_state(group, number, PARTITION_COPYING);
	}
	if (partition->applied == 0 && !partition->is_whole &&
	    !resync_begin(group, number))
		return TURN_DONE;
	if (!partition->wants_copy && partition->others_have_it &&
	    !partition->is_owner_gone) {
		resync_drop(group, number);
		return TURN_DONE;
	}
	log_apply_check_end(group, number);
	if (partition->is_whole && !log_apply_is_behind(group, number))
		return TURN_DONE;
	if (keep_up(group, number))
		return TURN_AGAIN;
	return log_apply_is_behind(group, number) ? TURN_SOON : TURN_DONE;
}

/* Leave all partitions, because this node has no lease. */
static void leave_all(struct node_group *group)
{
	bool has_left = false;

	lock_acquire(&group->lock);
	group->is_lost = false;
	lock_release(&group->lock);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++)
		store_set_owned(group->store, i, false);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		if (partition_copy_state(group, i).state != PARTITION_OWNED)
			continue;
		ownership_leave(group, i);
		has_left = true;
	}
	if (has_left) {
		pipeline_leave_lost_hosts(group->pipeline, 0);
		log_warn("nodes: the lease has expired; this node fetches and "
			 "changes nothing until it has a new one");
	}
}

/*
 * Return whether the replica is being read from its beginning, which takes
 * long.
 */
static bool is_begun(const struct partition *partition)
{
	return partition->state == PARTITION_COPYING ||
	       (partition->state == PARTITION_NOT_HERE &&
		partition->wants_copy);
}

/*
 * Do one step for each partition that is not being read from its beginning;
 * adopt those that are due.
 */
static enum copying_turn work_at_whole(struct node_group *group)
{
	enum copying_turn all = TURN_DONE;

	for (unsigned i = 0; i < ALL_PARTITIONS && nodes_hold_lease(group);
	     i++) {
		const struct partition partition =
			partition_copy_state(group, i);
		enum copying_turn turn = TURN_DONE;

		if (partition.state == PARTITION_OWNED)
			ownership_turn(group, i, &partition);
		else if (!is_begun(&partition))
			turn = log_apply_turn(group, i, &partition);
		all = turn > all ? turn : all;
	}
	return all;
}

/*
 * Continue the incomplete replicas, one after another, until `until_ms`, so
 * that complete partitions do not wait long.
 */
static enum copying_turn work_at_begun(struct node_group *group,
				       uint64_t until_ms)
{
	unsigned first = group->begun;
	enum copying_turn all = TURN_DONE;

	for (unsigned i = 0; i < ALL_PARTITIONS && nodes_hold_lease(group);
	     i++) {
		unsigned number = (first + i) % ALL_PARTITIONS;
		const struct partition partition =
			partition_copy_state(group, number);
		enum copying_turn turn;

		if (!is_begun(&partition) ||
		    clock_steady_ms() < partition.locked_until_ms)
			continue;
		if (clock_steady_ms() >= until_ms)
			return all == TURN_AGAIN ? TURN_AGAIN : TURN_SOON;
		turn = log_apply_turn(group, number, &partition);
		all = turn > all ? turn : all;
		group->begun = number + 1;
	}
	return all;
}

/* Do one step for all partitions. Return how soon the next one is due. */
static enum copying_turn log_apply_run_turns(struct node_group *group)
{
	uint64_t begin_ms = clock_steady_ms();
	struct pipeline_stats stats;
	uint64_t spent_ms;
	enum copying_turn whole;
	enum copying_turn begun;

	/*
	 * check that the store can be written: commits fail before they reach
	 * the log
	 */
	pipeline_stats(group->pipeline, &stats);
	if (stats.is_paused && (stats.pause_error == ERR_STORE_FULL ||
				stats.pause_error == ERR_IO))
		resync_note_full_disk(group, stats.pause_error);
	if (stats.is_paused && stats.pause_error == ERR_CORRUPT)
		replica_check_all(group);
	whole = work_at_whole(group);
	/* spend at least as much time on incomplete replicas */
	spent_ms = clock_steady_ms() - begin_ms;
	begun = work_at_begun(
		group, begin_ms + spent_ms +
			       (spent_ms > BEGUN_MS ? spent_ms : BEGUN_MS));
	if (!nodes_hold_lease(group)) {
		leave_all(group);
		return TURN_DONE;
	}
	return whole > begun ? whole : begun;
}

/* Return how long to wait for the next turn. */
static uint64_t log_apply_pause_ms(enum copying_turn turn)
{
	if (turn == TURN_AGAIN)
		return 0;
	return turn == TURN_SOON ? BEHIND_MS : IDLE_MS;
}

void *log_apply_main(void *argument)
{
	struct node_group *group = argument;
	enum copying_turn turn = TURN_DONE;

	while (node_wake_wait(group, &group->wake_copying,
			      log_apply_pause_ms(turn))) {
		bool has_members;
		bool is_new;

		lock_acquire(&group->lock);
		has_members = group->has_members;
		is_new = group->has_new_bus;
		group->has_new_bus = false;
		lock_release(&group->lock);
		/* register the request handlers again on a new connection */
		for (unsigned i = 0; is_new && i < ALL_PARTITIONS; i++)
			if (partition_copy_state(group, i).state ==
			    PARTITION_OWNED)
				ownership_serve_requests(group, i, true);
		turn = has_members ? log_apply_run_turns(group) : TURN_DONE;
	}
	leave_all(group);
	return NULL;
}
