/*
 * The expected nodes: each node has a row "n.NAME" in BROKER_FACTS, which stays
 * when its lease expires and which it rewrites several times per
 * nodes.rebalance_delay. A node with a younger row and no lease is missing and
 * keeps its replicas. A node that was draining is not expected to return.
 */
#include "daemon/nodes/cluster_parts.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/runtime/clock.h"

enum {
	TOLD = 10, /* heartbeats per nodes.rebalance_delay */
	MOST_MS = 60 * 1000,
	LEAST_MS = 1000,
};

void heartbeat_key(const char *node, char out[BROKER_KEY_BYTES])
{
	snprintf(out, BROKER_KEY_BYTES, "n.%s", node);
}

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

static struct node_heartbeat *heartbeat_find(struct node_group *cluster,
					     const char *name)
{
	for (size_t i = 0; i < cluster->presence_count; i++)
		if (strcmp(cluster->presences[i].name, name) == 0)
			return &cluster->presences[i];
	return NULL;
}

/* By the server's clock, as the times of the rows. */
static bool heartbeat_is_expected(const struct node_group *cluster,
				  const struct node_heartbeat *presence)
{
	int64_t now_ms = (int64_t)clock_wall_ms() + cluster->clock_ms;

	return !presence->is_draining &&
	       now_ms < (int64_t)(presence->time_ms +
				  cluster->options.patience_ms);
}

static bool has_lease_of(const struct node_group *cluster, const char *name)
{
	for (size_t i = 0; i < cluster->member_count; i++)
		if (strcmp(cluster->members[i].facts.name, name) == 0)
			return true;
	return false;
}

void heartbeat_read_all(struct node_group *cluster,
			const struct broker_row *rows, size_t count)
{
	struct node_heartbeat *presences =
		mem_alloc(count + 1, sizeof(*presences));
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		struct node_heartbeat *presence = &presences[used];
		const struct node_heartbeat *before;

		if (strncmp(rows[i].key, "n.", strlen("n.")) != 0 ||
		    !heartbeat_read(&rows[i], presence))
			continue;
		before = heartbeat_find(cluster, presence->name);
		presence->is_away = !has_lease_of(cluster, presence->name) &&
				    heartbeat_is_expected(cluster, presence);
		if (presence->is_away && before != NULL && !before->is_away)
			log_info("nodes: node %s is missing; it keeps its "
				 "replicas for nodes.rebalance_delay",
				 presence->name);
		used++;
	}
	lock_acquire(&cluster->lock);
	free(cluster->presences);
	cluster->presences = presences;
	cluster->presence_count = used;
	lock_release(&cluster->lock);
}

/*
 * Return the time since then by the server's clock; 0 if it is in the future.
 */
static uint64_t silence_of(const struct node_group *cluster, uint64_t time_ms)
{
	int64_t now_ms = (int64_t)clock_wall_ms() + cluster->clock_ms;

	return now_ms > (int64_t)time_ms ? (uint64_t)now_ms - time_ms : 0;
}

void heartbeat_facts(const struct node_group *cluster,
		     struct cluster_facts *out)
{
	for (size_t i = 0; i < out->node_count; i++)
		out->nodes[i].silent_ms =
			silence_of(cluster, cluster->members[i].time_ms);
	for (size_t i = 0; i < cluster->presence_count; i++) {
		const struct node_heartbeat *presence = &cluster->presences[i];
		struct missing_node_facts *away = &out->away[out->away_count];

		if (!presence->is_away ||
		    out->away_count == MISSING_NODES_SHOWN)
			continue;
		memcpy(away->name, presence->name, sizeof(away->name));
		away->capacity = presence->capacity;
		away->silent_ms = silence_of(cluster, presence->time_ms);
		out->away_count++;
	}
}

/* Delete the rows of nodes that did not return; one node does this. */
static void forget_gone(struct node_group *cluster)
{
	if (!cluster->members[0].facts.is_self)
		return;
	for (size_t i = 0; i < cluster->presence_count; i++) {
		const struct node_heartbeat *presence = &cluster->presences[i];
		char key[BROKER_KEY_BYTES];

		if (presence->is_away || has_lease_of(cluster, presence->name))
			continue;
		heartbeat_key(presence->name, key);
		cluster->ops->remove(cluster->bus, BROKER_FACTS, key,
				     presence->revision);
	}
}

void heartbeat_write(struct node_group *cluster)
{
	const char *self = cluster->options.bus.name;
	uint64_t patience_ms = cluster->options.patience_ms;
	uint64_t pause_ms = patience_ms / TOLD;
	uint64_t now_ms = clock_steady_ms();
	const struct node_heartbeat *own = heartbeat_find(cluster, self);
	char key[BROKER_KEY_BYTES];
	char text[80];
	uint64_t revision;
	bool drains;

	lock_acquire(&cluster->lock);
	drains = cluster->is_draining;
	lock_release(&cluster->lock);
	pause_ms = pause_ms > MOST_MS ? MOST_MS : pause_ms;
	pause_ms = pause_ms < LEAST_MS ? LEAST_MS : pause_ms;
	if (patience_ms == 0 ||
	    (own != NULL && own->is_draining == drains &&
	     cluster->told_ms != 0 && now_ms < cluster->told_ms + pause_ms))
		return;
	heartbeat_key(self, key);
	snprintf(text, sizeof(text), "{\"capacity\":%u,\"draining\":%s}",
		 cluster->options.capacity, drains ? "true" : "false");
	/* a row with another revision is written at the next turn */
	if (cluster->ops->put(cluster->bus, BROKER_FACTS, key, slice_of(text),
			      own == NULL ? 0 : own->revision,
			      &revision) == ERR_NONE)
		cluster->told_ms = now_ms;
	if (cluster->member_count > 0)
		forget_gone(cluster);
}
