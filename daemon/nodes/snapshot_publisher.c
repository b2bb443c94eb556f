/*
 * The tending thread. It publishes data of the partitions that this node owns,
 * for other nodes and for users: snapshots, sums, and the stream of events,
 * tpl.evt.<P>.<site>.
 */
#include "daemon/nodes/nodes_internal.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/snapshot.h"
#include "daemon/query/event.h"
#include "daemon/runtime/clock.h"
#include "store/key.h"
#include "store/partitions.h"

enum {
	IDLE_MS = 5000,
	SNAPSHOTS_KEPT = 2,
	SNAPSHOT_SHARE = 4,   /* save a snapshot when the log reaches 1/4 of the
				 size of   the last snapshot */
	NUMBERS_KEPT = 64,    /* the servers never change the number of an
				 entry by more than this */
	PAUSE_MS = 60 * 1000, /* wait after a snapshot that failed */
	EVENTS_AT_ONCE = 256, /* maximum number of events per batch */
	SUBJECTS_AT_ONCE = 64,
	MAX_LEAFLET_BYTES = 64 * 1024,
};

#define SNAPSHOT_MAX_MS (UINT64_C(7) * 24 * 3600 * 1000)

/* Saving snapshots. */

/*
 * Return whether a snapshot is due. A snapshot contains the whole partition. So
 * the larger the last snapshot was, the larger must the log be that triggers
 * the next one; otherwise snapshots would cost many times as much as the
 * changes. After a week a log of any size is enough, so that no log entries
 * expire.
 */
static bool needs_snapshot(struct node_group *group, unsigned number)
{
	const struct partition partition = partition_copy_state(group, number);
	uint64_t now_ms = clock_steady_ms();

	return now_ms >= partition.saved_ms &&
	       (!partition.is_resealed || partition.wants_snapshot ||
		(partition.is_log_full &&
		 now_ms >= partition.saved_ms + PAUSE_MS) ||
		(partition.log_bytes >= group->options.snapshot_bytes &&
		 partition.log_bytes >=
			 partition.saved_bytes / SNAPSHOT_SHARE) ||
		(partition.log_bytes > 0 &&
		 now_ms - partition.saved_ms >= SNAPSHOT_MAX_MS));
}

/*
 * Shorten the log of the partition. The entries in the older of the two stored
 * snapshots are not needed. If the log has no space, delete the entries in the
 * newer snapshot, too.
 */
static void shorten_log(struct node_group *group, unsigned number,
			uint64_t newest)
{
	bool is_full = partition_copy_state(group, number).is_log_full;
	uint64_t older = newest;
	enum error error = ERR_NONE;

	if (snapshot_store_prune(group->depot, number, SNAPSHOTS_KEPT) !=
		    ERR_NONE ||
	    (!is_full && snapshot_store_latest(group->depot, number, newest,
					       &older) != ERR_NONE))
		return;
	if (older > NUMBERS_KEPT)
		error = group->ops->purge(
			group->bus, BROKER_LOG,
			broker_subject(LOG_SUBJECT, number).text,
			older - NUMBERS_KEPT);
	if (error != ERR_NONE)
		log_warn("nodes: partition %u: cannot shorten its log now: %s",
			 number, error_text(error));
}

static void snapshot_publisher_save(struct node_group *group, unsigned number)
{
	struct partition *partition = &group->partitions[number];
	struct snapshot_figures copy;
	uint64_t log_bytes =
		partition_read_number(group, &partition->log_bytes);
	enum error error;

	error = snapshot_save(group->store, number, clock_wall_ms(),
			      group->depot, &copy);
	lock_acquire(&group->lock);
	partition->saved_ms = clock_steady_ms();
	if (error == ERR_NONE) {
		partition->log_bytes -= log_bytes;
		partition->saved_bytes = copy.bytes;
		partition->is_resealed = true;
		partition->wants_snapshot = false;
	} else {
		partition->saved_ms += PAUSE_MS;
	}
	lock_release(&group->lock);
	if (error == ERR_CORRUPT)
		replica_check_partition(group, number);
	if (error == ERR_NONE)
		shorten_log(group, number, copy.head.number);
	else
		log_warn("nodes: cannot save partition %u to %s: %s; keeping "
			 "its log",
			 number, snapshot_store_location(group->depot),
			 error_text(error));
}

