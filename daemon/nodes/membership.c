#include "daemon/nodes/nodes_internal.h"

#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "crawl/domain.h"
#include "daemon/nodes/placement.h"
#include "daemon/runtime/clock.h"
#include "store/partitions.h"

/*
 * The expected nodes. Each node has a row "n.NAME" in BROKER_FACTS, which stays
 * when the node's lease expires; the node rewrites it several times per
 * nodes.rebalance_delay. A node without a lease whose row is younger than
 * nodes.rebalance_delay is missing; it keeps its replicas. A node that was
 * draining is not expected to return.
 */

enum {
	TOLD = 10, /* writes of the row per nodes.rebalance_delay */
	MOST_MS = 60 * 1000,
	LEAST_MS = 1000,
};

static bool heartbeat_read(const struct broker_row *row,
			   struct node_heartbeat *out)
{
	json_t *json = json_loadb(row->value.data, row->value.size, 0, NULL);
	json_int_t capacity =
		json_integer_value(json_object_get(json, "capacity"));
	bool is_read = json_is_object(json);

	*out = (struct node_heartbeat){
		.capacity = capacity > 0 && capacity <= UINT32_MAX
				    ? (uint32_t)capacity
				    : 1,
		.is_draining = json_is_true(json_object_get(json, "draining")),
		.revision = row->revision,
		.time_ms = row->time_ms,
	};
	snprintf(out->name, sizeof(out->name), "%.*s", NODE_NAME_BYTES - 1,
		 row->key + strlen("n."));
	json_decref(json);
	return is_read;
}

static struct node_heartbeat *heartbeat_find(struct node_group *group,
					     const char *name)
{
	for (size_t i = 0; i < group->presence_count; i++)
		if (strcmp(group->presences[i].name, name) == 0)
			return &group->presences[i];
	return NULL;
}

/*
 * For the membership thread: read the expected nodes from the rows of
 * BROKER_FACTS; ignore other rows.
 */
static void heartbeat_read_all(struct node_group *group,
			       const struct broker_row *rows, size_t count)
{
	struct node_heartbeat *presences =
		mem_alloc(count + 1, sizeof(*presences));
	/* by the server's clock, like the times of the rows */
	int64_t now_ms = (int64_t)clock_wall_ms() + group->clock_ms;
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		struct node_heartbeat *presence = &presences[used];
		const struct node_heartbeat *before;

		if (strncmp(rows[i].key, "n.", strlen("n.")) != 0 ||
		    !heartbeat_read(&rows[i], presence))
			continue;
		before = heartbeat_find(group, presence->name);
		presence->is_away =
			node_state_find(group, presence->name) == NULL &&
			!presence->is_draining &&
			now_ms < (int64_t)(presence->time_ms +
					   group->options.patience_ms);
		if (presence->is_away && before != NULL && !before->is_away)
			log_info("nodes: node %s is missing; it keeps its "
				 "replicas for nodes.rebalance_delay",
				 presence->name);
		used++;
	}
	lock_acquire(&group->lock);
	free(group->presences);
	group->presences = presences;
	group->presence_count = used;
	lock_release(&group->lock);
}

/*
 * Return the time since `time_ms`, by the server's clock; 0 if `time_ms` is in
 * the future.
 */
static uint64_t silence_of(const struct node_group *group, uint64_t time_ms)
{
	int64_t now_ms = (int64_t)clock_wall_ms() + group->clock_ms;

	return now_ms > (int64_t)time_ms ? (uint64_t)now_ms - time_ms : 0;
}

void heartbeat_facts(const struct node_group *group, struct cluster_facts *out)
{
	for (size_t i = 0; i < out->node_count; i++)
		out->nodes[i].silent_ms =
			silence_of(group, group->members[i].time_ms);
	for (size_t i = 0; i < group->presence_count; i++) {
		const struct node_heartbeat *presence = &group->presences[i];
		struct missing_node_facts *away = &out->away[out->away_count];

		if (!presence->is_away ||
		    out->away_count == MISSING_NODES_SHOWN)
			continue;
		memcpy(away->name, presence->name, sizeof(away->name));
		away->capacity = presence->capacity;
		away->silent_ms = silence_of(group, presence->time_ms);
		out->away_count++;
	}
}

