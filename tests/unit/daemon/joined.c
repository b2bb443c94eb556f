#include "tests/unit/daemon/joined.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/http/server.h"
#include "tests/unit/run.h"

static unsigned partition(struct slice host)
{
	const char *letter = host.data;

	return host.size == 0 ? 0 : (unsigned)(*letter - 'a' + 1) % PARTITIONS;
}

static void name_node(unsigned node, char *out)
{
	(void)snprintf(out, NODE_NAME_BYTES, "n%u", node);
}

static void find(struct node_group *cluster, unsigned partition_number,
		 struct partition_route *out)
{
	struct joined *joined = cluster->joined;
	unsigned owner = atomic_load(&joined->owners[partition_number]);

	*out = (struct partition_route){.epoch = atomic_load(&joined->epoch),
					.last = atomic_load(&joined->last)};
	if (cluster->self == 0)
		atomic_store(&joined->was_old,
			     atomic_load(&joined->old_looks) > 0);
	if (cluster->self == 0 && atomic_load(&joined->was_old)) {
		atomic_fetch_sub(&joined->old_looks, 1);
		owner = atomic_load(&joined->old_owner);
	}
	out->is_own = owner == cluster->self;
	out->is_copy = !out->is_own && atomic_load(&joined->has_copies);
	if (!out->is_own && owner != NO_TABLE_ROW)
		name_node(owner, out->owner);
	if (out->owner[0] != '\0' && atomic_load(&joined->has_addresses))
		(void)snprintf(out->address, sizeof(out->address), "%s",
			       joined->nodes[owner].address);
}

static void node_facts(const struct joined *joined, unsigned node,
		       unsigned self, struct node_facts *out)
{
	*out = (struct node_facts){.capacity = 1, .is_self = node == self};
	name_node(node, out->name);
	(void)snprintf(out->version, sizeof(out->version), "1.0");
	for (unsigned i = 0; i < ALL_PARTITIONS; i++)
		out->owned += atomic_load(&joined->owners[i]) == node;
	out->copies = out->owned;
	out->is_draining = node == 0 && atomic_load(&joined->drains);
}

static void facts(struct node_group *cluster, struct cluster_facts *out)
{
	struct joined *joined = cluster->joined;

	*out = (struct cluster_facts){.has_joined = true,
				      .is_connected = true,
				      .has_lease = true,
				      .failovers = 1,
				      .moves = 2,
				      .node_count = joined->count};
	if (atomic_load(&joined->has_no_broker)) {
		out->has_joined = false;
		out->is_connected = false;
		(void)snprintf(out->trouble, sizeof(out->trouble), "no <b>");
	}
	name_node(cluster->self, out->name);
	out->nodes = mem_alloc(joined->count, sizeof(*out->nodes));
	for (unsigned i = 0; i < joined->count; i++)
		node_facts(joined, i, cluster->self, &out->nodes[i]);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		struct partition_facts *row = &out->partitions[i];
		unsigned owner = atomic_load(&joined->owners[i]);

		*row = (struct partition_facts){
			.epoch = atomic_load(&joined->epoch),
			.applied = 40,
			.last = 42,
			.state = owner == cluster->self ? PARTITION_OWNED
							: PARTITION_NOT_HERE};
		if (owner != NO_TABLE_ROW)
			name_node(owner, row->owner);
	}
}

static unsigned node_of(const struct joined *joined, const char *name)
{
	unsigned node = (unsigned)strtoul(name + 1, NULL, 10);

	return node < joined->count ? node : NO_TABLE_ROW;
}

/* NOLINTNEXTLINE(readability-function-size): the type is the cluster's */
static enum error ask(struct node_group *cluster, unsigned partition_number,
		      const char *node, struct slice question,
		      uint32_t timeout_ms, struct buffer *answer)
{
	struct joined *joined = cluster->joined;
	enum error failure = (enum error)atomic_load(&joined->failure);
	unsigned owner =
		node != NULL ? node_of(joined, node)
			     : atomic_load(&joined->owners[partition_number]);

	(void)timeout_ms;
	atomic_fetch_add(&joined->questions, 1);
	if (node == NULL && atomic_load(&joined->was_old))
		owner = atomic_load(&joined->old_owner);
	if (failure != ERR_NONE)
		return failure;
	if (atomic_exchange(&joined->dies, false)) {
		atomic_store(&joined->owners[partition_number],
			     atomic_load(&joined->heir));
		atomic_fetch_add(&joined->epoch, 1);
		return ERR_STOPPED;
	}
	if (owner >= joined->count)
		return ERR_NOT_FOUND;
	api_handle_node(joined->nodes[owner].served.api, question, answer);
	return ERR_NONE;
}

static void drain(struct node_group *cluster, bool drains)
{
	atomic_store(&cluster->joined->drains, drains);
}

static enum error remove_node(struct node_group *cluster, const char *node)
{
	return node_of(cluster->joined, node) == NO_TABLE_ROW ? ERR_NOT_FOUND
							      : ERR_BUSY;
}

static void listen_at(struct joined_node *node)
{
	char place[32];

	(void)snprintf(place, sizeof(place), "127.0.0.1:%u", test_free_port());
	(void)snprintf(node->address, sizeof(node->address), "http://%s",
		       place);
	ck_assert_int_eq(tcp_open(&node->listener, place, "", ""), ERR_NONE);
	node->served.listener = node->listener;
}

static enum error submit(struct node_group *cluster, struct import_job *jobs,
			 size_t count)
{
	struct joined *joined = cluster->joined;
	enum error error = (enum error)atomic_load(&joined->failure);

	for (size_t i = 0; i < count && error == ERR_NONE; i++) {
		jobs[i].is_known = strcmp(joined->job_id, jobs[i].id) == 0;
		(void)snprintf(joined->job_id, sizeof(joined->job_id), "%s",
			       jobs[i].id);
		joined->job_partition = jobs[i].partition;
		atomic_fetch_add(&joined->jobs, 1);
	}
	return error;
}

static size_t max_bytes(struct node_group *cluster)
{
	return cluster->max_bytes;
}

void joined_open(struct joined *joined, unsigned count)
{
	joined->count = count;
	atomic_store(&joined->epoch, 7);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++)
		atomic_store(&joined->owners[i], 0);
	for (unsigned i = 0; i < count; i++) {
		struct joined_node *node = &joined->nodes[i];

		world_open(&node->world, 0);
		served_make(&node->served, node->world.store,
			    node->world.engine, node->world.path);
		node->cluster = (struct node_group){joined, i, 1 << 16};
		node->peers = (struct node_client){
			.cluster = &node->cluster,
			.partition = partition,
			.facts = facts,
			.find = find,
			.ask = ask,
			.drain = drain,
			.remove = remove_node,
			.submit = submit,
			.max_bytes = max_bytes,
			.token = JOINED_TOKEN,
			.ca_file = "",
			.certificate_file = "",
			.key_file = "",
		};
		node->served.peers = &node->peers;
		listen_at(node);
	}
}

void joined_start(struct joined *joined)
{
	for (unsigned i = 0; i < joined->count; i++)
		served_start(&joined->nodes[i].served);
}

void joined_close(struct joined *joined)
{
	for (unsigned i = 0; i < joined->count; i++)
		served_stop(&joined->nodes[i].served);
	for (unsigned i = 0; i < joined->count; i++) {
		world_close(&joined->nodes[i].world);
		tcp_close(joined->nodes[i].listener);
	}
}

const char *joined_path(const struct joined *joined, unsigned node)
{
	return joined->nodes[node].served.path;
}