/* Publishing sums. */

static void publish_sum(struct node_group *group, unsigned number)
{
	const struct broker_subject key = broker_subject(SUM_KEY, number);
	char text[96];
	struct partition_sum sum;
	struct broker_row row = {0};
	uint64_t revision;

	lock_acquire(&group->lock);
	sum = group->partitions[number].own_sum;
	group->partitions[number].own_sum = (struct partition_sum){0};
	lock_release(&group->lock);
	if (sum.entry == 0)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 " %" PRIx64 " %" PRIu64,
		 sum.entry, sum.sum, sum.rows);
	group->ops->get(group->bus, BROKER_FACTS, key.text, &row);
	group->ops->put(group->bus, BROKER_FACTS, key.text, slice_of(text),
			row.revision, &revision);
	buffer_free(&row.value);
}

/* Publishing events. */

/*
 * Find the number of the last event of the partition in the stream, which is in
 * the last line of an entry; 0 = the stream has none. Return false if the
 * number is unknown now.
 */
static bool find_published(struct node_group *group, unsigned number,
			   uint64_t *published_out)
{
	struct broker_message last = {0};
	enum error error = group->ops->last(
		group->bus, BROKER_EVENTS,
		broker_subject("tpl.evt.%03u.>", number).text, &last);

	*published_out = 0;
	if (error == ERR_NONE && last.data.size > 0) {
		const char *end = memrchr(last.data.data, '\n', last.data.size);
		json_t *event = json_loads(
			end == NULL ? last.data.data : end + 1, 0, NULL);

		*published_out = (uint64_t)json_integer_value(
			json_object_get(event, "seq"));
		json_decref(event);
	}
	broker_message_free(&last);
	return error == ERR_NONE || error == ERR_NOT_FOUND;
}

/* For each partition, the event after which publishing starts. */
struct publish_cursor {
	bool asks[ALL_PARTITIONS];     /* whether to find the start of this
					  partition */
	uint64_t last[ALL_PARTITIONS]; /* number of the last event in the
					  stream; 0 = none */
	unsigned count;                /* number of partitions whose start is
					  still to be found */
	/* Out: publish the events after this number. */
	uint64_t published[ALL_PARTITIONS];
	unsigned again[ALL_PARTITIONS]; /* number of events that are
					   published again */
	bool is_known[ALL_PARTITIONS];
};

/*
 * Find the events after which publishing starts.
 *
 * If an owner fails during a batch, the last event of the batch may be stored
 * while earlier ones are not. So publish EVENTS_AT_ONCE events up to the last
 * stored one again. Consumers get these twice if the broker has already deleted
 * their ids. If the stream has no event of a partition, assume that all events
 * older than the stream's retention time were published.
 */
static void find_outset(struct node_group *group, struct publish_cursor *outset)
{
	uint64_t age_ms = 1000U * (uint64_t)group->options.bus.event_age_s;
	uint64_t now_ms = clock_wall_ms();
	struct txn txn = txn_begin_read(group->store);
	uint64_t top = store_last_number(&txn, "event");
	uint64_t number = UINT64_MAX;
	struct event_row event;

	for (unsigned i = 0; i < ALL_PARTITIONS; i++)
		outset->published[i] = top;
	while (outset->count > 0 && event_get_before(&txn, &number, &event)) {
		unsigned partition =
			store_partition_of_event(group->store, number);
		bool is_old = age_ms > 0 && event.time_ms + age_ms < now_ms;

		if (partition >= ALL_PARTITIONS || !outset->asks[partition] ||
		    outset->is_known[partition])
			continue;
		if (outset->last[partition] == 0 && is_old)
			outset->is_known[partition] = true;
		else
			outset->published[partition] = number - 1;
		outset->again[partition] += number <= outset->last[partition];
		outset->is_known[partition] |=
			outset->again[partition] == EVENTS_AT_ONCE;
		outset->count -= outset->is_known[partition];
	}
	txn_end(&txn);
}