/*
 * Write the row of this node if it is due. The first node also deletes the rows
 * of nodes that did not return.
 */
static void heartbeat_write(struct node_group *group)
{
	const char *self = group->options.bus.name;
	uint64_t patience_ms = group->options.patience_ms;
	uint64_t pause_ms = patience_ms / TOLD;
	uint64_t now_ms = clock_steady_ms();
	const struct node_heartbeat *own = heartbeat_find(group, self);
	char text[80];
	uint64_t revision;
	bool drains;

	lock_acquire(&group->lock);
	drains = group->is_draining;
	lock_release(&group->lock);
	pause_ms = pause_ms > MOST_MS ? MOST_MS : pause_ms;
	pause_ms = pause_ms < LEAST_MS ? LEAST_MS : pause_ms;
	if (patience_ms == 0 ||
	    (own != NULL && own->is_draining == drains && group->told_ms != 0 &&
	     now_ms < group->told_ms + pause_ms))
		return;
	snprintf(text, sizeof(text), "{\"capacity\":%u,\"draining\":%s}",
		 group->options.capacity, drains ? "true" : "false");
	/* if the row has another revision, the next turn writes it */
	if (group->ops->put(group->bus, BROKER_FACTS,
			    broker_subject(HEARTBEAT_KEY, self).text,
			    slice_of(text), own == NULL ? 0 : own->revision,
			    &revision) == ERR_NONE)
		group->told_ms = now_ms;
	/* only the first node does this */
	if (group->member_count == 0 || !group->members[0].facts.is_self)
		return;
	for (size_t i = 0; i < group->presence_count; i++) {
		const struct node_heartbeat *presence = &group->presences[i];

		if (!presence->is_away &&
		    node_state_find(group, presence->name) == NULL)
			group->ops->remove(
				group->bus, BROKER_FACTS,
				broker_subject(HEARTBEAT_KEY, presence->name)
					.text,
				presence->revision);
	}
}

enum {
	SILENT_LEASES = 2, /* a node that renews no lease for this many lease
			      durations has failed */
	KEPT_LEASES = 4,   /* lease durations for which a row that is gone
			      stays in the list */
	STEPS = 4,         /* per lease duration; a longer gap between two
			      calls counts as one step */
};

static struct failure_detector_item *
failure_detector_find(const struct failure_detector *sightings,
		      const char *name)
{
	for (size_t i = 0; i < sightings->count; i++)
		if (strcmp(sightings->items[i].name, name) == 0)
			return &sightings->items[i];
	return NULL;
}

static void see_again(struct failure_detector *sightings,
		      struct failure_detector_item *sighting,
		      const struct broker_row *row, uint64_t now_ms)
{
	uint64_t step_ms = sightings->lease_ms / STEPS;
	uint64_t since_ms = now_ms - sighting->looked_ms;

	sighting->silent_ms += since_ms < step_ms ? since_ms : step_ms;
	sighting->looked_ms = now_ms;
	if (sighting->revision == row->revision)
		return;
	sighting->revision = row->revision;
	sighting->seen_ms = now_ms;
	sighting->silent_ms = 0;
}

void failure_detector_note(struct failure_detector *sightings,
			   const struct broker_row *rows, size_t count,
			   uint64_t now_ms)
{
	uint64_t kept_ms = KEPT_LEASES * sightings->lease_ms;
	size_t kept = 0;

	if (now_ms > sightings->looked_ms + sightings->lease_ms / STEPS)
		sightings->since_ms = now_ms;
	sightings->looked_ms = now_ms;
	for (size_t i = 0; i < count; i++) {
		struct failure_detector_item *known =
			failure_detector_find(sightings, rows[i].key);
		struct failure_detector_item sighting = {
			.revision = rows[i].revision,
			.seen_ms = now_ms,
			.looked_ms = now_ms,
		};

		if (known != NULL) {
			see_again(sightings, known, &rows[i], now_ms);
			continue;
		}
		if (strlen(rows[i].key) >= NODE_NAME_BYTES)
			continue;
		memcpy(sighting.name, rows[i].key, strlen(rows[i].key));
		sightings->items =
			mem_grow(sightings->items, sightings->count,
				 &sightings->capacity, sizeof(sighting));
		sightings->items[sightings->count++] = sighting;
	}
	for (size_t i = 0; i < sightings->count; i++)
		if (now_ms < sightings->items[i].looked_ms + kept_ms)
			sightings->items[kept++] = sightings->items[i];
	sightings->count = kept;
}

