/*
 * Connect to the broker, at the start or as soon as its servers respond. Until
 * then the node owns no partition and knows no other nodes, so only the API may
 * send requests, and it gets an error.
 */
#include "daemon/nodes/cluster_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/runtime/clock.h"

enum {
	NODE_ANSWERERS = 4,
	REMIND_MS = 60 * 1000, /* between log lines about the same problem */
	RETRY_MS = 500,
	SOON_MS = 10 * 1000,
	DEAF_LEASES = 2,
	WRONG_MS = 2000, /* retry after wrong settings, which an operator must
			    change */
};

void nodes_set_problem(struct node_group *cluster, enum log_level level,
		       const char *text)
{
	uint64_t now_ms = clock_steady_ms();
	bool is_told;

	lock_acquire(&cluster->lock);
	is_told = strcmp(cluster->trouble, text) != 0 ||
		  now_ms >= cluster->trouble_ms + REMIND_MS;
	if (is_told)
		cluster->trouble_ms = now_ms;
	snprintf(cluster->trouble, sizeof(cluster->trouble), "%s", text);
	lock_release(&cluster->lock);
	if (is_told && *text != '\0')
		log_line(level, "nodes: %s", text);
}

/* Subscribe to hints and to requests to this node. */
static enum error listen_to_nodes(struct node_group *cluster,
				  struct broker *bus)
{
	char subject[BROKER_SUBJECT_BYTES];
	enum error error = cluster->ops->listen(bus, "tpl.hint.*",
						nodes_handle_hint, cluster);

	snprintf(subject, sizeof(subject), "tpl.node.%s",
		 cluster->options.bus.name);
	if (error == ERR_NONE)
		error = cluster->ops->answer(bus, subject, nodes_handle_request,
					     cluster, NODE_ANSWERERS);
	return error;
}

/* Replace the bus; the copying thread sets the handlers for its partitions. */
static void replace_bus(struct node_group *cluster, struct broker *bus)
{
	struct broker *old = atomic_exchange(&cluster->bus, bus);

	if (old == NULL)
		return;
	cluster->closed =
		mem_grow(cluster->closed, cluster->closed_count,
			 &cluster->closed_capacity, sizeof(struct broker *));
	cluster->closed[cluster->closed_count++] = old;
	lock_acquire(&cluster->lock);
	cluster->has_new_bus = true;
	log_apply_wake(cluster);
	lock_release(&cluster->lock);
}

/*
 * Return whether the server is disconnected from the others: it may accept a
 * connection but have no JetStream until its restart (version 2.9). After some
 * leases without a response the node connects to another server.
 */
static bool is_deaf(const struct node_group *cluster)
{
	return clock_steady_ms() - cluster->answered_ms >=
	       (uint64_t)DEAF_LEASES * cluster->options.bus.lease_ms;
}

enum error nodes_connect(struct node_group *cluster)
{
	char why[BROKER_WHY_BYTES] = "the connection was lost immediately";
	struct broker *bus = cluster->bus;
	enum error error;

	if (bus != NULL && !cluster->ops->is_closed(bus)) {
		if (!is_deaf(cluster))
			return ERR_NONE;
		log_warn("nodes: the NATS server does not respond; trying "
			 "another one");
		cluster->ops->hang_up(bus);
	}
	bus = NULL;
	/*
	 * a connection that failed twice in short time will fail again, and
	 * each one leaves a bus
	 */
	if (clock_steady_ms() < cluster->join_ms ||
	    (cluster->joined_before_ms != 0 &&
	     clock_steady_ms() < cluster->joined_before_ms + SOON_MS))
		return ERR_NETWORK;
	error = cluster->ops->open(&bus, &cluster->options.bus, why);
	if (error == ERR_NONE)
		error = listen_to_nodes(cluster, bus);
	if (error == ERR_NONE) {
		cluster->answered_ms = clock_steady_ms();
		cluster->joined_before_ms = cluster->joined_ms;
		cluster->joined_ms = cluster->answered_ms;
		replace_bus(cluster, bus);
		return ERR_NONE;
	}
	if (bus != NULL)
		cluster->ops->close(bus);
	nodes_set_problem(
		cluster,
		error == ERR_NETWORK ? LOG_LEVEL_WARN : LOG_LEVEL_ERROR, why);
	cluster->join_ms = clock_steady_ms() +
			   (error == ERR_NETWORK ? RETRY_MS : WRONG_MS);
	return error;
}

enum error nodes_connect_at_start(struct node_group *cluster)
{
	enum error error = nodes_connect(cluster);

	if (error != ERR_NETWORK)
		return error;
	log_warn("nodes: waiting for the NATS servers; until then this node "
		 "fetches and changes nothing, and responses may be outdated");
	return ERR_NONE;
}