/* A message with events of one subject, one per line. */
struct event_message {
	uint64_t first; /* numbers of the first and the last event */
	uint64_t last;
	struct buffer body;
	unsigned partition;
	struct broker_subject subject;
	char id[64];
};

/* The events of one append(). Each subject has one message. */
struct event_publisher {
	struct event_message leaflets[SUBJECTS_AT_ONCE];
	size_t count;
	size_t events;
	size_t max_bytes; /* a message with a body of this size gets no
			     further event */
	uint64_t reached; /* number of the last event that was read */
	bool is_full;
};

/*
 * Return the message of the subject, which may be new; NULL if there is no
 * space for another event.
 */
static struct event_message *find_leaflet(struct event_publisher *press,
					  struct broker_subject subject)
{
	struct event_message *leaflet;

	if (press->events == EVENTS_AT_ONCE)
		return NULL;
	for (size_t i = 0; i < press->count; i++) {
		leaflet = &press->leaflets[i];
		if (strcmp(leaflet->subject.text, subject.text) == 0)
			return leaflet->body.size < press->max_bytes ? leaflet
								     : NULL;
	}
	if (press->count == SUBJECTS_AT_ONCE)
		return NULL;
	leaflet = &press->leaflets[press->count++];
	leaflet->subject = subject;
	return leaflet;
}

/* Add an event. Return false if there is no space for it. */
static bool event_publisher_add(struct event_publisher *press,
				unsigned partition, uint64_t number,
				const struct event_row *event)
{
	/*
	 * a host has no blanks and no wildcards, so it can be part of a subject
	 */
	struct slice host = event->host.size == 0 ? slice_of("_") : event->host;
	struct event_message *leaflet = find_leaflet(
		press, broker_subject("tpl.evt.%03u.%.*s", partition,
				      (int)(host.size < 200 ? host.size : 200),
				      (const char *)host.data));

	if (leaflet == NULL)
		return false;
	leaflet->partition = partition;
	if (leaflet->body.size == 0)
		leaflet->first = number;
	else
		buffer_append_byte(&leaflet->body, '\n');
	leaflet->last = number;
	event_append(number, event, &leaflet->body);
	press->events++;
	return true;
}

/*
 * Collect the events after number `from` that are new. `published` has the
 * number of the last published event of each partition; UINT64_MAX = do not
 * publish the partition.
 */
static void event_publisher_collect(struct node_group *group, uint64_t from,
				    const uint64_t *published,
				    struct event_publisher *press)
{
	struct txn txn = txn_begin_read(group->store);
	struct key key = key_number(from + 1);
	struct scan scan =
		scan_begin_at(&txn, TABLE_EVENTS, key_slice(&key), 0);

	scan.is_keys_only = true;
	press->reached = from;
	while (!press->is_full && scan_next(&scan)) {
		uint64_t number = key_u64(scan.key, 0);
		unsigned partition =
			store_partition_of_event(group->store, number);
		struct event_row event;
		bool is_new = partition < ALL_PARTITIONS &&
			      number > published[partition];
		bool is_read = is_new && scan_try(&scan) &&
			       event_decode(scan.value, &event);

		if (txn.error != ERR_NONE)
			break;
		if (is_read)
			press->is_full = !event_publisher_add(press, partition,
							      number, &event);
		else if (is_new)
			log_error_limited("nodes: event %" PRIu64
					  " is damaged and cannot be published",
					  number);
		if (!press->is_full)
			press->reached = number;
	}
	scan_end(&scan);
	txn_end(&txn);
}

static enum error event_publisher_append(struct node_group *group,
					 struct event_publisher *press)
{
	struct broker_entry entries[SUBJECTS_AT_ONCE];

