/*
 * The copying thread: it follows the logs of partitions, adopts and leaves
 * partitions. A partition goes ELSEWHERE -> COPYING -> FOLLOWED -> TAKEN -> OWN
 * -> LEFT -> FOLLOWED, and out of OWN immediately when its owner may be another
 * node.
 */
#include "daemon/nodes/copying_parts.h"

#include "daemon/runtime/clock.h"
#include "store/partitions.h"

enum {
	IDLE_MS = 1000, /* hints may be lost: check all logs this often */
	BEGUN_MS = 200, /* time per turn for unfinished replicas */
	BEHIND_MS =
		20, /* retry when a broker replica does not have an entry yet */
	LOOK_BEHIND_MS =
		1000, /* like LOOK_MS, when a known entry is missing here */
};

void partition_set_state(struct node_group *cluster, unsigned number,
			 enum partition_state state)
{
	lock_acquire(&cluster->lock);
	cluster->partitions[number].state = state;
	lock_release(&cluster->lock);
}

struct partition partition_copy_state(struct node_group *cluster,
				      unsigned number)
{
	struct partition partition;

	lock_acquire(&cluster->lock);
	partition = cluster->partitions[number];
	lock_release(&cluster->lock);
	return partition;
}

uint64_t partition_read_number(struct node_group *cluster,
			       const uint64_t *field)
{
	uint64_t number;

	lock_acquire(&cluster->lock);
	number = *field;
	lock_release(&cluster->lock);
	return number;
}

bool nodes_hold_lease(struct node_group *cluster)
{
	bool holds;

	lock_acquire(&cluster->lock);
	holds = nodes_have_lease(cluster) && !cluster->is_lost;
	lock_release(&cluster->lock);
	return holds;
}

/* Read new entries until there are none; then the replica is complete. */
static bool keep_up(struct node_group *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];
	const struct partition before = partition_copy_state(cluster, number);
	bool more = false;
	enum error error = log_apply_follow(cluster, number, &more);

	resync_repair(cluster, number, error);
	if ((resync_error_is_fatal(error) ||
	     (error == ERR_NOT_FOUND && !before.is_whole)) &&
	    !partition_copy_state(cluster, number).is_whole &&
	    strcmp(before.owner, cluster->options.bus.name) == 0)
		ownership_renounce(cluster, number);
	if (error == ERR_NONE && !more &&
	    !partition_copy_state(cluster, number).is_whole) {
		struct log_end last;

		error = log_apply_read_to_end(cluster, number, &last);
		resync_repair(cluster, number, error);
		lock_acquire(&cluster->lock);
		if (error == ERR_NONE) {
			partition->is_whole = true;
			partition->state = PARTITION_FOLLOWED;
			partition->locked_until_ms = 0;
		}
		lock_release(&cluster->lock);
	}
	return more && !resync_error_is_fatal(error);
}

enum copying_turn { TURN_DONE, TURN_SOON /* retry in BEHIND_MS */, TURN_AGAIN };

/*
 * Return whether the log has entries that are missing here, from hints and from
 * the owners' rows.
 */
static bool log_apply_is_behind(struct node_group *cluster, unsigned number)
{
	const struct partition *partition = &cluster->partitions[number];
	bool is_behind;

	lock_acquire(&cluster->lock);
	is_behind = partition->is_whole && partition->last > partition->applied;
	lock_release(&cluster->lock);
	return is_behind;
}

/* Return for how long a known entry is missing here. */
static uint64_t behind_for_ms(struct node_group *cluster, unsigned number)
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

/*
 * Read the end of the log: the known number or the applied one may have changed
 * since.
 */
static void log_apply_check_end(struct node_group *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];
	uint64_t now_ms = clock_steady_ms();
	bool is_late = behind_for_ms(cluster, number) >= LOOK_BEHIND_MS;
	struct log_end last;

	if (!partition_copy_state(cluster, number).is_whole ||
	    now_ms < partition_read_number(cluster, &partition->looked_ms) +
			     (is_late ? LOOK_BEHIND_MS : LOOK_MS) ||
	    log_read_last(cluster, number, &last) != ERR_NONE)
		return;
	lock_acquire(&cluster->lock);
	partition->looked_ms = now_ms;
	partition->last = last.number;
	lock_release(&cluster->lock);
	if (log_apply_ends_with(cluster, number, &last))
		return;
	if (last.number <= partition_read_number(cluster, &partition->applied))
		log_apply_find_position(cluster, number);
	else if (is_late)
		log_apply_doubt_numbers(cluster);
}

/* One turn of a partition that we do not own. */
static enum copying_turn log_apply_turn(struct node_group *cluster,
					unsigned number,
					const struct partition *partition)
{
	if (partition->state == PARTITION_LEAVING) {
		ownership_retry_leave(cluster, number, partition);
		return TURN_DONE;
	}
	if (clock_steady_ms() < partition->locked_until_ms)
		return TURN_DONE;
	if (resync_replace_damaged(cluster, number, partition))
		return TURN_DONE;
	if (ownership_should_adopt(cluster, partition)) {
		ownership_adopt(cluster, number);
		return TURN_DONE;
	}
	if (replica_check_differs(cluster, number)) {
		resync_replace_differing(cluster, number);
		return TURN_AGAIN;
	}
	if (partition->state == PARTITION_ADOPTING)
		partition_set_state(cluster, number, PARTITION_FOLLOWED);
	if (partition->state == PARTITION_NOT_HERE) {
		if (!partition->wants_copy)
			return TURN_DONE;
		partition_set_state(cluster, number, PARTITION_COPYING);
	}
	if (partition->applied == 0 && !partition->is_whole &&
	    !resync_begin(cluster, number))
		return TURN_DONE;
	if (!partition->wants_copy && partition->others_have_it &&
	    !partition->is_owner_gone) {
		resync_drop(cluster, number);
		return TURN_DONE;
	}
	log_apply_check_end(cluster, number);
	if (partition->is_whole && !log_apply_is_behind(cluster, number))
		return TURN_DONE;
	if (keep_up(cluster, number))
		return TURN_AGAIN;
	return log_apply_is_behind(cluster, number) ? TURN_SOON : TURN_DONE;
}