bool failure_detector_is_silent(const struct failure_detector *sightings,
				const struct broker_row *row)
{
	const struct failure_detector_item *sighting =
		failure_detector_find(sightings, row->key);

	return sighting != NULL && sighting->revision == row->revision &&
	       sighting->silent_ms >= SILENT_LEASES * sightings->lease_ms;
}

bool failure_detector_has_expired(const struct failure_detector *sightings,
				  const char *name, uint64_t now_ms)
{
	const struct failure_detector_item *sighting =
		failure_detector_find(sightings, name);
	uint64_t seen_ms = sightings->since_ms;

	if (sighting != NULL && sighting->seen_ms > seen_ms)
		seen_ms = sighting->seen_ms;
	return now_ms >= seen_ms + sightings->lease_ms;
}

/*
 * The membership thread: it renews the lease of this node, and reads the rows
 * of the other nodes and the owners of partitions. It decides what must happen
 * to each partition; the copying thread does it.
 */

enum {
	TICKS = 10, /* turns per lease duration */
	MIN_TICK_MS = 100,
	/*
	 * This node treats its lease as expired this much earlier than the
	 * broker does, because clocks run at different speeds.
	 */
	SHORTER_PERCENT = 20,
	HEX_DIGITS = (ALL_PARTITIONS + 3) / 4,
	MAX_CLOCK_MS = 5000, /* maximum difference from the servers' clock */
};

/*
 * Write a set of partitions as hexadecimal digits; partition 0 is the lowest
 * bit of the first digit.
 */
static void write_set(const bool *set, char out[HEX_DIGITS + 1])
{
	memset(out, '0', HEX_DIGITS);
	out[HEX_DIGITS] = '\0';
	for (unsigned i = 0; i < ALL_PARTITIONS; i += 4) {
		unsigned digit = 0;

		for (unsigned j = 0; j < 4 && i + j < ALL_PARTITIONS; j++)
			digit |= (unsigned)set[i + j] << j;
		out[i / 4] = "0123456789abcdef"[digit];
	}
}

static void read_set(const char *text, bool *set)
{
	memset(set, 0, ALL_PARTITIONS * sizeof(*set));
	for (unsigned i = 0; text != NULL && text[i] != '\0' && i < HEX_DIGITS;
	     i++) {
		const char *digits = "0123456789abcdef";
		const char *place = strchr(digits, text[i]);

		for (unsigned j = 0; place != NULL && j < 4; j++)
			if (4 * i + j < ALL_PARTITIONS)
				set[(size_t)4 * i + j] =
					((place - digits) >> j & 1) != 0;
	}
}

/* Return the row of this node as JSON; the caller frees it with free(). */
static char *write_member(struct node_group *group)
{
	char copies[HEX_DIGITS + 1];
	char owned[HEX_DIGITS + 1];
	bool has[ALL_PARTITIONS];
	bool owns[ALL_PARTITIONS];
	json_int_t reseals = 0;
	json_int_t lag = 0;
	bool is_draining;
	json_t *last = json_object();
	json_t *row;
	char *text;

	lock_acquire(&group->lock);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		const struct partition *partition = &group->partitions[i];

		has[i] = partition->is_whole && partition->damaged_ms == 0;
		owns[i] = partition->state == PARTITION_OWNED;
		lag += (json_int_t)partition_lag(
			partition->state, partition->applied, partition->last);
		if (!owns[i])
			continue;
		/* "17": 1234 means: the last entry of log 17 is 1234 */
		json_object_set_new(
			last, broker_subject("%u", i).text,
			json_integer((json_int_t)partition->applied));
		reseals += !partition->is_resealed;
	}
	is_draining = group->is_draining || group->yields ||
		      clock_steady_ms() < group->full_until_ms;
	lock_release(&group->lock);
	write_set(has, copies);
	write_set(owns, owned);
	row = json_pack("{s:s, s:s, s:s, s:I, s:b, s:I, s:i, s:s, s:s, s:o, "
			"s:s, s:s, s:I, s:I}",
			"id", group->id, "version", group->options.version,
			"address", group->options.address, "capacity",
			(json_int_t)group->options.capacity, "draining",
			(int)is_draining, "clock_ms",
			(json_int_t)group->clock_ms, "schema", STORE_SCHEMA,
			"copies", copies, "owned", owned, "last", last,
			"domains", domain_list(), "key",
			encryption_keys_id(group->options.secret_keys),
			"reseals", reseals, "lag", lag);
	text = json_dumps(row, JSON_COMPACT);
	json_decref(row);
	if (text == NULL)
		mem_exhausted("jansson");
	return text;
}