	if (press->count == 0)
		return ERR_NONE;
	for (size_t i = 0; i < press->count; i++) {
		struct event_message *leaflet = &press->leaflets[i];

		snprintf(leaflet->id, sizeof(leaflet->id),
			 "evt.%" PRIu64 "-%" PRIu64, leaflet->first,
			 leaflet->last);
		entries[i] = (struct broker_entry){
			.subject = leaflet->subject.text,
			.id = leaflet->id,
			.data = buffer_slice(&leaflet->body),
			.expected = BROKER_ANY,
			.epoch = partition_read_number(
				group,
				&group->partitions[leaflet->partition].epoch),
		};
	}
	return group->ops->append(group->bus, entries, press->count);
}

/*
 * Find the start of publishing for the partitions that this node has adopted
 * since the last call.
 */
static void find_outsets(struct node_group *group)
{
	struct publish_cursor outset = {.count = 0};

	lock_acquire(&group->lock);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++)
		outset.asks[i] =
			group->partitions[i].state == PARTITION_OWNED &&
			!group->partitions[i].is_published_known;
	lock_release(&group->lock);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		outset.asks[i] = outset.asks[i] &&
				 find_published(group, i, &outset.last[i]);
		outset.count += outset.asks[i];
	}
	if (outset.count == 0)
		return;
	find_outset(group, &outset);
	lock_acquire(&group->lock);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		struct partition *partition = &group->partitions[i];

		if (!outset.asks[i] || partition->state != PARTITION_OWNED)
			continue;
		partition->published = outset.published[i];
		partition->is_published_known = true;
	}
	lock_release(&group->lock);
}

/*
 * Return the smallest number of a last published event, and fill in
 * `published`; UINT64_MAX = nothing to publish.
 */
static uint64_t event_publisher_find_start(struct node_group *group,
					   uint64_t *published)
{
	uint64_t from = UINT64_MAX;

	find_outsets(group);
	lock_acquire(&group->lock);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		struct partition *partition = &group->partitions[i];

		published[i] = UINT64_MAX;
		if (partition->state != PARTITION_OWNED ||
		    !partition->is_published_known || !partition->has_events)
			continue;
		published[i] = partition->published;
		partition->has_events = false;
		if (partition->published < from)
			from = partition->published;
	}
	lock_release(&group->lock);
	return from;
}

static void publish_events(struct node_group *group)
{
	uint64_t published[ALL_PARTITIONS];
	uint64_t from = event_publisher_find_start(group, published);
	bool goes_on = from != UINT64_MAX;
	/* so that a body can exceed max_bytes by one event */
	size_t half =
		group->bus == NULL ? 0 : group->ops->max_bytes(group->bus) / 2;

	while (goes_on) {
		struct event_publisher press = {
			.max_bytes = half < MAX_LEAFLET_BYTES
					     ? half
					     : MAX_LEAFLET_BYTES,
		};
		enum error error;

		event_publisher_collect(group, from, published, &press);
		error = event_publisher_append(group, &press);
		goes_on = error == ERR_NONE && press.is_full;
		/* note the last published event, or that a retry is needed */
		lock_acquire(&group->lock);
		for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
			struct partition *partition = &group->partitions[i];

			if (published[i] == UINT64_MAX)
				continue;
			if (error != ERR_NONE)
				partition->has_events = true;
			else if (press.reached > partition->published)
				partition->published = press.reached;
		}
		lock_release(&group->lock);
		from = press.reached;
		for (size_t i = 0; i < press.count; i++)
			buffer_free(&press.leaflets[i].body);
	}
}

void *snapshot_publisher_main(void *argument)
{
	struct node_group *group = argument;

	while (node_wake_wait(group, &group->wake_tending, IDLE_MS)) {
		for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
			const struct partition *partition =
				&group->partitions[i];
			bool is_tended;

			/*
			 * A partition that this node owns, or would own if the
			 * log had space for its claim: a snapshot makes space
			 * in the log.
			 */
			lock_acquire(&group->lock);
			is_tended = nodes_have_lease(group) &&
				    (partition->state == PARTITION_OWNED ||
				     (partition->state == PARTITION_ADOPTING &&
				      partition->is_log_full));
			lock_release(&group->lock);
			if (!is_tended)
				continue;
			publish_sum(group, i);
			if (group->depot != NULL && needs_snapshot(group, i))
				snapshot_publisher_save(group, i);
		}
		publish_events(group);
	}
	return NULL;
}