/* Leave all partitions: without a lease we own none. */
static void leave_all(struct node_group *cluster)
{
	bool has_left = false;

	lock_acquire(&cluster->lock);
	cluster->is_lost = false;
	lock_release(&cluster->lock);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++)
		store_set_owned(cluster->store, i, false);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		if (partition_copy_state(cluster, i).state != PARTITION_OWNED)
			continue;
		ownership_leave(cluster, i);
		has_left = true;
	}
	if (has_left) {
		pipeline_leave_lost_hosts(cluster->pipeline, 0);
		log_warn("nodes: the lease has expired; this node fetches and "
			 "changes nothing until it has a new one");
	}
}

/*
 * Check that the store can be written: commits fail before they reach the log.
 */
static void log_apply_check_store(struct node_group *cluster)
{
	struct pipeline_stats stats;

	pipeline_stats(cluster->pipeline, &stats);
	if (stats.is_paused && (stats.pause_error == ERR_STORE_FULL ||
				stats.pause_error == ERR_IO))
		resync_note_full_disk(cluster, stats.pause_error);
	if (stats.is_paused && stats.pause_error == ERR_CORRUPT)
		replica_check_all(cluster);
}

/*
 * Return whether the partition is read from its beginning, which may take long.
 */
static bool is_begun(const struct partition *partition)
{
	return partition->state == PARTITION_COPYING ||
	       (partition->state == PARTITION_NOT_HERE &&
		partition->wants_copy);
}

/* One turn of the complete partitions; adopt the ones that are due. */
static enum copying_turn work_at_whole(struct node_group *cluster)
{
	enum copying_turn all = TURN_DONE;

	for (unsigned i = 0; i < ALL_PARTITIONS && nodes_hold_lease(cluster);
	     i++) {
		const struct partition partition =
			partition_copy_state(cluster, i);
		enum copying_turn turn = TURN_DONE;

		if (partition.state == PARTITION_OWNED)
			ownership_turn(cluster, i, &partition);
		else if (!is_begun(&partition))
			turn = log_apply_turn(cluster, i, &partition);
		all = turn > all ? turn : all;
	}
	return all;
}

/*
 * Continue some unfinished partitions, one after another, until `until_ms`, so
 * that complete partitions need not wait long.
 */
static enum copying_turn work_at_begun(struct node_group *cluster,
				       uint64_t until_ms)
{
	unsigned first = cluster->begun;
	enum copying_turn all = TURN_DONE;

	for (unsigned i = 0; i < ALL_PARTITIONS && nodes_hold_lease(cluster);
	     i++) {
		unsigned number = (first + i) % ALL_PARTITIONS;
		const struct partition partition =
			partition_copy_state(cluster, number);
		enum copying_turn turn;

		if (!is_begun(&partition) ||
		    clock_steady_ms() < partition.locked_until_ms)
			continue;
		if (clock_steady_ms() >= until_ms)
			return all == TURN_AGAIN ? TURN_AGAIN : TURN_SOON;
		turn = log_apply_turn(cluster, number, &partition);
		all = turn > all ? turn : all;
		cluster->begun = number + 1;
	}
	return all;
}

/* One turn of all partitions; return how soon the next one is due. */
static enum copying_turn log_apply_run_turns(struct node_group *cluster)
{
	uint64_t begin_ms = clock_steady_ms();
	uint64_t spent_ms;
	enum copying_turn whole;
	enum copying_turn begun;

	log_apply_check_store(cluster);
	whole = work_at_whole(cluster);
	/* wait at least as long as that took */
	spent_ms = clock_steady_ms() - begin_ms;
	begun = work_at_begun(
		cluster, begin_ms + spent_ms +
				 (spent_ms > BEGUN_MS ? spent_ms : BEGUN_MS));
	if (!nodes_hold_lease(cluster)) {
		leave_all(cluster);
		return TURN_DONE;
	}
	return whole > begun ? whole : begun;
}

static bool log_apply_wait(struct node_group *cluster, enum copying_turn turn)
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

/* Set the handlers again on a new bus after the old one was closed. */
static void answer_again(struct node_group *cluster)
{
	bool is_new;

	lock_acquire(&cluster->lock);
	is_new = cluster->has_new_bus;
	cluster->has_new_bus = false;
	lock_release(&cluster->lock);
	for (unsigned i = 0; is_new && i < ALL_PARTITIONS; i++)
		if (partition_copy_state(cluster, i).state == PARTITION_OWNED)
			ownership_serve_requests(cluster, i, true);
}

void *log_apply_main(void *argument)
{
	struct node_group *cluster = argument;
	enum copying_turn turn = TURN_DONE;

	while (log_apply_wait(cluster, turn)) {
		bool has_members;

		answer_again(cluster);
		lock_acquire(&cluster->lock);
		has_members = cluster->has_members;
		lock_release(&cluster->lock);
		turn = has_members ? log_apply_run_turns(cluster) : TURN_DONE;
	}
	leave_all(cluster);
	return NULL;
}