static const char *node_row_text(const json_t *row, const char *name)
{
	const char *text = json_string_value(json_object_get(row, name));

	return text == NULL ? "" : text;
}

static bool node_state_read(const struct broker_row *row,
			    struct node_state *member)
{
	struct node_facts *facts = &member->facts;
	json_t *json = json_loadb(row->value.data, row->value.size, 0, NULL);
	const json_t *last = json_object_get(json, "last");
	json_int_t capacity;

	*member = (struct node_state){.revision = row->revision,
				      .time_ms = row->time_ms};
	if (!json_is_object(json)) {
		json_decref(json);
		return false;
	}
	snprintf(facts->name, sizeof(facts->name), "%.*s", NODE_NAME_BYTES - 1,
		 row->key);
	snprintf(facts->address, sizeof(facts->address), "%s",
		 node_row_text(json, "address"));
	snprintf(facts->version, sizeof(facts->version), "%s",
		 node_row_text(json, "version"));
	capacity = json_integer_value(json_object_get(json, "capacity"));
	facts->capacity =
		capacity > 0 && capacity <= UINT32_MAX ? (uint32_t)capacity : 1;
	facts->is_draining = json_is_true(json_object_get(json, "draining"));
	facts->clock_ms = json_integer_value(json_object_get(json, "clock_ms"));
	snprintf(facts->key, sizeof(facts->key), "%s",
		 node_row_text(json, "key"));
	facts->reseals =
		(uint32_t)json_integer_value(json_object_get(json, "reseals"));
	facts->lag = (uint64_t)json_integer_value(json_object_get(json, "lag"));
	read_set(node_row_text(json, "copies"), member->has);
	read_set(node_row_text(json, "owned"), member->owns);
	member->has_other_domains =
		strcmp(node_row_text(json, "domains"), domain_list()) != 0;
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		facts->copies += member->has[i];
		facts->owned += member->owns[i];
		member->last[i] = (uint64_t)json_integer_value(
			json_object_get(last, broker_subject("%u", i).text));
	}
	json_decref(json);
	return true;
}

/*
 * Return ERR_BUSY if another store uses the name of this node: two nodes with
 * one name would own the same partitions.
 */
static enum error look_for_namesake(struct node_group *group)
{
	const char *self = group->options.bus.name;
	char text[NODE_TROUBLE_BYTES];
	struct broker_row row = {0};
	enum error error =
		group->ops->get(group->bus, BROKER_NODES, self, &row);
	json_t *json = error != ERR_NONE ? NULL
					 : json_loadb(row.value.data,
						      row.value.size, 0, NULL);

	if (json != NULL && strcmp(node_row_text(json, "id"), group->id) != 0) {
		error = ERR_BUSY;
		snprintf(text, sizeof(text),
			 "node %s: another store uses this name; set a unique "
			 "nodes.name, or wait until the other lease expires",
			 self);
		nodes_set_problem(group, LOG_LEVEL_ERROR, text);
	}
	json_decref(json);
	buffer_free(&row.value);
	return error == ERR_NOT_FOUND ? ERR_NONE : error;
}

/*
 * Write the row of this node, which renews its lease. Do not expect a certain
 * revision: only this node writes the row, and servers that were killed may
 * have changed its revision. (After each write that they reject, replicas of
 * version 2.9 number entries differently, until no leader finds its entries.)
 * This node counts its lease from the time before the write, so the lease ends
 * here earlier than at the broker.
 */
