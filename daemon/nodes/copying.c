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

void set_partition_state(struct cluster *cluster, unsigned number,
			 enum partition_state state)
{
	lock_acquire(&cluster->lock);
	cluster->partitions[number].state = state;
	lock_release(&cluster->lock);
}

struct partition view_partition(struct cluster *cluster, unsigned number)
{
	struct partition partition;

	lock_acquire(&cluster->lock);
	partition = cluster->partitions[number];
	lock_release(&cluster->lock);
	return partition;
}

uint64_t number_of(struct cluster *cluster, const uint64_t *field)
{
	uint64_t number;

	lock_acquire(&cluster->lock);
	number = *field;
	lock_release(&cluster->lock);
	return number;
}

bool holds_lease(struct cluster *cluster)
{
	bool holds;

	lock_acquire(&cluster->lock);
	holds = has_lease(cluster) && !cluster->is_lost;
	lock_release(&cluster->lock);
	return holds;
}

/* Read new entries until there are none; then the replica is complete. */
static bool keep_up(struct cluster *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];
	const struct partition before = view_partition(cluster, number);
	bool more = false;
	enum error error = follow(cluster, number, &more);

	mend_copy(cluster, number, error);
	if ((is_useless(error) ||
	     (error == ERR_NOT_FOUND && !before.is_whole)) &&
	    !view_partition(cluster, number).is_whole &&
	    strcmp(before.owner, cluster->options.bus.name) == 0)
		give_up(cluster, number);
	if (error == ERR_NONE && !more &&
	    !view_partition(cluster, number).is_whole) {
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

enum turn { TURN_DONE, TURN_SOON /* retry in BEHIND_MS */, TURN_AGAIN };

/*
 * Return whether the log has entries that are missing here, from hints and from
 * the owners' rows.
 */
static bool is_behind(struct cluster *cluster, unsigned number)
{
	const struct partition *partition = &cluster->partitions[number];
	bool is_behind;

	lock_acquire(&cluster->lock);
	is_behind = partition->is_whole && partition->last > partition->applied;
	lock_release(&cluster->lock);
	return is_behind;
}

/* Return for how long a known entry is missing here. */
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

/*
 * Read the end of the log: the known number or the applied one may have changed
 * since.
 */
static void look(struct cluster *cluster, unsigned number)
{
	struct partition *partition = &cluster->partitions[number];
	uint64_t now_ms = clock_steady_ms();
	bool is_late = behind_for_ms(cluster, number) >= LOOK_BEHIND_MS;
	struct log_end last;

	if (!view_partition(cluster, number).is_whole ||
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

/* One turn of a partition that we do not own. */
static enum turn copy(struct cluster *cluster, unsigned number,
		      const struct partition *partition)
{
	if (partition->state == PARTITION_LEFT) {
		leave_again(cluster, number, partition);
		return TURN_DONE;
	}
	if (clock_steady_ms() < partition->locked_until_ms)
		return TURN_DONE;
	if (replace_copy(cluster, number, partition))
		return TURN_DONE;
	if (is_to_be_taken(cluster, partition)) {
		take(cluster, number);
		return TURN_DONE;
	}
	if (sums_differ(cluster, number)) {
		replace_differing(cluster, number);
		return TURN_AGAIN;
	}
	if (partition->state == PARTITION_TAKEN)
		set_partition_state(cluster, number, PARTITION_FOLLOWED);
	if (partition->state == PARTITION_ELSEWHERE) {
		if (!partition->wants_copy)
			return TURN_DONE;
		set_partition_state(cluster, number, PARTITION_COPYING);
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

/* Leave all partitions: without a lease we own none. */
static void leave_all(struct cluster *cluster)
{
	bool has_left = false;

	lock_acquire(&cluster->lock);
	cluster->is_lost = false;
	lock_release(&cluster->lock);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++)
		store_own(cluster->store, i, false);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		if (view_partition(cluster, i).state != PARTITION_OWN)
			continue;
		leave(cluster, i);
		has_left = true;
	}
	if (has_left) {
		pipeline_leave_strangers(cluster->pipeline, 0);
		log_warn("nodes: the lease has expired; this node fetches and "
			 "changes nothing until it has a new one");
	}
}

/*
 * Check that the store can be written: commits fail before they reach the log.
 */
static void look_at_store(struct cluster *cluster)
{
	struct pipeline_stats stats;

	pipeline_stats(cluster->pipeline, &stats);
	if (stats.is_paused && (stats.pause_error == ERR_STORE_FULL ||
				stats.pause_error == ERR_IO))
		note_full(cluster, stats.pause_error);
	if (stats.is_paused && stats.pause_error == ERR_CORRUPT)
		look_for_all_damage(cluster);
}

/*
 * Return whether the partition is read from its beginning, which may take long.
 */
static bool is_begun(const struct partition *partition)
{
	return partition->state == PARTITION_COPYING ||
	       (partition->state == PARTITION_ELSEWHERE &&
		partition->wants_copy);
}

/* One turn of the complete partitions; adopt the ones that are due. */
static enum turn work_at_whole(struct cluster *cluster)
{
	enum turn all = TURN_DONE;

	for (unsigned i = 0; i < ALL_PARTITIONS && holds_lease(cluster); i++) {
		const struct partition partition = view_partition(cluster, i);
		enum turn turn = TURN_DONE;

		if (partition.state == PARTITION_OWN)
			own(cluster, i, &partition);
		else if (!is_begun(&partition))
			turn = copy(cluster, i, &partition);
		all = turn > all ? turn : all;
	}
	return all;
}

/*
 * Continue some unfinished partitions, one after another, until `until_ms`, so
 * that complete partitions need not wait long.
 */
static enum turn work_at_begun(struct cluster *cluster, uint64_t until_ms)
{
	unsigned first = cluster->begun;
	enum turn all = TURN_DONE;

	for (unsigned i = 0; i < ALL_PARTITIONS && holds_lease(cluster); i++) {
		unsigned number = (first + i) % ALL_PARTITIONS;
		const struct partition partition =
			view_partition(cluster, number);
		enum turn turn;

		if (!is_begun(&partition) ||
		    clock_steady_ms() < partition.locked_until_ms)
			continue;
		if (clock_steady_ms() >= until_ms)
			return all == TURN_AGAIN ? TURN_AGAIN : TURN_SOON;
		turn = copy(cluster, number, &partition);
		all = turn > all ? turn : all;
		cluster->begun = number + 1;
	}
	return all;
}

/* One turn of all partitions; return how soon the next one is due. */
static enum turn work(struct cluster *cluster)
{
	uint64_t begin_ms = clock_steady_ms();
	uint64_t spent_ms;
	enum turn whole;
	enum turn begun;

	look_at_store(cluster);
	whole = work_at_whole(cluster);
	/* wait at least as long as that took */
	spent_ms = clock_steady_ms() - begin_ms;
	begun = work_at_begun(
		cluster, begin_ms + spent_ms +
				 (spent_ms > BEGUN_MS ? spent_ms : BEGUN_MS));
	if (!holds_lease(cluster)) {
		leave_all(cluster);
		return TURN_DONE;
	}
	return whole > begun ? whole : begun;
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

/* Set the handlers again on a new bus after the old one was closed. */
static void answer_again(struct cluster *cluster)
{
	bool is_new;

	lock_acquire(&cluster->lock);
	is_new = cluster->has_new_bus;
	cluster->has_new_bus = false;
	lock_release(&cluster->lock);
	for (unsigned i = 0; is_new && i < ALL_PARTITIONS; i++)
		if (view_partition(cluster, i).state == PARTITION_OWN)
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