static enum error membership_renew_lease(struct node_group *group)
{
	uint32_t lease_ms = group->options.bus.lease_ms;
	uint64_t begin_ms = clock_lease_ms();
	uint64_t revision;
	enum error error = look_for_namesake(group);
	char *text;

	if (error == ERR_BUSY)
		group->revision = 0; /* another store has written the row */
	if (error != ERR_NONE)
		return error;
	text = write_member(group);
	error = group->ops->put(group->bus, BROKER_NODES,
				group->options.bus.name, slice_of(text),
				BROKER_ANY, &revision);
	free(text);
	if (error != ERR_NONE)
		return error;
	lock_acquire(&group->lock);
	group->revision = revision;
	group->lease_until_ms =
		begin_ms + (uint64_t)lease_ms * (100 - SHORTER_PERCENT) / 100;
	pipeline_fetch_until(group->pipeline, group->lease_until_ms);
	lock_release(&group->lock);
	return ERR_NONE;
}

static int node_state_compare(const void *left, const void *right)
{
	return strcmp(((const struct node_state *)left)->facts.name,
		      ((const struct node_state *)right)->facts.name);
}

/* Read the nodes that have a lease, sorted by name. */
static enum error membership_read_nodes(struct node_group *group)
{
	struct broker_row *rows;
	struct node_state *members;
	size_t count;
	size_t used = 0;
	enum error error =
		group->ops->list(group->bus, BROKER_NODES, &rows, &count);

	if (error != ERR_NONE)
		return error;
	members = mem_alloc(count + 1, sizeof(*members));
	lock_acquire(&group->lock);
	failure_detector_note(&group->sightings, rows, count,
			      clock_steady_ms());
	lock_release(&group->lock);
	/* no lock: only this thread writes the sightings */
	for (size_t i = 0; i < count; i++)
		if (!failure_detector_is_silent(&group->sightings, &rows[i]))
			used += node_state_read(&rows[i], &members[used]);
	for (size_t i = 0; i < used; i++) {
		struct node_facts *facts = &members[i].facts;

		facts->has_strange_key =
			*facts->key != '\0' &&
			!encryption_keys_has(group->options.secret_keys,
					     facts->key);
		facts->is_self =
			strcmp(facts->name, group->options.bus.name) == 0;
	}
	if (used > 0)
		qsort(members, used, sizeof(*members), node_state_compare);
	broker_rows_free(rows, count);
	lock_acquire(&group->lock);
	free(group->members);
	group->members = members;
	group->member_count = used;
	lock_release(&group->lock);
	return ERR_NONE;
}

/*
 * Return whether `key` has precedence over `other`. The key whose nodes own
 * more partitions has it; if they own equally many, the key of more nodes; then
 * the key that sorts first. All nodes get the same result.
 */
static bool goes_before(const struct node_group *group, const char *key,
			const char *other)
{
	uint32_t owned[2] = {0};
	uint32_t nodes[2] = {0};

	for (size_t i = 0; i < group->member_count; i++) {
		const struct node_facts *facts = &group->members[i].facts;

		for (unsigned j = 0; j < 2; j++) {
			if (strcmp(facts->key, j == 0 ? key : other) != 0)
				continue;
			owned[j] += facts->owned;
			nodes[j]++;
		}
	}
	if (owned[0] != owned[1])
		return owned[0] > owned[1];
	if (nodes[0] != nodes[1])
		return nodes[0] > nodes[1];
	return strcmp(key, other) < 0;
}

/*
 * Compare the encryption keys of the nodes. If this node has keys, but not the
 * group's key, hand over its partitions: it cannot decrypt the data of the
 * others, and they cannot decrypt its log. A node without keys stays in the
 * group.
 */
static void look_at_keys(struct node_group *group)
{
	const struct encryption_keys *keys = group->options.secret_keys;
	const char *first = ""; /* the key that has precedence */
	struct node_state *self;

	for (size_t i = 0; i < group->member_count; i++) {
		const char *key = group->members[i].facts.key;

		if (*key != '\0' &&
		    (*first == '\0' || goes_before(group, key, first)))
			first = key;
	}
	lock_acquire(&group->lock);
	group->yields = keys != NULL && *first != '\0' &&
			!encryption_keys_has(keys, first);
	self = node_state_find(group, group->options.bus.name);
	if (self != NULL)
		self->facts.is_draining |= group->yields;
	lock_release(&group->lock);
}

/* Parse a key such as "p.017", which has the kind "p." and the partition 17. */
static bool membership_parse_key(const char *key, const char *kind,
				 unsigned *number_out)
{
	char *end;
	unsigned long number;

	if (strncmp(key, kind, strlen(kind)) != 0)
		return false;
	number = strtoul(key + strlen(kind), &end, 10);
	*number_out = (unsigned)number;
	return *end == '\0' && end != key + strlen(kind) &&
	       number < ALL_PARTITIONS;
}

uint64_t owner_read(const struct broker_row *row, char name[NODE_NAME_BYTES])
{
	char text[NODE_NAME_BYTES + 24] = "";
	size_t size = row->value.size < sizeof(text) - 1 ? row->value.size
							 : sizeof(text) - 1;
	const char *epoch;

	if (size > 0)
		memcpy(text, row->value.data, size);
	snprintf(name, NODE_NAME_BYTES, "%.*s", NODE_NAME_BYTES - 1, text);
	epoch = text + strlen(text) + 1;
	return epoch >= text + size ? 0 : strtoull(epoch, NULL, 10);
}

/*
 * Read the owners of partitions, the sums that the owners have published, and
 * the expected nodes.
 */
static enum error look_at_owners(struct node_group *group)
{
	struct broker_row *rows;
	size_t count;
	enum error error =
		group->ops->list(group->bus, BROKER_FACTS, &rows, &count);

	if (error != ERR_NONE)
		return error;
	heartbeat_read_all(group, rows, count);
	lock_acquire(&group->lock);
	for (size_t i = 0; i < count; i++) {
		unsigned number;
		uint64_t epoch;
		char owner[NODE_NAME_BYTES];
		struct partition *partition;

		if (membership_parse_key(rows[i].key, "s.", &number))
			replica_check_read(
				buffer_slice(&rows[i].value),
				&group->partitions[number].owner_sum);
		if (!membership_parse_key(rows[i].key, "p.", &number))
			continue;
		partition = &group->partitions[number];
		/* this node may have written a newer row since */
		epoch = owner_read(&rows[i], owner);
		if (epoch < partition->row_epoch)
			continue;
		partition->row_epoch = epoch;
		partition->revision = rows[i].revision;
		memcpy(partition->owner, owner, sizeof(partition->owner));
	}
	lock_release(&group->lock);
	broker_rows_free(rows, count);
	return ERR_NONE;
}

/*
 * Return the name of the first node, by its rank for this partition, that has a
 * complete replica; "" if none has.
 */
static const char *first_of_whole(const struct node_group *group,
				  const struct placement_node *nodes,
				  unsigned number)
{
	const char *first = "";
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < group->member_count; i++) {
		size_t rank;

		if (!group->members[i].has[number])
			continue;
		rank = placement_rank(nodes, group->member_count, i, number);
		if (rank < best) {
			best = rank;
			first = nodes[i].name;
		}
	}
	return first;
}

/*
 * Decide what must happen to one partition: which node shall own it, and
 * whether this node keeps a replica. Call with the lock held.
 */
static void membership_plan_partition(struct node_group *group,
				      const struct placement_node *nodes,
				      unsigned number, const uint32_t *holders)
{
	struct partition *partition = &group->partitions[number];
	const char *self = group->options.bus.name;
	const struct node_state *owner =
		node_state_find(group, partition->owner);
	unsigned copies = group->options.copies;
	const char *first;

	partition->wanted[0] = '\0';
	partition->wants_copy = number == PARTITION_COMMON;
	partition->wanted_has_it = false;
	partition->others_have_it = true;
	for (unsigned i = 0; i < copies; i++) {
		const struct node_state *holder;

		if (holders[i] == PLACEMENT_NOBODY)
			continue;
		if (holders[i] >=
		    group->member_count) { /* the node is missing */
			partition->others_have_it = false;
			continue;
		}
		holder = &group->members[holders[i]];
		partition->wants_copy |= holder->facts.is_self;
		partition->others_have_it &=
			holder->has[number] && !holder->facts.is_self;
		if (i > 0)
			continue;
		partition->wanted_has_it = holder->has[number];
		snprintf(partition->wanted, sizeof(partition->wanted), "%s",
			 holder->facts.name);
	}
	if (owner != NULL && owner->last[number] > partition->last)
		partition->last = owner->last[number];
	partition->is_owner_gone = partition->revision != 0 && owner == NULL;
	first = first_of_whole(group, nodes, number);
	/* if all replicas are damaged, any node may adopt the partition */
	partition->is_first = first[0] == '\0' || strcmp(first, self) == 0;
}

/* Decide what must happen to each partition. */
static void membership_plan_all(struct node_group *group)
{
	unsigned copies = group->options.copies;
	struct placement_node *nodes =
		mem_alloc(group->member_count + group->presence_count + 1,
			  sizeof(*nodes));
	size_t count = 0;
	uint32_t *holders =
		mem_alloc((size_t)ALL_PARTITIONS * copies, sizeof(*holders));

	/* the present nodes in order, then the missing ones */
	for (size_t i = 0; i < group->member_count; i++)
		nodes[count++] = (struct placement_node){
			group->members[i].facts.name,
			group->members[i].facts.capacity,
			group->members[i].facts.is_draining,
			false,
		};
	for (size_t i = 0; i < group->presence_count; i++)
		if (group->presences[i].is_away)
			nodes[count++] = (struct placement_node){
				group->presences[i].name,
				group->presences[i].capacity,
				false,
				true,
			};
	placement_compute(nodes, count,
			  (struct placement_terms){ALL_PARTITIONS, copies,
						   PLACEMENT_SLACK},
			  holders);
	lock_acquire(&group->lock);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++)
		membership_plan_partition(group, nodes, i,
					  holders + (size_t)i * copies);
	group->has_members = true;
	node_wake_set(&group->wake_copying);
	lock_release(&group->lock);
	free(holders);
	free(nodes);
}

/* Do one turn of the membership thread. Return false if it failed. */
static bool membership_check(struct node_group *group)
{
	enum error error = nodes_connect(group);

	if (error == ERR_NONE)
		error = membership_renew_lease(group);
	if (error == ERR_NONE)
		error = membership_read_nodes(group);
	if (error == ERR_NONE) {
		look_at_keys(group);
		error = look_at_owners(group);
	}
	if (error == ERR_NONE) {
		heartbeat_write(group);
		membership_plan_all(group);
		nodes_set_problem(group, LOG_LEVEL_DEBUG, "");
	}
	/* an error of the broker is a response, too */
	if (error != ERR_NETWORK)
		group->answered_ms = clock_steady_ms();
	return error == ERR_NONE;
}

/*
 * Log once that the broker connection is lost, and once that it is back. Stop
 * the work of this node when its lease is over.
 */
static void membership_log_connection(struct node_group *group,
				      bool is_connected)
{
	bool was_connected;
	bool is_untold;
	bool is_over;

	lock_acquire(&group->lock);
	is_over = group->lease_until_ms != 0 && !nodes_have_lease(group);
	is_untold = !is_connected && *group->trouble == '\0';
	was_connected = group->is_connected;
	group->is_connected = is_connected;
	group->is_lost |= is_over;
	if (!nodes_have_lease(group))
		node_wake_set(&group->wake_copying);
	lock_release(&group->lock);
	/* the copying thread may be busy, so stop fetches here already */
	for (unsigned i = 0; is_over && i < ALL_PARTITIONS; i++)
		store_set_owned(group->store, i, false);
	if (is_over)
		pipeline_leave_lost_hosts(group->pipeline, 0);
	if (is_untold)
		nodes_set_problem(group, LOG_LEVEL_DEBUG,
				  "the NATS servers do not respond");
	if (was_connected && !is_connected)
		log_warn("nodes: the broker does not respond; until it does, "
			 "this node fetches and changes nothing, and responses "
			 "may be outdated");
	if (!was_connected && is_connected)
		log_info("nodes: node %s is connected to the broker",
			 group->options.bus.name);
}

/*
 * Compare the clock of this machine with the servers' clock: times in the store
 * come from the clocks of all nodes.
 */
static void check_clock(struct node_group *group, uint64_t *reminded_ms)
{
	int64_t clock_ms = 0;

	if (group->bus == NULL)
		return;
	group->ops->is_connected(group->bus, &clock_ms);
	lock_acquire(&group->lock);
	group->clock_ms = clock_ms;
	lock_release(&group->lock);
	if ((clock_ms < MAX_CLOCK_MS && clock_ms > -MAX_CLOCK_MS) ||
	    !reminder_is_due(reminded_ms))
		return;
	log_warn("nodes: the clocks of this machine and the NATS servers "
		 "differ by %.1f s; pages are fetched at wrong times; run NTP "
		 "on all machines",
		 (double)(clock_ms < 0 ? -clock_ms : clock_ms) / 1000.0);
}

/*
 * Compare the lists of public suffixes of the nodes. They must be equal;
 * otherwise a host may belong to two partitions.
 */
static void check_domains(const struct node_group *group, uint64_t *reminded_ms)
{
	for (size_t i = 0; i < group->member_count; i++) {
		if (!group->members[i].has_other_domains ||
		    !reminder_is_due(reminded_ms))
			continue;
		log_warn("nodes: node %s has another list of public suffixes "
			 "(libpsl), so a host may have two owners; install the "
			 "same version on all nodes",
			 group->members[i].facts.name);
	}
}

/* Log the nodes whose key this node does not have. */
static void check_keys(const struct node_group *group, uint64_t *reminded_ms)
{
	const char *own = encryption_keys_id(group->options.secret_keys);
	bool is_due = false;

	for (size_t i = 0; i < group->member_count; i++) {
		const struct node_facts *facts = &group->members[i].facts;

		/* log all of them together, at most once a minute */
		if (!facts->has_strange_key ||
		    (!is_due && !reminder_is_due(reminded_ms)))
			continue;
		is_due = true;
		if (*own == '\0')
			log_warn("nodes: node %s encrypts secrets with key %s, "
				 "and this node has no "
				 "nodes.encryption_key_file, so it does not "
				 "replicate the sites of that node",
				 facts->name, facts->key);
		else
			log_error(
				"nodes: node %s encrypts secrets with key %s, "
				"which is missing in nodes.encryption_key_file "
				"of this node; its first key is %s%s",
				facts->name, facts->key, own,
				group->yields ? "; this node owns no sites "
						"until it has that key"
					      : "");
	}
}

/*
 * Wait until `until_ms`, or until a hint comes; then wait a little for further
 * hints. Return false if the thread must stop.
 */
static bool membership_wait(struct node_group *group, uint64_t until_ms)
{
	struct node_wake *wake = &group->wake_membership;
	uint64_t soon_ms = clock_steady_ms() + MIN_TICK_MS;
	bool goes_on;

	lock_acquire(&group->lock);
	while (!group->is_ending && !wake->is_set &&
	       condition_wait_until(&wake->condition, &group->lock, until_ms))
		;
	while (!group->is_ending && wake->is_set &&
	       condition_wait_until(&wake->condition, &group->lock,
				    soon_ms < until_ms ? soon_ms : until_ms))
		;
	wake->is_set = false;
	goes_on = !group->is_ending;
	lock_release(&group->lock);
	return goes_on;
}

void *membership_main(void *argument)
{
	struct node_group *group = argument;
	uint32_t tick_ms = group->options.bus.lease_ms / TICKS;
	uint64_t clock_reminded_ms = 0;
	uint64_t domains_reminded_ms = 0;
	uint64_t keys_reminded_ms = 0;

	if (tick_ms < MIN_TICK_MS)
		tick_ms = MIN_TICK_MS;
	do {
		membership_log_connection(group, membership_check(group));
		check_clock(group, &clock_reminded_ms);
		check_domains(group, &domains_reminded_ms);
		check_keys(group, &keys_reminded_ms);
	} while (membership_wait(group, clock_steady_ms() + tick_ms));
	return NULL;
}

void membership_leave(struct node_group *group)
{
	if (group->revision == 0)
		return;
	group->ops->remove(group->bus, BROKER_NODES, group->options.bus.name,
			   BROKER_ANY);
	group->revision = 0;
}
